# SPDX-License-Identifier: Apache-2.0
"""A program that starts any number of processes and holds many resources; tokens and other processes are still
served."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import time
import unittest

import nostr_sdk

from agent_peer import Agent, UnixConnection, event_url, signed_event
from hub import Hub

POLICY = """
version = 1
default = "ask"

[[rule]]
id = "no-reposts"
effect = "deny"
protocol = "nostr"
operation = "sign_event"
kind = 6

[[rule]]
id = "reactions"
effect = "allow"
protocol = "nostr"
operation = "sign_event"
kind = 7
acknowledge = ["new_client"]
"""


def url(text, kind):
    return event_url(text).replace("kind%22%3A%201", f"kind%22%3A%20{kind}")


class Programs(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        self.hub.import_key("nostr", "alice", nostr_sdk.Keys.generate().secret_key().to_bech32())
        pathlib.Path(self.hub.home, "policy.toml").write_text(POLICY)
        self.hub.command("policy", "attest")
        self.token = self.hub.command("agent", "token", "new", "--name", "bot").decode().strip()
        self.agent = Agent(self.hub)
        self.addCleanup(self.agent.kill)

    def request(self, text, kind, seconds=20, token=None):
        # Each request names a different app, as rates are counted by name.
        frame = url(text, kind).replace("peer://ok", f"app{text.replace(' ', '')}://ok")
        body = json.dumps({"wire": "nip155", "frame": frame, "wait_seconds": seconds})
        more = f"Authorization: Bearer {token}\r\n" if token else ""
        return (f"POST /v1/requests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{more}"
                f"Content-Length: {len(body)}\r\n\r\n{body}").encode()

    def raw(self, request):
        """Returns the status of one request on a separate connection."""
        with socket.socket(socket.AF_UNIX) as place:
            place.settimeout(60)
            place.connect(self.agent.socket)
            place.sendall(request)
            return int(place.recv(65_536).split()[1])

    def forked(self, work):
        """Runs `work` in a separate process, which exits with its result, at most 255."""
        child = os.fork()
        if child == 0:
            status = 255
            try:
                status = work()
            finally:
                os._exit(status)
        return child

    def ask(self, kind, token=None, connection=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        status, _, value = self.agent.ask("POST", "/v1/requests", {
            "wire": "nip155", "frame": url(f"{time.monotonic()}", kind), "wait_seconds": 20}, headers, connection)
        return status, value

    def test_refused_processes_do_not_use_up_the_share_of_a_token(self):
        def refused():
            """Gets several requests refused; returns true if one was turned away without a verdict."""
            with contextlib.closing(UnixConnection(self.agent.socket)) as place:
                return any(self.ask(6, connection=place)[0] == 429 for _ in range(6))

        # Until the share of all unknown processes is used up.
        found = []
        while 1 not in found:
            self.assertLess(len(found), 5_000)
            child = self.forked(refused)
            found.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        self.assertEqual(found[:500], [0] * 500)
        # A token without refusals gets 300 verdicts.
        for _ in range(300):
            status, value = self.ask(6, self.token)
            self.assertEqual((status, value["reason"]["code"]), (201, "policy_denied"))
        self.assertEqual(self.ask(6, self.token)[0], 429)

    def test_others_are_served_while_one_process_holds_connections(self):
        def hold():
            places = []
            for number in range(900):
                place = socket.socket(socket.AF_UNIX)
                place.connect(self.agent.socket)
                place.sendall(self.request(f"{number}", 1, seconds=120))
                places.append(place)
            time.sleep(600)

        child = self.forked(hold)
        self.addCleanup(lambda: (os.kill(child, signal.SIGKILL), os.waitpid(child, 0)))
        self.wait(10)
        for token in (None, self.token):
            status, value = self.ask(7, token)
            self.assertEqual(status, 201, value)
            self.assertTrue(signed_event(value["reply"]).verify())

    def test_processes_without_a_token_leave_room_for_questions_of_tokens(self):
        children = [self.forked(lambda: self.raw(self.request(f"{number}", 1, seconds=120)) // 100)
                    for number in range(60)]
        self.addCleanup(lambda: [(os.kill(child, signal.SIGKILL), os.waitpid(child, 0)) for child in children])
        self.wait(20)
        headers = {"Authorization": f"Bearer {self.token}"}
        status, _, value = self.agent.ask("POST", "/v1/requests", {
            "wire": "nip155", "frame": url("a token", 1), "wait_seconds": 1}, headers)
        self.assertEqual((status, value["state"]), (202, "pending"))
        self.assertEqual(self.ask(7)[0], 201)

    def wait(self, count):
        """Returns once the given number of questions waits."""
        deadline = time.monotonic() + 60
        while (found := self.agent.ask("GET", "/v1/status")[2]["waiting"]) != count:
            self.assertLess(time.monotonic(), deadline, f"{found} wait, not {count}")
            time.sleep(0.1)


if __name__ == "__main__":
    unittest.main()
