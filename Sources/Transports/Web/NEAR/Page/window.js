// SPDX-License-Identifier: Apache-2.0
// The window that a page of near-connect opens. The browser names the origin of each message, and the answer goes to
// that origin alone. The window decides nothing: a person answers questions in the inbox.

import { ask } from "./asking.js";
import { put } from "/visible.js";

const asksMax = 8;
const frameBytesMax = 256 << 10;
// An answer is posted again until its receipt arrives, and the window then closes; without a receipt it closes after
// the last time.
const postingMilliseconds = 500;
const postingsMax = 20;
const element = (id) => document.getElementById(id);
const known = new Set();
// The requests whose answer the page has received.
const received = new Set();
let client = null;
let left = 0;

const say = (state, isWaiting) => {
  put(element("state"), state);
  element("where").hidden = !isWaiting;
};

// True if the page that opened this window is in a frame of another page, which may cover it.
const isFramed = () => {
  try {
    return opener.top !== opener;
  } catch {
    return true;
  }
};

// A busy browser may lose a message, or tell the page that this window is closed before it delivers the answer.
const deliver = async (id, post) => {
  for (let posting = 1; posting <= postingsMax && !received.has(id); posting += 1) {
    post();
    await new Promise((resolve) => setTimeout(resolve, postingMilliseconds));
  }
};

const settle = async (id, frame) => {
  const answer = (members) => opener?.postMessage({ countersign: "answer", id, ...members }, client);
  if (known.size > asksMax) {
    return answer({ code: "busy", message: `a window takes at most ${asksMax} requests` });
  }
  if (new TextEncoder().encode(frame).length > frameBytesMax) {
    say("The page sent a request that is too large.");
    return answer({ code: "payload_too_large", message: `a request has at most ${frameBytesMax} bytes` });
  }
  left += 1;
  try {
    const body = { key: id, frame, page: client, framed: isFramed() };
    const reply = await ask(body, () => say("The request waits for your answer.", true));
    say("Answered.");
    await deliver(id, () => answer({ reply }));
    left -= 1;
    if (left === 0) window.close();
  } catch (error) {
    left -= 1;
    say(`There is no answer: ${error.message}.`);
    answer({ code: error.code ?? "bad_request", message: error.message });
  }
};

addEventListener("message", ({ source, origin, data }) => {
  if (source === null || source !== opener) return;
  if (data?.countersign === "received" && origin === client && known.has(data.id)) received.add(data.id);
  if (data?.countersign !== "ask") return;
  const { id, frame } = data;
  if (typeof id !== "string" || !/^[0-9a-f]{32}$/.test(id) || typeof frame !== "string") return;
  if (!/^https?:\/\//.test(origin)) {
    say("The page that opened this window has no web address (its origin is opaque), so it gets no answer.");
    return;
  }
  // The client stays the same for the life of the window, even if its opener loads another page.
  client ??= origin;
  if (client !== origin || known.has(id)) return;
  known.add(id);
  put(element("client"), client);
  element("who").hidden = false;
  opener.postMessage({ countersign: "taken", id }, client);
  settle(id, frame);
});

if (opener) {
  say("Waiting for the page's request.");
  // This message reveals only that the window exists, which its opener knows.
  opener.postMessage({ countersign: "ready" }, "*");
} else {
  say("No page that can be answered opened this window. If a page did, use the browser extension there.");
}
