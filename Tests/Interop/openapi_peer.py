# SPDX-License-Identifier: Apache-2.0
"""Docs/openapi.yaml, checked by schemathesis against a running agent."""
import contextlib
import pathlib
import socket
import subprocess
import sys
import threading
import unittest

import nostr_sdk

from agent_peer import POLICY, Agent
from hub import ROOT, Hub, free_port

# The checks that a description can pass. 503 is declared for some operations only, no schema describes the frames
# that wires accept, and a withdrawn request can still be read.
CHECKS = ("status_code_conformance,content_type_conformance,response_headers_conformance,"
          "response_schema_conformance,negative_data_rejection,missing_required_header,"
          "unsupported_method,allow_header_conformance")


def bridge(path):
    """Opens a local port that leads to a Unix socket, as schemathesis supports no other transport."""
    listener = socket.create_server(("127.0.0.1", 0))

    def pump(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def serve():
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            agent = socket.socket(socket.AF_UNIX)
            agent.connect(path)
            threading.Thread(target=pump, args=(client, agent), daemon=True).start()
            threading.Thread(target=pump, args=(agent, client), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    return listener


class OpenAPI(unittest.TestCase):
    def test_every_answer_matches_the_description(self):
        hub = Hub("new_client")
        self.addCleanup(hub.folder.cleanup)
        hub.import_key("nostr", "alice", nostr_sdk.Keys.generate().secret_key().to_bech32())
        pathlib.Path(hub.home, "policy.toml").write_text(POLICY)
        hub.command("policy", "attest")
        agent = Agent(hub, "--web", str(free_port()))
        self.addCleanup(agent.kill)
        listener = bridge(agent.socket)
        self.addCleanup(listener.close)
        done = subprocess.run(
            [pathlib.Path(sys.executable).with_name("schemathesis"), "run", ROOT / "Docs/openapi.yaml",
             "--url", f"http://127.0.0.1:{listener.getsockname()[1]}", "--max-examples", "25",
             "--seed", "1", "--checks", CHECKS, "--no-color", "--request-timeout", "20"],
            cwd=hub.home, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout[-8000:] + done.stderr[-2000:])
        self.assertEqual(agent.ask("GET", "/v1/health")[0], 200)


if __name__ == "__main__":
    unittest.main()
