// SPDX-License-Identifier: Apache-2.0
// The bridge of near-connect-ios for an app with a web view. The app calls functions of this page, and receives
// messages through a handler that it installed. Only the owner of the web view can do either.

import { ask, fresh } from "/near/asking.js";
import { put } from "/visible.js";

const walletId = "countersign";
const nonceBytes = 32;
const query = new URLSearchParams(location.search);
const network = query.get("network") || "mainnet";
const app = query.get("app") || "an app with a web view";
const memory = `near-bridge:${app}:${network}`;
const element = (id) => document.getElementById(id);

const post = (type, members) => {
  window.webkit?.messageHandlers?.nearConnect?.postMessage({ type, ...members });
};

const say = (state, isWaiting) => {
  put(element("state"), state);
  element("where").hidden = !isWaiting;
};

// Errors of near-connect's functions, in the form that the app reads.
const failure = (code, message, transactions) => Object.assign(new Error(`${code}: ${message}`), { transactions });

let left = 0;
const call = async (method, params) => {
  left += 1;
  say("Asking your agent...");
  try {
    const body = { key: fresh(), frame: JSON.stringify({ method, params }), app };
    const reply = JSON.parse(await ask(body, () => say("The request waits for your answer.", true)));
    if (reply.error) throw failure(reply.error.code, reply.error.message, reply.error.transactions);
    return reply.result;
  } catch (error) {
    throw error.code ? failure(error.code, error.message) : error;
  } finally {
    left -= 1;
    if (left === 0) say("");
  }
};

const account = () => {
  try {
    return JSON.parse(localStorage.getItem(memory));
  } catch {
    return null;
  }
};

const signedIn = () => {
  const known = account();
  if (!known) throw failure("not_signed_in", "no wallet is connected");
  return known;
};

const keep = ({ accountId, publicKey }) => {
  localStorage.setItem(memory, JSON.stringify({ accountId, publicKey }));
  return { accountId, publicKey, walletId };
};

const read = (text, name) => {
  try {
    return JSON.parse(text);
  } catch {
    throw failure("invalid_request", `${name} is not JSON`);
  }
};

const words = (message, recipient, nonce) => {
  let count = 0;
  try {
    count = atob(nonce).length;
  } catch { /* The text is not Base64. */ }
  if (count !== nonceBytes) throw failure("invalid_request", `a nonce is ${nonceBytes} bytes in Base64`);
  return { message: String(message), recipient: String(recipient), nonce };
};

// The data that a verifier needs: the answer together with the signed message.
const whole = (signed, asked) => ({ ...signed, ...asked });

// Each function settles with exactly one message.
const telling = (errorType, body) => async (...given) => {
  try {
    const [type, members] = await body(...given);
    post(type, members);
  } catch (error) {
    // The results of all signed transactions; an app that asks again may pay twice.
    const { message, transactions } = error;
    post(errorType, { message, ...(transactions && { transactions }) });
  }
};

const connect = async () => {
  const [found] = await call("signIn", { network });
  return ["signIn", keep(found)];
};

const hashOf = (outcome) => outcome?.transaction_outcome?.id ?? outcome?.transaction?.hash ?? "unknown";

const functions = {
  nearConnect: telling("error", connect),
  nearConnectWallet: telling("error", async (id) => {
    if (id !== walletId) throw failure("invalid_request", `the wallet here is ${walletId}`);
    return connect();
  }),
  nearConnectWithSignMessage: telling("error", async (message, recipient, nonce) => {
    const messageParams = words(message, recipient, nonce);
    const [found] = await call("signInAndSignMessage", { network, messageParams });
    const { signedMessage } = found;
    return ["signInAndSignMessage", { ...keep(found), signedMessage: whole(signedMessage, messageParams) }];
  }),
  // The app is signed out in any case; the hub learns of it if it can be reached.
  nearDisconnect: telling("error", async () => {
    localStorage.removeItem(memory);
    await call("signOut", { network }).catch(() => {});
    return ["signOut", {}];
  }),
  nearSignAndSendTransaction: telling("transactionError", async (receiverId, actions) => {
    const params = { network, signerId: signedIn().accountId, receiverId, actions: read(actions, "actions") };
    const result = await call("signAndSendTransaction", params);
    return ["transactionResult", { transactionHash: hashOf(result), result: JSON.stringify(result) }];
  }),
  nearSignAndSendTransactions: telling("transactionError", async (transactions) => {
    const params = { network, signerId: signedIn().accountId, transactions: read(transactions, "transactions") };
    return ["transactionsResult", { results: JSON.stringify(await call("signAndSendTransactions", params)) }];
  }),
  nearSignMessage: telling("messageError", async (message, recipient, nonce) => {
    const asked = words(message, recipient, nonce);
    const signed = await call("signMessage", { network, signerId: signedIn().accountId, ...asked });
    const { accountId, publicKey } = signed;
    return ["messageResult", { accountId, publicKey, signedMessage: JSON.stringify(whole(signed, asked)) }];
  }),
  nearSignDelegateActions: telling("delegateActionError", async (delegates) => {
    const params = { network, signerId: signedIn().accountId, delegateActions: read(delegates, "delegateActions") };
    const { signedDelegateActions } = await call("signDelegateActions", params);
    return ["delegateActionResult", { signedDelegateActions }];
  }),
};

Object.assign(window, functions);
if (["mainnet", "testnet"].includes(network)) post("ready", {});
else post("error", { message: `invalid_request: unknown network ${network}` });
