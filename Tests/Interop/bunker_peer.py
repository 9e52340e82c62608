# SPDX-License-Identifier: Apache-2.0
"""The agent as a NIP-46 signer, with a minimal client and relays that misbehave."""
import datetime
import json
import os
import pathlib
import signal
import ssl
import subprocess
import time
import unittest
from unittest import mock

import nostr_sdk
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from agent_peer import Agent
from bunker_rig import USER, BunkerRig, Client
from hub import BINARY, PASSPHRASE, pipe
from small_relay import SmallRelay


class Bunker(BunkerRig):
    def test_bunker_commands_report_an_agent_without_networks(self):
        agent = Agent(self.hub)
        self.addCleanup(agent.kill)
        self.assertIn("answers", agent.first)
        reader = pipe(PASSPHRASE)
        self.addCleanup(os.close, reader)
        made = subprocess.run(
            [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), "bunker", "new",
             "--relays", "ws://127.0.0.1:9"], pass_fds=[reader], capture_output=True, timeout=60)
        self.assertEqual(made.returncode, 0)
        self.assertIn(b"does not use relays", made.stderr)
        agent.stop()
        self.agent = Agent(self.hub)
        self.addCleanup(self.agent.kill)
        self.assertIn("answers", self.agent.first)
        status = self.agent.ask("GET", "/v1/status")[2]["sandbox"]["text"]
        self.assertIn("networks: reached", status)

    def test_calls_in_both_encryptions_are_answered(self):
        relay = self.relay()
        self.start()
        for name, old in [("new", False), ("old", True)]:
            uri, signer = self.offer(relay, name=name)
            self.assertTrue(relay.subscribed.wait(10))
            client = Client(relay.url, signer, old=old)
            self.assertEqual(client.call("ping")["error"], "not connected")
            answer = client.call("connect", signer, self.secret(uri))
            self.assertEqual(answer, {"id": "2", "result": "ack"})
            self.assertEqual(client.call("ping")["result"], "pong")
            self.assertEqual(client.call("get_public_key")["result"], USER)
            self.assertEqual(client.call("switch_relays")["result"], "null")
            self.check_event(self.note(client)["result"])
            self.assertEqual(self.note(client, 7)["error"], "permission denied")
            self.assertEqual(client.call("nothing")["error"], "unsupported method")
            self.assertEqual(client.call("logout")["result"], "ack")
            self.assertIn(
                (client.call("ping", seconds=3) or {}).get("error"), [None, "not connected"])
            time.sleep(1)
            self.assertIsNone(client.call("ping", seconds=3))
        self.assertEqual(json.loads(self.hub.command("--json", "bunker", "list")), [])
        self.hub.command("audit", "verify")

    def test_a_secret_connects_one_client(self):
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        listed = json.loads(self.hub.command("--json", "bunker", "list"))[0]
        self.assertEqual((listed["state"], listed["client"]), ("connected", client.key))
        uri, signer = self.offer(relay, name="second")
        time.sleep(1.5)
        guesser = Client(relay.url, signer)
        began = time.time()
        self.assertEqual(guesser.call("connect", signer, "wrong")["error"], "invalid secret")
        # Only a few of many more attempts are answered.
        for _ in range(1000):
            guesser.tell(["EVENT", guesser.envelope(guesser.request("connect", signer, "x")[1])])
        answers = list(guesser.answers(4))
        # After the first attempt the next waits for a second, then two, four and so on.
        self.assertLessEqual(2 ** len(answers), time.time() - began + 2 + len(answers))
        # The client with the secret connects; this key has spent its attempts first.
        deadline = time.time() + 120
        answer = None
        while answer is None and time.time() < deadline:
            answer = guesser.call("connect", signer, self.secret(uri), seconds=2)
        self.assertEqual(answer["result"], "ack")
        # Unknown keys are served again once this client has been silent for a while.
        time.sleep(11)
        late = Client(relay.url, signer)
        self.assertEqual(
            late.call("connect", signer, self.secret(uri))["error"], "secret already used")
        self.assertIsNone(late.call("ping", seconds=2))
        # Another client's connection does not serve this key.
        stranger = Client(relay.url, client.signer.to_hex(), keys=guesser.keys)
        self.assertEqual(stranger.call("get_public_key")["error"], "not connected")
        self.assertEqual(client.call("ping")["result"], "pong")

    def test_requests_over_two_relays_are_answered_once_even_after_a_restart(self):
        one, two = self.relay(), self.relay()
        self.start()
        client = self.connected(one, two)
        # A request that comes over both relays is answered once, over both.
        second = Client(two.url, client.signer.to_hex(), keys=client.keys)
        number, text = client.request("ping")
        event = client.envelope(text)
        client.tell(["EVENT", event])
        second.tell(["EVENT", event])
        self.assertEqual([a["id"] for a in client.answers(3)], [number])
        # The answer to its connect may arrive there a second time.
        self.assertEqual([a["id"] for a in second.answers(1) if a["id"] != "1"], [number])
        one.end()
        self.assertEqual(second.call("ping")["result"], "pong")
        # The agent ends, and restarts with the connection.
        self.agent.process.send_signal(signal.SIGTERM)
        self.agent.process.wait(timeout=30)
        two.subscribed.clear()
        self.start()
        self.assertTrue(two.subscribed.wait(10))
        self.assertEqual(second.call("get_public_key")["result"], USER)
        # Answered requests are not answered again, although a relay repeats them.
        two.say(lambda name: json.dumps(["EVENT", name, event]))
        self.assertEqual(list(second.answers(2)), [])
        again = SmallRelay(port=one.port)
        self.addCleanup(again.end)
        self.assertTrue(again.subscribed.wait(15))
        client = Client(again.url, client.signer.to_hex(), keys=client.keys)
        self.assertEqual(client.call("ping")["result"], "pong")

    def test_forged_and_changed_events_of_relays_are_ignored(self):
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        other = Client(relay.url, client.signer.to_hex())

        def bring(event):
            relay.say(lambda name: json.dumps(["EVENT", name, event]))
        number, text = client.request("ping")
        genuine = client.envelope(text)
        for change in [{"sig": "00" * 64}, {"content": "x"}, {"created_at": 1}, {"tags": []},
                       {"pubkey": USER}, {"kind": 1}, {"id": "00" * 32}]:
            bring({**genuine, **change})
        bring(client.envelope(text, seconds=-400))
        bring(client.envelope(text, seconds=400))
        bring(client.envelope(text, to=USER))
        for bomb in ["", "[", "[" * 100000, '["EVENT","letters0",{"a":' * 50, "null", "\u0000",
                     '["EVENT","letters0",' + "[" * 5000 + "]" * 5000 + "]",
                     '["OK",1,2,3]', '["EVENT","unknown",{}]',
                     json.dumps(["EVENT", "letters0", {**genuine, "content": "x" * 10_000_000}])]:
            relay.say(lambda name, bomb=bomb: bomb)
        for text in ["", "{}", "[" * 50000, '{"id":1}', "\U0001f600" * 1000]:
            client.tell(["EVENT", client.envelope(text or " ")])
        bring(client.envelope("y") | {"content": client.seal("z")})
        self.assertEqual(list(client.answers(3)), [])
        # The genuine request is still answered, exactly once for all its copies.
        for _ in range(20):
            bring(genuine)
        self.assertEqual([a["id"] for a in client.answers(3)], [number])
        for _ in range(300):
            other.tell(["EVENT", other.envelope(other.request("sign_event", "{}")[1])])
        self.assertLessEqual(len(list(other.answers(3))), 1)
        self.assertEqual(client.call("ping")["result"], "pong")
        status = self.agent.ask("GET", "/v1/status")[2]
        counts = status["relays"][0]["events"]
        self.assertGreater(counts["forged"], 3)
        self.assertGreater(counts["excess"], 200)
        self.assertGreater(counts["stale"], 1)
        self.assertGreater(counts["repeated"], 10)

    def test_delayed_and_reordered_requests_are_answered(self):
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        calls = [client.request("ping") for _ in range(20)]
        events = [client.envelope(text) for _, text in calls]
        time.sleep(2)
        for event in reversed(events):
            relay.say(lambda name, event=event: json.dumps(["EVENT", name, event]))
        answers = sorted(answer["id"] for answer in client.answers(3))
        self.assertEqual(answers, sorted(number for number, _ in calls))

    def test_a_flooding_relay_does_not_block_another_relay(self):
        one, two = self.relay(), self.relay()
        self.start()
        client = self.connected(one, two)
        second = Client(two.url, client.signer.to_hex(), keys=client.keys)
        event = client.envelope(client.request("ping")[1])
        flood = json.dumps({**event, "content": "x" * 1000})
        for _ in range(10):
            one.say(lambda name: f'["EVENT","{name}",{flood}]', 800)
            self.assertEqual(second.call("ping")["result"], "pong")
        counts = {relay["relay"]: relay["events"]
                  for relay in self.agent.ask("GET", "/v1/status")[2]["relays"]}
        self.assertGreater(counts[one.url]["forged"] + counts[one.url]["excess"], 1000)
        self.assertEqual(counts[two.url]["excess"], 0)

    def test_answers_wait_for_a_relay(self):
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        relay.takes = False
        number, text = client.request("get_public_key")
        relay.say(lambda name, event=client.envelope(text): json.dumps(["EVENT", name, event]))
        deadline = time.time() + 10
        count = len(relay.published)
        while len(relay.published) == count and time.time() < deadline:
            time.sleep(0.1)
        self.assertGreater(len(relay.published), count)
        port, signer = relay.port, client.signer.to_hex()
        relay.end()
        again = SmallRelay(port=port)
        self.addCleanup(again.end)
        client = Client(again.url, signer, keys=client.keys)
        # Answers to the previous connection may be repeated to this one.
        answered = [answer["id"] for answer in client.answers(8) if answer["id"] != "1"]
        self.assertEqual(answered, [number])

    def test_relays_that_require_authentication_are_served(self):
        relay = self.relay(wants_login=True)
        self.start()
        uri, signer = self.offer(relay)
        self.assertTrue(relay.subscribed.wait(10))
        self.assertEqual({event["pubkey"] for event in relay.logins}, {signer})
        self.assertLess(len(relay.logins), 3)

    def test_acts_of_the_owner_change_a_connection(self):
        relay, other = self.relay(), self.relay()
        self.start()
        client = self.connected(relay)
        self.hub.command("bunker", "relays", "laptop", other.url)
        self.assertTrue(other.subscribed.wait(10))
        # For a day the agent listens on both relays; the client gets one notice of the change.
        self.assertEqual(
            json.loads(client.call("switch_relays")["result"]), [other.url])
        self.assertEqual(client.call("switch_relays")["result"], "null")
        moved = Client(other.url, client.signer.to_hex(), keys=client.keys)
        self.assertEqual(moved.call("ping")["result"], "pong")
        # A locked agent says so, but answers requests about the connection itself.
        self.hub.command("agent", "lock")
        self.assertEqual(self.note(moved)["error"], "signer locked")
        self.assertEqual(moved.call("get_public_key")["result"], USER)
        self.hub.command("agent", "unlock")
        self.check_event(self.note(moved)["result"])
        self.assertIn(b"relay " + other.url.encode() + b" open",
                      self.hub.command("agent", "status"))
        self.hub.command("bunker", "revoke", "laptop")
        time.sleep(1.5)
        self.assertIsNone(moved.call("ping", seconds=3))
        self.assertEqual(json.loads(self.hub.command("--json", "bunker", "list")), [])
        self.hub.command("audit", "verify")

    def test_an_agent_that_starts_locked_says_that_clients_get_no_answer(self):
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        self.agent.stop()
        relay.subscribed.clear()
        agent = Agent(self.hub, "--locked")
        self.addCleanup(agent.kill)
        self.assertIn("clients over relays get no answer (1 connection)", agent.first)
        while "answers" not in agent.process.stderr.readline().decode():
            pass
        self.assertEqual(agent.ask("GET", "/v1/status")[2]["unanswered"], 1)
        self.assertIn(
            b"clients over relays get no answer until it is unlocked: 1",
            self.hub.command("agent", "status"))
        # The agent has not subscribed at the relay, as a locked agent cannot decrypt envelopes yet.
        self.assertIsNone(client.call("ping", seconds=3))
        self.assertFalse(relay.subscribed.is_set())
        self.hub.command("agent", "unlock")
        self.assertTrue(relay.subscribed.wait(10))
        self.assertEqual(client.call("ping")["result"], "pong")
        self.assertEqual(agent.ask("GET", "/v1/status")[2]["unanswered"], 0)
        # A locked agent tells its clients.
        self.hub.command("agent", "lock")
        self.assertEqual(self.note(client)["error"], "signer locked")
        self.assertEqual(agent.ask("GET", "/v1/status")[2]["unanswered"], 0)

    def test_clients_may_log_out_without_a_rule(self):
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        pathlib.Path(self.hub.home, "policy.toml").write_text(
            'version = 1\ndefault = "deny"\n')
        self.hub.command("policy", "attest")
        self.assertEqual(client.call("ping")["error"], "permission denied")
        self.hub.command("freeze", "holiday")
        self.assertEqual(client.call("logout")["error"], "permission denied")
        self.hub.command("thaw")
        self.assertEqual(client.call("logout")["result"], "ack")
        time.sleep(1.5)
        self.assertEqual(json.loads(self.hub.command("--json", "bunker", "list")), [])
        self.assertIsNone(client.call("ping", seconds=3))
        self.hub.command("audit", "verify")

    def test_a_certificate_must_name_the_relay(self):
        good, other = self.certified("localhost"), self.certified("other.example")
        relays = [self.relay(tls=tls) for _, tls in (good, other)]
        trusted = os.path.join(self.hub.folder.name, "trusted.pem")
        pathlib.Path(trusted).write_bytes(good[0] + other[0])
        with mock.patch.dict(os.environ, SSL_CERT_FILE=trusted):
            self.start()
        self.offer(*relays)
        self.assertTrue(relays[0].subscribed.wait(10))
        deadline = time.time() + 20
        states = {}
        def settled():
            return (states.get(relays[1].url, {}).get("problem")
                    and states[relays[0].url]["state"] == "open")

        while not settled() and time.time() < deadline:
            states = {each["relay"]: each
                      for each in self.agent.ask("GET", "/v1/status")[2]["relays"]}
            time.sleep(0.2)
        self.assertEqual(states[relays[0].url]["state"], "open")
        self.assertEqual(states[relays[1].url]["opened"], 0)
        self.assertRegex(states[relays[1].url]["problem"], "(?i)certificate|hostname|tls|ssl")
        self.assertFalse(relays[1].subscriptions or relays[1].published)

    def certified(self, name):
        """Issues a certificate for a name, with the files that a server needs to show it."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        certificate = x509.CertificateBuilder(
            subject, subject, key.public_key(), x509.random_serial_number(), now - day, now + day,
        ).add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False).add_extension(
            x509.BasicConstraints(True, None), True).sign(key, hashes.SHA256())
        text = certificate.public_bytes(serialization.Encoding.PEM)
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption())
        path = pathlib.Path(self.hub.folder.name, f"{name}.pem")
        path.write_bytes(text + secret)
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(path)
        return text, tls

    def test_a_storm_of_connects_connects_one_client(self):
        relay = self.relay()
        self.start()
        uri, signer = self.offer(relay)
        self.assertTrue(relay.subscribed.wait(10))
        watcher = Client(relay.url, signer)
        for _ in range(300):
            # All have the secret, each with a fresh key.
            watcher.keys = nostr_sdk.Keys.generate()
            text = watcher.request("connect", signer, self.secret(uri))[1]
            watcher.tell(["EVENT", watcher.envelope(text)])
        deadline = time.time() + 30
        while time.time() < deadline:
            listed = json.loads(self.hub.command("--json", "bunker", "list"))[0]
            if listed["state"] == "connected":
                break
            time.sleep(0.5)
        self.assertEqual(listed["state"], "connected")
        # The other attempts get at most one answer: the secret is used.
        answers = [event for event in relay.published if event["pubkey"] == signer]
        self.assertLessEqual(len(answers), 22)
        named = {event["tags"][0][1] for event in answers}
        self.assertIn(listed["client"], named)
        sessions = self.hub.command("audit", "list", "--json").decode().count('"connect"')
        self.assertEqual(sessions, 1)

    def test_requested_permissions_are_asked_about(self):
        relay = self.relay()
        pathlib.Path(self.hub.home, "policy.toml").write_text(
            'version = 1\ndefault = "ask"\n')
        self.hub.command("policy", "attest")
        self.start()
        uri, signer = self.offer(relay, more=("--perms", "sign_event:1"))
        self.assertTrue(relay.subscribed.wait(10))
        client = Client(relay.url, signer)
        number, text = client.request("connect", signer, self.secret(uri))
        client.tell(["EVENT", client.envelope(text)])
        deadline = time.time() + 10
        waiting = []
        while not waiting and time.time() < deadline:
            waiting = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
            time.sleep(0.2)
        self.assertEqual(len(waiting), 1)
        shown = json.loads(self.hub.command("--json", "inbox", "show", waiting[0]["id"]))
        self.assertIn("would like later", json.dumps(shown))
        self.hub.command(
            "inbox", "answer", waiting[0]["id"], "no", "--seen", shown["digest"])
        self.assertEqual([a["error"] for a in client.answers(5)], ["user rejected"])
        # The secret is still unused.
        self.assertEqual(
            json.loads(self.hub.command("--json", "bunker", "list"))[0]["state"], "offered")


if __name__ == "__main__":
    unittest.main()
