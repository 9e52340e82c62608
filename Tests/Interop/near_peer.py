# SPDX-License-Identifier: Apache-2.0
"""NEP-413, compared with borsh-construct and PyNaCl."""
import base64
import hashlib
import json
import os
import unittest
import urllib.parse

import coincurve
import nacl.exceptions
import nacl.signing
from borsh_construct import CStruct, Option, String, U8, U32

from hub import ROOT, Hub
from near_values import (
    CONTROL, ODD, Values, base58, base64_text, base64url_text, buffer, in_parallel, indexed,
    key_text)

PAYLOAD = CStruct(
    "tag" / U32, "message" / String, "nonce" / U8[32], "recipient" / String,
    "callbackUrl" / Option(String))

ENCODINGS = {
    "base64 (NEP-413)": base64_text,
    "ed25519:base58 (NEAR)": lambda data: "ed25519:" + base58(data),
    "plain base58": base58,
    "base64 without padding": lambda data: base64_text(data).rstrip("="),
    "base64url": base64url_text,
    "base64url without padding": lambda data: base64url_text(data).rstrip("="),
    "hex": bytes.hex,
    "0x hex": lambda data: "0x" + data.hex(),
    "percent-encoded base64 (URL fragment)":
        lambda data: urllib.parse.quote(base64_text(data), safe=""),
    "base64 with + turned into space (badly decoded fragment)":
        lambda data: base64_text(data).replace("+", " "),
    "ed25519:base64 (seen from confused clients)": lambda data: "ed25519:" + base64_text(data),
}
NONCES = [base64_text, base64url_text, lambda data: base64_text(data).rstrip("="), bytes.hex, list,
          buffer, indexed]


def digest(message, nonce, recipient, callback):
    payload = PAYLOAD.build({
        "tag": 2**31 + 413, "message": message, "nonce": list(nonce), "recipient": recipient,
        "callbackUrl": callback})
    return hashlib.sha256(payload).digest()


def sized(count):
    """Returns a text of this many bytes, with characters of one to four bytes."""
    text = ("a\u00e4\u20ac\U0001F919" * (count // 10 + 1)).encode()[:count].decode(errors="ignore")
    return text + "b" * (count - len(text.encode()))


def messages(source, count):
    """Yields values to sign: message, nonce, recipient, callbackUrl."""
    edges = [(sized(32768), sized(256), sized(2048)), ("", "", None), ("", "", "")]
    edges += [(mark, mark, mark) for mark in [*CONTROL, *ODD]]
    for number in range(count):
        if number < len(edges):
            message, recipient, callback = edges[number]
        else:
            message = source.text(30000 if number % 50 == 0 else 300)
            recipient = source.choice([source.account(), "intents.near", source.text(250)])
            callback = source.choice(
                [None, "", "https://app.example/cb?a=1#b", source.text(200)])
        yield message, source.randbytes(32), recipient, callback


def members(source, message, nonce, recipient, callback):
    """Returns the values in the form of clients."""
    found = {"message": message, "recipient": recipient, "nonce": source.choice(NONCES)(nonce)}
    if callback is not None:
        found["callbackUrl"] = callback
    elif source.random() < 0.2:
        found["callbackUrl"] = None
    return found


def changed(source, signed):
    """Returns the values with one bit changed."""
    message, nonce, recipient, callback = signed
    places = [place for place, part in enumerate(signed) if part]
    place = source.choice(places)
    flip = source.flipped if place == 1 else source.flipped_text
    return tuple(flip(part) if at == place else part for at, part in enumerate(signed))


class NearPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.key = nacl.signing.SigningKey(bytes(range(32)))
        cls.public = key_text(bytes(cls.key.verify_key))
        cls.hub = Hub("control_characters", "intents", "oversize")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        secret = "ed25519:" + base58(bytes(range(32)) + bytes(cls.key.verify_key))
        cls.hub.import_key("near", "bob", secret, "--account", "bob.testnet")

    def verify(self, text, holds=True):
        """Asks the binary about one signed message."""
        # A key alone does not prove a named account.
        is_named = "accountId" in json.loads(text)
        out = json.loads(self.hub.command(
            "--json", "verify", "--adapter", "nep413", "-", stdin=text.encode(),
            status=1 if not holds else 4 if is_named else 0))
        self.assertEqual(out["proof"] != "invalid", holds, text)
        self.assertEqual(out["verified"], holds and not is_named, text)

    def test_500_random_messages_sign_here_and_verify_there(self):
        source = Values(20261121)

        def check(case):
            signed, request, wrong = case
            frame = json.loads(request)
            reply = json.loads(self.hub.handle(request, "--adapter", "nep413"))
            state = (frame.get("params") or frame).get("state")
            if "method" in frame:
                self.assertEqual(set(reply), {"result"}, reply)
                reply = reply["result"]
            self.assertEqual(
                {name: value for name, value in reply.items() if name != "signature"},
                {"accountId": "bob.testnet", "publicKey": self.public}
                | ({} if state is None else {"state": state}))
            signature = base64.b64decode(reply["signature"], validate=True)
            self.key.verify_key.verify(digest(*signed), signature)
            with self.assertRaises(nacl.exceptions.BadSignatureError):
                self.key.verify_key.verify(digest(*wrong), signature)
            # Ed25519 is deterministic: the peer's signature is the same.
            self.assertEqual(signature, self.key.sign(digest(*signed)).signature)

        cases = []
        for signed in messages(source, 500):
            frame = members(source, *signed)
            if source.random() < 0.5:
                frame["state"] = source.text(100)
            request = json.dumps(frame, ensure_ascii=source.random() < 0.5)
            # A bare message may have 64 KiB.
            if len(request.encode()) > 60000 or source.random() < 0.5:
                request = json.dumps({"method": "signMessage", "params": frame},
                                     ensure_ascii=source.random() < 0.5)
            cases.append((signed, request, changed(source, signed)))
        in_parallel(check, cases)

    def test_500_random_messages_sign_there_and_verify_here(self):
        source = Values(20261122)
        vectors = json.loads(
            (ROOT / "Tests/Vectors/near/nep413_signature_encodings.json").read_text())
        accepted = {vector["name"]: vector["text"] for vector in vectors["vectors"]
                    if vector["acceptIfLiberal"]}
        example = bytes.fromhex(vectors["signatureHex"])
        self.assertEqual({name: form(example) for name, form in ENCODINGS.items()}, accepted)
        names = [*ENCODINGS]

        def check(case):
            text, holds = case
            self.verify(text, holds)

        cases = []
        for number, signed in enumerate(messages(source, 500)):
            form = ENCODINGS[names[number % len(names)]]
            signature = self.key.sign(digest(*signed)).signature
            more = {"publicKey": source.choice([self.public, self.public.removeprefix("ed25519:")])}
            if source.random() < 0.5:
                more |= {"accountId": source.account(), "network": "testnet", "state": "s"}
            whole = members(source, *signed) | more | {"signature": form(signature)}
            escaped = source.random() < 0.5
            cases.append((json.dumps(whole, ensure_ascii=escaped), True))
            if number % 4:
                continue
            # Changes one bit of the message, the signature or the key.
            public = key_text(source.flipped(bytes(self.key.verify_key)))
            wrong = source.choice([
                members(source, *changed(source, signed)) | more | {"signature": form(signature)},
                whole | {"signature": form(source.flipped(signature))},
                whole | {"publicKey": public}])
            cases.append((json.dumps(wrong, ensure_ascii=escaped), False))
        in_parallel(check, cases)

    def test_the_peers_secp256k1_signatures_verify_here(self):
        """Some wallets sign messages with secp256k1: 65 bytes, over the same digest."""
        source = Values(20261123)
        key = coincurve.PrivateKey(bytes(range(1, 33)))
        public = "secp256k1:" + base58(key.public_key.format(compressed=False)[1:])
        for number, signed in enumerate(messages(source, 2 * len(ENCODINGS))):
            signature = key.sign_recoverable(digest(*signed), hasher=None)
            for given, holds in ((signature, True),
                                 (source.flipped(signature[:64]) + signature[64:], False)):
                text = [*ENCODINGS.values()][number % len(ENCODINGS)](given)
                self.verify(json.dumps(members(source, *signed) | {
                    "publicKey": public,
                    "signature": text.replace("ed25519:", "secp256k1:")}), holds)

    def test_the_unchanged_answer_verifies(self):
        signed = ("hi \U0001F30D", bytes(range(32)), "app.near", None)
        frame = members(Values(1), *signed)
        reply = json.loads(self.hub.handle(json.dumps(frame), "--adapter", "nep413"))
        self.verify(json.dumps(frame | reply))
        self.verify(json.dumps(frame | reply | {"recipient": "evil.near"}), holds=False)
        path = os.path.join(self.hub.folder.name, "signed.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(frame | reply, file)
        self.hub.command("verify", path, status=4)
