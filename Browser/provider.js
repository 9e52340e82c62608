// SPDX-License-Identifier: Apache-2.0
// Runs in the page and offers the functions that pages call. It writes each call as one frame of a wire, sends it
// over a port that the page cannot see, and settles the call with the answer. Its only state is the waiting calls.
(() => {
  "use strict";
  // These functions are saved before any script of the page runs, so replacing them later has no effect here.
  const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { create, freeze, hasOwn } = Object;
  const { stringify, parse } = JSON;
  const { isView } = ArrayBuffer;
  const [PagePromise, PageError, Bytes] = [Promise, Error, Uint8Array];
  const [PageCustomEvent, PageEvent, Channel] = [CustomEvent, Event, BroadcastChannel];
  const { fromCharCode, prototype: { startsWith } } = String;
  const [encodeBase64, setTimer, clearTimer] = [btoa, setTimeout, clearTimeout];
  const listen = EventTarget.prototype.addEventListener;
  const dispatch = EventTarget.prototype.dispatchEvent;
  const postToPort = MessagePort.prototype.postMessage;
  const postToWindow = window.postMessage;
  const postToChannel = Channel.prototype.postMessage;
  const getter = (prototype, name) => {
    const { get } = getOwnPropertyDescriptor(prototype, name);
    return (object) => apply(get, object, []);
  };
  const dataOf = getter(MessageEvent.prototype, "data");
  const sourceOf = getter(MessageEvent.prototype, "source");
  const portsOf = getter(MessageEvent.prototype, "ports");
  const detailOf = getter(CustomEvent.prototype, "detail");
  const nameOf = getter(Channel.prototype, "name");
  const sizeOf = getter(ArrayBuffer.prototype, "byteLength");
  const [encoder, encodeText] = [new TextEncoder(), TextEncoder.prototype.encode];
  const fresh = () => apply(crypto.randomUUID, crypto, []);
  const stopNow = Event.prototype.stopImmediatePropagation;
  const prevent = Event.prototype.preventDefault;

  // The port to the extension

  let port = null;
  let last = 0;
  const waiting = create(null);

  const failure = (code, message) => {
    const error = new PageError(message);
    defineProperty(error, "code", { value: code, enumerable: true, configurable: true, writable: true });
    return error;
  };

  apply(listen, window, ["countersign:port", (event) => {
    if (port) return;
    apply(stopNow, event, []);
    apply(prevent, event, []);
    port = portsOf(event)[0];
    port.onmessage = (message) => {
      const answer = dataOf(message);
      const call = waiting[answer[0]];
      if (!call) return;
      delete waiting[answer[0]];
      clearTimer(call.timer);
      if (answer[1] === null) call.reject(failure(answer[2], answer[3]));
      else call.resolve(answer[1]);
    };
  }, { capture: true }]);
  apply(dispatch, window, [new PageEvent("countersign:ready")]);

  // Resolves with the reply of a wire as text; withdraws the call after `patience` milliseconds, if given.
  const ask = (wire, frame, patience) => new PagePromise((resolve, reject) => {
    if (!port) return reject(failure("not_available", "Countersign does not work in this document"));
    last += 1;
    const number = last;
    const timer = patience && setTimer(() => {
      delete waiting[number];
      apply(postToPort, port, [["drop", number]]);
      reject(failure("timed_out", "no answer came in time; ask again"));
    }, patience);
    waiting[number] = { __proto__: null, resolve, reject, timer };
    apply(postToPort, port, [["ask", number, wire, frame]]);
  });

  // Returns `result` or throws `error`. A page may define both names on every object, so only own members count.
  const value = (text) => {
    const reply = parse(text);
    if (hasOwn(reply, "error")) {
      const error = failure(reply.error.code, reply.error.message);
      for (const name of ownKeys(reply.error)) {
        if (name !== "message") defineProperty(error, name, { value: reply.error[name], enumerable: true });
      }
      throw error;
    }
    return reply.result;
  };

  // NIP-07

  const nostr = (method) => async (...params) =>
    value(await ask("nip07", stringify({ nip07: method, params })));
  const [getKey, sign] = [nostr("getPublicKey"), nostr("signEvent")];
  const texts = (scheme) => {
    const [encrypt, decrypt] = [nostr(`${scheme}.encrypt`), nostr(`${scheme}.decrypt`)];
    return freeze({
      encrypt: (pubkey, plaintext) => encrypt(pubkey, plaintext),
      decrypt: (pubkey, ciphertext) => decrypt(pubkey, ciphertext),
    });
  };
  defineProperty(window, "nostr", {
    value: freeze({
      getPublicKey: () => getKey(),
      signEvent: (event) => sign(event),
      // Some pages call this first, as for WebLN. It grants nothing: each call is judged separately.
      enable: async () => ({ enabled: true }),
      // NIP-07 removed it, but old clients still call it.
      getRelays: async () => ({}),
      nip04: texts("nip04"),
      nip44: texts("nip44"),
    }),
    writable: true, enumerable: true, configurable: true,
  });

  // near-connect

  // Returns the bytes that a page gave as a Uint8Array; null for other values. Wider numbers are refused: their byte
  // order depends on the machine, and libraries sign them as JSON or as memory.
  const bytesOf = (given) => {
    if (!isView(given)) {
      try {
        sizeOf(given);
      } catch {
        return null;
      }
      return new Bytes(given);
    }
    if (given.BYTES_PER_ELEMENT > 1) throw failure("invalid_request", "bytes must be a Uint8Array");
    return new Bytes(given.buffer, given.byteOffset, given.byteLength);
  };
  const base64 = (bytes) => {
    let text = "";
    for (let index = 0; index < bytes.length; index += 1) text += fromCharCode(bytes[index]);
    return encodeBase64(text);
  };
  // Arguments of a call are sent as bytes, so that a text or an object is never taken for bytes, or bytes for them.
  function asWritten(name, given) {
    const raw = this[name];
    const bytes = bytesOf(raw);
    if (bytes) return base64(bytes);
    if (name !== "args" || raw === undefined || !hasOwn(this, "methodName")) return given;
    const text = stringify(raw);
    if (text === undefined) throw failure("invalid_request", "args must be a value that JSON can write");
    return base64(apply(encodeText, encoder, [text]));
  }
  const near = (method) => async (params) =>
    value(await ask("nep413", stringify({ method, params: params ?? {} }, asWritten)));
  const [accounts, out] = [near("getAccounts"), near("signOut")];
  const remembered = "countersign:near:";
  const memory = (params) => `${remembered}${params?.network ?? ""}`;
  // Forgets one network, or all networks if the call names none, like the hub.
  const forget = (params) => {
    try {
      const names = params?.network ? [memory(params)] : ownKeys(localStorage);
      for (const name of names) {
        if (typeof name === "string" && apply(startsWith, name, [remembered])) localStorage.removeItem(name);
      }
    } catch { /* Pages may have no storage. */ }
  };
  const keep = (params, list) => {
    try {
      if (list) localStorage.setItem(memory(params), stringify(list));
      else localStorage.removeItem(memory(params));
    } catch { /* Pages may have no storage. */ }
  };
  const signingIn = (method) => {
    const call = near(method);
    return async (params) => {
      const list = await call(params);
      keep(params, list.map(({ accountId, publicKey }) => ({ accountId, publicKey })));
      return list;
    };
  };
  const away = ["agent_down", "host_failed", "not_installed", "not_allowed", "busy"];
  const wallet = freeze({
    manifest: freeze({
      id: "countersign", name: "Countersign", version: "0.1.0", type: "injected",
      description: "A signing hub on your own computer",
      website: "https://countersign.example",
      icon: "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' "
        + "height='32' rx='7' fill='%23234'/%3E%3Cpath d='M8 17l6 6L25 9' fill='none' stroke='%23fff' "
        + "stroke-width='4'/%3E%3C/svg%3E",
      permissions: freeze({}),
      features: freeze({
        signMessage: true, signTransaction: false, signAndSendTransaction: true, signAndSendTransactions: true,
        signInWithoutAddKey: true, signInAndSignMessage: true, signInWithFunctionCallKey: true,
        signDelegateActions: true, mainnet: true, testnet: true,
      }),
    }),
    signIn: signingIn("signIn"),
    signInAndSignMessage: signingIn("signInAndSignMessage"),
    // The page is signed out in any case; the hub learns of it if it can be reached.
    signOut: async (params) => {
      forget(params);
      try {
        await out(params);
      } catch { /* The page is signed out even if a rule or a freeze keeps the connection. */ }
    },
    // near-connect logs people out when this fails; while the agent is away, the page receives the last known
    // accounts.
    getAccounts: async (params) => {
      try {
        const list = await accounts(params);
        keep(params, list);
        return list;
      } catch (error) {
        if (error.code === "not_signed_in") {
          keep(params, null);
          return [];
        }
        let kept = null;
        if (away.includes(error.code)) {
          try {
            kept = parse(localStorage.getItem(memory(params)));
          } catch { /* Pages may have no storage. */ }
        }
        if (kept) return kept;
        throw error;
      }
    },
    signMessage: near("signMessage"),
    signAndSendTransaction: near("signAndSendTransaction"),
    signAndSendTransactions: near("signAndSendTransactions"),
    signDelegateActions: near("signDelegateActions"),
  });
  const announce = () => {
    apply(dispatch, window, [new PageCustomEvent("near-wallet-injected", { detail: wallet })]);
  };
  apply(listen, window, ["near-selector-ready", announce]);
  announce();

  // ARC-27: answers return by the same form as the request

  const methods = [
    "discover", "enable", "disable", "sign_message", "sign_transactions", "sign_and_post_transactions",
    "post_transactions",
  ];
  // Clients stop waiting after 120 s at the earliest, and a client that has stopped waiting must not receive a
  // signature.
  const patience = 110_000;
  const codes = {
    __proto__: null, timed_out: 4002, opaque_origin: 4100, not_paired: 4100, switched_off: 4100,
    bad_request: 4200, payload_too_large: 4200,
  };
  // Clients take the first answer of a method for theirs, so each method has one request at a time.
  const turns = create(null);
  const methodOf = (request) => {
    const reference = request !== null && typeof request === "object" ? request.reference : undefined;
    if (typeof reference !== "string" || typeof request.id !== "string") return undefined;
    for (const method of methods) if (reference === `arc0027:${method}:request`) return method;
    return undefined;
  };
  const answered = async (request, method) => {
    try {
      const frame = stringify({ id: request.id, reference: request.reference, params: request.params });
      return parse(await ask("arc27", frame, patience));
    } catch (error) {
      // The request names another provider, or the answer must reveal nothing.
      if (error.code === "silent") return null;
      return {
        id: fresh(), reference: `arc0027:${method}:response`, requestId: request.id,
        error: {
          code: codes[error.code] ?? 4000, message: error.message, data: { method },
          providerId: request.params?.providerId,
        },
      };
    }
  };
  const take = async (request, method, send) => {
    const before = turns[method];
    let leave;
    turns[method] = new PagePromise((resolve) => { leave = resolve; });
    await before;
    try {
      const answer = await answered(request, method);
      if (answer) send(answer);
    } finally {
      leave();
    }
  };

  for (const method of methods) {
    apply(listen, window, [`arc0027:${method}:request`, (event) => {
      const request = detailOf(event);
      if (methodOf(request) !== method) return;
      take(request, method, (answer) => {
        const detail = stringify(answer);
        apply(dispatch, window, [new PageCustomEvent(`arc0027:${method}:response`, { detail })]);
      });
    }]);
  }
  apply(listen, window, ["message", (event) => {
    // Messages from other windows are ignored.
    if (!event.isTrusted || sourceOf(event) !== window) return;
    const request = dataOf(event);
    const method = methodOf(request);
    if (method) take(request, method, (answer) => apply(postToWindow, window, [answer, origin]));
  }]);
  // All documents of an origin receive a channel's messages, which do not name their sender. So this reads only the
  // messages that this document posts, at the moment of posting.
  defineProperty(Channel.prototype, "postMessage", {
    value: function postMessage(message) {
      apply(postToChannel, this, [message]);
      const method = nameOf(this) === "arc0027:channel" ? methodOf(message) : undefined;
      if (!method) return;
      take(message, method, (answer) => {
        const channel = new Channel("arc0027:channel");
        apply(postToChannel, channel, [answer]);
        channel.close();
      });
    },
    writable: true, enumerable: true, configurable: true,
  });
})();
