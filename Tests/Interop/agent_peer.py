# SPDX-License-Identifier: Apache-2.0
"""The agent with http.client and curl; the peers' own libraries verify its signatures."""
import base64
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import pty
import select
import signal
import socket
import subprocess
import time
import unittest
import urllib.parse
import uuid

import algosdk
import nacl.signing
import nostr_sdk

from algorand_frames import LIQUID
from hub import BINARY, PASSPHRASE, ROOT, Hub, pipe
from near_peer import digest
from near_values import base58

POLICY = """
version = 1
default = "ask"

[[rule]]
id = "this-door"
effect = "allow"
channel = "socket"
acknowledge = ["new_client", "identity_proof", "odd_time", "raw_message", "client_mismatch"]
"""


class UnixConnection(http.client.HTTPConnection):
    """An http.client connection over a Unix socket."""

    def __init__(self, path):
        super().__init__("localhost", timeout=60)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Agent:
    """The agent of one home, ended with the test."""

    def __init__(self, hub, *options):
        self.socket = os.path.join(hub.home, "agent.sock")
        reader = pipe(PASSPHRASE)
        self.process = subprocess.Popen(
            [BINARY, "--home", hub.home, "--passphrase-fd", str(reader), "agent",
             "--socket", self.socket, *options],
            pass_fds=[reader], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        os.close(reader)
        self.first = self.process.stderr.readline().decode()

    def kill(self):
        """Kills the agent and closes its pipes in this process."""
        self.process.kill()
        self.process.wait(timeout=30)
        self.process.stderr.close()

    def ask(self, method, path, body=None, headers=(), connection=None):
        """Sends one request; returns status, headers and body of the answer."""
        if connection is None:
            with contextlib.closing(UnixConnection(self.socket)) as own:
                return self.ask(method, path, body, headers, own)
        data = None if body is None else json.dumps(body)
        given = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, data, {**given, **dict(headers)})
        answer = connection.getresponse()
        content = answer.read()
        is_json = "json" in answer.headers["Content-Type"]
        return answer.status, answer.headers, json.loads(content) if is_json else content.decode()

    def submit(self, frame, **members):
        status, _, value = self.ask("POST", "/v1/requests", {"frame": frame, **members})
        if status != 201 or value["state"] != "done":
            raise AssertionError(f"{status}: {value}")
        return value["reply"]

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        rest = self.process.stderr.read().decode()
        self.process.stderr.close()
        return self.process.wait(timeout=30), rest


def event_url(content):
    event = urllib.parse.quote(json.dumps({"kind": 1, "content": content, "tags": []}), safe="")
    return f"nostrsigner://sign_event?type=sign_event&returnType=event&event={event}&x-success=peer://ok"


def signed_event(callback):
    query = urllib.parse.urlsplit(callback).query.replace("+", "%2B")
    return nostr_sdk.Event.from_json(dict(urllib.parse.parse_qsl(query))["event"])


class AgentPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.nostr = nostr_sdk.Keys.generate()
        cls.hub.import_key("nostr", "alice", cls.nostr.secret_key().to_bech32())
        cls.near = nacl.signing.SigningKey.generate()
        secret = bytes(cls.near) + bytes(cls.near.verify_key)
        cls.hub.import_key(
            "near", "bob", "ed25519:" + base58(secret), "--account", "bob.near")
        private, cls.address = algosdk.account.generate_account()
        cls.hub.import_key("algorand", "carol", algosdk.mnemonic.from_private_key(private))
        pathlib.Path(cls.hub.home, "policy.toml").write_text(POLICY)
        cls.hub.command("policy", "attest")
        cls.agent = Agent(cls.hub)
        cls.addClassCleanup(cls.agent.stop)

    def test_nostr_near_and_algorand_in_one_process(self):
        event = signed_event(self.agent.submit(event_url("hello"), wire="nip155"))
        self.assertTrue(event.verify())
        self.assertEqual(event.author().to_hex(), self.nostr.public_key().to_hex())
        nonce = os.urandom(32)
        message = {"message": "log in", "recipient": "peer.near",
                   "nonce": base64.b64encode(nonce).decode()}
        reply = json.loads(self.agent.submit(json.dumps(message), wire="nep413"))
        self.near.verify_key.verify(
            digest("log in", nonce, "peer.near", None), base64.b64decode(reply["signature"]))
        request = {"id": str(uuid.uuid4()), "reference": "arc0027:sign_message:request",
                   "params": {"message": "hello", "signer": self.address, "providerId": LIQUID}}
        reply = json.loads(self.agent.submit(json.dumps(request), wire="arc27", client="peer"))
        self.assertTrue(algosdk.util.verify_bytes(
            b"hello", reply["result"]["signature"], self.address), reply)

    def test_64_threads_each_get_their_own_answer(self):
        def one(number):
            return number, signed_event(self.agent.submit(event_url(f"note {number}"), wait_seconds=60))

        with concurrent.futures.ThreadPoolExecutor(64) as pool:
            done = list(pool.map(one, range(256)))
        self.assertTrue(all(event.verify() for _, event in done))
        self.assertEqual([event.content() for _, event in done], [f"note {n}" for n, _ in done])
        self.hub.command("audit", "verify")

    def test_one_connection_carries_many_requests(self):
        connection = UnixConnection(self.agent.socket)
        self.addCleanup(connection.close)
        for number in range(50):
            status, _, value = self.agent.ask(
                "POST", "/v1/requests", {"frame": event_url(f"kept {number}")}, connection=connection)
            self.assertEqual((status, value["state"]), (201, "done"))

    def test_curl_can_send_a_request(self):
        done = subprocess.run(
            ["curl", "--silent", "--show-error", "--unix-socket", self.agent.socket, "--json",
             json.dumps({"frame_base64": base64.b64encode(event_url("curl").encode()).decode()}),
             "http://localhost/v1/requests"], capture_output=True, check=True, timeout=60)
        self.assertTrue(signed_event(json.loads(done.stdout)["reply"]).verify())

    def test_a_retry_signs_nothing_twice(self):
        headers = {"Idempotency-Key": "retry-1"}
        body = {"frame": event_url("once")}
        first = self.agent.ask("POST", "/v1/requests", body, headers)
        again = self.agent.ask("POST", "/v1/requests", body, headers)
        self.assertEqual((first[0], again[0]), (201, 200))
        self.assertEqual(first[2], again[2])
        other = self.agent.ask("POST", "/v1/requests", {"frame": event_url("twice")}, headers)
        self.assertEqual((other[0], other[2]["code"]), (422, "key_reused"))
        self.assertEqual(other[1]["Content-Type"], "application/problem+json")

    def test_health_ready_and_metrics_are_served_as_described(self):
        text = ROOT.joinpath("Docs/openapi.yaml").read_text()
        for path in ("/v1/health", "/v1/ready", "/v1/metrics"):
            self.assertIn(f"  {path}:\n", text)
            self.assertEqual(self.agent.ask("GET", path)[0], 200)
            status, headers, problem = self.agent.ask("POST", path, {})
            self.assertEqual((status, headers["Allow"], problem["status"]), (405, "GET", 405))


class AgentEnds(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        keys = nostr_sdk.Keys.generate()
        self.hub.import_key("nostr", "alice", keys.secret_key().to_bech32())
        pathlib.Path(self.hub.home, "policy.toml").write_text(POLICY)
        self.hub.command("policy", "attest")

    def start(self):
        agent = Agent(self.hub)
        self.addCleanup(agent.process.kill)
        self.assertIn("answers at", agent.first)
        return agent

    def test_a_killed_agent_does_not_hinder_the_next_one(self):
        agent = self.start()
        agent.submit(event_url("before"))
        agent.stop(signal.SIGKILL)
        self.assertTrue(os.path.exists(agent.socket))
        agent = self.start()
        self.assertTrue(signed_event(agent.submit(event_url("after"))).verify())
        self.assertEqual(agent.stop()[0], 0)
        self.assertFalse(os.path.exists(agent.socket))
        self.hub.command("audit", "verify")

    def test_a_second_agent_of_one_home_refuses_to_start(self):
        agent = self.start()
        status, rest = Agent(self.hub).stop(0)
        self.assertEqual(status, 1)
        agent.submit(event_url("still here"))
        self.assertEqual(agent.stop(), (0, "the agent stops\nthe agent has stopped; the vault is locked\n"))

    def test_an_agent_stopped_under_load_answers_accepted_requests(self):
        agent = self.start()

        def one(number):
            try:
                return agent.ask("POST", "/v1/requests", {"frame": event_url(f"load {number}")})
            except (OSError, http.client.HTTPException):
                return None

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            asked = [pool.submit(one, number) for number in range(2000)]
            time.sleep(0.5)
            status, _ = agent.stop()
            answers = [future.result() for future in asked]
        self.assertEqual(status, 0)
        done = [a for a in answers if a and a[0] == 201]
        self.assertGreater(len(done), 0)
        self.assertTrue(all(signed_event(a[2]["reply"]).verify() for a in done))
        others = {a[0] for a in answers if a and a[0] != 201}
        self.assertLessEqual(others, {503})
        self.hub.command("audit", "verify")



class AgentAsks(unittest.TestCase):
    """Requests that no rule allows are asked about on the agent's own terminal."""

    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        keys = nostr_sdk.Keys.generate()
        self.hub.import_key("nostr", "alice", keys.secret_key().to_bech32())
        pathlib.Path(self.hub.home, "policy.toml").write_text('version = 1\ndefault = "ask"\n')
        self.hub.command("policy", "attest")
        self.socket = os.path.join(self.hub.home, "agent.sock")
        reader = pipe(PASSPHRASE)
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.set_inheritable(reader, True)
            os.execv(BINARY, [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader),
                              "agent", "--socket", self.socket])
        os.close(reader)
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(os.waitpid, self.process, 0)
        self.addCleanup(os.kill, self.process, signal.SIGKILL)
        self.shown = ""
        self.see("answers at")

    def see(self, text):
        """Reads the terminal until it shows a text, and forgets the output before."""
        deadline = time.monotonic() + 30
        while text not in self.shown:
            self.assertLess(time.monotonic(), deadline, self.shown)
            if select.select([self.terminal], [], [], 1)[0]:
                self.shown += os.read(self.terminal, 65536).decode(errors="replace")
        self.shown = self.shown.split(text, 1)[1]

    def post(self, content, connection, **members):
        body = json.dumps({"frame": event_url(content), **members})
        connection.request("POST", "/v1/requests", body, {"Content-Type": "application/json"})

    def test_a_person_answers_one_question_at_a_time(self):
        one, two = UnixConnection(self.socket), UnixConnection(self.socket)
        self.addCleanup(one.close)
        self.addCleanup(two.close)
        self.post("first", one, client="a", wait_seconds=60)
        self.see("[d]etails: ")
        self.post("second", two, client="b", wait_seconds=60)
        # Requests that need no person do not wait for the question.
        status = UnixConnection(self.socket)
        status.request("GET", "/v1/health")
        self.assertEqual(status.getresponse().status, 200)
        status.close()
        os.write(self.terminal, b"y\n")
        self.assertTrue(signed_event(json.loads(one.getresponse().read())["reply"]).verify())
        self.see("[d]etails: ")
        os.write(self.terminal, b"n\n")
        self.assertEqual(json.loads(two.getresponse().read())["reason"]["code"], "person_denied")

    def test_a_question_ends_when_its_client_leaves(self):
        gone = UnixConnection(self.socket)
        self.post("gone", gone, client="a", wait_seconds=60)
        self.see("[d]etails: ")
        gone.close()
        after = UnixConnection(self.socket)
        self.addCleanup(after.close)
        self.post("after", after, client="b", wait_seconds=60)
        self.see("after")
        self.see("[d]etails: ")
        os.write(self.terminal, b"y\n")
        self.assertEqual(json.loads(after.getresponse().read())["state"], "done")
        # The withdrawal of the first question is not a person's denial.
        self.assertEqual(
            self.hub.command("audit", "list", "--json").count(b'"person_denied"'), 0)
        self.assertEqual(self.hub.command("audit", "list", "--json").count(b'"withdrawn"'), 1)
        os.kill(self.process, signal.SIGTERM)
        self.see("the vault is locked")

    def test_an_answer_to_an_ended_question_does_not_answer_the_next(self):
        gone, after = UnixConnection(self.socket), UnixConnection(self.socket)
        self.addCleanup(after.close)
        self.post("harmless", gone, client="a", wait_seconds=60)
        self.see("[d]etails: ")
        self.post("harmful", after, client="b", wait_seconds=60)
        # The client chooses the moment at which the person answers.
        gone.close()
        self.see("no longer waits")
        for _ in range(4):
            os.write(self.terminal, b"y\n")
            time.sleep(0.6)
        self.see("[d]etails: ")
        os.write(self.terminal, b"n\n")
        answer = json.loads(after.getresponse().read())
        self.assertEqual(answer["reason"]["code"], "person_denied")


if __name__ == "__main__":
    unittest.main()
