// SPDX-License-Identifier: Apache-2.0
// The owner's inbox: access, pages, waiting questions and ended requests.

import { ask, isOwner, leave, open, pair, perform, Refusal, unpair } from "./api.js";
import { $, clientName, backing, hold, listed, make, timeLeft, when } from "./dom.js";
import { mark } from "./icon.js";
import * as pictures from "./pictures.js";
import * as question from "./question.js";
import * as records from "./record.js";
import { put } from "./visible.js";

// The data that each page loads besides the event stream.
const PAGES = {
  waiting: null, ended: null, activity: pictures.activity, limits: pictures.limits, grants: records.grants,
  connections: records.connections, record: records.record,
};
// Loads no data without a person at the page, as that would keep the session open.
const ATTENDED = 5 * 60_000;
let page = "waiting";
let revision = 0;
let waiting = [];
let fetched = 0;
let attended = 0;
let isAway = false;
let watch = new AbortController();

const say = (text) => { put($("note"), text); };

/** Shows the state in the tab: the agent does not answer, no session, or the waiting questions. */
function tell() {
  mark(isAway ? "away" : !isOwner() ? "locked" : waiting.length ? "waiting" : "quiet", waiting.length);
}

/** Notes whether the agent answers; the text says more. */
function connected(text, away = false) {
  put($("state"), text);
  isAway = away;
  tell();
}

function section(name) {
  for (const id of ["closed", "sign-in", ...Object.keys(PAGES)]) $(id).hidden = id !== name;
  for (const button of document.querySelectorAll("[data-page]")) {
    button.hidden = !(name in PAGES);
    if (button.dataset.page === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  for (const id of ["freeze", "leave"]) $(id).hidden = !isOwner();
  tell();
}

/** Shows the page that this tab may see; the content of an ended session is removed. */
function settle() {
  section(isOwner() ? page : "sign-in");
  if (!isOwner()) {
    forget();
    $("passphrase").focus();
  }
}

function forget() {
  watch.abort();
  question.hide();
  pictures.forget();
  records.forget();
  waiting = [];
  list();
  for (const id of ["list", "ended-rows"]) $(id).replaceChildren();
}

function list() {
  put($("count"), waiting.length ? `(${waiting.length})` : "");
  tell();
  const focused = document.activeElement?.dataset?.id;
  const groups = Map.groupBy(waiting, (item) => !item.client ? "for several approvers" : `${item.client.called ? `${item.client.called}, ` : ""}${
    listed(item.client.name)} (${backing(item.client.known_by, item.client.profile)}), to ${item.act}`);
  const parts = [...groups].flatMap(([name, items]) => {
    const rows = make("ul");
    for (const item of items) rows.append(row(item));
    return [make("h3", name), rows];
  });
  $("list").replaceChildren(...(parts.length ? parts : [make("p", "Nothing waits for you.")]));
  if (focused) document.querySelector(`[data-id="${focused}"]`)?.focus();
}

function row(item) {
  const button = make("button", item.headline);
  button.type = "button";
  button.dataset.id = item.id;
  button.setAttribute("aria-pressed", String(item.id === question.current()));
  const { gist } = item;
  const others = gist.others > 0 ? `, and ${gist.others} more` : "";
  if (gist.pays.length) button.append(make("small", `pays ${gist.pays.join(", ")}`, "pays"));
  if (gist.does && gist.does !== gist.danger) button.append(make("small", gist.does + others));
  if (gist.danger) {
    button.append(make("small", gist.danger + (gist.dangers > 0 ? ` (and ${gist.dangers} more)` : ""), "danger"));
  }
  const left = make("span", leftOf(item));
  left.dataset.until = item.id;
  button.append(hold("small", undefined, item.keys?.join(", ") ?? `${item.approved} said yes`, "; ", left));
  button.addEventListener("click", () => choose(item.id));
  const place = make("li");
  place.append(button);
  return place;
}

/** The time that is left for a question. */
const leftOf = (item) => timeLeft(item.seconds_left - Math.floor((Date.now() - fetched) / 1000), item.without_answer);

async function choose(id) {
  try {
    await question.show(id, say);
    say("");
    list();
  } catch (error) {
    fail(error);
  }
}

function ended(rows) {
  $("ended-rows").replaceChildren(...rows.map((item) => {
    const line = make("tr");
    const isNo = /^(no|never|expired|withdrawn)/.test(item.ending);
    line.append(hold("td", undefined, when(item.ended)), hold("td", undefined, clientName(item.client, item.known_by, item.profile, item.called)),
      make("td", item.headline), make("td", item.ending, isNo ? "no" : "yes"));
    return line;
  }));
}

/** Loads the content of a page. */
async function fetchPage() {
  try {
    await PAGES[page]?.();
  } catch (error) {
    fail(error);
  }
}

/** Loads it again after an event, if a person is present and reads no part of it at the moment. */
function refresh() {
  const isAttended = Date.now() - attended < ATTENDED && !document.hidden && !$("sure").open;
  if (isAttended && (page !== "record" || records.isNewest())) fetchPage();
}

function fail(error) {
  if (error.name === "AbortError") return;
  isAway = error.code === "gone";
  tell();
  // The address belongs to an earlier start of the agent, so the tab's token is refused.
  if (error.code === "not_paired" || error.code === "wrong_host") {
    unpair();
    forget();
    section("closed");
  } else if (error.code === "owner_session_needed") {
    settle();
    say("The owner's session has ended.");
  } else {
    say(error.seconds ? `${error.message} (again in ${error.seconds} s)` : error.message);
  }
}

/** Loads the questions to several people; if that fails, the questions to one person still show. */
async function forSeveral(signal) {
  try {
    return (await perform("approvals", { signal })).waiting;
  } catch (error) {
    if (!(error instanceof Refusal) || error.status === 401) throw error;
    say(`Questions for several approvers are not shown: ${error.message}`);
    return [];
  }
}

/** Follows the events of questions as long as the session lasts. */
async function follow() {
  revision = 0;
  watch.abort();
  const { signal } = watch = new AbortController();
  while (!signal.aborted) {
    try {
      const news = await perform("questions", { query: `?after=${revision}&wait_seconds=25`, signal });
      connected("connected");
      if (news.revision === revision) continue;
      const approvals = await forSeveral(signal);
      ({ revision } = news);
      waiting = [...news.waiting, ...approvals];
      fetched = Date.now();
      if (!question.keep(new Set(waiting.map((item) => item.id)))) say("This question no longer waits.");
      list();
      ended(news.ended);
      refresh();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 401) return fail(error);
      connected(error.message, error.code === "gone");
      await new Promise((resolve) => setTimeout(resolve, 1000 * Math.max(1, error.seconds)));
    }
  }
}

for (const button of document.querySelectorAll("[data-page]")) {
  button.addEventListener("click", async () => {
    page = button.dataset.page;
    say("");
    section(page);
    await fetchPage();
  });
}
for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => { attended = Date.now(); }, true);
$("per").addEventListener("change", fetchPage);
records.telling(say, fail);
$("freeze").addEventListener("click", records.freeze);
$("leave").addEventListener("click", async () => {
  await leave();
  settle();
});
$("passphrase-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { value } = $("passphrase");
  $("passphrase").value = "";
  say("");
  try {
    try {
      await open(value, false);
    } catch (error) {
      if (error.status !== 409) throw error;
      await open(value, true);
    }
    settle();
    $("main").focus();
    follow();
    await fetchPage();
  } catch (error) {
    fail(error);
  }
});
setInterval(() => {
  for (const item of waiting) {
    const left = document.querySelector(`#list [data-until="${item.id}"]`);
    if (left) put(left, leftOf(item));
    if (item.id === question.current()) question.tick(leftOf(item));
  }
}, 1000);

async function start() {
  try {
    if (await pair()) {
      await ask("GET", "/v1/owner/key");
      connected("connected");
      settle();
    } else {
      section("closed");
    }
  } catch (error) {
    if (!isOwner() && (error.code === "bad_code" || error.code === "not_paired")) {
      unpair();
      section("closed");
    }
    if (error.code === "gone") connected(error.message, true);
    say(error.message);
  }
}

// A new address in the same tab: its code admits a tab that was forgotten, and does not affect others.
addEventListener("hashchange", () => { if (location.hash) start(); });
await start();
