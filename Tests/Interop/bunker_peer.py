# SPDX-License-Identifier: Apache-2.0
"""The agent as a NIP-46 signer: nostr-sdk's client, a client by hand, and relays that misbehave."""
import asyncio
import datetime
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

import nostr_sdk
from websockets.sync.client import connect

from agent_peer import Agent
from hub import BINARY, PASSPHRASE, Hub, pipe
from small_relay import SmallRelay

SECRET = "7f7ff03d123792d6ac594bfa67bf6d0c0ab55b6b1fdb6249303fe861f1ccba9a"
USER = "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917"
POLICY = """
version = 1
default = "deny"

[[rule]]
id = "relays"
effect = "allow"
protocol = "nostr"
channel = "relay"
acknowledge = ["decrypt", "legacy_encryption"]

[[rule]]
id = "no-reactions"
effect = "deny"
protocol = "nostr"
operation = "sign_event"
kind = 7
"""


class Client:
    """A NIP-46 client by hand, of one relay."""

    sockets = []

    def __init__(self, relay, signer, keys=None, old=False):
        self.keys = keys or nostr_sdk.Keys.generate()
        self.signer = nostr_sdk.PublicKey.parse(signer)
        self.old = old
        self.count = 0
        self.socket = connect(relay, max_size=None, open_timeout=10, ping_interval=None)
        Client.sockets.append(self.socket)
        self.tell(["REQ", "mine", {"kinds": [24133], "#p": [self.key]}])
        while json.loads(self.socket.recv(timeout=10))[0] != "EOSE":
            pass

    @property
    def key(self):
        return self.keys.public_key().to_hex()

    def tell(self, message):
        self.socket.send(message if isinstance(message, str) else json.dumps(message))

    def seal(self, text):
        secret = self.keys.secret_key()
        if self.old:
            return nostr_sdk.nip04_encrypt(secret, self.signer, text)
        return nostr_sdk.nip44_encrypt(secret, self.signer, text, nostr_sdk.Nip44Version.V2)

    def envelope(self, text, seconds=0, to=None):
        at = nostr_sdk.Timestamp.from_secs(int(time.time()) + seconds)
        peer = nostr_sdk.PublicKey.parse(to) if to else self.signer
        event = nostr_sdk.EventBuilder(nostr_sdk.Kind(24133), self.seal(text)).tags(
            [nostr_sdk.Tag.public_key(peer)]).custom_created_at(at).sign_with_keys(self.keys)
        return json.loads(event.as_json())

    def request(self, method, *params):
        self.count += 1
        return str(self.count), json.dumps(
            {"id": str(self.count), "method": method, "params": list(params)})

    def answers(self, seconds):
        """What comes in, until nothing has for so long."""
        while True:
            try:
                message = json.loads(self.socket.recv(timeout=seconds))
            except TimeoutError:
                return
            if message[0] != "EVENT":
                continue
            event = message[2]
            if event["pubkey"] != self.signer.to_hex():
                continue
            assert nostr_sdk.Event.from_json(json.dumps(event)).verify()
            secret = self.keys.secret_key()
            open_it = nostr_sdk.nip04_decrypt if self.old else nostr_sdk.nip44_decrypt
            yield json.loads(open_it(secret, self.signer, event["content"]))

    def call(self, method, *params, seconds=10):
        """The one answer to a call; None for silence."""
        number, text = self.request(method, *params)
        self.tell(["EVENT", self.envelope(text)])
        for answer in self.answers(seconds):
            if answer["id"] == number:
                return answer
        return None


class Bunker(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        self.hub.import_key("nostr", "alice", SECRET)
        pathlib.Path(self.hub.home, "policy.toml").write_text(POLICY)
        self.hub.command("policy", "attest")
        self.agent = None

    def tearDown(self):
        while Client.sockets:
            Client.sockets.pop().close()

    def start(self, *options):
        # Without a node, and a client over relays, its sandbox has no networks.
        self.agent = Agent(self.hub, "--rpc", "http://127.0.0.1:9", *options)
        self.addCleanup(self.agent.kill)
        self.assertIn("answers", self.agent.first)

    def relay(self, *more, **named):
        relay = SmallRelay(*more, **named)
        self.addCleanup(lambda: relay.thread.is_alive() and relay.end())
        return relay

    def offer(self, *relays, name="laptop", more=()):
        made = json.loads(self.hub.command(
            "--json", "bunker", "new", "--name", name,
            "--relays", ",".join(relay.url for relay in relays), *more))
        for relay in relays:
            relay.subscribed.clear()
        return made["uri"], made["signer"]

    def test_an_agent_without_networks_is_told_of(self):
        agent = Agent(self.hub)
        self.addCleanup(agent.kill)
        self.assertIn("answers", agent.first)
        reader = pipe(PASSPHRASE)
        self.addCleanup(os.close, reader)
        made = subprocess.run(
            [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), "bunker", "new",
             "--relays", "ws://127.0.0.1:9"], pass_fds=[reader], capture_output=True, timeout=60)
        self.assertEqual(made.returncode, 0)
        self.assertIn(b"reaches no relays", made.stderr)
        agent.stop()
        self.agent = Agent(self.hub)
        self.addCleanup(self.agent.kill)
        self.assertIn("answers", self.agent.first)
        status = self.agent.ask("GET", "/v1/status")[2]["sandbox"]["text"]
        self.assertIn("networks: reached", status)

    def secret(self, uri):
        return uri.rsplit("secret=", 1)[1]

    def connected(self, *relays, **named):
        """A client that is connected by a fresh URI."""
        uri, signer = self.offer(*relays)
        self.assertTrue(relays[0].subscribed.wait(10))
        client = Client(relays[0].url, signer, **named)
        answer = client.call("connect", signer, self.secret(uri))
        self.assertEqual(answer["result"], "ack")
        return client

    def note(self, client, kind=1):
        event = json.dumps({"kind": kind, "content": "hi", "tags": [], "created_at": 1700000000})
        return client.call("sign_event", event)

    def check_event(self, text):
        event = nostr_sdk.Event.from_json(text)
        self.assertTrue(event.verify())
        self.assertEqual(event.author().to_hex(), USER)

    def test_sdk_by_bunker_uri(self):
        self.start()

        async def run():
            relay = nostr_sdk.LocalRelay(nostr_sdk.RelayBuilder())
            await relay.run()
            made = json.loads(self.hub.command(
                "--json", "bunker", "new", "--relays", str(await relay.url())))
            await asyncio.sleep(2)
            await self.use(nostr_sdk.NostrConnect(
                nostr_sdk.NostrConnectUri.parse(made["uri"]), nostr_sdk.Keys.generate(),
                datetime.timedelta(seconds=20), None))
        asyncio.run(run())

    def test_sdk_by_nostrconnect_uri(self):
        self.start()
        keys = nostr_sdk.Keys.generate()

        async def run():
            relay = nostr_sdk.LocalRelay(nostr_sdk.RelayBuilder())
            await relay.run()
            uri = (f"nostrconnect://{keys.public_key().to_hex()}?relay={await relay.url()}"
                   "&metadata=%7B%22name%22%3A%22Notes%22%7D&secret=s3cr3t")
            signer = nostr_sdk.NostrConnect(
                nostr_sdk.NostrConnectUri.parse(uri), keys, datetime.timedelta(seconds=20), None)
            waiting = asyncio.ensure_future(signer.get_public_key())
            await asyncio.sleep(1)
            await asyncio.to_thread(
                self.hub.command, "bunker", "connect", "--name", "phone", uri)
            self.assertEqual((await waiting).to_hex(), USER)
            await self.use(signer)
        asyncio.run(run())
        shown = json.loads(self.hub.command("--json", "bunker", "show", "phone"))
        self.assertEqual((shown["state"], shown["client_name"]), ("connected", "Notes"))

    async def use(self, signer):
        key = await signer.get_public_key()
        self.assertEqual(key.to_hex(), USER)
        event = await signer.sign_event(
            nostr_sdk.EventBuilder(nostr_sdk.Kind(1), "hello \u00e9").build(key))
        self.check_event(event.as_json())
        other = nostr_sdk.Keys.generate()
        for seal, unseal, peer in [
                (signer.nip44_encrypt, signer.nip44_decrypt, nostr_sdk.nip44_decrypt),
                (signer.nip04_encrypt, signer.nip04_decrypt, nostr_sdk.nip04_decrypt)]:
            sealed = await seal(other.public_key(), "text")
            self.assertEqual(peer(other.secret_key(), key, sealed), "text")
            self.assertEqual(await unseal(other.public_key(), sealed), "text")

    def test_calls_of_both_encryptions(self):
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
            self.assertIsNone(client.call("switch_relays")["result"])
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

    def test_a_secret_is_good_for_one_client(self):
        relay = self.relay()
        self.start()
        client = self.connected(relay)
        listed = json.loads(self.hub.command("--json", "bunker", "list"))[0]
        self.assertEqual((listed["state"], listed["client"]), ("connected", client.key))
        uri, signer = self.offer(relay, name="second")
        time.sleep(1.5)
        guest = Client(relay.url, signer)
        self.assertEqual(guest.call("connect", signer, "wrong")["error"], "invalid secret")
        # Guessing is slow: of many more only a few are looked at.
        for _ in range(100):
            guest.tell(["EVENT", guest.envelope(guest.request("connect", signer, "x")[1])])
        answers = list(guest.answers(4))
        self.assertLessEqual(len(answers), 2)
        # The one who has it gets in once its turn has come.
        deadline = time.time() + 30
        answer = None
        while answer is None and time.time() < deadline:
            answer = guest.call("connect", signer, self.secret(uri), seconds=2)
        self.assertEqual(answer["result"], "ack")
        # Strangers are looked at again once this one has been quiet for a while.
        time.sleep(11)
        late = Client(relay.url, signer)
        self.assertEqual(
            late.call("connect", signer, self.secret(uri))["error"], "secret already used")
        self.assertIsNone(late.call("ping", seconds=2))
        # Another's connection is not its own.
        stranger = Client(relay.url, client.signer.to_hex(), keys=guest.keys)
        self.assertEqual(stranger.call("get_public_key")["error"], "not connected")
        self.assertEqual(client.call("ping")["result"], "pong")

    def test_two_relays_and_a_restart(self):
        one, two = self.relay(), self.relay()
        self.start()
        client = self.connected(one, two)
        # What both relays bring is answered once, over both.
        second = Client(two.url, client.signer.to_hex(), keys=client.keys)
        number, text = client.request("ping")
        event = client.envelope(text)
        client.tell(["EVENT", event])
        second.tell(["EVENT", event])
        self.assertEqual([a["id"] for a in client.answers(3)], [number])
        self.assertEqual([a["id"] for a in second.answers(1)], [number])
        one.end()
        self.assertEqual(second.call("ping")["result"], "pong")
        # The agent goes, and comes back with the connection.
        self.agent.process.send_signal(signal.SIGTERM)
        self.agent.process.wait(timeout=30)
        two.subscribed.clear()
        self.start()
        self.assertTrue(two.subscribed.wait(10))
        self.assertEqual(second.call("get_public_key")["result"], USER)
        # What was answered before is not answered again, though a relay sends it.
        two.say(lambda name: json.dumps(["EVENT", name, event]))
        self.assertEqual(list(second.answers(2)), [])
        again = SmallRelay(port=one.port)
        self.addCleanup(again.end)
        self.assertTrue(again.subscribed.wait(15))
        client = Client(again.url, client.signer.to_hex(), keys=client.keys)
        self.assertEqual(client.call("ping")["result"], "pong")

    def test_relays_that_lie(self):
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
        # After all that the genuine one is answered, and once however often it is brought.
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
        self.assertEqual([a["id"] for a in client.answers(8)], [number])

    def test_relays_that_want_to_know_who_is_there(self):
        relay = self.relay(wants_login=True)
        self.start()
        uri, signer = self.offer(relay)
        self.assertTrue(relay.subscribed.wait(10))
        self.assertEqual({event["pubkey"] for event in relay.logins}, {signer})
        self.assertLess(len(relay.logins), 3)

    def test_what_the_owner_does(self):
        relay, other = self.relay(), self.relay()
        self.start()
        client = self.connected(relay)
        self.hub.command("bunker", "relays", "laptop", other.url)
        self.assertTrue(other.subscribed.wait(10))
        moved = Client(other.url, client.signer.to_hex(), keys=client.keys)
        self.assertEqual(moved.call("ping")["result"], "pong")
        # Locked, it says so; who only asks what the connection is for is answered.
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

    def test_wishes_are_asked_about(self):
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
        # The secret is as good as before.
        self.assertEqual(
            json.loads(self.hub.command("--json", "bunker", "list"))[0]["state"], "offered")


if __name__ == "__main__":
    unittest.main()
