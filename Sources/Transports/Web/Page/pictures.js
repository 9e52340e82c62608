// SPDX-License-Identifier: Apache-2.0
// Pictures: requests over time by client and verdict, and the rest of each limit. Patterns and words repeat the
// meaning of each colour.

import { ask, perform } from "./api.js";
import { $, clientName, CLOCK, draw, hold, make, plural, when } from "./dom.js";
import { visible } from "./visible.js";

// From the bottom up, each with its pattern.
const VERDICTS = {
  allowed: ["allowed by rules", []],
  remembered: ["remembered yes", ["M0 2H8M0 6H8"]],
  approved: ["approved by you", ["M2 2h1M6 6h1"]],
  program: ["approved by your program", ["M0 4H8"]],
  approvers: ["approved by several people", ["M4 0V8"]],
  declined: ["declined, or no answer", ["M-2 2L2 -2M0 8L8 0M6 10L10 6"]],
  denied: ["denied by rules", ["M0 0L8 8M8 0L0 8"]],
  flood: ["refused, because of too many requests", ["M0 0L8 8"]],
  failed: ["failed", ["M2 0V8M6 0V8"]],
};
const HEIGHT = 200;
const LEFT = 36;
const FOOT = 20;
let seen = null;

const pattern = ([name, [, lines]]) => draw("pattern", {
  id: `is-${name}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
draw("rect", { width: 8, height: 8, class: `fill-${name}` }),
...lines.map((line) => draw("path", { d: line, class: "ink" })));

$("patterns").append(draw("defs", {}, ...Object.entries(VERDICTS).map(pattern)));

const sum = (counts) => counts.reduce((all, count) => all + count, 0);

/** For each verdict, the sum of all rows, span by span. */
function inAll(rows, spans) {
  return Object.keys(VERDICTS).map((name) => [name, Array.from({ length: spans }, (_, place) =>
    sum(rows.map((row) => row.verdicts[name]?.[place] ?? 0)))]);
}

const said = (parts) => parts.filter(([, count]) => count > 0)
  .map(([name, count]) => `${count} ${VERDICTS[name][0]}`).join(", ");

/** The smallest of 1, 2, 5, 10, 20 and so on that is not below the value. */
function ceiling(most) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(most, 1)));
  return [1, 2, 5, 10].map((step) => step * ten).find((step) => step >= most);
}

const begin = (place) => new Date(Date.parse(seen.start) + place * (seen.per === "hour" ? 3_600_000 : 86_400_000));
// Days are those of UTC, as limits count them.
const label = (place) => (seen.per === "hour"
  ? begin(place).toLocaleString([], { weekday: "short", ...CLOCK })
  : begin(place).toLocaleDateString([], { day: "numeric", month: "short", timeZone: "UTC" }));

/** Columns of requests; `top` is the value at full height. */
function columns(series, top, [left, right, height]) {
  const wide = (right - left) / seen.spans;
  return Array.from({ length: seen.spans }, (_, place) => {
    let ground = height;
    const parts = series.map(([name, counts]) => {
      const tall = (counts[place] / top) * height;
      ground -= tall;
      return tall && draw("rect", {
        x: left + place * wide + wide * 0.1, width: wide * 0.8, y: ground, height: tall, fill: `url(#is-${name})`,
        class: "part" });
    }).filter(Boolean);
    if (parts.length === 0) return null;
    const words = said(series.map(([name, counts]) => [name, counts[place]]));
    return draw("g", {}, draw("title", {}, `${label(place)}: ${words}`), ...parts);
  }).filter(Boolean);
}

function chart(series) {
  const width = Math.max(280, $("chart").clientWidth);
  const most = Math.max(...Array.from({ length: seen.spans }, (_, place) => sum(series.map(([, counts]) => counts[place]))));
  const top = Math.max(ceiling(most), 4);
  const height = HEIGHT - FOOT - 8;
  const lines = [0, top / 2, top].flatMap((value) => {
    const y = 8 + height - (value / top) * height;
    return [draw("line", { x1: LEFT, x2: width, y1: y, y2: y, class: "grid" }),
      draw("text", { x: LEFT - 6, y: y + 4, "text-anchor": "end" }, value.toLocaleString())];
  });
  const step = Math.ceil(seen.spans / Math.max(2, Math.floor((width - LEFT) / 110)));
  const marks = [];
  for (let place = 0; place < seen.spans; place += step) {
    marks.push(draw("text", { x: LEFT + (place * (width - LEFT)) / seen.spans, y: HEIGHT - 4 }, label(place)));
  }
  const totals = series.map(([name, counts]) => [name, sum(counts)]);
  return draw("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, role: "img", "aria-label":
    `${plural(sum(totals.map(([, count]) => count)), "request")} ${seen.per === "hour"
      ? "in 48 hours" : "in 30 days"}: ${said(totals) || "none"}. The tables below have the same.` },
  ...lines, ...marks, draw("g", { transform: "translate(0 8)" }, ...columns(series, top, [LEFT, width, height])));
}

function legend(series) {
  return series.filter(([, counts]) => sum(counts) > 0).map(([name, counts]) => hold("li", undefined,
    draw("svg", { viewBox: "0 0 16 16", class: "swatch", "aria-hidden": "true" },
      draw("rect", { width: 16, height: 16, fill: `url(#is-${name})` })),
    make("strong", sum(counts).toLocaleString()), ` ${VERDICTS[name][0]}`));
}

function clientRow(row, most) {
  const series = inAll([row], seen.spans);
  const who = row.clients > 1 || (!row.client && row === seen.others)
    ? make("span", plural(row.clients, "other client")) : clientName(row.client, row.proof, row.profile, row.called);
  return hold("tr", undefined, hold("th", undefined, who), make("td", row.total.toLocaleString(), "number"),
    hold("td", "spark", draw("svg", { viewBox: "0 0 240 32", preserveAspectRatio: "none", "aria-hidden": "true" },
      ...columns(series, most, [0, 240, 32]))),
    make("td", said(series.map(([name, counts]) => [name, sum(counts)]))));
}

function show() {
  if (!seen) return;
  const rows = [...seen.clients, ...(seen.others ? [seen.others] : [])];
  const series = inAll(rows, seen.spans);
  const whole = Date.parse(seen.since) > Date.parse(seen.start);
  $("since").replaceChildren(...(whole ? ["Counted from ", when(seen.since), " on: the record is long."] : []));
  $("chart").replaceChildren(chart(series));
  $("legend").replaceChildren(...legend(series));
  const most = Math.max(1, ...rows.flatMap((row) => Array.from({ length: seen.spans }, (_, place) =>
    sum(Object.values(row.verdicts).map((counts) => counts[place])))));
  $("client-rows").replaceChildren(...rows.map((row) => clientRow(row, most)));
  for (const head of document.querySelectorAll("#client-rows th")) head.scope = "row";
  const spans = Array.from({ length: seen.spans }, (_, place) => [place, series.map(([name, counts]) => [name, counts[place]])])
    .filter(([, parts]) => sum(parts.map(([, count]) => count)) > 0).reverse();
  $("span-rows").replaceChildren(...spans.map(([place, parts]) => hold("tr", undefined,
    make("td", label(place)), make("td", sum(parts.map(([, count]) => count)).toLocaleString(), "number"),
    make("td", said(parts)))));
  $("no-activity").hidden = rows.length > 0;
  $("activity-tables").hidden = rows.length === 0;
}

export async function activity() {
  seen = await ask("GET", `/v1/activity?per=${$("per").value}`);
  show();
}

/** The used part of a limit, in percent. */
function part(limit) {
  const maximum = BigInt(limit.maximum), used = BigInt(limit.used);
  return maximum > 0n ? Math.min(100, Number((used * 1000n) / maximum) / 10) : 100;
}

function bar(limit) {
  const used = part(limit);
  const meter = make("div", undefined, used >= 100 ? "bar full" : used >= 75 ? "bar near" : "bar");
  const words = { role: "meter", "aria-label": `${limit.rule}, ${limit.window}`, "aria-valuemin": "0",
    "aria-valuemax": "100", "aria-valuenow": String(used),
    "aria-valuetext": `${limit.shown.used} of ${limit.shown.maximum} used, ${limit.shown.left} left` };
  for (const [name, value] of Object.entries(words)) meter.setAttribute(name, visible(value));
  meter.append(draw("svg", { viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" },
    draw("rect", { width: String(used), height: "1" })));
  return meter;
}

function limitRow(limit) {
  const at = limit.counter.indexOf("[");
  const left = limit.left === "0" ? make("strong", "nothing left", "no") : make("strong", `${limit.shown.left} left`);
  return hold("li", "limit", hold("p", "deed", make("strong", limit.rule),
    at < 0 ? null : make("span", ` ${limit.counter.slice(at)}`, "words"), make("span", ` ${limit.window}`, "soft")),
  bar(limit), hold("p", "spread", hold("span", undefined, left),
    hold("span", "soft", `${limit.shown.used} of ${limit.shown.maximum} used`,
      ...(limit.resets ? ["; starts again ", when(limit.resets)]
        : limit.frees ? ["; some is free again ", when(limit.frees)] : []))));
}

export async function limits() {
  const rows = (await perform("limits")).limits;
  // Limits that are nearest to their end come first.
  rows.sort((one, other) => part(other) - part(one));
  $("limit-rows").replaceChildren(...rows.map(limitRow), ...(rows.length ? [] : [make("li", "The policy has no limits.")]));
}

/** Forgets all data: the session has ended. */
export function forget() {
  seen = null;
  for (const id of ["chart", "legend", "client-rows", "span-rows", "limit-rows", "since"]) $(id).replaceChildren();
}

let width = 0;
new ResizeObserver(() => {
  if (Math.abs($("chart").clientWidth - width) < 4) return;
  width = $("chart").clientWidth;
  show();
}).observe($("chart"));
