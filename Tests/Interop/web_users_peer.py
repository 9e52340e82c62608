# SPDX-License-Identifier: Apache-2.0
"""Another user of the machine sends requests to the web port of an agent that runs as root."""
import base64
import json
import os
import pathlib
import socket
import time
import unittest

import nacl.signing

from agent_peer import Agent
from hub import Hub, free_port
from near_page_peer import POLICY
from near_values import base58

APP = "https://app.example"
NOBODY = 65_534


@unittest.skipUnless(os.geteuid() == 0, "only root can start a process of another user")
class OtherUsers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        key = nacl.signing.SigningKey.generate()
        secret = "ed25519:" + base58(bytes(key) + bytes(key.verify_key))
        cls.hub.import_key("near", "bob", secret, "--account", "bob.near", "--network", "mainnet")
        pathlib.Path(cls.hub.home, "policy.toml").write_text(POLICY % f'"{APP}"')
        cls.hub.command("policy", "attest")
        cls.port = free_port()
        manifest = json.loads(cls.hub.command("near", "manifest", "--web", str(cls.port)))
        manifest = manifest.get("wallets", [manifest])[0]
        [cls.origin] = manifest["permissions"]["allowsOpen"]
        cls.agent = Agent(cls.hub, "--web", str(cls.port))
        cls.addClassCleanup(cls.agent.kill)

    def request(self):
        """A request that a rule allows, as the window of a page sends it."""
        params = {"network": "mainnet", "message": "log in", "recipient": "app.near",
                  "nonce": base64.b64encode(os.urandom(32)).decode()}
        body = json.dumps({"key": os.urandom(16).hex(), "page": APP, "framed": False,
                           "frame": json.dumps({"method": "signMessage", "params": params})})
        return (f"POST /near/requests HTTP/1.1\r\nHost: {self.origin.split('/')[-1]}\r\n"
                f"Origin: {self.origin}\r\nSec-Fetch-Site: same-origin\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()

    def send(self, request, how):
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as place:
            if how == "kept open":
                place.sendall(request)
                return place.recv(65_536).split(b"\r\n")[0].decode()
            if how == "ended with the last byte":
                # Data and end leave in one segment.
                place.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
                place.sendall(request)
                place.shutdown(socket.SHUT_WR)
                return place.recv(65_536).split(b"\r\n")[0].decode()
            place.sendall(request)
            return ""

    def signatures(self):
        listed = self.hub.command("--json", "audit", "list", "--entry", "intent", "--last", "10000")
        return len(json.loads(listed))

    def as_another(self, work):
        """Runs `work` in a process of another user; true if it ended without an error."""
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            status = 1
            try:
                status = 0 if work() else 1
            finally:
                os._exit(status)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

    def test_requests_of_the_same_user_are_answered(self):
        before = self.signatures()
        self.assertIn(" 200 ", self.send(self.request(), "kept open"))
        self.assertEqual(self.signatures(), before + 1)

    def test_requests_of_another_user_are_never_signed(self):
        before = self.signatures()
        requests = [self.request() for _ in range(300)]
        self.assertTrue(self.as_another(lambda: all(self.send(it, "closed") == "" for it in requests)))
        for how in ("kept open", "ended with the last byte"):
            requests = [self.request() for _ in range(20)]
            self.assertTrue(
                self.as_another(lambda: all(" 403 " in self.send(it, how) for it in requests)), how)
        # The agent handles requests in the order of their arrival.
        self.assertIn(" 200 ", self.send(self.request(), "kept open"))
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            self.assertEqual(self.signatures(), before + 1)
            time.sleep(1)

    def test_a_request_without_a_sender_is_refused(self):
        before = self.signatures()
        self.assertIn(" 403 ", self.send(self.request(), "ended with the last byte"))
        self.assertEqual(self.signatures(), before)


if __name__ == "__main__":
    unittest.main()
