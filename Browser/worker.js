// SPDX-License-Identifier: Apache-2.0
// Names the client as the browser proves it, and passes frames to the host and answers back. It decides nothing.
// Besides the owner's settings it knows only what the agent knows. The button shows the number of waiting questions
// and opens the inbox; the agent serves the inbox itself.
"use strict";

const host = "io.countersign.hub";
const matches = ["https://*/*", "http://localhost/*", "http://127.0.0.1/*"];
const wires = ["nip07", "nep413", "arc27"];
const frameBytesMax = 576 << 10;
// Each tab is counted separately, with all its frames; the host counts the sites of all tabs. At most this many calls
// of a tab are handled at one time; the others wait in the order of their arrival.
const underWayOfTabMax = 64;
const inLineOfTabMax = 1024;
const inLineCharactersMax = 16 << 20;
const patienceMilliseconds = 30_000;
const idleMilliseconds = 20_000;
const badgeMilliseconds = 700;
const lookMilliseconds = 2_000;
const unlockingLooks = 60;
const lookMinutes = 0.5;

// The id by which any page can name Countersign over ARC-27.
const product = "f8d9a346-46e4-4b7a-9919-cea907de29dd";
// The owner's settings: an access token of the agent, the home's own ARC-27 provider id, and the origins that are
// off.
let settings = chrome.storage.local.get({ token: "", provider: "", off: [] });
// Scripts in pages must not read the settings, as their processes can be taken over by pages.
chrome.storage.local.setAccessLevel?.({ accessLevel: "TRUSTED_CONTEXTS" });

const waiting = new Map();
let native = null;
let idle = 0;

// Injecting scripts into pages

let injecting = Promise.resolve();
const inject = () => {
  injecting = injecting.then(async () => {
    const { off } = await settings;
    const shared = { runAt: "document_start", allFrames: true, persistAcrossSessions: true, matches };
    const scripts = (excludeMatches) => [
      { id: "provider", js: ["provider.js"], world: "MAIN", excludeMatches, ...shared },
      { id: "bridge", js: ["bridge.js"], world: "ISOLATED", excludeMatches, ...shared },
    ];
    const known = await chrome.scripting.getRegisteredContentScripts();
    const put = known.length > 0 ? "updateContentScripts" : "registerContentScripts";
    try {
      // The inbox needs no pattern: its host name is not covered by `matches`.
      await chrome.scripting[put](scripts(off.map((origin) => `${origin}/*`)));
    } catch {
      // Firefox allows no ports in patterns, so all ports of a host are excluded.
      await chrome.scripting[put](scripts(off.map((origin) => `${origin.replace(/:\d+$/, "")}/*`)));
    }
  }).catch(console.error);
  return injecting;
};
// The scripts stay registered, so that no page misses them while a browser starts.
chrome.runtime.onInstalled.addListener(inject);
chrome.storage.onChanged.addListener((changes) => {
  settings = chrome.storage.local.get({ token: "", provider: "", off: [] });
  if (changes.off) inject();
});
chrome.action.onClicked.addListener(async () => {
  const { token } = await settings;
  // The options page says what is missing.
  if (!token || !await openInbox()) chrome.runtime.openOptionsPage();
});

// Requests from pages

// The origin comes from the browser; the page's own claims are ignored.
const clientOf = async (sender) => {
  const { origin } = sender;
  const isPage = sender.id === chrome.runtime.id && sender.tab && typeof origin === "string"
    && /^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)(:|$))/.test(origin);
  if (!isPage || (sender.documentLifecycle ?? "active") !== "active") return null;
  const top = sender.frameId === 0 ? origin : await around(sender);
  if (!top) return null;
  return {
    origin,
    top_origin: top,
    tab_origin: sender.frameId === 0 ? origin : originOf(sender.tab.url),
    document: sender.documentId ?? `${sender.tab.id}.${sender.frameId}`,
  };
};

// Returns the origin of the tab. If that is the origin of the frame, it returns the nearest other origin between
// both, if any: that page chose the frame's content and can cover it. Null if one of these pages has no origin of a
// site.
const around = async ({ origin, tab, frameId, documentId }) => {
  const frames = await chrome.webNavigation.getAllFrames({ tabId: tab.id }) ?? [];
  const find = (id) => frames.find((frame) => frame.frameId === id);
  let frame = find(frameId);
  if (!frame || (frame.documentId ?? documentId) !== documentId) return null;
  const others = [];
  while (frame.parentFrameId !== -1) {
    frame = find(frame.parentFrameId);
    const other = frame && originOf(frame.url);
    if (!other) return null;
    others.push(other);
  }
  const top = originOf(tab.url);
  return top === origin ? others.find((other) => other !== origin) ?? top : top;
};

// Returns null if the browser hides the address or it has no origin.
const originOf = (url) => {
  try {
    const { origin } = new URL(url);
    return origin === "null" ? null : origin;
  } catch {
    return null;
  }
};

chrome.runtime.onConnect.addListener((port) => {
  // Looks the sender up at once: a document that has been left has no frame any more.
  const asking = clientOf(port.sender).catch(() => null);
  const mine = new Set();
  port.onMessage.addListener(async (message) => {
    if (typeof message.drop === "string") {
      if (mine.delete(message.drop)) forget(message.drop, true);
      return;
    }
    const { id, wire, frame } = message;
    const isCall = typeof id === "string" && /^[0-9a-f]{32}$/.test(id) && !waiting.has(id)
      && wires.includes(wire) && typeof frame === "string" && frame.length <= frameBytesMax;
    if (!isCall) return;
    const { origin, tab } = port.sender;
    // The call counts from here on, and ends with its document.
    const call = { tab: tab?.id, since: Date.now(), size: frame.length, answer: (reply) => {
      mine.delete(id);
      port.postMessage(reply);
    } };
    const turn = turnOf(call);
    if (!turn) {
      return port.postMessage({ id, code: "busy", message: "too many requests wait for an answer; ask again later" });
    }
    waiting.set(id, call);
    mine.add(id);
    if (!await turn) {
      return finish({ id, code: "busy", message: "too many requests wait for an answer; ask again later" });
    }
    const { token, provider, off } = await settings;
    const who = await asking;
    if (!waiting.has(id)) return;
    const end = (code, text) => finish({ id, code, message: text });
    let isDiscovery = false;
    if (wire === "arc27") {
      const called = addressee(frame);
      const name = called.provider.toLowerCase();
      isDiscovery = called.isDiscovery && (!name || name === product);
      if (!isDiscovery && name !== product && (!provider || name !== provider)) return end("silent", "");
    }
    if (!who) return end("opaque_origin", "this document, or one around it, has no web address of its own");
    if (off.includes(origin)) return end("switched_off", "Countersign is switched off on this site");
    if (!token) {
      return isDiscovery ? end("silent", "") : end(
        "not_paired", "this browser is not paired with Countersign: make a token with \"countersign agent "
        + "token new --browser --name NAME\" and give it to the extension's options");
    }
    // Discovery names any provider or this product, and is answered only if a rule allows it. The person is asked at
    // "enable".
    send({ id, wire, frame, token, ...who, unasked: isDiscovery });
  });
  port.onDisconnect.addListener(() => {
    void chrome.runtime.lastError;
    for (const id of mine) forget(id, true);
  });
});

// Returns a promise of the call's turn, which is false after a timeout; null if no more calls may wait.
const turnOf = (call) => {
  const ofTab = [...waiting.values()].filter(({ tab }) => tab === call.tab);
  const inLine = ofTab.filter(({ begin }) => begin);
  if (inLine.length === 0 && ofTab.length < underWayOfTabMax) return Promise.resolve(true);
  const characters = inLine.reduce((sum, { size }) => sum + size, call.size);
  if (inLine.length >= inLineOfTabMax || characters > inLineCharactersMax) return null;
  return new Promise((resolve) => {
    const timer = setTimeout(() => call.begin?.(false), patienceMilliseconds);
    call.begin = (isTurn) => {
      clearTimeout(timer);
      call.begin = null;
      resolve(isTurn);
    };
  });
};

const nextOf = (tab) => {
  const ofTab = [...waiting.values()].filter((call) => call.tab === tab);
  const inLine = ofTab.filter(({ begin }) => begin);
  const room = underWayOfTabMax - (ofTab.length - inLine.length);
  for (const call of inLine.slice(0, Math.max(0, room))) call.begin(true);
};

const addressee = (frame) => {
  try {
    const { reference, params } = JSON.parse(frame);
    const id = params?.providerId;
    return { isDiscovery: reference === "arc0027:discover:request", provider: typeof id === "string" ? id : "" };
  } catch {
    return { isDiscovery: false, provider: "" };
  }
};

// The connection to the host, which runs while calls wait

const send = (message) => {
  clearTimeout(idle);
  try {
    native ??= connect();
    native.postMessage(message);
  } catch {
    finish({ id: message.id, code: "host_failed", message: "the Countersign program cannot be reached" });
  }
  setTimeout(() => {
    if (waiting.has(message.id)) look();
  }, badgeMilliseconds);
};

const connect = () => {
  const port = chrome.runtime.connectNative(host);
  port.onMessage.addListener(finish);
  port.onDisconnect.addListener((ended) => {
    const text = chrome.runtime.lastError?.message ?? ended.error?.message ?? "";
    if (native === port) native = null;
    const [code, message] = /not found|No such native/i.test(text)
      ? ["not_installed", "Countersign is not installed for this browser: run \"countersign browser install\""]
      : /forbidden|not allowed/i.test(text)
        ? ["not_allowed", "Countersign is installed for another extension: run \"countersign browser install\""]
        : ["host_failed", "the Countersign program ended; see \"countersign doctor\", and ask again"];
    for (const id of [...waiting.keys()]) finish({ id, code, message });
  });
  return port;
};

const finish = ({ failed, ...message }) => {
  const call = waiting.get(message.id);
  forget(message.id, false);
  call?.answer(message);
  // The vault may have been locked or unlocked. Only the button shows that; replies to pages stay as they were.
  if (failed || isLocked) look();
};

const forget = (id, isDropped) => {
  const call = waiting.get(id);
  if (!waiting.delete(id)) return;
  call.begin?.(false);
  nextOf(call.tab);
  if (isDropped && native) native.postMessage({ drop: id });
  if (Date.now() - call.since >= badgeMilliseconds) look();
  if (waiting.size > 0) return;
  clearTimeout(idle);
  idle = setTimeout(() => {
    if (waiting.size > 0) return;
    native?.disconnect();
    native = null;
  }, idleMilliseconds);
};

// The button

// Sends one message to a separate host process, which ends with its answer.
const once = (message) => new Promise((resolve) => {
  let port;
  try {
    port = chrome.runtime.connectNative(host);
  } catch {
    return resolve({ code: "host_failed" });
  }
  port.onMessage.addListener((answer) => {
    port.disconnect();
    resolve(answer);
  });
  port.onDisconnect.addListener(() => {
    void chrome.runtime.lastError;
    resolve({ code: "host_failed" });
  });
  port.postMessage({ id: "0".repeat(32), ...message });
});

// Shows the number of questions that wait at the agent, from all clients. One request runs at a time, and another
// follows if something changed meanwhile.
let looking = null;
let isStale = false;
// A locked vault signs nothing, not even requests that rules allow; the inbox unlocks it.
let isLocked = false;
const look = () => {
  isStale = true;
  looking ??= (async () => {
    while (isStale) {
      isStale = false;
      const { waiting: count, state } = await once({ status: true });
      isLocked = state === "locked";
      const many = count > 0 ? `${count} to answer` : "";
      chrome.action.setBadgeText({ text: isLocked ? "lock" : count > 0 ? String(count) : "" });
      chrome.action.setBadgeBackgroundColor({ color: isLocked ? "#a40e26" : "#0b5cad" });
      chrome.action.setBadgeTextColor?.({ color: "#ffffff" });
      chrome.action.setTitle({ title: isLocked
        ? `Countersign is locked and signs nothing${many && `, ${many}`}: click to unlock it in the inbox`
        : `Countersign: ${many || "open the inbox"}` });
      if (waiting.size > 0) await new Promise((go) => setTimeout(go, lookMilliseconds));
    }
    looking = null;
  })();
};
chrome.alarms.create("look", { periodInMinutes: lookMinutes });
chrome.alarms.onAlarm.addListener(look);
chrome.runtime.onStartup.addListener(look);

// The agent sends no event when the owner unlocks the vault in the tab.
const lookForUnlocking = (left) => setTimeout(() => {
  look();
  if (isLocked && left > 0) lookForUnlocking(left - 1);
}, lookMilliseconds);

// Opens the agent's page in its tab; false if the agent serves no page. A one-time code in the address lets the tab
// in.
const openInbox = async () => {
  const { url } = await once({ inbox: true });
  if (!url) return false;
  if (isLocked) lookForUnlocking(unlockingLooks);
  const { origin } = new URL(url);
  const { inbox } = await chrome.storage.session.get({ inbox: 0 });
  const kept = inbox && await chrome.tabs.get(inbox).catch(() => null);
  if (kept?.url?.startsWith(`${origin}/`)) {
    await chrome.tabs.update(kept.id, { active: true, url });
    await chrome.windows.update(kept.windowId, { focused: true });
  } else {
    const { id } = await chrome.tabs.create({ url });
    await chrome.storage.session.set({ inbox: id });
  }
  return true;
};
