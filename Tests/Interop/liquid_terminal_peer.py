# SPDX-License-Identifier: Apache-2.0
"""`countersign liquid connect` with questions: on a terminal, without a person, and without an answer in time."""
import asyncio
import json
import os
import pathlib
import shlex
import signal
import tempfile
import threading
import unittest
import uuid

from agent_peer import Agent
from datachannel import PATIENCE, PROGRAM
from hub import BINARY, PASSPHRASE, Hub
from inbox_peer import Screen
from liquid_connect_peer import App, Wallet
from liquid_peer import WORDS, made_certificate
from liquid_server import Server, base64url


POLICY = """
version = 1
default = "ask"

[[rule]]
id = "discover"
effect = "allow"
protocol = "algorand"
operation = "discover"
"""


class LiquidTerminal(unittest.IsolatedAsyncioTestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="countersign-")
        cls.certificate = made_certificate(cls.folder.name)

    def setUp(self):
        self.hub = Hub("new_client")
        self.address = self.hub.import_key(
            "algorand", "treasury", WORDS.read_text().strip(), "--network", "testnet")["address"]
        pathlib.Path(self.hub.home, "policy.toml").write_text(POLICY)
        self.hub.command("policy", "attest")
        self.server = Server(certificate=self.certificate)
        self.request_id = str(uuid.uuid4())

    async def asyncTearDown(self):
        await asyncio.to_thread(self.server.close)

    def screen(self, command="connect"):
        more = ["--addresses", "127.0.0.1"] if command == "connect" else []
        words = [BINARY, "--home", self.hub.home, "liquid", command, "--ca", self.certificate[0],
                 *more, self.server.uri(self.request_id)]
        screen = Screen(f"{shlex.join(words)}; echo ended with $?", columns=160, rows=60,
                        COUNTERSIGN_DATACHANNEL=PROGRAM)
        self.addCleanup(screen.close)
        return screen

    async def see(self, screen, *texts):
        return await asyncio.to_thread(lambda: screen.see(*texts, seconds=2 * PATIENCE))

    async def passphrase(self, screen):
        await self.see(screen, "passphrase")
        await asyncio.to_thread(screen.press, PASSPHRASE.decode(), "Enter", rest=0.5)

    async def register(self, screen):
        """Answers the second question: the server knows the address by then."""
        await self.see(screen, "with a new passkey", "[d]etails:")
        await asyncio.to_thread(screen.press, "y", "Enter")

    async def test_questions_show_on_a_terminal_and_ctrl_c_denies_or_closes(self):
        screen = self.screen()
        await self.see(screen, "which account is yours", "[d]etails:")
        # The server receives nothing before the answer.
        self.assertEqual(self.server.headers, [])
        app = App(self.server, self.request_id)
        await app.start()
        await asyncio.to_thread(screen.press, "y", "Enter")
        await self.passphrase(screen)
        await self.register(screen)
        await self.see(screen, "open: answering")
        await app.ready()
        found = asyncio.create_task(app.ask("discover"))
        provider = (await found)["result"]["providerId"]
        signing = asyncio.create_task(app.ask(
            "sign_message", "json", providerId=provider, message="hello", signer=self.address))
        await self.see(screen, "hello", "[d]etails:")
        # Ctrl-C at a question is a no, and the channel stays open.
        await asyncio.to_thread(screen.press, "C-c")
        self.assertEqual((await signing)["error"]["code"], 4001)
        self.assertIn("result", await app.ask("discover"))
        await asyncio.to_thread(screen.press, "C-c")
        await self.see(screen, "closed: ended by this command", "ended with 0")
        await app.close()

    def claim_to_be_the_server(self, agent, stop):
        """Requests logins in the server's name, as any program can, faster than people may be asked."""
        while not stop.wait(0.2):
            frame = {
                "liquid": "register", "origin": self.server.origin, "requestId": str(uuid.uuid4()),
                "address": self.address, "device": "x", "options": {
                    "challenge": base64url(b"\x07" + os.urandom(31)),
                    "rp": {"name": "x", "id": "localhost"},
                    "user": {"id": base64url(b"x"), "name": "x", "displayName": "x"},
                    "pubKeyCredParams": [{"type": "public-key", "alg": -7}]}}
            status, _, value = agent.ask("POST", "/v1/requests", {
                "wire": "liquid", "frame": json.dumps(frame), "wait_seconds": 0})
            assert status in (201, 202), value
            self.claims.append(value["state"])

    async def test_requests_in_the_servers_name_do_not_slow_down_a_login(self):
        agent = Agent(self.hub)
        self.addCleanup(agent.stop)
        self.claims, stop = [], threading.Event()
        self.addCleanup(stop.set)
        asking = asyncio.create_task(
            asyncio.to_thread(self.claim_to_be_the_server, agent, stop))
        while "denied" not in self.claims:
            await asyncio.sleep(0.05)
        screen = self.screen("login")
        await self.see(
            screen, "got too many requests in the name of this server", "works without the agent",
            "[d]etails:")
        await asyncio.to_thread(screen.press, "y", "Enter")
        await self.passphrase(screen)
        await self.register(screen)
        await self.see(screen, "logged in at", "ended with 0")
        stop.set()
        await asking
        self.assertEqual(len(self.server.bodies), 1)

    async def test_a_login_without_a_terminal_is_refused(self):
        wallet = await Wallet.start(
            self.hub, "--ca", self.certificate[0], self.server.uri(self.request_id))
        said = await wallet.ends(3)
        self.assertIn("approval_unavailable", said)
        self.assertIn("a terminal", said)
        self.assertEqual(said.count("error:"), 1, said)
        self.assertEqual(self.server.bodies, [])

    async def test_a_login_ends_if_the_person_does_not_answer_in_time(self):
        screen = self.screen()
        await self.see(screen, "[d]etails:")
        await self.see(screen, "approval_timed_out", "ended with 3")
        self.assertEqual(self.server.bodies, [])

    async def test_every_signal_ends_the_command_and_its_channel_program(self):
        rule = ('\n[[rule]]\nid = "log-in"\neffect = "allow"\nprotocol = "algorand"\n'
                'acknowledge = ["liquid_challenge", "new_client"]\n')
        path = pathlib.Path(self.hub.home, "policy.toml")
        path.write_text(path.read_text() + rule)
        self.hub.command("policy", "attest")
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            wallet = await Wallet.start(
                self.hub, "--ca", self.certificate[0], "--addresses", "127.0.0.1",
                self.server.uri(str(uuid.uuid4())))
            await wallet.says("waiting for the page")
            keeper = wallet.keeper()
            os.kill(wallet.process.pid, number)
            self.assertIn("ended by this command before a channel was open", await wallet.ends(1))
            self.assertFalse(pathlib.Path(f"/proc/{keeper}").exists())


if __name__ == "__main__":
    unittest.main()
