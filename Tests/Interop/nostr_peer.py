# SPDX-License-Identifier: Apache-2.0
"""Nostr against nostr-sdk (rust-nostr)."""
import json
import unittest
import urllib.parse

import nostr_sdk

from hub import Hub

SECRET = "7f7ff03d123792d6ac594bfa67bf6d0c0ab55b6b1fdb6249303fe861f1ccba9a"


def url(method, **parameters):
    pairs = {"type": method, "x-success": "peer://ok", "x-error": "peer://error", **parameters}
    query = "&".join(f"{k}={urllib.parse.quote(v, safe='')}" for k, v in pairs.items())
    return f"nostrsigner://{method}?{query}"


def answer(callback):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(callback).query.replace("+", "%2B")))


class NostrPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("control_characters", "decrypt", "replaces", "identity_proof")
        cls.keys = nostr_sdk.Keys.parse(SECRET)
        shown = cls.hub.import_key("nostr", "alice", cls.keys.secret_key().to_bech32())
        assert shown["address"] == cls.keys.public_key().to_hex()

    def test_events_sign_here_and_verify_there(self):
        contents = ["hello", "", "\x00\x07\x1f\x7f", "\u2028\u2029\ufeff", "\U0001F30D\U0001F468\u200d\U0001F469",
                    "\"\\/<>&'", "line\nfeed\ttab\r", "e\u0301 vs \u00e9", "x" * 20000]
        for content in contents:
            event = {"kind": 1, "content": content, "created_at": 1700000000,
                     "tags": [["t", content[:50]], ["e", "", "wss://r.example"]]}
            reply = answer(self.hub.handle(
                url("sign_event", event=json.dumps(event), returnType="event", id="1")))
            signed = nostr_sdk.Event.from_json(reply["event"])
            self.assertTrue(signed.verify())
            self.assertEqual(signed.content(), content)
            self.assertEqual(signed.author().to_hex(), self.keys.public_key().to_hex())

    def test_a_bare_signature_fits_the_peers_event(self):
        event = {"kind": 1, "content": "hi", "created_at": 1700000000, "tags": []}
        reply = answer(self.hub.handle(url("sign_event", event=json.dumps(event))))
        unsigned = nostr_sdk.EventBuilder.text_note("hi").custom_created_at(
            nostr_sdk.Timestamp.from_secs(1700000000)).build(self.keys.public_key())
        unsigned_json = json.loads(unsigned.as_json())
        unsigned_json["sig"] = reply["result"]
        self.assertTrue(nostr_sdk.Event.from_json(json.dumps(unsigned_json)).verify())

    def test_nip44_both_ways(self):
        peer = nostr_sdk.Keys.generate()
        for count in (1, 31, 32, 33, 64, 65, 255, 256, 257, 1024, 8000):
            text = "\u00e4" + "b" * (count - 1)
            out = answer(self.hub.handle(
                url("nip44_encrypt", plaintext=text, pubkey=peer.public_key().to_hex())))
            self.assertEqual(
                nostr_sdk.nip44_decrypt(peer.secret_key(), self.keys.public_key(), out["result"]), text)
            sealed = nostr_sdk.nip44_encrypt(
                peer.secret_key(), self.keys.public_key(), text, nostr_sdk.Nip44Version.V2)
            back = answer(self.hub.handle(
                url("nip44_decrypt", encryptedText=sealed, pubkey=peer.public_key().to_hex())))
            self.assertEqual(back["result"], text)

    def test_a_payload_for_somebody_else_is_refused(self):
        peer, other = nostr_sdk.Keys.generate(), nostr_sdk.Keys.generate()
        sealed = nostr_sdk.nip44_encrypt(
            peer.secret_key(), other.public_key(), "secret", nostr_sdk.Nip44Version.V2)
        reply = answer(self.hub.handle(
            url("nip44_decrypt", encryptedText=sealed, pubkey=peer.public_key().to_hex()), status=1))
        self.assertEqual((reply["code"], reply["reason"]), ("invalid_request", "could not decrypt"))

    def test_the_peers_events_verify_here(self):
        event = nostr_sdk.EventBuilder.text_note("from there \u2028").sign_with_keys(self.keys)
        out = self.hub.command("verify", "--json", "-", stdin=event.as_json().encode())
        self.assertTrue(json.loads(out)["verified"])
        broken = json.loads(event.as_json())
        broken["content"] += "."
        self.hub.command("verify", "-", stdin=json.dumps(broken).encode(), status=1)
