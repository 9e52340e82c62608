// SPDX-License-Identifier: Apache-2.0
// Connects the page and the extension. It bounds the requests of the page, and asks once more if the browser ended
// the worker meanwhile. A port ends with its document, and the questions end with the port.
(() => {
  "use strict";
  // The worker handles 64 calls at one time; the others wait for their turn.
  const waitingMax = 64 + 1024;
  // Room for an event of 512 KiB and its frame; the browser escapes a message to its host once more.
  const frameBytesMax = 576 << 10;
  const messageBytesMax = 1_000_000;
  const wires = ["nip07", "nep413", "arc27"];
  const encoder = new TextEncoder();
  const waiting = new Map();
  let page = null;
  let worker = null;

  const fresh = () =>
    Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

  const answer = (number, reply, code, message) => {
    waiting.delete(number);
    page.postMessage([number, reply, code, message]);
  };

  const connect = () => {
    const port = chrome.runtime.connect({ name: "page" });
    port.onMessage.addListener((message) => {
      for (const [number, call] of waiting) {
        if (call.id === message.id) answer(number, message.reply ?? null, message.code, message.message);
      }
    });
    port.onDisconnect.addListener(() => {
      void chrome.runtime?.lastError;
      worker = null;
      for (const [number, call] of [...waiting]) {
        if (call.isRepeated) answer(number, null, "host_failed", "the browser ended the request; ask again");
        // The agent recognizes the id, so a request is never asked or signed twice.
        else send(number, { ...call, isRepeated: true });
      }
    });
    return port;
  };

  const send = (number, call) => {
    waiting.set(number, call);
    try {
      worker ??= connect();
      worker.postMessage({ id: call.id, wire: call.wire, frame: call.frame });
    } catch {
      worker = null;
      answer(number, null, "reload_page", "Countersign was updated: reload this page");
    }
  };

  const active = () => new Promise((resolve) => {
    // A prerendered page does not ask a question yet.
    if (document.prerendering) document.addEventListener("prerenderingchange", resolve, { once: true });
    else resolve();
  });

  const take = async ({ data }) => {
    if (!Array.isArray(data) || !Number.isSafeInteger(data[1])) return;
    const [verb, number, wire, frame] = data;
    if (verb === "drop") {
      const call = waiting.get(number);
      if (call) worker?.postMessage({ drop: call.id });
      waiting.delete(number);
      return;
    }
    if (verb !== "ask" || waiting.has(number)) return;
    if (!wires.includes(wire) || typeof frame !== "string") {
      return answer(number, null, "bad_request", "this is not a call");
    }
    const isLong = frame.length > frameBytesMax || encoder.encode(frame).length > frameBytesMax
      || encoder.encode(JSON.stringify(frame)).length > messageBytesMax;
    if (isLong) {
      return answer(number, null, "payload_too_large", `a call has at most ${frameBytesMax} bytes`);
    }
    if (waiting.size >= waitingMax) {
      return answer(number, null, "busy", `at most ${waitingMax} calls of a page wait; ask again later`);
    }
    const call = { id: fresh(), wire, frame, isRepeated: false };
    waiting.set(number, call);
    await active();
    if (waiting.has(number)) send(number, call);
  };

  // The order of the two scripts is not defined; both run before the scripts of the page.
  const hand = () => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = take;
    const isTaken = !window.dispatchEvent(
      new MessageEvent("countersign:port", { ports: [port2], cancelable: true }));
    if (isTaken) page = port1;
    return isTaken;
  };
  if (!hand()) window.addEventListener("countersign:ready", hand, { once: true, capture: true });
})();
