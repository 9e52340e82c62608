// SPDX-License-Identifier: Apache-2.0
// Plays near-connect's sandbox for the tests: a separate frame for each call, whose script reaches the page only by
// messages, and windows that the page opens for it. Written from the documentation.
"use strict";

const inside = (name) => `
  const call = (method, params) => new Promise((resolve, reject) => {
    const id = crypto.randomUUID ? crypto.randomUUID() : String(Math.random());
    const hear = ({ data }) => {
      if (data.id !== id || data.origin !== "${name}") return;
      removeEventListener("message", hear);
      data.status === "failed" ? reject(data.result) : resolve(data.result);
    };
    addEventListener("message", hear);
    parent.postMessage({ method, params, id, origin: "${name}" }, "*");
  });
  class ProxyWindow {
    constructor(url, features) {
      this.closed = false;
      this.windowIdPromise = call("open", { url, features });
      addEventListener("message", async ({ data }) => {
        if (data.origin !== "${name}" || data.method !== "proxy-window:closed") return;
        if (data.windowId === await this.id()) this.closed = true;
      });
    }
    async id() { return await this.windowIdPromise; }
    async focus() { await call("panel.focus", { windowId: await this.id() }); }
    async postMessage(data) { call("panel.postMessage", { windowId: await this.id(), data }); }
    async close() { await call("panel.close", { windowId: await this.id() }); }
  }
  window.selector = {
    wallet: null, location: "https://not.to.be.trusted.example/", providers: { mainnet: [], testnet: [] },
    uuid: () => String(Math.random()), call,
    ready(wallet) {
      selector.wallet = wallet;
      parent.postMessage({ method: "wallet-ready", origin: "${name}" }, "*");
    },
    open: (url, _, features) => new ProxyWindow(url, features),
    storage: {
      set: (key, value) => call("storage.set", { key, value }), get: (key) => call("storage.get", { key }),
      remove: (key) => call("storage.remove", { key }), keys: () => call("storage.keys", {}),
    },
    ui: {
      async whenApprove(options) {
        call("ui.showIframe");
        const button = document.createElement("button");
        button.textContent = options.title + ": " + options.button;
        document.body.append(button);
        await new Promise((resolve) => button.addEventListener("click", resolve));
        call("ui.hideIframe");
      },
    },
  };
  addEventListener("message", async ({ data }) => {
    if (data.origin !== "${name}" || !data.method?.startsWith("wallet:")) return;
    const method = data.method.replace("wallet:", "");
    const payload = { id: data.id, origin: "${name}", method };
    try {
      const result = await selector.wallet[method](data.params);
      parent.postMessage({ ...payload, status: "success", result }, "*");
    } catch (error) {
      parent.postMessage({ ...payload, status: "failed", result: error }, "*");
    }
  });`;

const allowed = (manifest, text) => {
  const url = new URL(text);
  return (manifest.permissions.allowsOpen ?? []).map((entry) => new URL(entry)).some((entry) =>
    entry.protocol === url.protocol && entry.hostname === url.hostname
      && (entry.pathname === "/" || entry.pathname === url.pathname));
};

window.connector = (manifest) => ({
  manifest,
  async call(method, params) {
    const text = await (await fetch(`${manifest.executor}?nonce=${Math.random()}`)).text();
    const code = text.replaceAll(".localStorage", ".sandboxedLocalStorage")
      .replaceAll("window.top", "window.selector").replaceAll("window.open", "window.selector.open");
    const name = crypto.randomUUID();
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.className = "sandbox";
    frame.hidden = true;
    frame.srcdoc = `<!DOCTYPE html><body><script>${inside(name)}</script><script type="module">${code}</script>`;
    const send = (data) => frame.contentWindow?.postMessage({ ...data, origin: name }, "*");
    const panels = new Map();
    const own = {
      "ui.showIframe": () => { frame.hidden = false; },
      "ui.hideIframe": () => { frame.hidden = true; },
      "storage.set": ({ key, value }) => localStorage.setItem(`${manifest.id}:${key}`, value),
      "storage.get": ({ key }) => localStorage.getItem(`${manifest.id}:${key}`),
      "storage.remove": ({ key }) => localStorage.removeItem(`${manifest.id}:${key}`),
      "panel.postMessage": ({ windowId, data }) => panels.get(windowId)?.postMessage(data, "*"),
      "panel.close": ({ windowId }) => panels.get(windowId)?.close(),
      open({ url, features }) {
        if (!allowed(manifest, url)) throw "Permission denied";
        const panel = window.open(url, "_blank", features);
        const windowId = panel ? crypto.randomUUID() : null;
        const forward = ({ data, origin }) => {
          // A busy browser loses a message, or the window is seen closed before its last message arrives.
          if (data?.countersign === "answer" && window.lostAnswers-- > 0) return;
          if (origin === new URL(url).origin) setTimeout(send, window.messageMilliseconds ?? 0, data);
        };
        addEventListener("message", forward);
        if (panel) {
          panels.set(windowId, panel);
          window.lastPanel = panel;
          const timer = setInterval(() => {
            if (!panel.closed) return;
            clearInterval(timer);
            removeEventListener("message", forward);
            send({ method: "proxy-window:closed", windowId });
          }, 500);
        }
        return windowId;
      },
    };
    return new Promise((resolve, reject) => {
      const hear = ({ source, data }) => {
        if (source !== frame.contentWindow || data?.origin !== name) return;
        if (data.method === "wallet-ready") return send({ id: "1", method: `wallet:${method}`, params });
        if (data.id === "1" && data.status) {
          removeEventListener("message", hear);
          frame.remove();
          return data.status === "failed" ? reject(data.result) : resolve(data.result);
        }
        try {
          send({ ...data, status: "success", result: own[data.method](data.params) ?? null });
        } catch (error) {
          send({ ...data, status: "failed", result: error });
        }
      };
      addEventListener("message", hear);
      document.body.append(frame);
    });
  },
});
