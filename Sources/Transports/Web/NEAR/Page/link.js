// SPDX-License-Identifier: Apache-2.0
// What a link in the manner of MyNearWallet asks for, as a call of the wire, and where which answer goes.

const urlCharactersMax = 4_096;

/** Why a link is none; its words are for people. */
export class Mistake extends Error {}

const one = (query, name) => {
  const values = query.getAll(name);
  if (values.length > 1) throw new Mistake(`it says ${name} twice`);
  return values[0] || null;
};

const needed = (query, name) => {
  const value = one(query, name);
  if (value === null) throw new Mistake(`it says no ${name}`);
  return value;
};

// Where an answer may go: a page, and nothing that a browser would run.
const target = (text) => {
  if (text.length > urlCharactersMax) throw new Mistake("the address for the answer is too long");
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new Mistake("the address for the answer is none");
  }
  if (!["http:", "https:"].includes(url.protocol) || url.username || url.password) {
    throw new Mistake("the answer may go to a page on the web alone");
  }
  return url;
};

// What an app takes for an answer: a callback may still hold those of an earlier one.
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

// Not by the name transactionHashes, which apps take for a success.
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
  if (success.origin !== failure.origin) throw new Mistake("success and failure would go to two sites");
  const [contractId, publicKey] = [one(query, "contract_id"), one(query, "public_key")];
  if (publicKey !== null && contractId === null) {
    throw new Mistake("it wants a key with full access to your account, which no link gets");
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
  // As the wallet does whose protocol this is: verifiers expect it in what is signed after a redirect alone.
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

/** Reads a link. `isWindow` where a page opened it beside itself and waits for a message. */
export const read = ({ pathname, search }, isWindow) => {
  const parts = pathname.split("/").filter((part) => part !== "");
  const network = parts.length > 1 ? { network: parts[0] } : {};
  return kinds[parts.at(-1)](new URLSearchParams(search), network, isWindow);
};
