# SPDX-License-Identifier: Apache-2.0
"""`liquid connect` with an agent that keeps the connections, asks in its inbox, and lists them."""
import asyncio
import base64
import contextlib
import json
import os
import pathlib
import signal
import sys
import tempfile
import unittest
import uuid

import nacl.public

import liquid_connect_peer as connect
from agent_peer import Agent, UnixConnection
from datachannel import PATIENCE, PROGRAM
from hub import BINARY, PASSPHRASE
from liquid_connect_peer import LiquidConnect, is_gone

POLICY = """
version = 1
default = "ask"

[[rule]]
id = "log-in"
effect = "allow"
protocol = "algorand"
operation = ["liquid_introduce", "liquid_register", "liquid_login", "discover", "enable"]
acknowledge = ["liquid_challenge", "new_client"]
"""


# Sends a list of frames as requests, and prints the first state of each.
CALLER = """
import json, sys
from agent_peer import UnixConnection
states = []
for frame in json.loads(sys.argv[2]):
    connection = UnixConnection(sys.argv[1])
    connection.request("POST", "/v1/requests", json.dumps(
        {"wire": "arc27", "frame": frame, "wait_seconds": 1}),
        {"Content-Type": "application/json"})
    states.append(json.loads(connection.getresponse().read())["state"])
    connection.close()
print(json.dumps(states))
"""


class Owner:
    """An owner session."""

    def __init__(self, agent):
        self.agent = agent
        key = agent.ask("GET", "/v1/owner/key")[2]["public_key"]
        box = nacl.public.SealedBox(nacl.public.PublicKey(base64.b64decode(key)))
        sealed = base64.b64encode(box.encrypt(PASSPHRASE)).decode()
        status, _, value = agent.ask("POST", "/v1/owner/sessions", {"passphrase": sealed})
        assert status == 201, value
        self.head = {"Authorization": f"Bearer {value['token']}"}

    def ask(self, method, path, body=None):
        status, _, value = self.agent.ask(method, path, body, self.head)
        return status, value

    def events(self):
        """Yields the events from now on, as pairs of a name and a value."""
        with contextlib.closing(UnixConnection(self.agent.socket)) as connection:
            connection.request("GET", "/v1/events", headers=self.head)
            name, stream = None, connection.getresponse()
            while line := stream.readline().decode():
                line = line.rstrip("\n")
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))


def children(process):
    found = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{process}/task"):
            text = pathlib.Path(f"/proc/{process}/task/{thread}/children").read_text()
            found += [int(word) for word in text.split()]
    return found


class LiquidAgent(LiquidConnect):
    """The flows of the command alone, with an agent that keeps the connection."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        os.environ["COUNTERSIGN_DATACHANNEL"] = PROGRAM
        pathlib.Path(cls.hub.home, "policy.toml").write_text(POLICY)
        cls.hub.command("policy", "attest")

    def setUp(self):
        super().setUp()
        self.start("--liquid")

    def start(self, *words):
        self.agent = Agent(self.hub, *words)
        self.assertIn("answers at", self.agent.first)

    async def asyncTearDown(self):
        await super().asyncTearDown()
        if self.agent.process.poll() is None:
            self.assertEqual(await asyncio.to_thread(self.agent.stop), (0, ANY_TEXT))

    def keepers(self):
        """Returns the processes that keep the agent's channels: the children of its helper."""
        return [one for child in children(self.agent.process.pid) for one in children(child)]

    async def owner(self):
        return await asyncio.to_thread(Owner, self.agent)

    async def asked(self, owner, method, path, body=None):
        return await asyncio.to_thread(owner.ask, method, path, body)

    async def meet(self, server=None, *words):
        """Returns the identity of a connection, and a page with an open channel."""
        server = server or self.serve()
        request_id = str(uuid.uuid4())
        app = connect.App(server, request_id)
        self.open.append(app)
        await app.start()
        wallet = await self.connect(server, request_id, *words)
        said = await wallet.ends()
        self.assertIn("open: answering", said)
        await app.ready()
        return said.rsplit("liquid close ", 1)[1].split()[0], app

    async def until(self, found, body):
        """Returns the first value for which `found` is true."""
        end = asyncio.get_running_loop().time() + PATIENCE
        while True:
            value = await body()
            if found(value):
                return value
            self.assertLess(asyncio.get_running_loop().time(), end, value)
            await asyncio.sleep(0.05)

    async def listed(self, owner, identity):
        _, value = await self.asked(owner, "GET", f"/v1/liquid/{identity}")
        return value

    async def waiting(self, owner):
        """Returns the questions, once one waits."""
        async def look():
            return (await self.asked(owner, "GET", "/v1/questions"))[1]["waiting"]
        return await self.until(bool, look)

    async def ask_to_sign(self, app, provider):
        call = await self.frame(app, provider)
        return asyncio.create_task(app.answer_to(call))

    # These tests of the parent class need no agent and are not repeated.
    test_a_group_and_a_message_are_signed_in_every_form = None
    test_servers_of_2024_and_2026_are_supported = None
    test_forty_frames_at_once_are_answered = None
    test_a_large_answer_arrives_whole = None
    test_garbage_and_binary_frames_do_not_end_the_channel = None
    test_a_denied_request_gets_an_error = None
    test_a_picture_of_the_code_connects = None
    test_the_offer_is_repeated_until_the_page_answers = None
    test_the_channel_survives_the_end_of_the_server = None
    test_a_page_connects_after_a_restart_of_the_server = None
    test_a_second_wallet_on_one_request_does_not_disturb_the_first = None
    test_an_idle_channel_ends = None
    test_closing_the_page_or_killing_the_wallet_ends_the_channel = None
    test_wrong_options_are_refused_before_the_login = None

    async def test_a_connection_asks_in_the_inbox_is_listed_and_closed(self):
        owner = await self.owner()
        identity, app = await self.meet()
        provider = (await app.ask("discover"))["result"]["providerId"]
        answer = await self.ask_to_sign(app, provider)
        question = (await self.waiting(owner))[0]
        self.assertEqual(question["client"]["known_by"], "server")
        whole = (await self.asked(owner, "GET", f"/v1/questions/{question['id']}"))[1]
        await asyncio.to_thread(
            self.hub.command, "inbox", "answer", question["id"], "once", "--seen",
            whole["digest"])
        self.assertIn("result", await answer)
        rows = json.loads(await asyncio.to_thread(
            self.hub.command, "--json", "liquid", "list"))
        self.assertEqual(
            [(row["id"], row["state"], row["account"]) for row in rows],
            [(identity, "open", self.address)])
        self.assertEqual(
            json.loads(await asyncio.to_thread(
                self.hub.command, "--json", "agent", "status"))["channels"], 1)
        keepers = self.keepers()
        self.assertEqual(len(keepers), 1)
        # Closing the connection withdraws a question that waits in it.
        await self.ask_to_sign(app, provider)
        await self.waiting(owner)
        await asyncio.to_thread(self.hub.command, "liquid", "close", identity)
        await is_gone(keepers[0])
        await self.until(lambda value: not value["waiting"],
                         lambda: self.questions(owner))
        report = await self.listed(owner, identity)
        self.assertEqual((report["state"], report["ending"]["kind"]), ("ended", "closed"))
        self.assertGreaterEqual(report["answered"], 2)

    async def questions(self, owner):
        return (await self.asked(owner, "GET", "/v1/questions"))[1]

    async def test_a_page_that_leaves_withdraws_its_questions(self):
        owner = await self.owner()
        identity, app = await self.meet()
        provider = (await app.ask("discover"))["result"]["providerId"]
        await self.ask_to_sign(app, provider)
        question = (await self.waiting(owner))[0]["id"]
        await app.peer.close()
        ended = (await self.until(
            lambda value: not value["waiting"], lambda: self.questions(owner)))["ended"]
        self.assertEqual([one["ending"] for one in ended if one["id"] == question], ["withdrawn"])
        report = await self.until(
            lambda value: value["state"] == "ended", lambda: self.listed(owner, identity))
        self.assertEqual(report["ending"]["kind"], "closed")

    async def test_a_connection_stays_open_through_lock_and_freeze(self):
        owner = await self.owner()
        identity, app = await self.meet()
        provider = (await app.ask("discover"))["result"]["providerId"]
        text = POLICY.replace('"enable"]', '"enable", "sign_message"]').replace(
            '"new_client"]', '"new_client", "foreign_sender"]')
        self.addCleanup(self.rule, POLICY)
        self.rule(text)
        signed = await (await self.ask_to_sign(app, provider))
        self.assertIn("result", signed)
        self.hub.command("agent", "lock")
        # The lock ends the owner session, but the channel stays open.
        self.assertEqual((await self.asked(owner, "GET", "/v1/liquid"))[0], 401)
        self.assertIn("error", await (await self.ask_to_sign(app, provider)))
        # A command works without the agent meanwhile.
        server = self.serve()
        wallet = await self.connect(server, str(uuid.uuid4()))
        await wallet.says("the agent is locked")
        await wallet.says("waiting for the page")
        wallet.process.send_signal(signal.SIGINT)
        await wallet.ends(1)
        self.hub.command("agent", "unlock")
        self.assertIn("result", await (await self.ask_to_sign(app, provider)))
        self.hub.command("freeze", "test")
        self.assertIn("error", await (await self.ask_to_sign(app, provider)))
        wallet = await self.connect(server, str(uuid.uuid4()))
        self.assertIn("frozen", await wallet.ends(3))
        self.hub.command("thaw")
        self.assertIn("result", await (await self.ask_to_sign(app, provider)))
        owner = await self.owner()
        self.assertEqual((await self.listed(owner, identity))["state"], "open")

    def rule(self, text):
        pathlib.Path(self.hub.home, "policy.toml").write_text(text)
        self.hub.command("policy", "attest")

    async def test_channel_programs_that_go_silent_are_ended(self):
        folder = tempfile.TemporaryDirectory(prefix="countersign-")
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "program")
        # The program starts another process in its process group.
        path.write_text("#!/bin/sh\nsleep 1000 <&- >&- 2>&- &\nexec sleep 1000 <&- >&- 2>&-\n")
        path.chmod(0o700)
        self.assertEqual(await asyncio.to_thread(self.agent.stop), (0, ANY_TEXT))
        os.environ["COUNTERSIGN_DATACHANNEL"] = str(path)
        self.addCleanup(os.environ.__setitem__, "COUNTERSIGN_DATACHANNEL", PROGRAM)
        self.start("--liquid")
        server = self.serve()
        for _ in range(10):
            wallet = await self.connect(server, str(uuid.uuid4()))
            self.assertIn("the program that kept the channel ended", await wallet.ends(1))

        async def look():
            return self.keepers()
        await self.until(lambda keepers: not keepers, look)

    async def test_channels_end_when_the_agent_stops_or_is_killed(self):
        for number in (signal.SIGTERM, signal.SIGKILL):
            _, app = await self.meet()
            keepers = self.keepers()
            self.assertEqual(len(keepers), 1)
            if number == signal.SIGTERM:
                status, _ = await asyncio.to_thread(self.agent.stop, number)
                self.assertEqual(status, 0)
            else:
                await asyncio.to_thread(self.agent.kill)
            await is_gone(keepers[0])
            await self.until(
                bool, lambda: asyncio.sleep(0, app.channel.result().readyState == "closed"))
            self.start("--liquid")

    async def test_killing_a_channel_program_ends_only_its_connection(self):
        owner = await self.owner()
        first, app = await self.meet()
        keeper = self.keepers()[0]
        second, other = await self.meet()
        os.kill(keeper, signal.SIGKILL)
        report = await self.until(
            lambda value: value["state"] == "ended", lambda: self.listed(owner, first))
        self.assertIn("the program that kept the channel ended", report["ending"]["text"])
        self.assertIn("result", await other.ask("discover"))
        self.assertEqual((await self.listed(owner, second))["state"], "open")

    async def order(self, server, request_id):
        return {"uri": server.uri(request_id), "key": "treasury", "addresses": ["127.0.0.1"],
                "authorities": pathlib.Path(self.certificate[0]).read_text()}

    async def test_connections_are_limited_and_need_an_owner_session(self):
        owner, server = await self.owner(), self.serve()
        body = await self.order(server, "first")
        status, _, value = await asyncio.to_thread(self.agent.ask, "POST", "/v1/liquid", body)
        self.assertEqual((status, value["code"]), (401, "owner_session_needed"))
        for path in ("/v1/liquid", "/v1/liquid/" + "0" * 32):
            for method in ("GET", "DELETE"):
                self.assertEqual(self.agent.ask(method, path)[0], 401)
        for wrong in ({"key": "nobody"}, {"uri": "https://a"}, {"addresses": ["localhost"]},
                      {"ice": [{"url": "turn:me@a"}]}, {"idle_seconds": 0}, {"more": 1},
                      {"authorities": "none"}, {"allow_insecure": 1}):
            with self.subTest(wrong):
                self.assertEqual(
                    (await self.asked(owner, "POST", "/v1/liquid", body | wrong))[0], 400)
        self.assertEqual(server.headers, [])
        ids = []
        for number in range(8):
            status, value = await self.asked(
                owner, "POST", "/v1/liquid", await self.order(server, f"id-{number}"))
            self.assertEqual(status, 201, value)
            ids.append(value["id"])
        self.assertEqual((await self.asked(
            owner, "POST", "/v1/liquid", await self.order(server, "id-0")))[0], 503)
        for identity in ids:
            report = await self.until(
                lambda value: value["state"] != "logging_in",
                lambda identity=identity: self.listed(owner, identity))
            self.assertEqual(report["state"], "waiting", report)
        self.assertEqual(len(self.keepers()), 8)
        await self.asked(owner, "DELETE", f"/v1/liquid/{ids[7]}")
        status, value = await self.asked(
            owner, "POST", "/v1/liquid", await self.order(server, "id-0"))
        self.assertEqual((status, value["code"]), (409, "goes_on"))
        for identity in ids:
            value = (await self.asked(owner, "DELETE", f"/v1/liquid/{identity}"))[1]
            self.assertEqual(value["ending"]["kind"], "cancelled")
        await self.until(lambda found: not found, lambda: asyncio.sleep(0, self.living()))

    def living(self):
        return [one for one in self.keepers()
                if pathlib.Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"]

    async def test_events_report_the_progress_of_a_connection(self):
        owner = await self.owner()
        seen = []

        def follow():
            for name, value in owner.events():
                if name == "liquid":
                    seen.append(value["state"])
                    if value["state"] == "ended":
                        return
        following = asyncio.create_task(asyncio.to_thread(follow))
        _, app = await self.meet()
        app.channel.result().close()
        await asyncio.wait_for(following, PATIENCE)
        order = ["logging_in", "waiting", "connecting", "open", "ended"]
        self.assertEqual([one for one in order if one in seen], order)

    async def test_an_agent_signs_a_login_without_a_channel(self):
        server = self.serve(users={})
        for _ in range(2):
            # The command is given no passphrase.
            process = await asyncio.create_subprocess_exec(
                BINARY, "--home", self.hub.home, "liquid", "login", "--ca", self.certificate[0],
                server.uri(), stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE)
            _, said = await asyncio.wait_for(process.communicate(), PATIENCE)
            self.assertEqual(process.returncode, 0, said)
            self.assertIn("logged in at", said.decode())
        self.assertEqual(
            ["authenticatorData" in body["response"] for body in server.bodies], [False, True])

    async def test_a_login_that_is_denied_says_why(self):
        self.addCleanup(self.rule, POLICY)
        self.rule(POLICY.split("acknowledge")[0].replace("allow", "deny"))
        wallet = await self.connect(self.serve(), str(uuid.uuid4()))
        said = await wallet.ends(3)
        self.assertIn("policy_denied", said)
        self.assertEqual(said.count("error:"), 1, said)

    async def test_ctrl_c_before_the_channel_opens_ends_the_connection(self):
        owner, server = await self.owner(), self.serve()
        wallet = await self.connect(server, str(uuid.uuid4()))
        await wallet.says("waiting for the page")
        wallet.process.send_signal(signal.SIGINT)
        self.assertIn("ended by this command", await wallet.ends(1))
        found = (await self.asked(owner, "GET", "/v1/liquid"))[1]["connections"]
        self.assertEqual([one["state"] for one in found], ["ended"])

    async def test_killing_the_command_before_the_channel_opens_ends_the_connection(self):
        owner, server = await self.owner(), self.serve()
        wallet = await self.connect(server, str(uuid.uuid4()))
        await wallet.says("waiting for the page")
        wallet.process.kill()
        report = await self.until(
            lambda found: found["state"] == "ended", lambda: self.latest(owner))
        self.assertEqual(report["ending"]["kind"], "cancelled")
        await self.until(lambda found: not found, lambda: asyncio.sleep(0, self.living()))
        # An open connection continues after its command has ended.
        identity, app = await self.meet()
        self.assertIn("result", await app.ask("discover"))
        self.assertEqual((await self.listed(owner, identity))["state"], "open")

    async def latest(self, owner):
        return (await self.asked(owner, "GET", "/v1/liquid"))[1]["connections"][0]

    async def test_answered_requests_are_counted_at_once(self):
        owner = await self.owner()
        identity, app = await self.meet()
        for number in (1, 2):
            await app.ask("discover")
            report = await self.until(
                lambda value, number=number: value["answered"] == number,
                lambda: self.listed(owner, identity))
            self.assertEqual(report["state"], "open")
        rows = (await asyncio.to_thread(self.hub.command, "liquid", "list")).decode()
        self.assertIn(f"{identity}  open  treasury  {self.address}  https://", rows)

    async def test_a_request_id_is_shown_without_control_characters(self):
        owner, server = await self.owner(), self.serve()
        order = await self.order(server, "a%1B%5B2Jb%0A")
        status, value = await self.asked(owner, "POST", "/v1/liquid", order)
        self.assertEqual(status, 201, value)
        self.assertIn("[2Jb", value["request_id"])
        self.assertTrue(value["request_id"].isprintable(), value)
        await self.asked(owner, "DELETE", f"/v1/liquid/{value['id']}")

    async def test_connected_servers_have_separate_places_for_questions(self):
        owner = await self.owner()
        _, app = await self.meet()
        provider = (await app.ask("discover"))["result"]["providerId"]
        # Other processes fill all places for clients without a token: ten each, 20 in all.
        for number in range(4):
            frames = [json.dumps({
                "id": str(uuid.uuid4()), "reference": "arc0027:sign_message:request",
                "params": {"providerId": provider, "message": f"{number} {place}",
                           "signer": self.address}}) for place in range(10)]
            caller = await asyncio.create_subprocess_exec(
                sys.executable, "-c", CALLER, self.agent.socket, json.dumps(frames),
                cwd=pathlib.Path(__file__).parent, stdout=asyncio.subprocess.PIPE)
            said, _ = await asyncio.wait_for(caller.communicate(), PATIENCE)
            self.assertEqual(
                set(json.loads(said)), {"pending"} if number < 2 else {"denied"}, said)
        self.assertEqual(len((await self.questions(owner))["waiting"]), 20)
        await self.ask_to_sign(app, provider)
        found = await self.until(
            lambda value: len(value["waiting"]) == 21, lambda: self.questions(owner))
        self.assertIn("server", [one["client"]["known_by"] for one in found["waiting"]])

    async def test_an_agent_without_channels_leaves_the_connection_to_the_command(self):
        await asyncio.to_thread(self.agent.stop)
        self.start()
        owner, server = await self.owner(), self.serve()
        status, value = await self.asked(
            owner, "POST", "/v1/liquid", await self.order(server, "x"))
        self.assertEqual((status, value["code"]), (409, "not_possible"))
        self.assertIn("networks: none", self.hub.command("agent", "status").decode())
        wallet = await self.connect(server, str(uuid.uuid4()))
        await wallet.says("the agent was not started with --liquid")
        await wallet.says("waiting for the page")
        wallet.process.send_signal(signal.SIGINT)
        await wallet.ends(1)


class AnyText:
    def __eq__(self, other):
        return isinstance(other, str)


ANY_TEXT = AnyText()

# The loader would run an imported test class again.
del LiquidConnect


if __name__ == "__main__":
    unittest.main()
