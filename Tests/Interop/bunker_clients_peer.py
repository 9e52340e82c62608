# SPDX-License-Identifier: Apache-2.0
"""The agent as a NIP-46 signer of other projects' clients: nostr-sdk, nostrkey and parts of monstr."""
import asyncio
import datetime
import json
import os
import pathlib
import subprocess
import sys
import unittest
from unittest import mock

import nostr_sdk
import nostrkey.bunker
import nostrkey.crypto
import nostrkey.events
import nostrkey.keys
from monstr.encrypt import Keys as MonstrKeys
from monstr.encrypt import NIP44Encrypt
from monstr.event.event import Event as MonstrEvent
from monstr.signing.nip46 import NIP46Comm
from monstr.signing.signing import BasicKeySigner

from bunker_rig import USER, BunkerRig

# Installed in a separate folder, apart from the pinned version.
NEWEST = pathlib.Path(sys.prefix, "newest")


class Sealing44(BasicKeySigner):
    """Encrypts envelopes with NIP-44, as monstr only supports NIP-04."""

    async def nip4_encrypt(self, plain_text, to_pub_k):
        return await self.nip44_encrypt(plain_text, to_pub_k)

    async def nip4_decrypt_event(self, evt):
        return await self.nip44_decrypt_event(evt)


class Monstr:
    """monstr's relays, events and envelopes, with the calls of the current NIP-46."""

    def __init__(self, relay, sealing=BasicKeySigner):
        self.keys = MonstrKeys()
        self.key = self.keys.public_key_hex()
        self.heard = asyncio.Queue()
        self.comm = NIP46Comm(
            relay=[relay], on_response=self.heard.put, comm_signer=sealing(self.keys))
        self.comm.run()

    async def call(self, signer, method, *params):
        number = await self.comm.do_request(method, list(params), signer)
        while (answer := await asyncio.wait_for(self.heard.get(), 20))["id"] != number:
            pass
        return answer["result"]


class Clients(BunkerRig):
    def test_nostr_sdk_connects_by_bunker_uri(self):
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

    def test_nostr_sdk_connects_by_nostrconnect_uri(self):
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
        # The owner's name for the client finds the requests of its key.
        found = json.loads(self.hub.command("--json", "audit", "list", "--client", "phone"))
        clients = {entry["body"]["client"]["id"] for entry in found if entry["kind"] == "intent"}
        self.assertEqual(clients, {shown["client"]})

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

    def test_the_newest_nostr_sdk_connects(self):
        relay = self.relay()
        self.start()
        uri, _ = self.offer(relay)
        self.assertTrue(relay.subscribed.wait(10))
        script = pathlib.Path(__file__).with_name("newest_sdk.py")
        done = subprocess.run(
            [sys.executable, script, uri, USER], timeout=120, capture_output=True,
            env={**os.environ, "PYTHONPATH": str(NEWEST)})
        self.assertEqual(done.stderr.decode()[-2000:], "")
        self.assertEqual(done.stdout.decode().split()[:2], ["0.45.1", "good"])

    def test_nostrkey_connects(self):
        relay, other = self.relay(), self.relay()
        self.start()
        uri, _ = self.offer(relay, other)
        self.assertTrue(relay.subscribed.wait(10))

        async def run():
            secret, _ = nostrkey.keys.generate_keypair()
            client = nostrkey.bunker.BunkerClient(secret)
            # The client refuses relays on this machine.
            with mock.patch("nostrkey.bunker.validate_relay_url"):
                await client.connect(uri, timeout=20)
            self.assertEqual(await client.get_public_key(), USER)
            event = await client.sign_event(1, "hello \u00e9", [["t", "x"]])
            self.assertTrue(nostrkey.events.verify_event(event))
            self.assertEqual((event.pubkey, event.tags), (USER, [["t", "x"]]))
            self.assertIsNone(await client.sign_event(7, "+"))
            other_secret, other_key = nostrkey.keys.generate_keypair()
            answer = await client._send_request("nip44_encrypt", [other_key, "text"])
            self.assertEqual(
                nostrkey.crypto.decrypt(other_secret, USER, answer["result"]), "text")
            self.assertEqual(
                (await client._send_request("logout", []))["result"], "ack")
            await client.disconnect()
        asyncio.run(run())
        self.hub.command("audit", "verify")

    async def use_monstr(self, client, signer):
        self.assertEqual(await client.call(signer, "get_public_key"), USER)
        template = {"kind": 1, "content": "hello", "tags": [], "created_at": 1700000000}
        event = MonstrEvent.load(
            json.loads(await client.call(signer, "sign_event", json.dumps(template))))
        self.assertTrue(event.is_valid())
        self.assertEqual(event.pub_key, USER)
        third = MonstrKeys()
        sealed = await client.call(signer, "nip44_encrypt", third.public_key_hex(), "text")
        self.assertEqual(NIP44Encrypt(third).decrypt(sealed, USER), "text")
        back = NIP44Encrypt(third).encrypt("and back", USER)
        self.assertEqual(
            await client.call(signer, "nip44_decrypt", third.public_key_hex(), back), "and back")

    def test_monstr_connects_by_bunker_uri(self):
        relay = self.relay()
        self.start()
        for name, sealing in [("old", BasicKeySigner), ("new", Sealing44)]:
            uri, signer = self.offer(relay, name=name)
            self.assertTrue(relay.subscribed.wait(10))

            async def run():
                client = Monstr(relay.url, sealing)
                secret = self.secret(uri)
                self.assertEqual(await client.call(signer, "connect", signer, secret), "ack")
                await self.use_monstr(client, signer)
                client.comm.end()
                await asyncio.sleep(1)
            asyncio.run(run())

    def test_monstr_connects_by_nostrconnect_uri(self):
        relay = self.relay()
        self.start()

        async def run():
            client = Monstr(relay.url, Sealing44)
            for _ in range(100):
                if relay.subscriptions:
                    break
                await asyncio.sleep(0.1)
            uri = (f"nostrconnect://{client.key}?relay={relay.url}&secret=0s8j2djs"
                   "&perms=sign_event%3A1&name=My+Client&url=https%3A%2F%2Fclient.example")
            await asyncio.to_thread(
                self.hub.command, "bunker", "connect", "--name", "phone", uri)
            reported = await asyncio.wait_for(client.heard.get(), 20)
            self.assertEqual(reported["result"], "0s8j2djs")
            shown = json.loads(self.hub.command("--json", "bunker", "show", "phone"))
            self.assertEqual((shown["client_name"], shown["client"]), ("My Client", client.key))
            await self.use_monstr(client, shown["signer"])
            client.comm.end()
            await asyncio.sleep(1)
        asyncio.run(run())


if __name__ == "__main__":
    unittest.main()
