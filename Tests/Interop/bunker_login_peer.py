# SPDX-License-Identifier: Apache-2.0
"""A client over relays: it connects, loses the relay during a call, is revoked, and connects again."""
import json
import pathlib
import time
import unittest

import nostr_sdk

from bunker_rig import USER, BunkerRig, Client


class BunkerLogin(BunkerRig):
    def waiting(self, count):
        """Returns the questions, once the given number of them waits."""
        deadline = time.monotonic() + 60
        while True:
            found = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
            if len(found) == count:
                return found
            self.assertLess(time.monotonic(), deadline, found)
            time.sleep(0.1)

    def answer(self, word):
        [item] = self.waiting(1)
        shown = json.loads(self.hub.command("--json", "inbox", "show", item["id"]))
        self.hub.command("inbox", "answer", item["id"], word, "--seen", shown["digest"])

    def joined(self):
        return self.agent.ask("GET", "/v1/status")[2]["relays"][0]["events"]["joined"]

    def test_a_client_that_lost_its_relay_gets_one_answer(self):
        pathlib.Path(self.hub.home, "policy.toml").write_text('version = 1\ndefault = "ask"\n')
        self.hub.command("policy", "attest")
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        event = json.dumps({"kind": 1, "content": "hi", "tags": [], "created_at": 1700000000})
        number, text = client.request("sign_event", event)
        client.tell(["EVENT", client.envelope(text)])
        self.waiting(1)
        # The client comes back and encrypts its request again.
        again = Client(relay.url, client.signer.to_hex(), keys=client.keys)
        again.tell(["EVENT", again.envelope(text, seconds=1)])
        deadline = time.monotonic() + 60
        while self.joined() == 0:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        self.answer("once")
        # Answers to the first connection may be repeated to this one.
        answer = next(answer for answer in again.answers(60) if answer["id"] == number)
        self.check_event(answer["result"])
        self.assertEqual(self.waiting(0), [])

    def test_two_hundred_decryptions_at_once_are_one_question(self):
        pathlib.Path(self.hub.home, "policy.toml").write_text('version = 1\ndefault = "ask"\n')
        self.hub.command("policy", "attest")
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        texts = {}
        for number in range(200):
            keys, text = nostr_sdk.Keys.generate(), f"letter {number}"
            sealed = nostr_sdk.nip44_encrypt(
                keys.secret_key(), nostr_sdk.PublicKey.parse(USER), text, nostr_sdk.Nip44Version.V2)
            call, frame = client.request("nip44_decrypt", keys.public_key().to_hex(), sealed)
            texts[call] = text
            client.tell(["EVENT", client.envelope(frame)])
        [item] = self.waiting(1)
        time.sleep(1)
        self.assertEqual([found["id"] for found in self.waiting(1)], [item["id"]])
        shown = json.loads(self.hub.command("--json", "inbox", "show", item["id"]))
        self.hub.command(
            "inbox", "answer", item["id"], "once", "--seen", shown["digest"], "--grant", "1 1h 199")
        found = {}
        for answer in client.answers(20):
            if answer["id"] in texts:
                found[answer["id"]] = answer.get("result") or answer
            if len(found) == len(texts):
                break
        self.assertEqual(found, texts)
        self.assertEqual(self.waiting(0), [])

    def test_a_revoked_client_is_refused_until_it_connects_again(self):
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        self.check_event(self.note(client)["result"])
        signer = client.signer.to_hex()
        self.hub.command("bunker", "revoke", "laptop")
        self.assertNotIn("result", self.note(client) or {})
        self.assertEqual(json.loads(self.hub.command("--json", "bunker", "list")), [])
        self.agent.stop()
        self.start()
        self.assertNotIn("result", client.call("ping", seconds=3) or {})
        # With a fresh URI and its old key; the old URI does not work.
        fresh = self.connected(relay, keys=client.keys)
        self.assertNotEqual(fresh.signer.to_hex(), signer)
        self.assertEqual(fresh.call("get_public_key")["result"], USER)
        self.assertNotIn("result", client.call("ping", seconds=3) or {})
        self.hub.command("audit", "verify")


if __name__ == "__main__":
    unittest.main()
