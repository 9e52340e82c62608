// SPDX-License-Identifier: Apache-2.0
// Verifies a NEP-413 message in a back end. Needs WebCrypto with Ed25519 and no package: Node 20 or newer.
const ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

function base58(text) {
  let value = 0n;
  for (const letter of text) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) throw new Error("the public key is not Base58");
    value = value * 58n + BigInt(digit);
  }
  const hex = value.toString(16).padStart(64, "0");
  if (hex.length !== 64) throw new Error("the public key is not 32 bytes");
  return Uint8Array.from(hex.match(/../g), (byte) => parseInt(byte, 16));
}

const base64 = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
const number = (value) => { const bytes = new Uint8Array(4); new DataView(bytes.buffer).setUint32(0, value, true); return bytes; };
const borsh = (text) => { const bytes = new TextEncoder().encode(text); return join(number(bytes.length), bytes); };

// Returns the account that signed, or throws. `nonce` is the 32 bytes that you gave out for this login.
export async function verify(signed, recipient, nonce, rpc) {
  if (signed.recipient !== recipient) throw new Error("the message is for another recipient");
  if (nonce.length !== 32 || String(base64(signed.nonce)) !== String([...nonce])) {
    throw new Error("the message has another nonce");
  }
  const callback = signed.callbackUrl;
  const payload = join(number(2 ** 31 + 413), borsh(signed.message), nonce, borsh(recipient),
    callback == null ? [0] : join([1], borsh(callback)));
  const digest = await crypto.subtle.digest("SHA-256", payload);
  const bytes = base58(signed.publicKey.replace("ed25519:", ""));
  const key = await crypto.subtle.importKey("raw", bytes, "Ed25519", false, ["verify"]);
  if (!await crypto.subtle.verify("Ed25519", key, base64(signed.signature), digest)) {
    throw new Error("the signature does not verify");
  }
  const params = { request_type: "view_access_key", finality: "final", account_id: signed.accountId,
    public_key: signed.publicKey };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "query", params });
  const answer = await fetch(rpc, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const view = await answer.json();
  if (view.result?.permission !== "FullAccess") throw new Error("the key is not a full-access key of the account");
  return signed.accountId;
}
