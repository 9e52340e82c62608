// SPDX-License-Identifier: Apache-2.0
// The owner's inbox: what waits, what ended, what is left of limits.

import { ask, isOwner, leave, open, pair, Refusal, unpair } from "./api.js";
import * as question from "./question.js";

const $ = (id) => document.getElementById(id);
const PAGES = ["waiting", "ended", "limits"];
let page = "waiting";
let revision = 0;
let waiting = [];
let fetched = 0;

const make = (tag, text, name) => {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  if (name) element.className = name;
  return element;
};

const say = (text) => { $("note").textContent = text; };

function section(name) {
  for (const id of ["closed", "sign-in", ...PAGES]) $(id).hidden = id !== name;
  for (const button of document.querySelectorAll("[data-page]")) {
    button.hidden = !PAGES.includes(name);
    if (button.dataset.page === name) button.setAttribute("aria-current", "page");
    else button.removeAttribute("aria-current");
  }
  $("leave").hidden = !isOwner();
}

/** Shows the page that this tab may see. */
function settle() {
  section(isOwner() ? page : "sign-in");
  if (!isOwner()) {
    question.hide();
    $("list").replaceChildren();
    $("passphrase").focus();
  }
}

function list() {
  $("count").textContent = waiting.length ? `(${waiting.length})` : "";
  document.title = waiting.length ? `(${waiting.length}) Countersign` : "Countersign";
  const focused = document.activeElement?.dataset?.id;
  const groups = Map.groupBy(waiting, (item) => `${item.client.name}, to ${item.act}`);
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
  button.append(make("small", item.keys.join(", ")));
  button.addEventListener("click", () => choose(item.id));
  const place = make("li");
  place.append(button);
  return place;
}

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
    line.append(make("td", new Date(item.ended).toLocaleString()), make("td", item.client),
      make("td", item.headline), make("td", item.ending, isNo ? "no" : "yes"));
    return line;
  }));
}

const SVG = "http://www.w3.org/2000/svg";

function bar(limit) {
  const maximum = BigInt(limit.maximum), used = BigInt(limit.used);
  const part = maximum > 0n ? Number((used * 1000n) / maximum) / 10 : 100;
  const meter = make("div", undefined, part >= 100 ? "bar full" : "bar");
  meter.setAttribute("role", "meter");
  meter.setAttribute("aria-label", `${limit.rule}, ${limit.window}`);
  meter.setAttribute("aria-valuemin", "0");
  meter.setAttribute("aria-valuemax", "100");
  meter.setAttribute("aria-valuenow", String(Math.min(part, 100)));
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("viewBox", "0 0 100 1");
  picture.setAttribute("preserveAspectRatio", "none");
  picture.setAttribute("aria-hidden", "true");
  const rect = document.createElementNS(SVG, "rect");
  rect.setAttribute("width", String(Math.min(part, 100)));
  rect.setAttribute("height", "1");
  picture.append(rect);
  meter.append(picture);
  return meter;
}

async function limits() {
  const rows = (await ask("GET", "/v1/limits")).limits;
  $("limit-rows").replaceChildren(...rows.map((limit) => {
    const line = make("li");
    const resets = limit.resets ? `, begins anew ${new Date(limit.resets).toLocaleString()}` : "";
    line.append(make("p", `${limit.rule}: ${limit.used} of ${limit.maximum} ${limit.window} used, `
      + `${limit.left} left${resets}`), bar(limit));
    return line;
  }), ...(rows.length ? [] : [make("li", "The policy has no limits.")]));
}

function fail(error) {
  if (error.code === "not_paired") {
    unpair();
    section("closed");
  } else if (error.code === "owner_session_needed") {
    settle();
    say("The owner's session has ended.");
  } else {
    say(error.seconds ? `${error.message} (again in ${error.seconds} s)` : error.message);
  }
}

/** Follows what comes and goes, as long as the session lasts. */
async function follow() {
  revision = 0;
  while (isOwner()) {
    try {
      const news = await ask("GET", `/v1/questions?after=${revision}&wait_seconds=25`);
      $("state").textContent = "connected";
      if (news.revision === revision) continue;
      ({ revision, waiting } = news);
      fetched = Date.now();
      if (!question.keep(new Set(waiting.map((item) => item.id)))) say("What stood here waits no more.");
      list();
      ended(news.ended);
      if (page === "limits") await limits();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 401) return fail(error);
      $("state").textContent = error.message;
      await new Promise((resolve) => setTimeout(resolve, 1000 * Math.max(1, error.seconds)));
    }
  }
}

for (const button of document.querySelectorAll("[data-page]")) {
  button.addEventListener("click", async () => {
    page = button.dataset.page;
    section(page);
    if (page === "limits") await limits().catch(fail);
  });
}
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
  } catch (error) {
    fail(error);
  }
});
setInterval(() => {
  const item = waiting.find(({ id }) => id === question.current());
  if (!item) return;
  const gone = Math.floor((Date.now() - fetched) / 1000);
  question.tick({ seconds_left: Math.max(0, item.seconds_left - gone) });
}, 1000);

try {
  if (await pair()) {
    await ask("GET", "/v1/owner/key");
    $("state").textContent = "connected";
    settle();
  } else {
    section("closed");
  }
} catch (error) {
  if (error.code === "bad_code" || error.code === "not_paired") {
    unpair();
    section("closed");
  }
  say(error.message);
}
