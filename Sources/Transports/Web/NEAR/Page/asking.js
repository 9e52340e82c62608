// SPDX-License-Identifier: Apache-2.0
// One request of a page on its way through the agent: handed in, waited for, withdrawn when this page goes.

const pauseMilliseconds = 1_000;
const missesMax = 5;
const codes = { 400: "bad_request", 404: "withdrawn", 413: "payload_too_large", 421: "withdrawn", 429: "busy", 503: "busy" };
const waiting = new Set();

/** Why there is no answer of the wire; `code` is for programs. */
export class Failure extends Error {
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
    // A page that is closed or loaded again has its calls ended, and is not there any more after this.
    await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
    throw new Failure("agent_down", "the agent does not answer");
  }
  const json = await response.json().catch(() => ({}));
  if (response.ok) return json;
  throw new Failure(codes[response.status] ?? "bad_request", json.detail ?? `the agent answered ${response.status}`);
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

/** 128 bits in hex, by which the agent knows a request again. */
export const fresh = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

/** The reply of the wire, as text. `isPending` is called where a person has to answer first. */
export const ask = async (body, isPending) => {
  // From here on: the page may go before anybody told it the id.
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
  if (typeof now.reply !== "string") throw new Failure("no_answer", "the wallet has no answer to this");
  return now.reply;
};

// A page that is loaded again hands the same in within a moment, and nothing is lost.
addEventListener("pagehide", () => {
  for (const key of waiting) {
    fetch(`/near/requests/${key}`, { method: "DELETE", keepalive: true, credentials: "omit" }).catch(() => {});
  }
});
