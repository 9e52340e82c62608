# SPDX-License-Identifier: Apache-2.0
"""`countersign liquid connect`, from a URI to the last answer: a server, and pages by aiortc."""
import asyncio
import base64
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest
import uuid

import cbor2
import segno
import socketio
from algosdk import encoding, transaction

from algorand_frames import FORMS
from datachannel import PATIENCE, PROGRAM, Page
from hub import BINARY, PASSPHRASE, Hub, pipe
from liquid_peer import WORDS, made_certificate
from liquid_picture_peer import PROGRAM as PICTURES
from liquid_server import Server

TESTNET = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="


class App(Page):
    """The page of an app: it shows a request, answers the first offer and asks over the channel."""

    def __init__(self, server, request_id):
        super().__init__()
        self.server, self.request_id = server, request_id
        self.socket = socketio.AsyncClient(ssl_verify=False)
        self.offers, self.answered = [], False

    async def start(self, answers=True):
        self.socket.on("offer-description", self.offered if answers else self.offers.append)
        await self.socket.connect(self.server.origin, transports=["websocket"])
        self.linking = asyncio.create_task(self.link())

    async def link(self):
        """A server of 2024 answers only if the login is done before the page asks."""
        while True:
            try:
                found = await self.socket.call(
                    "link", {"requestId": self.request_id}, timeout=2)
                if found:
                    return found
            except socketio.exceptions.TimeoutError:
                continue
            await asyncio.sleep(0.1)

    async def offered(self, sdp):
        self.offers.append(sdp)
        if self.answered:
            return
        self.answered = True
        await self.socket.emit("answer-description", await self.answer(sdp))

    async def ready(self):
        return await asyncio.wait_for(self.channel, PATIENCE)

    async def ask(self, method, form="cbor", **params):
        """Returns the answer to one request; other messages may come before it."""
        call = {"id": str(uuid.uuid4()), "reference": f"arc0027:{method}:request",
                "params": params}
        self.channel.result().send(FORMS[form](call).decode())
        return await self.answer_to(call["id"])

    async def answer_to(self, request_id):
        while True:
            text = await self.next()
            data = json.loads(text) if text[0] == "{" else decoded(text)
            if data["requestId"] == request_id:
                return data

    async def close(self):
        self.linking.cancel()
        await self.socket.disconnect()
        await self.peer.close()


def decoded(text):
    """A frame of CBOR."""
    return cbor2.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


class Wallet:
    """The command, running in the background."""

    @classmethod
    async def start(cls, hub, *words):
        self = cls()
        reader = pipe(PASSPHRASE)
        environment = os.environ | {"COUNTERSIGN_DATACHANNEL": PROGRAM, "COUNTERSIGN_QR": PICTURES}
        self.process = await asyncio.create_subprocess_exec(
            BINARY, "--home", hub.home, "--passphrase-fd", str(reader), "liquid", "connect",
            *words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            pass_fds=[reader], env=environment)
        os.close(reader)
        self.said = []
        return self

    async def says(self, words):
        while True:
            try:
                line = await asyncio.wait_for(self.process.stderr.readline(), PATIENCE)
            except asyncio.TimeoutError:
                raise AssertionError(f"it does not say {words!r}: {self.said}") from None
            if not line:
                raise AssertionError(f"it ended before it said {words!r}: {self.said}")
            self.said.append(line.decode())
            if words in self.said[-1]:
                return self.said[-1]

    def keeper(self):
        """Returns the process that keeps the command's channel."""
        place = f"/proc/{self.process.pid}/task/"
        found = [int(word) for thread in os.listdir(place)
                 for word in pathlib.Path(place, thread, "children").read_text().split()]
        assert len(found) == 1, found
        return found[0]

    async def ends(self, status=0):
        rest = await asyncio.wait_for(self.process.stderr.read(), PATIENCE)
        self.said.append(rest.decode())
        found = await asyncio.wait_for(self.process.wait(), PATIENCE)
        assert found == status, (found, self.said)
        return "".join(self.said)


async def is_gone(process):
    """Waits for the end of a process that another process may reap."""
    end = asyncio.get_running_loop().time() + PATIENCE
    state = pathlib.Path(f"/proc/{process}/stat")
    while True:
        try:
            if state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return
        except OSError:
            return
        assert asyncio.get_running_loop().time() < end, f"{process} runs on"
        await asyncio.sleep(0.05)


class Connections(unittest.IsolatedAsyncioTestCase):
    """A home with a key, servers that have a certificate, wallets and pages."""

    acknowledged = "liquid_challenge", "new_client", "identity_proof", "foreign_sender"

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="countersign-")
        cls.certificate = made_certificate(cls.folder.name)
        cls.hub = Hub(*cls.acknowledged)
        # Servers share their users: to a wallet they are one server.
        cls.users = {}
        cls.address = cls.hub.import_key(
            "algorand", "treasury", WORDS.read_text().strip(), "--network", "testnet")["address"]

    def setUp(self):
        self.open, self.servers = [], []

    async def asyncTearDown(self):
        for one in self.open:
            if isinstance(one, Wallet):
                if one.process.returncode is None:
                    one.process.kill()
                    await one.process.wait()
            else:
                await one.close()
        for server in self.servers:
            await asyncio.to_thread(server.close)

    def serve(self, **more):
        server = Server(certificate=self.certificate, **({"users": self.users} | more))
        self.servers.append(server)
        return server

    async def meet(self, server=None, *words):
        """Returns a wallet and a page with an open channel."""
        server = server or self.serve()
        request_id = str(uuid.uuid4())
        app = App(server, request_id)
        self.open.append(app)
        await app.start()
        wallet = await self.connect(server, request_id, *words)
        await wallet.says("open:")
        await app.ready()
        return wallet, app

    async def connect(self, server, request_id, *words):
        wallet = await Wallet.start(
            self.hub, "--ca", self.certificate[0], "--addresses", "127.0.0.1", *words,
            server.uri(request_id))
        self.open.append(wallet)
        return wallet

    @staticmethod
    def parameters():
        return transaction.SuggestedParams(
            1000, 50_000_000, 50_001_000, TESTNET, "testnet-v1.0", flat_fee=True)

    def group(self, count=2):
        members = [
            transaction.PaymentTxn(self.address, self.parameters(), self.address, number)
            for number in range(count)]
        if count > 1:
            transaction.assign_group_id(members)
        return [{"txn": encoding.msgpack_encode(member)} for member in members]


class LiquidConnect(Connections):
    async def test_a_group_and_a_message_are_signed_in_every_form(self):
        wallet, app = await self.meet()
        found = await app.ask("discover")
        provider = found["result"]["providerId"]
        enabled = await app.ask("enable", providerId=provider, genesisHash=TESTNET)
        self.assertIn(
            self.address, [one["address"] for one in enabled["result"]["accounts"]])
        for form in FORMS:
            with self.subTest(form):
                signed = await app.ask(
                    "sign_transactions", form, providerId=provider, txns=self.group())
                self.assertEqual(len(signed["result"]["stxns"]), 2, signed)
        said = await app.ask(
            "sign_message", providerId=provider, message="hello", signer=self.address)
        self.assertEqual(said["result"]["signer"], self.address)
        keeper = wallet.keeper()
        await app.peer.close()
        self.assertIn("closed: the ", await wallet.ends())
        await is_gone(keeper)

    async def test_servers_of_2024_and_2026_are_supported(self):
        for mode in (2024, 2026):
            wallet, app = await self.meet(self.serve(mode=mode))
            self.assertIn("result", await app.ask("discover"))
            keeper = wallet.keeper()
            wallet.process.send_signal(signal.SIGINT)
            self.assertIn("closed: ended by this command", await wallet.ends())
            await is_gone(keeper)

    async def test_forty_frames_at_once_are_answered(self):
        _, app = await self.meet()
        provider = (await app.ask("discover"))["result"]["providerId"]
        answers = await asyncio.gather(*[self.frame(app, provider) for _ in range(40)])
        waiting = set(answers)
        while waiting:
            answer = json.loads(await app.next())
            self.assertIn("result", answer)
            waiting.remove(answer["requestId"])

    async def frame(self, app, provider):
        call = {"id": str(uuid.uuid4()), "reference": "arc0027:sign_message:request",
                "params": {"providerId": provider, "message": str(uuid.uuid4()),
                           "signer": self.address}}
        app.channel.result().send(json.dumps(call))
        return call["id"]

    async def test_a_large_answer_arrives_whole(self):
        _, app = await self.meet()
        provider = (await app.ask("discover"))["result"]["providerId"]
        # The largest number of messages in one request, each different and large.
        members = [
            {"txn": encoding.msgpack_encode(transaction.ApplicationNoOpTxn(
                self.address, self.parameters(), 1 + number, [os.urandom(1_700)],
                note=os.urandom(1_000)))} for number in range(64)]
        answer = await app.ask("sign_transactions", "json", providerId=provider, txns=members)
        self.assertIn("result", answer)
        self.assertEqual(len(answer["result"]["stxns"]), len(members))
        self.assertGreater(len(json.dumps(answer)), 250_000)

    async def test_garbage_and_binary_frames_do_not_end_the_channel(self):
        wallet, app = await self.meet()
        channel = app.channel.result()
        for data in ("ping", "", "!!!!", "BQ", "{", b"\0\1", b"x" * 1_000, "x" * 100_000):
            channel.send(data)
        self.assertIn("result", await app.ask("discover"))
        keeper = wallet.keeper()
        for _ in range(32):
            channel.send(b"\xff\xfe")
        self.assertIn("32 messages in a row", await wallet.ends())
        await is_gone(keeper)

    async def test_a_denied_request_gets_an_error(self):
        _, app = await self.meet()
        provider = (await app.ask("discover"))["result"]["providerId"]
        stranger = encoding.encode_address(bytes(32))
        answer = await app.ask(
            "sign_message", providerId=provider, message="hello", signer=stranger)
        self.assertEqual(answer["error"]["code"], 4100)

    async def test_a_picture_of_the_code_connects(self):
        server, request_id = self.serve(), str(uuid.uuid4())
        app = App(server, request_id)
        self.open.append(app)
        await app.start()
        path = os.path.join(self.folder.name, "code.png")
        segno.make(server.uri(request_id)).save(path, scale=4)
        wallet = await Wallet.start(
            self.hub, "--ca", self.certificate[0], "--addresses", "127.0.0.1", path)
        self.open.append(wallet)
        await wallet.says(f"the QR code contains an address of {server.origin}")
        await wallet.says("open:")
        await app.ready()
        self.assertIn("result", await app.ask("discover"))

    async def test_the_offer_is_repeated_until_the_page_answers(self):
        server, request_id = self.serve(), str(uuid.uuid4())
        app = App(server, request_id)
        self.open.append(app)
        await app.start(answers=False)
        wallet = await self.connect(server, request_id)
        await wallet.says("waiting for the page")
        while len(app.offers) < 3:
            await asyncio.sleep(0.05)
        self.assertEqual(len(set(app.offers)), 1)
        keeper = wallet.keeper()
        wallet.process.send_signal(signal.SIGINT)
        said = await wallet.ends(1)
        self.assertIn("ended by this command before a channel was open", said)
        self.assertNotIn("error", said)
        await is_gone(keeper)

    async def test_the_channel_survives_the_end_of_the_server(self):
        server = self.serve()
        _, app = await self.meet(server)
        self.servers.remove(server)
        await asyncio.to_thread(server.close)
        self.assertIn("result", await app.ask("discover"))

    async def test_a_page_connects_after_a_restart_of_the_server(self):
        server, request_id = self.serve(), str(uuid.uuid4())
        wallet = await self.connect(server, request_id)
        await wallet.says("waiting for the page")
        self.servers.remove(server)
        await asyncio.to_thread(server.close)
        again = self.serve(after=server)
        app = App(again, request_id)
        self.open.append(app)
        await app.start()
        await wallet.says("open:")
        await app.ready()
        self.assertIn("result", await app.ask("discover"))

    async def test_a_second_wallet_on_one_request_does_not_disturb_the_first(self):
        server, request_id = self.serve(), str(uuid.uuid4())
        app = App(server, request_id)
        self.open.append(app)
        await app.start()
        first = await self.connect(server, request_id)
        await first.says("open:")
        await app.ready()
        # The page has its channel: a second wallet waits and does not disturb it.
        second = await self.connect(server, request_id)
        await second.says("waiting for the page")
        while len(set(app.offers)) < 2:
            await asyncio.sleep(0.05)
        self.assertIn("result", await app.ask("discover"))
        second.process.send_signal(signal.SIGINT)
        self.assertIn("ended by this command before a channel was open", await second.ends(1))
        self.assertIn("result", await app.ask("discover"))

    async def test_an_idle_channel_ends(self):
        wallet, _ = await self.meet(None, "--idle", "1")
        self.assertIn("no message came for 1 s", await wallet.ends())

    async def test_closing_the_page_or_killing_the_wallet_ends_the_channel(self):
        wallet, app = await self.meet()
        app.channel.result().close()
        self.assertIn("closed: the peer closed the channel", await wallet.ends())
        wallet, app = await self.meet()
        keeper = wallet.keeper()
        wallet.process.kill()
        await is_gone(keeper)

    async def test_wrong_options_are_refused_before_the_login(self):
        server = self.serve()
        uri = server.uri(str(uuid.uuid4()))
        loose = pathlib.Path(self.folder.name, "loose")
        loose.write_text("stun:stun.example.org\n")
        loose.chmod(0o644)
        wrong = pathlib.Path(self.folder.name, "wrong")
        wrong.write_text("turn:me@turn.example.org\n")
        wrong.chmod(0o600)
        for words in (
            ["--ice", "stun:"], ["--ice", "stun:-x"], ["--ice", ","], ["--ice", "http://a"],
            ["--ice", "turn:me@a"], ["--ice", "stuns:a"], ["--ice", "nonsense"],
            ["--ice-file", "/nonexistent"], ["--ice-file", "/dev/zero"],
            ["--ice-file", str(loose)], ["--ice-file", str(wrong)],
            ["--ice-file", self.folder.name], ["--addresses", "192.0.2.1"],
            ["--addresses", ""], ["--addresses", "localhost"], ["--addresses", "127.0.0.1,"],
            ["--ca", "/dev/zero"], ["--ca", str(wrong)], ["--ca", self.folder.name],
            ["--idle", "0"], ["--most", "x"], ["--key", "nobody"],
        ):
            with self.subTest(words):
                wallet = await Wallet.start(self.hub, *words, uri)
                self.open.append(wallet)
                status = 1 if "--key" in words else 64
                said = await wallet.ends(status)
                self.assertIn("error:", said)
                self.assertIn("hint:", said)
        self.assertEqual(server.headers, [])
        for wrong in ("liquid://", "https://a", server.uri("").split("?")[0]):
            wallet = await Wallet.start(self.hub, wrong)
            self.open.append(wallet)
            self.assertIn("hint:", await wallet.ends(64))


if __name__ == "__main__":
    unittest.main()
