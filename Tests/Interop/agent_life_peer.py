# SPDX-License-Identifier: Apache-2.0
"""The life of an agent: started by systemd's own tools, looked into from outside, killed."""
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from hub import BINARY, PASSPHRASE, ROOT, Hub

SECRET = bytes.fromhex("5b1d" * 16)
POLICY = """
version = 1
default = "ask"

[[rule]]
id = "notes"
effect = "allow"
kind = 1
protocol = "nostr"
operation = "sign_event"
acknowledge = ["new_client"]
"""


def event_url(kind):
    event = urllib.parse.quote(json.dumps({"kind": kind, "content": "hi", "tags": []}), safe="")
    return f"nostrsigner://sign_event?type=sign_event&event={event}&x-success=peer://ok"


def memory_holds(process, words):
    """Which of these byte strings stand anywhere in the memory of a process."""
    found = set()
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in maps:
            start, end = (int(part, 16) for part in line.split()[0].split("-"))
            if "[v" in line:
                continue
            try:
                memory.seek(start)
                content = memory.read(end - start)
            except (OSError, OverflowError):
                continue
            found.update(word for word in words if word in content)
    return found


class AgentLife(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        self.hub.import_key("nostr", "alice", SECRET.hex())
        pathlib.Path(self.hub.home, "policy.toml").write_text(POLICY)
        self.hub.command("policy", "attest")
        self.socket = os.path.join(self.hub.home, "agent.sock")
        self.addCleanup(lambda: self.run_plain("agent", "stop"))

    def run_plain(self, *words):
        """Runs a command that is given no passphrase."""
        return subprocess.run(
            [BINARY, "--home", self.hub.home, *words], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60, start_new_session=True)

    def status(self):
        done = self.run_plain("--json", "agent", "status")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def start(self):
        self.hub.command("agent", "start", "--socket", self.socket)
        return self.status()["process"]

    def waiting(self, count):
        end = time.monotonic() + 30
        while self.status()["waiting"] != count:
            self.assertLess(time.monotonic(), end, "the question neither comes nor goes")
            time.sleep(0.05)

    @unittest.skipUnless(os.geteuid() == 0, "nobody else may look into it")
    def test_no_key_and_no_passphrase_is_in_memory_after_the_lock(self):
        process = self.start()
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
        words = {SECRET, PASSPHRASE}
        self.assertEqual(memory_holds(process, words), {SECRET}, "the scan sees an open key")
        self.assertEqual(self.run_plain("agent", "lock").returncode, 0)
        self.assertEqual(memory_holds(process, words), set())
        self.hub.command("agent", "unlock")
        self.assertEqual(memory_holds(process, words), set(), "a key is open before its use")

    def test_a_command_that_is_killed_takes_its_question_with_it(self):
        self.start()
        for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
            command = subprocess.Popen(
                [BINARY, "--home", self.hub.home, "handle", event_url(4)],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                start_new_session=True)
            self.waiting(1)
            while b"Ctrl-C" not in command.stderr.readline():
                self.assertIsNone(command.poll())
            command.send_signal(number)
            out, error = command.communicate(timeout=30)
            self.waiting(0)
            if number != signal.SIGKILL:
                self.assertEqual(command.returncode, 3, error)
                self.assertIn(b"approval_timed_out", error)

    def test_an_agent_that_is_killed_while_a_command_waits_is_missed(self):
        process = self.start()
        command = subprocess.Popen(
            [BINARY, "--home", self.hub.home, "handle", event_url(4)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        self.waiting(1)
        os.kill(process, signal.SIGKILL)
        out, error = command.communicate(timeout=30)
        self.assertEqual(command.returncode, 1)
        self.assertIn(b"the agent went away", error)
        self.start()
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)

    def test_other_programs_reach_it_on_a_socket_that_was_handed_over(self):
        activate = shutil.which("systemd-socket-activate")
        if activate is None:
            self.skipTest("there is no systemd-socket-activate")
        folder = tempfile.TemporaryDirectory(prefix="countersign-")
        self.addCleanup(folder.cleanup)
        path = os.path.join(folder.name, "given.sock")
        service = subprocess.Popen(
            [activate, "-l", path, BINARY, "--home", self.hub.home, "agent", "--locked"],
            stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.addCleanup(service.stderr.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.kill)
        self.assertIn(b"Listening", service.stderr.readline())
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(30)
            client.connect(path)
            client.sendall(b"GET /v1/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            self.assertIn(b"200 OK", client.recv(4_096))
        status = self.status()
        self.assertEqual((status["socket"], status["state"]), (path, "locked"))
        self.hub.command("agent", "unlock")
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
        self.assertEqual(self.run_plain("agent", "stop").returncode, 0)
        self.assertTrue(os.path.exists(path), "it is the manager's")

    def test_what_is_handed_over_and_is_no_socket_is_refused(self):
        given = os.open(os.devnull, os.O_RDONLY)
        self.addCleanup(os.close, given)
        script = f'exec 3<&{given}; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"'
        done = subprocess.run(
            ["sh", "-c", script, "sh", BINARY, "--home", self.hub.home, "agent", "--locked"],
            pass_fds=[given], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("not one Unix socket with a path", done.stderr)

    def test_the_units_are_what_systemd_reads(self):
        analyze = shutil.which("systemd-analyze")
        if analyze is None:
            self.skipTest("there is no systemd-analyze")
        with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
            for name in ("service", "socket"):
                text = ROOT.joinpath(f"Docs/systemd/countersign-agent.{name}").read_text()
                text = re.sub("@PREFIX@/bin/countersign", BINARY, text)
                pathlib.Path(folder, f"countersign-agent.{name}").write_text(text)
            done = subprocess.run(
                [analyze, "--user", "--man=no", "verify", "./countersign-agent.service",
                 "./countersign-agent.socket"], cwd=folder, capture_output=True, text=True,
                env={**os.environ, "XDG_RUNTIME_DIR": folder}, timeout=60)
        self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
