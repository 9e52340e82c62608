// SPDX-License-Identifier: Apache-2.0
// What the parts of the page share: elements, whose text is never markup and hides nothing, and times.

import { put, visible } from "./visible.js";

// Nothing is answered or taken back that has only just come under the pointer, in milliseconds.
export const REST = 1000;
// Where hours have to be told apart from days at a glance.
export const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

export function make(tag, text, name) {
  const element = document.createElement(tag);
  if (text !== undefined) put(element, text, tag === "pre");
  if (name) element.className = name;
  return element;
}

const shown = (parts) => parts.map((part) => (typeof part === "string" ? visible(part) : part));

/** An element with others in it. */
export function hold(tag, name, ...inside) {
  const element = make(tag, undefined, name);
  element.append(...shown(inside.filter((it) => it !== undefined && it !== null)));
  return element;
}

export function draw(tag, attributes, ...inside) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, visible(value));
  element.append(...shown(inside));
  return element;
}

export function button(text, act, name) {
  const element = make("button", text, name);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

/** A time as short as today allows; whole where the pointer rests. */
export function when(text) {
  const date = new Date(text);
  const isToday = date.toDateString() === new Date().toDateString();
  const element = make("time", isToday
    ? date.toLocaleTimeString([], { ...CLOCK, second: "2-digit" })
    : date.toLocaleString([], {
      year: "numeric", month: "short", day: "numeric", ...CLOCK }));
  element.dateTime = text;
  element.title = date.toString();
  return element;
}

/** What backs a name, with the browser that tells of a page. */
export const backing = (proof, profile) => (profile ? `${proof} ${profile}` : proof);

/** Who asked, by the owner's name where there is one, and what backs it. */
export function asker(client, proof, profile, called) {
  if (!client) return make("span", "nobody named", "soft");
  const names = called ? [make("strong", called), " "] : [];
  return hold("span", "who", ...names, make("span", client), " ", make("small", backing(proof, profile), `tag ${proof}`));
}

/** A name in a line of text: one of more than addresses have stands between quotation marks. */
export const listed = (name) =>
  /^[\w.\-:/@+~%[\]]+$/.test(name) ? name : `"${name.replaceAll('"', '\\"')}"`;

export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

export const timeLeft = (seconds) => `${seconds < 600 ? plural(Math.max(0, seconds), "second")
  : plural(Math.floor(seconds / 60), "minute")} left`;

/** Asks once more; whether it was meant. Only what stood there for a moment can be meant. */
export function sure(title, words, deed) {
  const dialog = $("sure");
  put($("sure-title"), title);
  $("sure-words").replaceChildren(...words);
  put($("sure-yes"), deed);
  $("sure-yes").disabled = true;
  const timer = setTimeout(() => { $("sure-yes").disabled = false; }, REST);
  dialog.returnValue = "";
  dialog.showModal();
  $("sure-no").focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      clearTimeout(timer);
      $("sure-words").replaceChildren();
      resolve(dialog.returnValue === "yes");
    }, { once: true });
  });
}

$("sure-yes").addEventListener("click", () => $("sure").close("yes"));
$("sure-no").addEventListener("click", () => $("sure").close(""));
