// SPDX-License-Identifier: Apache-2.0
// Reads a MyNearWallet link as a call of the wire, and builds the address for each answer.

const urlCharactersMax = 4_096;

/** The reason that a link is refused, in words for people. */
export class LinkError extends Error {}

const one = (query, name) => {
  const values = query.getAll(name);
  if (values.length > 1) throw new LinkError(`it has ${name} twice`);
  return values[0] || null;
};

const needed = (query, name) => {
  const value = one(query, name);
  if (value === null) throw new LinkError(`it lacks ${name}`);
  return value;
};

// An answer may only go to a web page, never to an address that a browser would run.
const target = (text) => {
  if (text.length > urlCharactersMax) throw new LinkError("the address for the answer is too long");
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new LinkError("the address for the answer is malformed");
  }
  if (!["http:", "https:"].includes(url.protocol) || url.username || url.password) {
    throw new LinkError("the answer can only go to a web page");
  }
  return url;
};

// Names that an app takes for an answer; a callback may still hold those of an earlier answer.
const successNames = ["transactionHashes", "account_id", "public_key", "all_keys"];
const failureNames = ["errorCode", "errorMessage", "transactionStates"];

const withQuery = (url, pairs, others) => {
  const copy = new URL(url);
  for (const name of others) copy.searchParams.delete(name);
  for (const [name, value] of pairs) if (value !== null) copy.searchParams.set(name, value);
  return copy.href;
};

const withFragment = (url, pairs) => {
  const copy = new URL(url);
  copy.hash = pairs.filter(([, value]) => typeof value === "string")
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return copy.href;
};

// Avoids the name transactionHashes, which apps take for a success.
const failed = (url, meta) => (code, text, transactions) => {
  const transactionStates = transactions?.map(({ hash, state }) => `${hash}:${state}`).join(",") ?? null;
  return {
    message: { status: "failure", errorCode: code, errorMessage: text, ...(transactions && { transactionStates }) },
    href: withQuery(url, [["errorCode", code], ["errorMessage", text],
      ["transactionStates", transactionStates], ["meta", meta]], [...successNames, ...failureNames]),
  };
};

const login = (query, network) => {
  const [success, failure] = [target(needed(query, "success_url")), target(needed(query, "failure_url"))];
  if (success.origin !== failure.origin) throw new LinkError("success and failure would go to two sites");
  const [contractId, publicKey] = [one(query, "contract_id"), one(query, "public_key")];
  if (publicKey !== null && contractId === null) {
    throw new LinkError("it asks for a key with full access to your account, which a link cannot get");
  }
  const methodNames = query.getAll("methodNames");
  const allowMethods = methodNames.length > 0 ? { anyMethod: false, methodNames } : { anyMethod: true };
  const key = publicKey === null ? {} : { addFunctionCallKey: { contractId, publicKey, allowMethods } };
  const purpose = { ...(contractId !== null && { contractId }), ...(methodNames.length > 0 && { methodNames }) };
  return {
    target: success,
    what: publicKey === null
      ? `which account is yours${contractId === null ? "" : `, to work with ${contractId}; it gets no key`}`
      : `which account is yours, and a key of its own for calls of ${contractId}: `
        + (methodNames.length > 0 ? methodNames.join(", ") : "any method"),
    call: { method: "signIn", params: { ...network, ...purpose, ...key } },
    done: ([account]) => ({
      message: { status: "success", account_id: account.accountId, public_key: publicKey ?? account.publicKey },
      href: withQuery(success, [
        ["account_id", account.accountId], ["public_key", publicKey], ["all_keys", account.publicKey]],
        [...successNames, ...failureNames]),
    }),
    failed: failed(failure, null),
  };
};

const sign = (query, network) => {
  const callback = target(needed(query, "callbackUrl"));
  const meta = one(query, "meta");
  const transactions = needed(query, "transactions").split(",").map((template) => ({ template }));
  return {
    target: callback,
    what: transactions.length === 1 ? "to sign and send a transaction"
      : `to sign and send ${transactions.length} transactions`,
    call: { method: "signAndSendTransactions", params: { ...network, transactions } },
    done: (outcomes) => {
      const hashes = outcomes.map(({ transaction }) => transaction.hash).join(",");
      return {
        message: { status: "success", transactionHashes: hashes },
        href: withQuery(callback, [["transactionHashes", hashes], ["meta", meta]], [...successNames, ...failureNames]),
      };
    },
    failed: failed(callback, meta),
  };
};

const signMessage = (query, network, isWindow) => {
  const callback = target(needed(query, "callbackUrl"));
  const state = one(query, "state");
  const params = { message: needed(query, "message"), recipient: needed(query, "recipient"),
    nonce: needed(query, "nonce"), ...(state !== null && { state }) };
  // Follows the wallet that defined this protocol: verifiers expect the callback in the signed message only after a
  // redirect.
  if (!isWindow) params.callbackUrl = needed(query, "callbackUrl");
  return {
    target: callback,
    what: `to sign a message for ${params.recipient}:\n${params.message}`,
    call: { method: "signMessage", params: { ...network, ...params } },
    done: ({ accountId, publicKey, signature }) => ({
      message: { status: "success", signedRequest: { accountId, publicKey, signature } },
      href: withFragment(callback, [["accountId", accountId], ["publicKey", publicKey],
        ["signature", signature], ["state", state]]),
    }),
    failed: (code, text) => ({
      message: { status: "failure", errorCode: code, errorMessage: text },
      href: withFragment(callback, [["error", `${code}: ${text}`], ["state", state]]),
    }),
  };
};

const kinds = { login, sign, "sign-message": signMessage };

/** Reads a link. `isWindow` is true if a page opened the window and waits for a message. */
export const read = ({ pathname, search }, isWindow) => {
  const parts = pathname.split("/").filter((part) => part !== "");
  const network = parts.length > 1 ? { network: parts[0] } : {};
  return kinds[parts.at(-1)](new URLSearchParams(search), network, isWindow);
};
