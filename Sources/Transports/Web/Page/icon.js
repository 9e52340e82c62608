// SPDX-License-Identifier: Apache-2.0
// The icon and the title of the tab, which tell the state while another tab shows.

import { $ } from "./dom.js";

// Each state has its own shape, independent of colours.
const STATES = {
  quiet: ["#0b5cad", () => ""],
  waiting: ["#0b5cad", (count) => `<circle cx="22" cy="10" r="10" fill="#a40e26"/><text x="22" y="15" font-size="15"
    font-weight="700" font-family="sans-serif" text-anchor="middle" fill="#fff">${count > 9 ? "+" : count}</text>`],
  locked: ["#0b5cad", () => `<circle cx="23" cy="23" r="9" fill="#fff"/><path d="M18 22h10v7H18z" fill="#1b1f24"/>
    <path d="M20 22v-3a3 3 0 0 1 6 0v3" fill="none" stroke="#1b1f24" stroke-width="2"/>`],
  away: ["#6e7781", () => '<path d="M4 28L28 4" stroke="#fff" stroke-width="8"/><path d="M4 28L28 4" stroke="#a40e26" stroke-width="4"/>'],
};

/** Shows a state; the count is that of the waiting questions. */
export function mark(state, count) {
  const [colour, badge] = STATES[state];
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="${colour}"/>
    <path d="M7 13l5 5L24 6M6 25h20" fill="none" stroke="#fff" stroke-width="4" stroke-linecap="round"/>${badge(count)}</svg>`;
  const words = state === "waiting" ? `(${count}) ` : "";
  document.title = `${words}Countersign${["locked", "away"].includes(state) ? ` (${state})` : ""}`;
  $("icon").href = `data:image/svg+xml,${encodeURIComponent(picture)}`;
  $("icon").dataset.state = state;
}
