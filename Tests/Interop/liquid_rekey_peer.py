# SPDX-License-Identifier: Apache-2.0
"""Logins of rekeyed accounts, with an honest node, a lying node, and without a node."""
import asyncio
import json
import os
import unittest
import uuid

from algosdk import account as accounts
from algosdk import mnemonic

from agent_peer import Agent
from algod_node import NO_WORD, Algod
from datachannel import PROGRAM
from hub import Hub
from liquid_connect_peer import Connections
from liquid_peer import Logins
from liquid_server import from_base64url


class Rekeyed(Logins):
    """The command alone."""

    def setUp(self):
        super().setUp()
        self.hub = Hub("liquid_challenge", "new_client", "rekeyed_account")
        secret, _ = accounts.generate_account()
        self.address = self.hub.import_key(
            "algorand", "treasury", mnemonic.from_private_key(secret), "--network", "testnet",
        )["address"]
        self.secret, self.other = accounts.generate_account()
        self.node = Algod()

    def tearDown(self):
        super().tearDown()
        self.node.close()

    def hold(self, *more):
        self.hub.import_key("algorand", "new", mnemonic.from_private_key(self.secret), *more)

    def login(self, *more, node=None, **rest):
        url = (node or self.node).url
        return super().login("--key", "treasury", "--algod", url, *more, **rest)

    def test_the_accounts_own_key_signs_if_the_node_names_it(self):
        self.serve()
        self.login()
        self.assertEqual(self.node.asked, [
            "/v2/transactions/params", f"/v2/accounts/{self.address}?exclude=all"])
        self.assertEqual(len(self.passkeys()), 1)
        # A login looks the account up too, and again after waiting for the passphrase.
        self.login()
        self.assertEqual(len(self.node.asked), 6)

    def test_the_key_that_the_node_names_signs(self):
        server = self.serve()
        self.hold()
        self.node.keys[self.address] = self.other
        # A server that does not know of the rekey refuses this signature.
        self.assertIn("invalid_signature", self.login(status=1))
        server.authorities[self.address] = self.other
        self.login()
        body = server.bodies[-1]
        liquid = body["clientExtensionResults"]["liquid"]
        self.assertEqual(liquid["address"], self.address)
        challenge = json.loads(from_base64url(body["response"]["clientDataJSON"]))["challenge"]
        self.assertTrue(server.holds(self.other, challenge, liquid["signature"]))
        self.assertTrue(all(one["account"] == self.address for one in self.passkeys()))

    def test_a_refusal_names_the_key_that_is_missing(self):
        server = self.serve()
        self.node.keys[self.address] = self.other
        said = self.login(status=1)
        self.assertIn(f"{self.other} signs for it on testnet", said)
        self.assertIn("hint", said)
        self.assertEqual((server.bodies, self.passkeys()), ([], []))
        # A key of another network does not count.
        self.hold("--network", "mainnet")
        self.assertIn("not held here", self.login(status=1))

    def test_a_passkey_does_not_log_in_a_rekeyed_account(self):
        server = self.serve()
        self.login()
        self.node.keys[self.address] = self.other
        self.assertIn("was rekeyed", self.login(status=1))
        self.assertEqual(len(server.bodies), 1)

    def test_a_rule_must_acknowledge_a_rekeyed_account(self):
        self.hub = Hub("liquid_challenge", "new_client")
        secret, address = accounts.generate_account()
        self.hub.import_key("algorand", "treasury", mnemonic.from_private_key(secret))
        self.serve()
        self.hold()
        self.node.keys[address] = self.other
        self.login(status=3)
        self.assertEqual(self.passkeys(), [])

    def test_a_login_needs_a_valid_answer_of_the_node(self):
        server = self.serve()
        for answer, words in NO_WORD:
            with self.subTest(words):
                self.node.answer = answer
                said = self.login(status=1)
                self.assertIn("no node says which key signs for the account", said)
                self.assertIn(words, said)
        self.assertEqual((server.bodies, self.passkeys()), ([], []))

    def test_a_missing_node_or_one_of_another_network_is_reported(self):
        server = self.serve()
        other = Algod(network="AAAA" * 10 + "AAA=")
        self.assertIn("another network", self.login(node=other, status=1))
        other.close()
        self.assertIn("no node says", self.login(node=other, status=1))
        self.assertEqual(server.bodies, [])

    def test_a_login_without_a_node_uses_the_accounts_own_key(self):
        self.serve()
        self.node.keys[self.address] = self.other
        super().login("--key", "treasury")
        self.assertEqual(self.node.asked, [])


class RekeyedByAgent(Logins):
    """The agent looks the account up, in its sandbox."""

    def setUp(self):
        super().setUp()
        self.agent, self.node = None, Algod()
        self.hub = Hub("liquid_challenge", "new_client", "rekeyed_account")
        self.secret, self.other = accounts.generate_account()
        mine, _ = accounts.generate_account()
        self.address = self.hub.import_key(
            "algorand", "treasury", mnemonic.from_private_key(mine), "--network", "testnet",
        )["address"]

    def tearDown(self):
        if self.agent:
            self.agent.stop()
        super().tearDown()
        self.node.close()

    def start(self):
        self.agent = Agent(self.hub, "--algod", self.node.url)
        self.assertIn("answers at", self.agent.first)

    def login(self, *more, **rest):
        return super().login("--key", "treasury", *more, **rest)

    def test_the_agent_asks_its_own_node(self):
        server = self.serve()
        self.hub.import_key("algorand", "new", mnemonic.from_private_key(self.secret))
        self.start()
        self.login()
        self.assertEqual(len(self.node.asked), 2)
        self.node.keys[self.address] = self.other
        server.users.clear()
        server.authorities[self.address] = self.other
        self.login()
        self.assertEqual(len(server.bodies), 2)
        # An agent that has other nodes than the command leaves the login to the command.
        other = Algod()
        self.assertIn("same algorand nodes", self.login("--algod", other.url))
        self.assertEqual(len(other.asked), 4)
        other.close()

    def test_the_agent_refuses_a_foreign_key_and_a_silent_node(self):
        server = self.serve()
        self.start()
        self.node.keys[self.address] = self.other
        self.assertIn(f"{self.other} signs for it on testnet", self.login(status=1))
        for answer, _ in NO_WORD[:3]:
            self.node.answer = answer
            self.assertIn("no node says which key", self.login(status=1))
        self.assertEqual((server.bodies, self.passkeys()), ([], []))


class RekeyedConnections(Connections):
    """`liquid connect`, alone and with an agent that keeps the channel."""
    acknowledged = "liquid_challenge", "new_client", "rekeyed_account"

    def setUp(self):
        super().setUp()
        self.agent, self.node = None, Algod()
        _, self.other = accounts.generate_account()

    async def asyncTearDown(self):
        await super().asyncTearDown()
        if self.agent:
            await asyncio.to_thread(self.agent.stop)
        self.node.close()

    async def refused(self, *words):
        server = self.serve()
        self.node.keys[self.address] = self.other
        wallet = await self.connect(server, str(uuid.uuid4()), *words)
        self.assertIn(f"{self.other} signs for it on testnet", await wallet.ends(1))
        self.node.keys.clear()
        self.node.answer = NO_WORD[0][0]
        wallet = await self.connect(server, str(uuid.uuid4()), *words)
        said = await wallet.ends(1)
        self.assertIn("no node says which key signs", said)
        self.assertIn("malformed", said)
        self.node.answer = None
        self.assertEqual(server.bodies, [])
        return server

    async def test_the_command_alone_checks_the_key_with_a_node(self):
        server = await self.refused("--algod", self.node.url)
        await self.meet(server, "--algod", self.node.url)
        self.assertTrue(self.node.asked)

    async def test_an_agent_checks_the_key_with_its_node(self):
        os.environ["COUNTERSIGN_DATACHANNEL"] = PROGRAM
        self.agent = Agent(self.hub, "--liquid", "--algod", self.node.url)
        self.assertIn("answers at", self.agent.first)
        await self.refused()
        wallet = await self.connect(
            self.serve(), str(uuid.uuid4()), "--algod", "http://127.0.0.1:9")
        self.assertIn("same algorand nodes", await wallet.ends(1))


if __name__ == "__main__":
    unittest.main()
