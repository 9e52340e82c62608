// SPDX-License-Identifier: Apache-2.0
// Requests to the agent: a token for the tab, and one for the owner's session, which is kept only here.

import { acts } from "./acts.js";
import { seal } from "./box.js";

const TAB = "countersign-web";
let owner = null;

/** An error status of the agent. */
export class Refusal extends Error {
  constructor(status, problem, seconds) {
    super(problem.detail ?? `the agent answered ${status}`);
    this.status = status;
    this.code = problem.code ?? "";
    this.seconds = seconds;
  }
}

/** Sends a request to a path under /v1/ or /web/. */
export async function ask(method, path, body, signal) {
  const headers = { "Countersign-Web": sessionStorage.getItem(TAB) ?? "" };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (owner) headers.Authorization = `Bearer ${owner}`;
  const mine = owner;
  let response;
  try {
    response = await fetch(path, {
      method, headers, signal, cache: "no-store", credentials: "omit", redirect: "error",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal(0, { code: "gone", detail: "the agent does not answer" });
  }
  const json = await response.json().catch(() => ({}));
  // An answer that arrives after the session has ended is not shown any more.
  if (owner !== mine) throw new DOMException("the session has ended", "AbortError");
  if (response.ok) return json;
  const seconds = Number(response.headers.get("Retry-After")) || 0;
  if (json.code === "owner_session_needed") owner = null;
  throw new Refusal(response.status, json, seconds);
}

/** Performs an act of the owner by the id of its operation; subject is the id of what it concerns. */
export function perform(operation, { subject = "", query = "", body, signal } = {}) {
  const { method, path } = acts[operation];
  return ask(method, path.replace("{id}", encodeURIComponent(subject)) + query, body, signal);
}

/** Pairs this tab if its address has a one-time code, and removes the code; true if the tab has a token. */
export async function pair() {
  const code = location.hash.slice(1);
  history.replaceState(null, "", "/");
  if (code) {
    const { token } = await ask("POST", "/web/pair", { code });
    sessionStorage.setItem(TAB, token);
  }
  return sessionStorage.getItem(TAB) !== null;
}

/** Forgets the tab's token after the agent has refused it. */
export function unpair() {
  sessionStorage.removeItem(TAB);
}

export const isOwner = () => owner !== null;

/** Opens an owner session; the passphrase leaves this page sealed. */
export async function open(passphrase, isUnlocking) {
  const { public_key: key } = await ask("GET", "/v1/owner/key");
  const bytes = new TextEncoder().encode(passphrase);
  const box = async () => btoa(String.fromCharCode(...await seal(bytes, unbase64(key))));
  if (isUnlocking) await ask("POST", "/v1/unlock", { passphrase: await box() });
  const session = await ask("POST", "/v1/owner/sessions", { passphrase: await box() });
  bytes.fill(0);
  owner = session.token;
}

/** Ends the owner session. */
export async function leave() {
  if (owner) await ask("DELETE", "/v1/owner/sessions").catch(() => {});
  owner = null;
}

const unbase64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
