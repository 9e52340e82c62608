# SPDX-License-Identifier: Apache-2.0
"""Nostr against nostr-sdk (rust-nostr)."""
import base64
import concurrent.futures
import gzip
import json
import random
import unicodedata
import unittest
import urllib.parse

import coincurve
import nostr_sdk

from hub import ROOT, Hub

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
        cls.hub = Hub(
            "client_mismatch", "control_characters", "decrypt", "deletes", "identity_proof", "legacy_encryption",
            "money", "new_client", "oversize", "replaces", "shrinks_list", "vanish")
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

    def test_500_random_events(self):
        source = random.Random(20261120)
        control = [chr(code) for code in [*range(0x20), 0x7f]]
        odd = [*"\u2028\u2029\ufeff\"\\/<>&'\u00e9\u0301\U0010ffff", "\U0001F468\u200d\U0001F469", "\U0001F919"]

        def text(most):
            kind = source.random()
            alphabet = control + odd if kind < 0.4 else [*"abc \n\t", *odd] if kind < 0.7 else [*"abcdefgh "]
            return "".join(source.choice(alphabet) for _ in range(source.randrange(most)))

        def event(number):
            tags = [[text(12) or "t", *(text(2048 if source.random() < 0.02 else 40)
                                        for _ in range(source.randrange(5)))]
                    for _ in range(source.randrange(40 if number % 10 == 0 else 6))]
            content = control[number % len(control)] + text(4096 if number % 20 == 0 else 300)
            return {"kind": source.randrange(65536), "content": content, "tags": tags,
                    "created_at": source.randrange(1 << 33)}

        def check(event):
            given = json.dumps(event, ensure_ascii=source.random() < 0.5)
            more = {}
            if len(urllib.parse.quote(given, safe="")) > 20_000:
                given = base64.b64encode(gzip.compress(given.encode())).decode()
                more = {"compressionType": "gzip"}
            reply = answer(self.hub.handle(url("sign_event", event=given, returnType="event", **more)))
            signed = reply["event"]
            if more:
                signed = gzip.decompress(base64.b64decode(signed)).decode()
            there = nostr_sdk.Event.from_json(signed)
            self.assertTrue(there.verify(), event)
            back = json.loads(signed)
            self.assertEqual({name: back[name] for name in event}, event)
            key = coincurve.PublicKeyXOnly(bytes.fromhex(back["pubkey"]))
            self.assertTrue(key.verify(bytes.fromhex(back["sig"]), bytes.fromhex(there.id().to_hex())))
            return back["id"]

        events = [event(number) for number in range(500)]
        self.assertEqual(set(control) - {c for e in events for c in e["content"]}, set())
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            self.assertEqual(len(set(pool.map(check, events))), 500)

    def test_nip04_both_ways(self):
        peer = nostr_sdk.Keys.generate()
        for count in (0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 1000, 8000):
            text = "\u00e4" * (count % 2) + "b" * (count - 2 * (count % 2)) if count > 1 else "b" * count
            out = answer(self.hub.handle(
                url("nip04_encrypt", plaintext=text, pubkey=peer.public_key().to_hex())))
            self.assertEqual(
                nostr_sdk.nip04_decrypt(peer.secret_key(), self.keys.public_key(), out["result"]), text)
            sealed = nostr_sdk.nip04_encrypt(peer.secret_key(), self.keys.public_key(), text)
            back = answer(self.hub.handle(
                url("nip04_decrypt", encryptedText=sealed, pubkey=peer.public_key().to_hex())))
            self.assertEqual(back.get("result", ""), text)

    def test_broken_ciphertexts_all_answer_the_same(self):
        peer = nostr_sdk.Keys.generate()
        public = peer.public_key().to_hex()
        answers = set()
        sealed = nostr_sdk.nip04_encrypt(peer.secret_key(), self.keys.public_key(), "x" * 40)
        body, iv = (bytearray(base64.b64decode(part)) for part in sealed.split("?iv="))
        body[-1] ^= 1
        text = base64.b64encode(body).decode() + "?iv=" + base64.b64encode(iv).decode()
        cases = [("nip04_decrypt", text), ("nip04_decrypt", sealed[:-8]), ("nip04_decrypt", "")]
        sealed = base64.b64decode(nostr_sdk.nip44_encrypt(
            peer.secret_key(), self.keys.public_key(), "x" * 40, nostr_sdk.Nip44Version.V2))
        for place in (1, 40, len(sealed) - 1):
            broken = bytearray(sealed)
            broken[place] ^= 1
            cases.append(("nip44_decrypt", base64.b64encode(broken).decode()))
        for method, text in cases:
            reply = answer(self.hub.handle(url(method, encryptedText=text, pubkey=public), status=1))
            answers.add((reply["code"], reply["reason"]))
        self.assertEqual(answers, {("invalid_request", "could not decrypt")})

    def test_ncryptsec_both_ways(self):
        hub = Hub("new_client")
        for number, password in enumerate(["nostr", "\u212b\u2126\u1e9b\u0323", "\u043f\u0430\U0001F919"]):
            keys = nostr_sdk.Keys.generate()
            sealed = nostr_sdk.EncryptedSecretKey(
                keys.secret_key(), password, 4 + 4 * number, nostr_sdk.KeySecurity.MEDIUM).to_bech32()
            shown = hub.import_key("nostr", f"key{number}", sealed, password=password)
            self.assertEqual(shown["address"], keys.public_key().to_hex())
            out = hub.command("key", "export", "--format", "ncryptsec", "--log-n", "16", f"key{number}",
                              secret=password).decode().strip()
            back = nostr_sdk.EncryptedSecretKey.from_bech32(out).decrypt(password)
            self.assertEqual(back.to_hex(), keys.secret_key().to_hex())
            self.assertEqual(hub.command("key", "export", f"key{number}").decode().strip(),
                             keys.secret_key().to_bech32())
            hub.import_key("nostr", "other", sealed, password="wrong", status=1)

    def test_words_give_the_peers_keys(self):
        hub = Hub("new_client")
        words = "leader monkey parrot ring guide accident before fence cannon height naive bean"
        for number, (account, passphrase) in enumerate([(0, None), (0, "TREZOR"), (7, None), (3, "\u00e9 x")]):
            # The peer hashes passphrases as they come; BIP-39 asks for NFKD.
            normal = passphrase and unicodedata.normalize("NFKD", passphrase)
            there = nostr_sdk.Keys.from_mnemonic(words, normal, account)
            shown = hub.import_key("nostr", f"key{number}", words, "--words-account", str(account),
                                   password=passphrase)
            self.assertEqual(shown["address"], there.public_key().to_hex())

    def test_private_zaps_are_received(self):
        for message in ("for you", "\U0001F919 \"quoted\"\n"):
            sender = nostr_sdk.Keys.generate()
            data = nostr_sdk.ZapRequestData(
                self.keys.public_key(), [nostr_sdk.RelayUrl.parse("wss://relay.example")]).message(message)
            zap = nostr_sdk.nip57_private_zap_request(data, sender)
            inner = answer(self.hub.handle(url("decrypt_zap_event", event=zap.as_json())))["result"]
            opened = nostr_sdk.Event.from_json(inner)
            self.assertTrue(opened.verify())
            self.assertEqual((opened.content(), opened.author().to_hex()),
                             (message, sender.public_key().to_hex()))
            there = nostr_sdk.decrypt_received_private_zap_message(self.keys.secret_key(), zap)
            self.assertEqual(there.id().to_hex(), opened.id().to_hex())
            broken = zap.as_json().replace("pzap1", "pzap1q")
            reply = answer(self.hub.handle(url("decrypt_zap_event", event=broken), status=1))
            self.assertEqual(reply["code"], "invalid_request")

    def test_zaps_of_the_vectors_open_for_both(self):
        vector = json.loads((ROOT / "Tests/Vectors/nostr/nip57.private-zap.json").read_text())
        hub = Hub("decrypt", "new_client")
        hub.import_key("nostr", "sender", vector["sender_secret"])
        hub.import_key("nostr", "receiver", vector["recipient_secret"])
        for name in ("profile_zap", "event_zap"):
            zap = json.dumps(vector[name]["zap_request"])
            for user in ("sender_pubkey", "recipient_pubkey"):
                reply = answer(hub.handle(
                    url("decrypt_zap_event", event=zap, current_user=vector[user])))
                self.assertEqual(reply["result"], vector[name]["inner_json"])

    def test_the_peers_events_verify_here(self):
        event = nostr_sdk.EventBuilder.text_note("from there \u2028").sign_with_keys(self.keys)
        out = self.hub.command("verify", "--json", "-", stdin=event.as_json().encode())
        self.assertTrue(json.loads(out)["verified"])
        broken = json.loads(event.as_json())
        broken["content"] += "."
        self.hub.command("verify", "-", stdin=json.dumps(broken).encode(), status=1)
