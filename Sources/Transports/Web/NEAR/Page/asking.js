// SPDX-License-Identifier: Apache-2.0
// Sends one request of a page to the agent, waits for the reply, and withdraws the request when this page closes.

const pauseMilliseconds = 1_000;
const missesMax = 5;
const codes = { 400: "bad_request", 404: "withdrawn", 413: "payload_too_large", 421: "withdrawn", 429: "busy", 503: "busy" };
const waiting = new Set();

/** An error in place of a wire's reply; `code` is for programs. */
export class CallError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const call = async (method, path, body) => {
  let response;
  try {
    response = await fetch(path, {
      method, cache: "no-store", credentials: "omit", redirect: "error",
      ...(body && { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch {
    // Closing or reloading the page aborts its calls; the pause keeps such an abort from being reported as an error.
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    throw new CallError("agent_down", "the agent does not answer");
  }
  const json = await response.json().catch(() => ({}));
  if (response.ok) return json;
  throw new CallError(codes[response.status] ?? "bad_request", json.detail ?? `the agent answered ${response.status}`);
};

const again = async (id) => {
  for (let misses = 0; ; misses += 1) {
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    try {
      return await call("GET", `/near/requests/${id}`);
    } catch (error) {
      if (error.code !== "agent_down" || misses >= missesMax) throw error;
    }
  }
};

/** A fresh id of 128 bits in hex, by which the agent recognizes a repeated request. */
export const fresh = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** Returns the reply of the wire, as text. Calls `isPending` if a person has to answer first. */
export const ask = async (body, isPending) => {
  // Registered before the call: the page may close before the agent returns the id.
  waiting.add(body.key);
  let now;
  try {
    now = await call("POST", "/near/requests", body);
    const { id } = now;
    if (now.state === "pending") isPending();
    while (now.state === "pending") now = await again(id);
  } finally {
    waiting.delete(body.key);
  }
  if (typeof now.reply !== "string") throw new CallError("no_answer", "the agent gave no answer");
  return now.reply;
};

// A reloaded page submits the same request again within a moment, and nothing is lost.
addEventListener("pagehide", () => {
  for (const key of waiting) {
    fetch(`/near/requests/${key}`, { method: "DELETE", keepalive: true, credentials: "omit" }).catch(() => {});
  }
});
