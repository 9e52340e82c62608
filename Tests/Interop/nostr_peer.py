# SPDX-License-Identifier: Apache-2.0
"""Nostr, compared with nostr-sdk (rust-nostr)."""
import base64
import concurrent.futures
import gzip
import hashlib
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
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(callback).query.replace("+", "%2B"),
                                       keep_blank_values=True))


def sized(count):
    """Returns a text of this many bytes, with characters of one to four bytes."""
    text = ("a\u00e4\u20ac\U0001F919" * (count // 10 + 1)).encode()[:count].decode(errors="ignore")
    return text + "b" * (count - len(text.encode()))


def flipped(data, place, bit=1):
    broken = bytearray(data)
    broken[place] ^= bit
    return bytes(broken)


def base64_text(data):
    return base64.b64encode(data).decode()


def build(kind, content, created_at, tags):
    """Returns the peer's builder of an event."""
    builder = nostr_sdk.EventBuilder(nostr_sdk.Kind(kind), content)
    builder = builder.tags([nostr_sdk.Tag.parse(tag) for tag in tags])
    return builder.custom_created_at(nostr_sdk.Timestamp.from_secs(created_at))


class NostrPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub(
            "client_mismatch", "control_characters", "decrypt", "deletes", "identity_proof",
            "legacy_encryption", "money", "new_client", "odd_time", "oversize", "replaces",
            "shrinks_list", "vanish")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.keys = nostr_sdk.Keys.parse(SECRET)
        shown = cls.hub.import_key("nostr", "alice", cls.keys.secret_key().to_bech32())
        assert shown["address"] == cls.keys.public_key().to_hex()

    def test_events_signed_here_verify_at_the_peer(self):
        contents = ["hello", "", "\x00\x07\x1f\x7f", "\u2028\u2029\ufeff",
                    "\U0001F30D\U0001F468\u200d\U0001F469",
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
        public = peer.public_key().to_hex()
        edges = [1, 31, 32, 33, 64, 65, 127, 128, 129, 255, 256, 257, 383, 384, 385, 1023, 1024, 1025,
                 8191, 8192, 8193, 20000]
        for count in edges:
            text = sized(count)
            with self.subTest(bytes=count):
                out = answer(self.hub.handle(url("nip44_encrypt", plaintext=text, pubkey=public)))
                self.assertEqual(
                    nostr_sdk.nip44_decrypt(peer.secret_key(), self.keys.public_key(), out["result"]), text)
                sealed = nostr_sdk.nip44_encrypt(
                    peer.secret_key(), self.keys.public_key(), text, nostr_sdk.Nip44Version.V2)
                back = answer(self.hub.handle(url("nip44_decrypt", encryptedText=sealed, pubkey=public)))
                self.assertEqual(back["result"], text)

    def test_a_payload_for_another_key_is_refused(self):
        peer, other = nostr_sdk.Keys.generate(), nostr_sdk.Keys.generate()
        sealed = nostr_sdk.nip44_encrypt(
            peer.secret_key(), other.public_key(), "secret", nostr_sdk.Nip44Version.V2)
        reply = answer(self.hub.handle(
            url("nip44_decrypt", encryptedText=sealed, pubkey=peer.public_key().to_hex()), status=1))
        self.assertEqual((reply["code"], reply["reason"]), ("invalid_request", "could not decrypt"))

    def test_500_random_events_verify_at_the_peer(self):
        source = random.Random(20261120)
        control = [chr(code) for code in [*range(0x20), 0x7f]]
        odd = [*"\u2028\u2029\ufeff\"\\/<>&'\u00e9\u0301\U0010ffff",
               "\U0001F468\u200d\U0001F469", "\U0001F919"]
        alphabets = [control + odd, [*"abc \n\t", *odd], [*"abcdefgh "]]

        def text(most):
            """Returns a text of at most this many bytes."""
            alphabet = source.choice(alphabets)
            whole = "".join(source.choice(alphabet) for _ in range(source.randint(0, most)))
            return whole.encode()[:most].decode(errors="ignore")

        def tag(long):
            return [text(12), *(text(2048 if source.random() < long else 40)
                                for _ in range(source.randint(0, 5)))]

        def event(number):
            many = number % 50 == 0
            tags = [tag(0.2 if many else 0.02) for _ in range(40 if many else source.randint(0, 6))]
            content = control[number % len(control)] + text(4095 if number % 20 == 0 else 300)
            return {"kind": source.randrange(65536), "content": content, "tags": tags,
                    "created_at": source.randrange(1 << 33)}

        def check(case):
            event, escaped = case
            given = json.dumps(event, ensure_ascii=escaped)
            request = url("sign_event", event=given, returnType="event")
            # The answer does not escape characters, and is 500 bytes longer.
            answered = url("sign_event", event=json.dumps(event, ensure_ascii=False), returnType="event")
            compressed = max(len(request), len(answered)) > 60 * 1024
            if compressed:
                request = url("sign_event", event=base64_text(gzip.compress(given.encode())),
                              returnType="event", compressionType="gzip")
            signed = answer(self.hub.handle(request))["event"]
            if compressed:
                signed = gzip.decompress(base64.b64decode(signed)).decode()
            there = nostr_sdk.Event.from_json(signed)
            self.assertTrue(there.verify(), event)
            back = json.loads(signed)
            self.assertEqual({name: back[name] for name in event}, event)
            unsigned = build(**event).build(self.keys.public_key())
            self.assertEqual(json.loads(unsigned.as_json())["tags"], event["tags"])
            self.assertEqual(back["id"], unsigned.id().to_hex(), event)
            self.assertEqual(back["pubkey"], self.keys.public_key().to_hex())
            key = coincurve.PublicKeyXOnly(bytes.fromhex(back["pubkey"]))
            self.assertTrue(key.verify(bytes.fromhex(back["sig"]), bytes.fromhex(back["id"])), event)
            return back["id"], compressed

        cases = [(event(number), source.random() < 0.5) for number in range(500)]
        self.assertEqual(set(control) - {c for event, _ in cases for c in event["content"]}, set())
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            done = list(pool.map(check, cases))
        self.assertEqual(len({name for name, _ in done}), 500)
        self.assertTrue(any(compressed for _, compressed in done))

    def test_nip04_both_ways(self):
        peer = nostr_sdk.Keys.generate()
        public = peer.public_key().to_hex()
        for count in (0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 1000, 8000):
            text = sized(count)
            with self.subTest(bytes=count):
                out = answer(self.hub.handle(url("nip04_encrypt", plaintext=text, pubkey=public)))
                self.assertEqual(
                    nostr_sdk.nip04_decrypt(peer.secret_key(), self.keys.public_key(), out["result"]), text)
                sealed = nostr_sdk.nip04_encrypt(peer.secret_key(), self.keys.public_key(), text)
                back = answer(self.hub.handle(url("nip04_decrypt", encryptedText=sealed, pubkey=public)))
                self.assertEqual(back["result"], text)

    def refused(self, method, **parameters):
        reply = answer(self.hub.handle(url(method, **parameters), status=1))
        self.assertNotIn("result", reply)
        return reply["code"], reply["reason"]

    def test_every_broken_nip04_payload_gets_the_same_error(self):
        peer, other = nostr_sdk.Keys.generate(), nostr_sdk.Keys.generate()
        sealed = nostr_sdk.nip04_encrypt(peer.secret_key(), self.keys.public_key(), "x" * 40)
        body, iv = (base64.b64decode(part) for part in sealed.split("?iv="))

        def joined(body, iv=iv):
            return base64_text(body) + "?iv=" + base64_text(iv)

        # "x" * 40 ends in 8 bytes of padding; a flip of the byte one block before changes it.
        broken = {
            "padding byte": joined(flipped(body, 31)), "padding of zero": joined(flipped(body, 31, 8)),
            "padding too long": joined(flipped(body, 31, 0x80)), "padding uneven": joined(flipped(body, 25)),
            "last byte": joined(flipped(body, 47)),
            "not UTF-8": joined(flipped(body, 0, 0x80)),
            "not UTF-8 by iv": joined(body, flipped(iv, 0, 0x80)),
            "short of a block": joined(body[:-16]), "short of a byte": joined(body[:-1]),
            "no body": joined(b""), "no iv": joined(body, b""), "short iv": joined(body, iv[:-1]),
            "long iv": joined(body, iv + b"\0"), "iv without mark": sealed.replace("?iv=", ""),
            "two iv": sealed + "?iv=" + base64_text(iv), "not Base64": "*" + sealed[1:],
            "no Base64 padding": sealed.rstrip("="), "cut": sealed[:-8], "empty": "",
            "for another": nostr_sdk.nip04_encrypt(peer.secret_key(), other.public_key(), "\u00e4" * 40)}
        for name, text in broken.items():
            with self.subTest(name):
                self.assertEqual(
                    self.refused("nip04_decrypt", encryptedText=text, pubkey=peer.public_key().to_hex()),
                    ("invalid_request", "could not decrypt"))

    def test_every_broken_nip44_payload_gets_the_same_error(self):
        peer = nostr_sdk.Keys.generate()
        sealed = base64.b64decode(nostr_sdk.nip44_encrypt(
            peer.secret_key(), self.keys.public_key(), "x" * 40, nostr_sdk.Nip44Version.V2))
        broken = {f"byte {place}": flipped(sealed, place)
                  for place in (1, 32, 33, 34, 35, 80, 98, len(sealed) - 1)}
        broken |= {"cut": sealed[:-1], "shortest": sealed[:99], "longer": sealed + b"\0",
                   "zeros": b"\2" + bytes(len(sealed) - 1), "block left out": sealed[:-33] + sealed[-32:]}
        for name, data in broken.items():
            with self.subTest(name):
                self.assertEqual(
                    self.refused("nip44_decrypt", encryptedText=base64_text(data),
                                 pubkey=peer.public_key().to_hex()),
                    ("invalid_request", "could not decrypt"))
        # Facts that are visible without the key may be in the answer.
        whole = base64_text(sealed)
        for text in ("", "#" + whole, whole[:100], "*" + whole[1:], base64_text(b"\1" + sealed[1:])):
            with self.subTest(text):
                code, _ = self.refused("nip44_decrypt", encryptedText=text, pubkey=peer.public_key().to_hex())
                self.assertEqual(code, "invalid_request")

    def test_ncryptsec_both_ways(self):
        hub = Hub("new_client")
        self.addCleanup(hub.folder.cleanup)
        # Each password in two forms that are the same text in NFKC, one for each side.
        for number, (here, there) in enumerate([
                ("nostr", "nostr"), ("\u212b\u2126\u1e9b\u0323", "\u00c5\u03a9\u1e69"),
                ("\u00e9 \U0001F919", "e\u0301 \U0001F919"), ("\ufb01", "fi")]):
            keys, name = nostr_sdk.Keys.generate(), f"key{number}"
            sealed = nostr_sdk.EncryptedSecretKey(
                keys.secret_key(), there, 4 + 4 * number, nostr_sdk.KeySecurity.MEDIUM).to_bech32()
            for wrong in ("wrong", here + " ", here.upper()):
                hub.command("key", "import", "--protocol", "nostr", "--name", name,
                            stdin=sealed.encode(), secret=wrong, status=1)
            self.assertNotIn(name, hub.command("--json", "key", "list").decode())
            shown = hub.import_key("nostr", name, sealed, password=here)
            self.assertEqual(shown["address"], keys.public_key().to_hex())
            out = hub.command("key", "export", "--format", "ncryptsec", "--log-n", "16", name,
                              secret=here).decode()
            back = nostr_sdk.EncryptedSecretKey.from_bech32(out.strip())
            self.assertEqual(back.decrypt(there).to_hex(), keys.secret_key().to_hex())
            with self.assertRaises(nostr_sdk.NostrSdkError):
                back.decrypt("wrong")
            secret = keys.secret_key()
            for form, text in [("nsec", secret.to_bech32()), ("hex", secret.to_hex())]:
                self.assertEqual(hub.command("key", "export", "--format", form, name).decode(), text + "\n")

    def test_mnemonics_give_the_peers_keys(self):
        hub = Hub("new_client")
        self.addCleanup(hub.folder.cleanup)
        twelve = "leader monkey parrot ring guide accident before fence cannon height naive bean"
        more = ("what bleak badge arrange retreat wolf trade produce cricket blur garlic valid "
                "proud rude strong choose busy staff weather area salt hollow arm fade")
        seen = set()
        for number, (words, account, passphrase) in enumerate([
                (twelve, 0, None), (twelve, 0, "TREZOR"), (twelve, 7, None), (twelve, 3, "\u00e9 x"),
                (more, 0, None), (more, 2 ** 31 - 1, "\ufb01 \U0001F919")]):
            # The peer hashes passphrases unchanged; BIP-39 requires NFKD.
            normal = passphrase and unicodedata.normalize("NFKD", passphrase)
            there = nostr_sdk.Keys.from_mnemonic(words, normal, account)
            shown = hub.import_key("nostr", f"key{number}", words, "--words-account", str(account),
                                   password=passphrase)
            self.assertEqual(shown["address"], there.public_key().to_hex())
            seen.add(shown["address"])
        self.assertEqual(len(seen), 6)
        for wrong in (twelve.replace("bean", "leader"), twelve.replace("bean", "beam"), twelve[:-5]):
            with self.assertRaises(nostr_sdk.NostrSdkError):
                nostr_sdk.Keys.from_mnemonic(wrong)
            hub.command("key", "import", "--protocol", "nostr", "--name", "wrong",
                        stdin=wrong.encode(), status=1)

    def zap_data(self, receiver, message):
        return nostr_sdk.ZapRequestData(
            receiver.public_key(), [nostr_sdk.RelayUrl.parse("wss://relay.example")]).message(message)

    def opened(self, zap, user=None):
        more = {} if user is None else {"current_user": user.public_key().to_hex()}
        inner = answer(self.hub.handle(url("decrypt_zap_event", event=zap.as_json(), **more)))["result"]
        event = nostr_sdk.Event.from_json(inner)
        self.assertTrue(event.verify())
        self.assertEqual(event.kind().as_u16(), 9733)
        return event

    def test_received_private_zaps_can_be_opened(self):
        for message in ("", "for you", "\U0001F919 \"quoted\"\n", "\u00e4" * 40):
            # The peer cannot write a message of more than about 200 bytes.
            sender = nostr_sdk.Keys.generate()
            zap = nostr_sdk.nip57_private_zap_request(self.zap_data(self.keys, message), sender)
            there = nostr_sdk.decrypt_received_private_zap_message(self.keys.secret_key(), zap)
            receipt = nostr_sdk.EventBuilder.zap_receipt("lnbc1", None, zap).sign_with_keys(
                nostr_sdk.Keys.generate())
            for event in (zap, receipt):
                inner = self.opened(event)
                self.assertEqual((inner.content(), inner.author().to_hex()),
                                 (message, sender.public_key().to_hex()))
                self.assertEqual(inner.id().to_hex(), there.id().to_hex())

    def test_sent_private_zaps_can_be_opened(self):
        peer = nostr_sdk.Keys.generate()
        zap = nostr_sdk.nip57_private_zap_request(self.zap_data(peer, "from me"), self.keys)
        there = nostr_sdk.decrypt_sent_private_zap_message(self.keys.secret_key(), peer.public_key(), zap)
        inner = self.opened(zap, self.keys)
        self.assertEqual((inner.content(), inner.id().to_hex()), ("from me", there.id().to_hex()))

    def test_every_broken_zap_gets_the_same_error(self):
        """The one-time key signs each zap again, so that only its content is wrong."""
        sender, other = nostr_sdk.Keys.generate(), nostr_sdk.Keys.generate()

        def one_time(zap, receiver):
            secret = sender.secret_key().to_hex() + receiver.public_key().to_hex() \
                + str(zap.created_at().as_secs())
            keys = nostr_sdk.Keys.parse(hashlib.sha256(secret.encode()).hexdigest())
            self.assertEqual(keys.public_key().to_hex(), zap.author().to_hex())
            return keys

        def anon(zap):
            return next(tag.as_vec()[1] for tag in zap.tags().to_vec() if tag.as_vec()[0] == "anon")

        zap = nostr_sdk.nip57_private_zap_request(self.zap_data(self.keys, "for you"), sender)
        keys, value = one_time(zap, self.keys), anon(zap)
        body, iv = value.split("_")
        elsewhere = nostr_sdk.nip57_private_zap_request(self.zap_data(other, "no"), sender)
        away, away_iv = anon(elsewhere).split("_")

        def again(value, *tags, created_at=zap.created_at().as_secs(), keys=keys):
            given = [["p", self.keys.public_key().to_hex()], *tags, ["relays", "wss://relay.example"],
                     ["anon", value]]
            return build(9734, "", created_at, given).sign_with_keys(keys)

        self.assertEqual(self.opened(again(value)).content(), "for you")
        broken = {
            "body": f"{body[:-1]}{'q' if body[-1] != 'q' else 'p'}_{iv}", "other body": f"{away}_{iv}",
            "iv": f"{body}_{iv[:-1]}{'q' if iv[-1] != 'q' else 'p'}", "other iv": f"{body}_{away_iv}",
            "both of another": f"{away}_{away_iv}", "cut": value[:-20], "no iv": body, "empty iv": f"{body}_",
            "only iv": f"_{iv}", "swapped": f"{iv}_{body}", "two marks": f"{body}_{iv}_{iv}",
            "no bech32": "x_y"}
        events = {name: again(text) for name, text in broken.items()}
        events["signed by another"] = again(value, keys=other)
        events["event not named inside"] = again(value, ["e", "00" * 31 + "01"])
        for name, event in events.items():
            with self.subTest(name):
                self.assertEqual(self.refused("decrypt_zap_event", event=event.as_json()),
                                 ("invalid_request", "could not decrypt"))
        unsigned = json.loads(zap.as_json()) | {"content": "."}
        self.assertEqual(self.refused("decrypt_zap_event", event=json.dumps(unsigned))[0], "invalid_request")

    def test_anonymous_zaps_cannot_be_opened(self):
        zap = nostr_sdk.nip57_anonymous_zap_request(self.zap_data(self.keys, "who?"))
        empty = build(9734, "", 1700000000, [["p", self.keys.public_key().to_hex()], ["anon", ""]])
        public = build(9734, "", 1700000000, [["p", self.keys.public_key().to_hex()]])
        for event in (zap, *(each.sign_with_keys(nostr_sdk.Keys.generate()) for each in (empty, public))):
            self.assertEqual(self.refused("decrypt_zap_event", event=event.as_json())[0], "invalid_request")

    def test_zaps_of_the_vectors_open_for_sender_and_receiver(self):
        vector = json.loads((ROOT / "Tests/Vectors/nostr/nip57.private-zap.json").read_text())
        hub = Hub("decrypt", "new_client")
        self.addCleanup(hub.folder.cleanup)
        hub.import_key("nostr", "sender", vector["sender_secret"])
        hub.import_key("nostr", "receiver", vector["recipient_secret"])
        for name in ("profile_zap", "event_zap"):
            zap = json.dumps(vector[name]["zap_request"])
            for user in ("sender_pubkey", "recipient_pubkey"):
                reply = answer(hub.handle(
                    url("decrypt_zap_event", event=zap, current_user=vector[user])))
                self.assertEqual(reply["result"], vector[name]["inner_json"])
        zap = json.dumps(vector["published"]["zap_request"])
        for user in ("sender_pubkey", "recipient_pubkey"):
            reply = answer(hub.handle(url("decrypt_zap_event", event=zap, current_user=vector[user])))
            self.assertEqual(json.loads(reply["result"]), vector["published"]["inner"])
            self.assertTrue(nostr_sdk.Event.from_json(reply["result"]).verify())

    def test_the_peers_events_verify_here(self):
        event = nostr_sdk.EventBuilder.text_note("from there \u2028").sign_with_keys(self.keys)
        out = self.hub.command("verify", "--json", "-", stdin=event.as_json().encode())
        self.assertTrue(json.loads(out)["verified"])
        broken = json.loads(event.as_json())
        broken["content"] += "."
        self.hub.command("verify", "-", stdin=json.dumps(broken).encode(), status=1)
