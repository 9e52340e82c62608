// SPDX-License-Identifier: Apache-2.0
// The page to which a MyNearWallet link leads. Any page can write such a link, so nothing happens before a person
// presses the button, and the agent asks again in the inbox.

import { CallError, ask, fresh } from "/near/asking.js";
import { LinkError, read } from "/near/link.js";
import { put } from "/visible.js";

// Ignores a click that was meant for the content shown here before.
const restMilliseconds = 1_000;
const closingMilliseconds = 1_000;
const element = (id) => document.getElementById(id);

const say = (state, isWaiting) => {
  put(element("state"), state);
  element("where").hidden = !isWaiting;
};

const give = (link, { message, href }) => {
  element("link").hidden = true;
  if (opener) {
    // The answer goes only to the site that the link names; if another site opened this window, the browser drops
    // the message.
    opener.postMessage(message, link.target.origin);
    say("Answered. This window can be closed.");
    // A browser may tell the page that this window is closed before it delivers the message.
    setTimeout(() => window.close(), closingMilliseconds);
  } else {
    say("Answered. Going back to the page.");
    location.replace(href);
  }
};

const begin = async (link) => {
  element("ask").disabled = true;
  element("refuse").hidden = true;
  say("Asking your agent...");
  try {
    const body = { key: fresh(), frame: JSON.stringify(link.call), link: link.target.origin };
    const reply = JSON.parse(await ask(body, () => say("The request waits for your answer.", true)));
    if (!reply.error) return give(link, link.done(reply.result));
    const { code, message, transactions } = reply.error;
    give(link, link.failed(code === "user_rejected" ? "userRejected" : code, message, transactions));
  } catch (error) {
    element("refuse").hidden = false;
    put(element("refuse"), "Back");
    const code = error instanceof CallError ? error.code : "internal_error";
    link.refusal = [code, error.message];
    say(`There is no answer: ${error.message}.`);
  }
};

try {
  const link = read(location, opener !== null);
  put(element("client"), link.target.origin);
  put(element("what"), link.what, true);
  put(element("target"), link.target.href);
  element("link").hidden = false;
  link.refusal = ["userRejected", "the owner said no"];
  element("refuse").addEventListener("click", () => give(link, link.failed(...link.refusal)));
  element("ask").addEventListener("click", () => begin(link));
  setTimeout(() => { element("ask").disabled = false; }, restMilliseconds);
} catch (error) {
  say(error instanceof LinkError ? `This link cannot be answered: ${error.message}.` : "This link has an unknown form.");
}
