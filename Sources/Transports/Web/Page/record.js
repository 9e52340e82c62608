// SPDX-License-Identifier: Apache-2.0
// Remembered answers, connections and the record. Of long lists the page shows a part.

import { perform } from "./api.js";
import { $, clientName, button, hold, make, plural, sure, when } from "./dom.js";
import { put } from "./visible.js";

const GRANTS = 100;
const ENTRIES = 100;

// Remembered answers

let remembered = [];
let shownGrants = GRANTS;

export async function grants() {
  const all = $("grant-all").checked;
  remembered = (await perform("grants", { query: `?all=${all}` })).grants;
  listGrants();
}

const terms = (grant) => [
  ...grant.facts.map(({ name, value }) => [name, value]),
  ...grant.bounds.map(({ name, max }) => [name, `at most ${max}`]),
  ...grant.totals.map((total) => [grant.per ? `each ${grant.per}` : "in all", `${total.max} ${total.asset} (${total.network})`]),
];

const span = (grant) => [
  grant.expires ? ["until ", when(grant.expires)] : [grant.session ? "until the login ends" : "for good"],
  grant.uses_max === null ? [`used ${plural(grant.uses, "time")}`] : [`used ${grant.uses} of ${grant.uses_max} times${grant.per ? ` in the latest ${grant.per}` : ""}`],
];

function grantRow(grant) {
  const isYes = grant.answer === "yes";
  const words = make("dl", undefined, "terms");
  for (const [name, value] of terms(grant)) words.append(make("dt", name), make("dd", value));
  const [until, uses] = span(grant);
  const head = hold("p", "deed",
    make("strong", isYes ? "Yes" : "No", isYes ? "yes" : "no"), " to ", clientName(grant.client, grant.proof, grant.profile, grant.called));
  const row = hold("li", "row", hold("div", "grow", head,
    make("p", `${grant.method} (${grant.protocol}) with ${grant.key}`),
    grant.dangers.length ? make("p", `covers ${grant.dangers.join(", ")}`, "warning") : null,
    words.childElementCount ? words : null,
    hold("p", "soft", ...until, "; ", ...uses, "; said ", when(grant.created))));
  if (grant.state === "active") row.append(button("Take back...", () => takeBack(grant)));
  else row.append(make("span", grant.state, "tag"));
  return row;
}

function listGrants() {
  const wanted = $("grant-filter").value.trim().toLowerCase();
  const found = remembered.filter((grant) => !wanted || JSON.stringify(grant).toLowerCase().includes(wanted));
  const rows = found.slice(0, shownGrants).map(grantRow);
  $("grant-rows").replaceChildren(...rows);
  put($("grant-count"), remembered.length === 0
    ? "No answer is remembered: every question comes again."
    : `${rows.length} of ${plural(found.length, "answer")}${remembered.length >= 1000 ? "; the newest 1,000 are listed" : ""}`);
  $("grant-more").hidden = found.length <= shownGrants;
}

async function takeBack(grant) {
  const words = [hold("p", undefined, make("strong", grant.answer === "yes" ? "Yes" : "No"), " to ",
    clientName(grant.client, grant.proof, grant.profile, grant.called)),
  make("p", `${grant.method} (${grant.protocol}) with ${grant.key}`),
  ...terms(grant).map(([name, value]) => make("p", `${name}: ${value}`, "words")),
  make("p", "You are asked again for the next such request. Earlier signatures stay valid.", "soft")];
  if (await sure("Take this answer back?", words, "Take it back")) {
    await end("revokeGrant", grant.id, "The answer is taken back.", grants);
  }
}

// Connections

export async function connections() {
  const rows = (await perform("connections")).connections;
  $("connection-rows").replaceChildren(...rows.map((item) => hold("li", "row",
    hold("div", "grow", hold("p", "deed", clientName(item.client, item.proof, item.profile, item.called)),
      make("p", `${item.account} (${item.protocol}, ${item.network}) by ${item.key}`),
      hold("p", "soft", "since ", when(item.started))),
    button("End it...", () => disconnect(item)))));
  put($("connection-count"), rows.length ? plural(rows.length, "connection") : "No client is connected.");
}

async function disconnect(item) {
  const words = [hold("p", undefined, clientName(item.client, item.proof, item.profile, item.called)),
    make("p", `${item.account} (${item.protocol}, ${item.network})`),
    make("p", "The client loses access to the account, and must ask for it again.", "soft")];
  if (await sure("End this connection?", words, "End it")) {
    await end("endConnection", item.id, "The connection has ended.", connections);
  }
}

/** Stops all signing, after a confirmation. */
export async function freeze() {
  const words = [make("p", "Nothing is signed any more, for every client and key. Waiting requests fail."),
    make("p", "To allow signing again, run: countersign thaw", "soft")];
  if (!await sure("Stop all signing?", words, "Stop it")) return;
  try {
    await perform("freeze", { body: { reason: "by the owner, in the inbox page" } });
    tell("Nothing is signed until you run countersign thaw.");
  } catch (error) {
    fail(error);
  }
}

let tell = () => {};
let fail = () => {};

/** The elements for notes and errors. */
export function telling(note, failure) {
  tell = note;
  fail = failure;
}

async function end(operation, subject, words, list) {
  try {
    await perform(operation, { subject }).catch((error) => {
      // Another person or program has ended it first.
      if (error.status !== 404) throw error;
    });
    tell(words);
    await list();
  } catch (error) {
    fail(error);
  }
}

// The record

// The start of each visited page; the last one is shown.
let places = [0];
let next = null;
let looking = null;
let names = new Map();

// The members that the hash of an entry covers besides the event.
const SEALING = ["kind", "time", "sequence", "clock", "signature"];
const terse = (value) => (typeof value === "string" ? value : JSON.stringify(value)).replace(/[0-9a-f]{24,}/g,
  (hex) => `${hex.slice(0, 12)}...`);

const DECIDED = {
  policy: "allowed by rules", grant: "by a remembered yes", person: "approved by you", program: "approved by your program",
  approvers: "approved by several people", session: "as its connection allows",
};
const keysOf = (body) => (body.keys ?? []).map((id) => names.get(id) ?? "(removed)").join(", ");

/** A request: its method, its subject, and its keys. */
const request = ({ body, about }) => [`${body.method}${about ? ` (${about})` : ""}`,
  keysOf(body) && `with ${keysOf(body)}`].filter(Boolean).join(" ");

/** The content of an entry, in one line. */
function line(entry) {
  const { kind, body } = entry;
  switch (kind) {
    case "intent": return `${request(entry)}, ${DECIDED[body.decided_by] ?? body.decided_by}`;
    case "refusal": return [request(entry), body.reason?.text].filter(Boolean).join(": ");
    case "result": return body.reason ? body.reason.text : "answered";
    default: return Object.entries(body).filter(([name, value]) => !SEALING.includes(name) && value !== null && value !== "")
      .map(([name, value]) => `${name.replaceAll("_", " ")} ${terse(value)}`).join(", ").slice(0, 200);
  }
}

/** An entry in words, with a row for each known fact. */
function words({ sequence, kind, body, facts, called }) {
  const listed = (list) => (list ?? []).join(", ");
  const rows = [["entry", `${sequence}, ${kind === "intent" ? "request" : kind}`], ["your name for the client", called],
    ["client", body.client?.id], ["known by", body.client?.proof], ["channel", body.channel], ["method", body.method],
    ["key", keysOf(body)], ["decided", DECIDED[body.decided_by] ?? body.decided_by], ["rules", listed(body.rules)],
    ["effects", listed(body.effects).replaceAll("_", " ")], ["dangers", listed(body.dangers)],
    ["outcome", body.outcome?.replaceAll("_", " ")], ["reason", body.reason?.text], ["rule", body.reason?.rule],
    ...(facts ?? []).flatMap((list, place) => list.map(({ name, value }) =>
      [facts.length > 1 ? `${place + 1}: ${name}` : name, value]))];
  if (!body.method && kind !== "result") {
    rows.push(...Object.entries(body).filter(([name]) => !SEALING.includes(name))
      .map(([name, value]) => [name.replaceAll("_", " "), value === null ? "" : terse(value)]));
  }
  const list = make("dl");
  for (const [name, value] of rows) {
    if (value !== undefined && value !== null && value !== "") list.append(make("dt", name), make("dd", value));
  }
  return list;
}

/** A request and its result share one row, if the page holds both. */
function folded(entries) {
  const asked = new Set(entries.filter(({ kind }) => kind === "intent").map(({ body }) => body.id));
  const ends = new Map(entries.filter(({ kind, body }) => kind === "result" && asked.has(body.id))
    .map((entry) => [entry.body.id, entry]));
  return entries.filter((entry) => ends.get(entry.body.id) !== entry)
    .map((entry) => [entry, ...(ends.has(entry.body.id) ? [ends.get(entry.body.id)] : [])]);
}

function entryRow([entry, end]) {
  const { body } = entry;
  const whole = hold("details", undefined,
    make("summary", end?.body.reason ? `${line(entry)}; ${line(end)}` : line(entry)));
  whole.addEventListener("toggle", () => {
    if (!whole.open || whole.childElementCount > 1) return;
    for (const it of end ? [entry, end] : [entry]) {
      whole.append(words(it), hold("details", undefined, make("summary", "as it is on record"),
        make("pre", JSON.stringify(it.body, null, 2), "words")));
    }
  });
  const outcome = (end?.body ?? body).outcome ?? "";
  const isNo = ["denied", "failed", "not_used"].includes(outcome);
  const at = (body.client?.proof ?? "").indexOf(" ");
  const [proof, profile] = at < 0 ? [body.client?.proof] : [body.client.proof.slice(0, at), body.client.proof.slice(at + 1)];
  return hold("tr", undefined, make("td", String(entry.sequence), "number"), hold("td", undefined, when(entry.time)),
    make("td", entry.kind === "intent" ? "request" : entry.kind), hold("td", undefined, body.client ? clientName(body.client.id, proof, profile, entry.called) : ""),
    hold("td", "wide", whole, body.dangers?.length ? make("small", body.dangers.join(", "), "warning") : null),
    make("td", outcome.replace("_", " "), isNo ? "no" : "yes"));
}

/** The search of the form, as members of a query. */
function search() {
  const moment = (name, more) => {
    const { value } = $(`audit-${name}`);
    return value ? Math.floor(new Date(value) / 1000) + more : "";
  };
  return [...["text", "client", "outcome", "key", "amount"].map((name) => [name, $(`audit-${name}`).value.trim()]),
    // The form shows no seconds: its last minute is included.
    ["since", moment("since", 0)], ["until", moment("until", 59)]].filter(([, value]) => value !== "");
}

/** Offers the keys of the home. */
function offerKeys(keys) {
  const chosen = $("audit-key").value;
  const options = keys.map(({ id, name }) => Object.assign(make("option", name), { value: id }));
  $("audit-key").replaceChildren($("audit-key").options[0], ...options);
  $("audit-key").value = names.has(chosen) ? chosen : "";
}

export async function record() {
  looking?.abort();
  const mine = looking = new AbortController();
  const rows = [];
  let before = places.at(-1);
  const wanted = search();
  $("audit-stop").hidden = true;
  try {
    const { keys } = await perform("keys", { signal: mine.signal });
    names = new Map(keys.map(({ id, name }) => [id, name]));
    offerKeys(keys);
    do {
      const query = [["limit", ENTRIES - rows.length], ...(before ? [["before", before]] : []), ...wanted];
      const part = await perform("audit", { signal: mine.signal, query: `?${query
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}` });
      rows.push(...part.entries);
      before = part.next;
      // One answer covers a part of the record; a search continues at the end of that part.
      if (before !== null && rows.length < ENTRIES) {
        put($("audit-count"), `${rows.length} found; searching before entry ${before}`);
        $("audit-stop").hidden = false;
      }
    } while (before !== null && rows.length < ENTRIES && !mine.isEnough);
  } catch (error) {
    if (error.name === "AbortError") return;
    throw error;
  }
  next = before;
  $("audit-stop").hidden = true;
  $("audit-rows").replaceChildren(...folded(rows).map(entryRow));
  $("audit-older").disabled = next === null;
  $("audit-newer").disabled = places.length === 1;
  put($("audit-count"), rows.length
    ? `entries ${rows[0].sequence} to ${rows.at(-1).sequence}${mine.isEnough ? `; stopped before entry ${before}` : ""}`
    : `Nothing was found${mine.isEnough ? ` back to entry ${before}` : ""}.`);
}

/** Forgets all data: the session has ended. */
export function forget() {
  looking?.abort();
  remembered = [];
  names = new Map();
  [places, next] = [[0], null];
  for (const id of ["grant-rows", "connection-rows", "audit-rows"]) $(id).replaceChildren();
  for (const id of ["grant-count", "connection-count", "audit-count"]) put($(id), "");
  offerKeys([]);
  for (const id of ["grant-filter", ...["text", "client", "outcome", "amount", "since", "until"].map((name) => `audit-${name}`)]) {
    $(id).value = "";
  }
  // Cleared at once: the close event of a dialog arrives later.
  $("sure-words").replaceChildren();
  if ($("sure").open) $("sure").close("");
}

/** True if the newest entries are shown: only this page follows new entries. */
export const isNewest = () => places.length === 1 && !document.querySelector("#audit-rows details[open]");

const page = (change) => () => {
  change();
  record().then(() => $("audit-table").scrollIntoView({ block: "nearest" })).catch(fail);
};
$("grant-filter").addEventListener("input", listGrants);
$("grant-all").addEventListener("change", () => grants().catch(fail));
$("grant-more").addEventListener("click", () => { shownGrants += GRANTS; listGrants(); });
$("audit-older").addEventListener("click", page(() => places.push(next)));
$("audit-newer").addEventListener("click", page(() => places.pop()));
$("audit-stop").addEventListener("click", () => { looking.isEnough = true; });
$("audit-form").addEventListener("submit", (event) => {
  event.preventDefault();
  page(() => { places = [0]; })();
});
