// SPDX-License-Identifier: Apache-2.0
// Shared parts of the page: elements, whose text is never markup and hides no character, and times.

import { put, visible } from "./visible.js";

// The time in milliseconds that a control rests before a click on it counts.
export const REST = 1000;
// Time formats in which hours cannot be taken for days.
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

/** An element that contains other elements. */
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

/** A time in the shortest form for today; the complete time shows under the pointer. */
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

/** The proof of a client's name, with the browser profile that names a page. */
export const backing = (proof, profile) => (profile ? `${proof} ${profile}` : proof);

/** The client, by the owner's name for it if there is one, and the proof of it. */
export function clientName(client, proof, profile, called) {
  if (!client) return make("span", "no client named", "soft");
  const names = called ? [make("strong", called), " "] : [];
  return hold("span", "who", ...names, make("span", client), " ", make("small", backing(proof, profile), `tag ${proof}`));
}

/** A name inside a sentence, in quotation marks if it has characters that addresses do not have. */
export const listed = (name) =>
  /^[\w.\-:/@+~%[\]]+$/.test(name) ? name : `"${name.replaceAll('"', '\\"')}"`;

export const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** The time that is left for an answer; `end` is the meaning of its end. */
export const timeLeft = (seconds, end) => {
  const time = seconds < 600 ? plural(Math.max(0, seconds), "second") : plural(Math.floor(seconds / 60), "minute");
  return end === "allow" ? `allowed in ${time}` : `${time} left`;
};

/** Asks for a confirmation; resolves to true if the person confirms. The yes button rests for a moment first. */
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
