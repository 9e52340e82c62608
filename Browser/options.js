// SPDX-License-Identifier: Apache-2.0
// The owner's settings: the token by which the agent knows this browser profile, and the sites on which the extension
// is off.
"use strict";

const host = "io.countersign.hub";
const asking = "Asking the agent...";
const element = (id) => document.getElementById(id);

// Sends one message to the host and returns its answer.
const ask = (message) => new Promise((resolve) => {
  const port = chrome.runtime.connectNative(host);
  const end = (answer) => {
    port.disconnect();
    resolve(answer);
  };
  port.onMessage.addListener(end);
  port.onDisconnect.addListener((ended) => {
    const text = chrome.runtime.lastError?.message ?? ended.error?.message ?? "";
    end({ message: `Countersign did not answer (${text}): run "countersign browser install"` });
  });
  port.postMessage({ id: "0".repeat(32), ...message });
});

// Shows the state of the agent, and whether it knows the token.
const stand = (token) => {
  element("state").textContent = asking;
  return ask({ status: true, ...(token && { token }) });
};

const show = async () => {
  const { token, off } = await chrome.storage.local.get({ token: "", off: [] });
  element("off").value = off.join("\n");
  element("unpair").hidden = !token;
  const answer = await stand(token);
  const isLocked = answer.state === "locked";
  element("state").textContent = answer.message ?? `${token ? "Paired" : "Not paired"}; ${isLocked
    ? "the vault is locked and nothing is signed: open the inbox to unlock it" : `the agent is ${answer.state}`}.`;
  element("inbox").textContent = isLocked ? "Open the inbox to unlock" : "Open the inbox";
};

element("pairing").addEventListener("submit", async (event) => {
  event.preventDefault();
  const token = element("token").value.trim();
  const answer = await stand(token);
  if (answer.message) {
    element("state").textContent = answer.message;
    return;
  }
  await chrome.storage.local.set({ token, provider: answer.provider });
  element("token").value = "";
  await show();
});

element("unpair").addEventListener("click", async () => {
  await chrome.storage.local.set({ token: "" });
  await show();
});

element("sites").addEventListener("submit", async (event) => {
  event.preventDefault();
  const lines = element("off").value.split("\n").map((line) => line.trim()).filter(Boolean);
  try {
    const off = [...new Set(lines.map((line) => {
      const { origin, protocol } = new URL(line);
      if (!["http:", "https:"].includes(protocol)) throw new Error(line);
      return origin;
    }))];
    await chrome.storage.local.set({ off });
    element("off").value = off.join("\n");
    element("kept").textContent = "Saved. Open pages change when they are loaded again.";
  } catch (error) {
    element("kept").textContent = `Not an origin: ${error.message}`;
  }
});

element("inbox").addEventListener("click", async () => {
  const { url, message } = await ask({ inbox: true });
  element("opened").textContent = message ?? "";
  if (url) await chrome.tabs.create({ url });
});

show();
