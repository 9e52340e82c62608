# SPDX-License-Identifier: Apache-2.0
"""NEP-413 against borsh-construct and PyNaCl."""
import base64
import hashlib
import json
import os
import unittest

import nacl.exceptions
import nacl.signing
from borsh_construct import CStruct, Option, String, U8, U32

from hub import Hub

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
PAYLOAD = CStruct(
    "tag" / U32, "message" / String, "nonce" / U8[32], "recipient" / String,
    "callbackUrl" / Option(String))


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def digest(message, nonce, recipient, callback):
    payload = PAYLOAD.build({
        "tag": 2**31 + 413, "message": message, "nonce": list(nonce), "recipient": recipient,
        "callbackUrl": callback})
    return hashlib.sha256(payload).digest()


class NearPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.key = nacl.signing.SigningKey(bytes(range(32)))
        cls.public = "ed25519:" + base58(bytes(cls.key.verify_key))
        cls.hub = Hub("control_characters", "intents", "oversize")
        secret = "ed25519:" + base58(bytes(range(32)) + bytes(cls.key.verify_key))
        cls.hub.import_key("near", "bob", secret, "--account", "bob.testnet")

    def test_messages_sign_here_and_verify_there(self):
        cases = [("hi", "app.near", None), ("", "app.near", None), ("Gr\u00fc\u00dfe \U0001F30D", "b\u00fccher.example", ""),
                 ("\x00\x1b[31m", "a", "https://a.example/cb"), ("x" * 30000, "app.near", None)]
        for message, recipient, callback in cases:
            nonce = os.urandom(32)
            request = {"message": message, "recipient": recipient,
                       "nonce": base64.b64encode(nonce).decode(), "state": "s"}
            if callback is not None:
                request["callbackUrl"] = callback
            reply = json.loads(self.hub.handle(json.dumps(request), "--adapter", "nep413"))
            self.assertEqual(reply["accountId"], "bob.testnet")
            self.assertEqual(reply["publicKey"], self.public)
            self.assertEqual(reply["state"], "s")
            signature = base64.b64decode(reply["signature"], validate=True)
            self.key.verify_key.verify(digest(message, nonce, recipient, callback), signature)
            with self.assertRaises(nacl.exceptions.BadSignatureError):
                self.key.verify_key.verify(digest(message + ".", nonce, recipient, callback), signature)

    def test_the_peers_signatures_verify_here(self):
        nonce = os.urandom(32)
        signature = self.key.sign(digest("hi", nonce, "app.near", None)).signature
        signed = {"message": "hi", "recipient": "app.near", "nonce": base64.b64encode(nonce).decode(),
                  "accountId": "bob.testnet", "publicKey": self.public}
        for text in (base64.b64encode(signature).decode(), "ed25519:" + base58(signature), signature.hex()):
            out = self.hub.command(
                "--json", "verify", "-", stdin=json.dumps({**signed, "signature": text}).encode())
            self.assertTrue(json.loads(out)["verified"])
        wrong = {**signed, "recipient": "evil.near", "signature": base64.b64encode(signature).decode()}
        self.hub.command("verify", "-", stdin=json.dumps(wrong).encode(), status=1)
