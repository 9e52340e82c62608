// SPDX-License-Identifier: Apache-2.0
// One question: its text, as in the terminal, and the answer, which holds for exactly the shown text.

import { perform, Refusal } from "./api.js";
import { $, hold, make, REST } from "./dom.js";
import { put } from "./visible.js";

const SPANS = {
  once: "this once", "5m": "for 5 minutes", "1h": "for an hour", "1d": "for a day",
  today: "until midnight", week: "for the rest of this week", session: "until the client's login ends", always: "always",
};
let shown = null;
let seen = null;
let isRead = false;
let since = 0;
let done = () => {};

let end = null;
// The text must be visible in the window, not only in its own scrolled box.
const reading = new IntersectionObserver((entries) => {
  if (entries.some((entry) => entry.isIntersecting && entry.target === end)) { isRead = true; allow(); }
});

function kind(line) {
  if (line.startsWith("  in all ")) return "total";
  if (line.startsWith("  dangers ")) return "danger";
  return line.startsWith("  warning: ") ? "warning" : "";
}

function write(text) {
  isRead = false;
  // Creates a new element each time: observers do not report an element that stays in place.
  reading.disconnect();
  end = make("span", "");
  $("words").replaceChildren(
    ...text.split("\n").flatMap((line) => [make("span", line, kind(line)), "\n"]), end);
  $("words").scrollTop = 0;
  reading.observe(end);
}

/** The warnings, the total that leaves the account, and the names of the dangers, before everything else. */
function gravest(text) {
  const order = ["warning", "total", "danger"];
  const lines = text.split("\n").filter(kind).sort((one, other) => order.indexOf(kind(one)) - order.indexOf(kind(other)));
  $("gravest").replaceChildren(...lines.map((line) => make("li", line.trim().replace(/^(in all|dangers) +/, "$1: ").replace(/^warning: (.)/, (_, first) => first.toUpperCase()), kind(line))));
  $("gravest").hidden = lines.length === 0;
}

function facts(item) {
  const { client } = item;
  const proved = [client.proved.answer_goes_to && `the answer goes to ${client.proved.answer_goes_to}`,
    client.proved.user_id !== null && `user ${client.proved.user_id}`];
  for (const [name, value] of Object.entries(client.proved)) {
    if (!["user_id", "answer_goes_to"].includes(name) && value) proved.push(`${words(name)} ${value}`);
  }
  const described = Object.entries(client.described)
    .filter(([, value]) => value && String(value).length)
    .map(([name, value]) => `${words(name)} ${[value].flat().join(" <- ")}`);
  const { page } = client;
  const told = page && [page.origin, page.top_origin !== page.origin && `in a page of ${page.top_origin}`];
  const rows = [["your name for it", [client.called]], ["keys", item.keys], ["the browser says", told ?? []],
    ["claimed", [client.claimed]], ["proved", proved], ["channel", [client.channel]], ["you are asked because", item.because]];
  $("who").replaceChildren(...rows.flatMap(([name, values]) => {
    const list = values.filter(Boolean);
    return list.length ? [make("dt", name), make("dd", list.join("; "))] : [];
  }));
  if (described.length) {
    const program = client.described.program?.split("/").at(-1) ?? "a program";
    $("who").append(make("dt", "the system says"), hold("dd", undefined,
      hold("details", undefined, make("summary", program), ...described.map((line) => make("p", line)))));
  }
}

const words = (name) => name.replaceAll("_", " ");

/** The reason that a yes does not count yet; empty if it counts. */
function obstacle() {
  if (!shown) return "";
  if (shown.may_deny?.length === 0) return "No approver key of this home can answer.";
  if (shown.may_approve && !shown.may_approve.includes($("as").value)) return ONLY_NO;
  if (shown.needs_details && !shown.isDetails) return "The question is not shown in full: show everything first.";
  if (!isRead) return "Read to the end first.";
  return Date.now() - since < REST ? "Wait a moment." : "";
}

function allow() {
  const why = obstacle();
  const rests = Date.now() - since < REST;
  $("yes").disabled = why !== "";
  $("use").disabled = rests || $("account").selectedIndex < 1;
  $("no").disabled = $("never").disabled = rests || shown?.may_deny?.length === 0;
  put($("why-not"), why);
}

function chosen() {
  return document.querySelector("#spans input:checked")?.value ?? "once";
}

function choose() {
  const span = chosen();
  put($("yes"), span === "once" ? "Yes, once" : `Yes, ${SPANS[span]}`);
  $("bounds").hidden = span === "once";
}

const ONLY_NO = "An approver key cannot approve a request that was made in its own home; it may say no.";

/** Loads a question. */
const load = (id) => (isForApprovers(id) ? perform("approval", { subject: id }) : perform("question", { subject: id }));

/** Answers a question. */
const send = (id, body) =>
  (isForApprovers(id) ? perform("approve", { subject: id, body }) : perform("answer", { subject: id, body }));

/** True if a question is for several people: then its digest names it. */
export const isForApprovers = (id) => id.length === 64;

function asked(item) {
  const rules = item.rules.map((rule) => `${rule.rule}: ${rule.min} of ${rule.of.join(", ")}`);
  const said = item.said.map((one) => `${one.name}: ${one.answer}`);
  const rows = [["asks", rules], ["said yes", [item.approved]], ["answered", said], ["until", [item.expires]],
    ["you may answer as", item.may_deny]];
  $("who").replaceChildren(...rows.flatMap(([name, values]) =>
    values.length ? [make("dt", name), make("dd", values.join("; "))] : []));
}

/** Shows a question that waits. */
export async function show(id, whenAnswered) {
  done = whenAnswered;
  const item = await load(id);
  if (isForApprovers(id)) {
    Object.assign(item, { offer: item.standing, remember: { yes: [], no: [] }, needs_details: false, keys: [] });
  }
  shown = item;
  seen = item.digest;
  since = Date.now();
  put($("headline"), item.headline);
  gravest(item.text);
  if (isForApprovers(id)) asked(item);
  else facts(item);
  write(item.text);
  put($("covers"), item.offer, true);
  $("all").hidden = isForApprovers(id);
  $("as-label").hidden = !(item.may_deny?.length > 1);
  $("as").replaceChildren(...(item.may_deny ?? []).map((name) => make("option", name)));
  $("spans").replaceChildren(...["once", ...item.remember.yes].map((span, place) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: "span", value: span, checked: place === 0 });
    label.append(input, ` ${SPANS[span]}`);
    return label;
  }));
  $("never").hidden = !item.remember.no.includes("always");
  $("total-label").hidden = !item.text.includes("\n  in all ");
  $("others").hidden = !item.other_accounts;
  $("account").replaceChildren(make("option", item.keys.join(", ")),
    ...(item.other_accounts ?? []).map((other) => make("option", `${other.name} ${other.address}`)));
  $("use").disabled = true;
  $("wishes").hidden = !item.wishes;
  put($("wish-text"), item.wishes ?? "", true);
  for (const id of ["uses", "total", "each", "grant"]) $(id).value = "";
  $("question").hidden = false;
  choose();
  allow();
  setTimeout(allow, REST + 50);
  $("headline").focus();
}

/** Hides the question and returns false if it does not wait any more. */
export function keep(ids) {
  if (!shown || ids.has(shown.id)) return true;
  hide();
  return false;
}

/** The id of the question that is shown; null if there is none. */
export const current = () => shown?.id ?? null;

export function hide() {
  shown = null;
  $("question").hidden = true;
  for (const id of ["headline", "left", "gravest", "who", "words", "covers", "spans", "as", "account", "wish-text"]) {
    $(id).replaceChildren();
  }
  for (const id of ["uses", "total", "each", "grant"]) $(id).value = "";
}

export function tick(left) {
  put($("left"), `${left}; then it is denied.`);
}

async function answer(word) {
  const body = { answer: word, seen };
  if (word === "use") {
    body.account = String($("account").selectedIndex);
  } else if (isForApprovers(shown.id)) {
    if (word !== "no" && obstacle()) return;
    body.answer = word === "no" ? "no" : "yes";
    body.as = $("as").value;
  } else if (word !== "no" && word !== "never") {
    if (obstacle()) return;
    if (word !== "once" && $("uses").value) body.uses = Number($("uses").value);
    if (word !== "once" && $("total").value) body.total = $("total").value;
    if ((body.uses || body.total) && $("each").value) body.per = $("each").value;
    if ($("grant").value) body.grant = $("grant").value;
  }
  $("yes").disabled = $("no").disabled = $("never").disabled = $("use").disabled = true;
  const { id, headline } = shown;
  try {
    const { ending } = await send(id, body);
    if (current() === id) hide();
    done(word === "use" ? "The question comes again, about the account that you chose."
      : `Answered ${ending ?? body.answer}: ${headline}`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if ([409, 410].includes(error.status) && error.code !== "details_not_seen") hide();
    allow();
    done(error.message);
  }
}

$("spans").addEventListener("change", choose);
for (const id of ["as", "account"]) $(id).addEventListener("change", allow);
// Enter in a field must not count as a yes.
$("answer").addEventListener("submit", (event) => event.preventDefault());
$("yes").addEventListener("click", () => answer(chosen()));
$("no").addEventListener("click", () => answer("no"));
$("never").addEventListener("click", () => answer("never"));
$("use").addEventListener("click", () => answer("use"));
$("all").addEventListener("click", async () => {
  const { id } = shown;
  const details = await perform("details", { subject: id }).catch((error) => done(error.message));
  if (!details || current() !== id) return;
  seen = details.digest;
  shown.isDetails = true;
  $("all").hidden = true;
  since = Date.now();
  write(details.text);
  allow();
  setTimeout(allow, REST + 50);
  $("words").focus();
});
