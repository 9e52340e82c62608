// SPDX-License-Identifier: Apache-2.0
// near-connect runs this script in a separate frame for each call. It writes the call as one frame of the wire, has
// the page open a window of the agent, and returns the answer. It keeps no state; the page's storage holds the
// accounts that the page received.
const place = "COUNTERSIGN_ORIGIN";
const { selector } = window;
const readyMilliseconds = 20_000;
const openingsMax = 3;

// Pages receive a plain object unchanged; an Error would lose its code on the way.
const failure = (code, message) => ({ code, message });

const fresh = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

// Returns the bytes that a page gave as a Uint8Array; null for other values. Wider numbers are refused: their byte
// order depends on the machine, and libraries sign them as JSON or as memory.
const bytesOf = (given) => {
  if (given instanceof ArrayBuffer) return new Uint8Array(given);
  if (!ArrayBuffer.isView(given)) return null;
  if (given.BYTES_PER_ELEMENT > 1) throw failure("invalid_request", "bytes must be a Uint8Array");
  return new Uint8Array(given.buffer, given.byteOffset, given.byteLength);
};

const base64 = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
};

// Arguments of a call are sent as bytes, so that a text or an object is never taken for bytes, or bytes for them.
function asWritten(name, given) {
  const raw = this[name];
  const bytes = bytesOf(raw);
  if (bytes) return base64(bytes);
  if (name !== "args" || raw === undefined || !Object.hasOwn(this, "methodName")) return given;
  const text = JSON.stringify(raw);
  if (text === undefined) throw failure("invalid_request", "args must be a value that JSON can write");
  return base64(new TextEncoder().encode(text));
}

// Settles with the first answer to this request; messages of other windows arrive here as well.
const through = (panel, windowId, id, frame) => new Promise((resolve, reject) => {
  let timer = 0;
  const end = (settle, value) => {
    clearTimeout(timer);
    removeEventListener("message", hear);
    settle(value);
  };
  const hear = ({ source, data }) => {
    if (source !== parent || data === null || typeof data !== "object") return;
    if (data.method === "proxy-window:closed" && data.windowId === windowId) {
      end(reject, failure("window_closed", "the window of Countersign was closed before it answered"));
    } else if (data.countersign === "ready") {
      panel.postMessage({ countersign: "ask", id, frame });
    } else if (data.countersign === "taken" && data.id === id) {
      // No time limit from here on: a person may have to answer.
      clearTimeout(timer);
    } else if (data.countersign === "answer" && data.id === id) {
      panel.postMessage({ countersign: "received", id });
      // The result follows the receipt: near-connect removes this frame when it gets the result.
      setTimeout(() => {
        if (typeof data.reply === "string") end(resolve, data.reply);
        else end(reject, failure(data.code, data.message));
      });
    }
  };
  addEventListener("message", hear);
  timer = setTimeout(() => {
    panel.close();
    end(reject, failure("agent_down", `nothing answers at ${place}: run "countersign agent --web PORT"`));
  }, readyMilliseconds);
  // The window may have announced itself before this frame listened.
  panel.postMessage({ countersign: "ask", id, frame });
});

const open = async (mayAsk) => {
  for (let opening = 1; opening <= openingsMax; opening += 1) {
    // A fresh address for each request, so that the browser does not show a stored page.
    const panel = selector.open(`${place}/near/${fresh()}`, "", "popup,width=460,height=420");
    const windowId = await panel.id();
    if (windowId) return { panel, windowId };
    if (!mayAsk) break;
    // Browsers open a window only after a click, and one window for each click.
    await selector.ui.whenApprove({ title: "Countersign answers in a separate window", button: "Open it" });
  }
  throw failure("window_blocked", "the browser opened no window for Countersign");
};

const call = async (method, params, mayAsk = true) => {
  const frame = JSON.stringify({ method, params: params ?? {} }, asWritten);
  const { panel, windowId } = await open(mayAsk);
  const reply = JSON.parse(await through(panel, windowId, fresh(), frame));
  if (reply.error) throw { ...reply.error };
  return reply.result;
};

const memory = (params) => `accounts:${params?.network ?? "mainnet"}`;
const keep = (params, list) => {
  const accounts = list.map(({ accountId, publicKey }) => ({ accountId, publicKey }));
  return selector.storage.set(memory(params), JSON.stringify(accounts));
};
const signingIn = (method) => async (params) => {
  const list = await call(method, params);
  await keep(params, list);
  return list;
};
const plain = (method) => (params) => call(method, params);

selector.ready({
  signIn: signingIn("signIn"),
  signInAndSignMessage: signingIn("signInAndSignMessage"),
  // near-connect calls this at each load of a page: it must not ask a person or open a window.
  getAccounts: async (params) => {
    try {
      return JSON.parse(await selector.storage.get(memory(params))) ?? [];
    } catch {
      return [];
    }
  },
  // The page is signed out in any case; the hub learns of it if it can be reached.
  signOut: async (params) => {
    const { network } = params ?? {};
    // Without a network, the hub ends the sessions on all networks.
    const networks = network ? [network] : ["mainnet", "testnet"];
    await Promise.allSettled(networks.map((name) => selector.storage.remove(memory({ network: name }))));
    await call("signOut", network ? { network } : {}, false).catch(() => {});
  },
  signMessage: plain("signMessage"),
  signAndSendTransaction: plain("signAndSendTransaction"),
  signAndSendTransactions: plain("signAndSendTransactions"),
  signDelegateActions: plain("signDelegateActions"),
});
