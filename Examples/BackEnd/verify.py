# SPDX-License-Identifier: Apache-2.0
"""Verifies a NEP-413 message in a back end. Needs the packages base58 and PyNaCl."""
import base64, hashlib, json, struct, urllib.request
import base58, nacl.signing


def borsh(text):
    return struct.pack("<I", len(text.encode())) + text.encode()


def verify(signed, recipient, nonce, rpc):
    """Returns the account that signed, or raises. `nonce` is the 32 bytes that you gave out for this login."""
    if signed["recipient"] != recipient:
        raise ValueError("the message is for another recipient")
    if len(nonce) != 32 or base64.b64decode(signed["nonce"]) != nonce:
        raise ValueError("the message has another nonce")
    callback = signed.get("callbackUrl")
    payload = struct.pack("<I", 2**31 + 413) + borsh(signed["message"]) + nonce + borsh(recipient)
    payload += b"\0" if callback is None else b"\1" + borsh(callback)
    key = base58.b58decode(signed["publicKey"].removeprefix("ed25519:"))
    signature = base64.b64decode(signed["signature"])
    nacl.signing.VerifyKey(key).verify(hashlib.sha256(payload).digest(), signature)
    params = {"request_type": "view_access_key", "finality": "final",
              "account_id": signed["accountId"], "public_key": signed["publicKey"]}
    call = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "query", "params": params}).encode()
    request = urllib.request.Request(rpc, call, {"Content-Type": "application/json"})
    view = json.load(urllib.request.urlopen(request, timeout=10))
    if view.get("result", {}).get("permission") != "FullAccess":
        raise ValueError("the key is not a full-access key of the account")
    return signed["accountId"]
