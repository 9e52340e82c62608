#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks replies with only Python's standard library: code that is independent of the signer.

BIP-340 and RFC 8032 verification follow their texts line by line; slow and plain.
"""
import base64
import hashlib
import json
import struct
import sys
import time
import urllib.parse

P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
     0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8)


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0] and (a[1] + b[1]) % P == 0:
        return None
    if a == b:
        slope = 3 * a[0] * a[0] * pow(2 * a[1], -1, P)
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P)
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def multiply(point, factor):
    total = None
    while factor:
        if factor & 1:
            total = add(total, point)
        point, factor = add(point, point), factor >> 1
    return total


def bip340(public, message, signature):
    x, r, s = (int.from_bytes(v, "big") for v in (public, signature[:32], signature[32:]))
    y = pow(pow(x, 3, P) + 7, (P + 1) // 4, P)
    if x >= P or r >= P or s >= N or y * y % P != (pow(x, 3, P) + 7) % P:
        return False
    tag = hashlib.sha256(b"BIP0340/challenge").digest()
    challenge = hashlib.sha256(tag + tag + signature[:32] + public + message).digest()
    e = int.from_bytes(challenge, "big") % N
    point = add(multiply(G, s), multiply((x, P - (y if y % 2 == 0 else P - y)), e))
    return point is not None and point[1] % 2 == 0 and point[0] == r


Q = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, Q) % Q


def edwards_add(a, b):
    (x1, y1), (x2, y2) = a, b
    t = D * x1 * x2 * y1 * y2
    return ((x1 * y2 + x2 * y1) * pow(1 + t, -1, Q) % Q,
            (y1 * y2 + x1 * x2) * pow(1 - t, -1, Q) % Q)


def edwards_multiply(point, factor):
    total = (0, 1)
    while factor:
        if factor & 1:
            total = edwards_add(total, point)
        point, factor = edwards_add(point, point), factor >> 1
    return total


def edwards_point(data):
    number = int.from_bytes(data, "little")
    y, sign = number % 2**255, number >> 255
    square = (y * y - 1) * pow(D * y * y + 1, -1, Q) % Q
    x = pow(square, (Q + 3) // 8, Q)
    if (x * x - square) % Q:
        x = x * pow(2, (Q - 1) // 4, Q) % Q
    if (x * x - square) % Q:
        raise ValueError("not a point")
    return (Q - x if x % 2 != sign else x), y


def ed25519(public, message, signature):
    base = edwards_point((4 * pow(5, -1, Q) % Q).to_bytes(32, "little"))
    s = int.from_bytes(signature[32:], "little")
    digest = hashlib.sha512(signature[:32] + public + message).digest()
    k = int.from_bytes(digest, "little") % L
    right = edwards_add(edwards_point(signature[:32]), edwards_multiply(edwards_point(public), k))
    return s < L and edwards_multiply(base, s) == right


def base58(text):
    number = 0
    for character in text:
        alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
        number = number * 58 + alphabet.index(character)
    return number.to_bytes(32, "big")


def query(url):
    return dict(urllib.parse.parse_qsl(url.split("?", 1)[1].replace("+", "%2B")))


def nostr_bare(request, reply):
    """The template has no created_at: the signer completed it, so the reply contains the event."""
    asked, got = query(request), query(reply)
    event = json.loads(got["event"])
    template = json.loads(asked["event"])
    assert event["kind"] == template["kind"] and event["content"] == template["content"]
    assert event["pubkey"] == asked["current_user"] and abs(event["created_at"] - time.time()) < 600
    fields = [0] + [event[k] for k in ("pubkey", "created_at", "kind", "tags", "content")]
    text = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
    message = hashlib.sha256(text.encode()).digest()
    assert message.hex() == event["id"] and got["result"] == event["sig"]
    return bip340(bytes.fromhex(event["pubkey"]), message, bytes.fromhex(got["result"]))


def nostr_key(request, reply, secret):
    """The reply names the public key of the secret, and goes to the requested callback."""
    public = multiply(G, int(secret, 16))[0].to_bytes(32, "big").hex()
    return query(reply)["pubkey"] == public and reply.startswith(query(request)["x-success"] + "?")


def nostr_denied(request, reply):
    asked, got = query(request), query(reply)
    return (reply.startswith(asked["x-error"] + "?") and got["code"] == "permission_denied"
            and got["id"] == asked["id"] and "result" not in got)


def nep413_unasked(_, reply):
    got = json.loads(reply)
    return got["error"]["code"] == "approval_unavailable" and "signature" not in got


def nep413(request, reply):
    asked, got = json.loads(request), json.loads(reply)
    string = lambda text: struct.pack("<I", len(text.encode())) + text.encode()
    callback = asked.get("callbackUrl")
    payload = (struct.pack("<I", 2**31 + 413) + string(asked["message"])
               + base64.b64decode(asked["nonce"]) + string(asked["recipient"])
               + (b"\0" if callback is None else b"\1" + string(callback)))
    public = base58(got["publicKey"].removeprefix("ed25519:"))
    return ed25519(
        public, hashlib.sha256(payload).digest(), base64.b64decode(got["signature"]))


def near_transfer(request, reply):
    """Rebuilds the Borsh of the transaction from the request; then checks the curve and the signature."""
    asked, got = json.loads(request)["params"], json.loads(reply)["result"]
    signed = base64.b64decode(got["signedTransaction"])
    transaction, curve, signature = signed[:-65], signed[-65], signed[-64:]
    string = lambda text: struct.pack("<I", len(text)) + text.encode()
    public = transaction[4 + len(asked["signerId"]) + 1:][:32]
    (action,) = asked["actions"]
    deposit = int(action["params"]["deposit"]).to_bytes(16, "little")
    assert transaction == (
        string(asked["signerId"]) + b"\0" + public + struct.pack("<Q", int(asked["nonce"]))
        + string(asked["receiverId"]) + base58(asked["blockHash"])
        + struct.pack("<I", 1) + b"\3" + deposit)
    digest = hashlib.sha256(transaction).digest()
    assert curve == 0 and base58(got["transactionHash"]) == digest
    return ed25519(public, digest, signature)


def arc27(request, reply, expected):
    asked, got = json.loads(request), json.loads(reply)
    assert got["requestId"] == asked["id"] and got["result"]["stxns"] == json.loads(expected)
    for item, text in zip(asked["params"]["txns"], got["result"]["stxns"]):
        unsigned, signed = base64.b64decode(item["txn"]), base64.b64decode(text)
        # {"sig": 64 bytes, "txn": the transaction}, canonical MessagePack.
        assert signed[:7] == b"\x82\xa3sig\xc4\x40" and signed[71:] == b"\xa3txn" + unsigned
        sender = unsigned[unsigned.index(b"\xa3snd\xc4\x20") + 6:][:32]
        assert ed25519(sender, b"TX" + unsigned, signed[7:71])
    return True


def main():
    checks = {"nostr-bare": nostr_bare, "nostr-key": nostr_key, "nostr-denied": nostr_denied,
              "nep413": nep413, "nep413-unasked": nep413_unasked,
              "near-transfer": near_transfer, "arc27": arc27}
    texts = [open(path, encoding="utf-8").read().strip() for path in sys.argv[2:]]
    if not checks[sys.argv[1]](*texts):
        sys.exit("independent check: the reply is WRONG")
    print("independent check: ok")


if __name__ == "__main__":
    main()
