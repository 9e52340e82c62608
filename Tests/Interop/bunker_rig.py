# SPDX-License-Identifier: Apache-2.0
"""An agent with one Nostr key, relays, and a minimal NIP-46 client."""
import json
import pathlib
import time
import unittest

import nostr_sdk
from websockets.sync.client import connect

from agent_peer import Agent
from hub import Hub
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
    """A minimal NIP-46 client on one relay."""

    sockets = []

    def __init__(self, relay, signer, keys=None, old=False):
        self.keys = keys or nostr_sdk.Keys.generate()
        self.signer = nostr_sdk.PublicKey.parse(signer)
        self.old = old
        self.count = 0
        self.seen = set()
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
        """Returns incoming answers, until none arrives for the given seconds."""
        while True:
            try:
                message = json.loads(self.socket.recv(timeout=seconds))
            except TimeoutError:
                return
            if message[0] != "EVENT":
                continue
            event = message[2]
            # A repeated event is not another answer: signers repeat events for clients that were late.
            if event["pubkey"] != self.signer.to_hex() or event["id"] in self.seen:
                continue
            self.seen.add(event["id"])
            assert nostr_sdk.Event.from_json(json.dumps(event)).verify()
            secret = self.keys.secret_key()
            open_it = nostr_sdk.nip04_decrypt if self.old else nostr_sdk.nip44_decrypt
            yield json.loads(open_it(secret, self.signer, event["content"]))

    def call(self, method, *params, seconds=10):
        """Returns the one answer to a call; None if there is no answer."""
        number, text = self.request(method, *params)
        self.tell(["EVENT", self.envelope(text)])
        for answer in self.answers(seconds):
            if answer["id"] == number:
                return answer
        return None


class BunkerRig(unittest.TestCase):
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
        # Without a node and relay clients, the sandbox of the agent has no networks.
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
