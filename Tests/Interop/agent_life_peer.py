# SPDX-License-Identifier: Apache-2.0
"""The life of an agent: systemd starts it, other programs read its memory, and signals end it."""
import json
import os
import pathlib
import re
import resource
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

# Shifts the clock by a file. faketime would move the environment, from which Swift locates the arguments.
CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec *time) {
    int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, time);
    long seconds = 0;
    FILE *file = clock == CLOCK_REALTIME ? fopen(getenv("CLOCK_FILE"), "r") : NULL;
    if (file) {
        if (fscanf(file, "%ld", &seconds) == 1) time->tv_sec += seconds;
        fclose(file);
    }
    return result;
}
"""


def event_url(kind):
    event = urllib.parse.quote(json.dumps({"kind": kind, "content": "hi", "tags": []}), safe="")
    return f"nostrsigner://sign_event?type=sign_event&event={event}&x-success=peer://ok"


def mappings(process):
    """Returns the readable memory ranges of a process, and whether a core file would contain each."""
    found = []
    for line in pathlib.Path(f"/proc/{process}/smaps").read_text().splitlines():
        if re.match("[0-9a-f]+-", line) and "[v" not in line:
            found.append([*(int(part, 16) for part in line.split()[0].split("-")), True])
        elif line.startswith("VmFlags:") and " dd" in line:
            found[-1][2] = False
    return found


def memory_holds(process, words, dumped=False):
    """Returns those byte strings that are in the memory of a process, or in a core file of it."""
    found = set()
    with open(f"/proc/{process}/mem", "rb", 0) as memory:
        for start, end, is_dumped in mappings(process):
            if dumped and not is_dumped:
                continue
            try:
                memory.seek(start)
                content = memory.read(end - start)
            except (OSError, OverflowError):
                continue
            found.update(word for word in words if word in content)
    return found


def resident(process):
    """Returns the resident memory of a process, in bytes."""
    text = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) << 10


class LifeCase(unittest.TestCase):
    """A home with one key and one rule, and agents that a test starts and stops."""

    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        self.hub.import_key("nostr", "alice", SECRET.hex())
        pathlib.Path(self.hub.home, "policy.toml").write_text(POLICY)
        self.hub.command("policy", "attest")
        self.socket = os.path.join(self.hub.home, "agent.sock")
        self.addCleanup(lambda: self.run_plain("agent", "stop"))

    def run_plain(self, *words):
        """Runs a command without a passphrase."""
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

    def log(self):
        return pathlib.Path(self.hub.home, "agent.log").read_text()

    def is_gone(self, process):
        try:
            text = pathlib.Path(f"/proc/{process}/stat").read_text()
            # The first thread may end before the others, which still hold the lock file.
            is_alone = len(os.listdir(f"/proc/{process}/task")) == 1
            return is_alone and text.rsplit(")", 1)[1].split()[0] == "Z"
        except OSError:
            return True

    def until(self, is_so, what="it does not come so far"):
        end = time.monotonic() + 30
        while not is_so():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.05)

    def waiting(self, count):
        end = time.monotonic() + 30
        while self.status()["waiting"] != count:
            self.assertLess(time.monotonic(), end, "the question neither comes nor goes")
            time.sleep(0.05)


class AgentLife(LifeCase):
    @unittest.skipUnless(os.geteuid() == 0, "only root may read its memory")
    def test_no_key_and_no_passphrase_is_in_memory_after_the_lock(self):
        process = self.start()
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
        words = {SECRET, PASSPHRASE}
        self.assertEqual(memory_holds(process, words), {SECRET}, "the scan sees an open key")
        self.assertEqual(self.run_plain("agent", "lock").returncode, 0)
        self.assertEqual(memory_holds(process, words), set())
        self.hub.command("agent", "unlock")
        self.assertEqual(memory_holds(process, words), set(), "a key is open before its use")

    def test_killing_a_command_withdraws_its_question(self):
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
                self.assertIn(b"withdrawn", error)

    def test_a_waiting_command_reports_that_the_agent_was_killed(self):
        process = self.start()
        command = subprocess.Popen(
            [BINARY, "--home", self.hub.home, "handle", event_url(4)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        self.waiting(1)
        os.kill(process, signal.SIGKILL)
        out, error = command.communicate(timeout=30)
        self.assertEqual(command.returncode, 1)
        self.assertIn(b"the agent ended before", error)
        self.start()
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)

    def test_an_agent_serves_on_a_socket_that_systemd_passed(self):
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

    def test_a_passed_descriptor_that_is_no_socket_is_refused(self):
        given = os.open(os.devnull, os.O_RDONLY)
        self.addCleanup(os.close, given)
        script = f'exec 3<&{given}; export LISTEN_PID=$$ LISTEN_FDS=1; exec "$@"'
        done = subprocess.run(
            ["sh", "-c", script, "sh", BINARY, "--home", self.hub.home, "agent", "--locked"],
            pass_fds=[given], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not hand over one Unix socket with a path", done.stderr)

    def test_systemd_accepts_the_units(self):
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

    def test_every_thread_is_in_the_sandbox(self):
        process = self.start()
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
        status = self.status()["sandbox"]
        self.assertTrue(status["whole"], status)
        self.assertIn(status["text"], self.run_plain("doctor").stdout)
        self.assertIn("networks: none", status["text"])
        threads = list(pathlib.Path(f"/proc/{process}/task").iterdir())
        self.assertGreater(len(threads), 3)
        for thread in threads:
            facts = dict(
                line.split(":\t", 1) for line in (thread / "status").read_text().splitlines())
            self.assertEqual((facts["NoNewPrivs"], facts["Seccomp"]), ("1", "2"), thread)
        name = pathlib.Path(f"/proc/{process}/comm").read_text()
        self.assertEqual(name, "countersign\n")

    def test_a_question_names_the_program_of_its_client(self):
        self.start()
        curl = shutil.which("curl")
        body = json.dumps({"frame": event_url(4), "wait_seconds": 0})
        subprocess.run(
            [curl, "--silent", "--unix-socket", self.socket, "--json", body,
             "http://localhost/v1/requests"], check=True, capture_output=True, timeout=60)
        self.waiting(1)
        question = json.loads(self.hub.command("inbox", "--json"))["waiting"][0]
        self.assertEqual(question["client"]["described"]["program"], os.path.realpath(curl))

    def test_an_agent_reaches_drop_boxes_and_nodes(self):
        runtime = os.path.join(self.hub.folder.name, "run")
        os.mkdir(runtime, 0o700)
        os.environ["XDG_RUNTIME_DIR"] = runtime
        self.addCleanup(os.environ.pop, "XDG_RUNTIME_DIR")
        self.hub.command("agent", "start", "--drop-box", "--rpc", "http://127.0.0.1:9")
        self.assertTrue(os.path.isdir(f"{runtime}/countersign/pb"))
        self.assertIn("networks: reached", self.status()["sandbox"]["text"])
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root may request a core file")
    def test_a_core_holds_no_key_and_is_not_written(self):
        process = self.start()
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
        words = {SECRET, PASSPHRASE}
        self.assertEqual(memory_holds(process, words), {SECRET}, "the scan sees an open key")
        self.assertEqual(memory_holds(process, words, dumped=True), set())
        limits = pathlib.Path(f"/proc/{process}/limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        os.kill(process, signal.SIGSEGV)
        self.until(lambda: self.is_gone(process), "it lives")
        for folder in (os.getcwd(), self.hub.home, self.hub.folder.name):
            self.assertFalse([name for name in os.listdir(folder) if name.startswith("core")])

    def test_an_agent_ends_once_its_socket_lock_or_home_is_gone(self):
        for missing in ("agent.lock", "agent.sock"):
            process = self.start()
            os.unlink(os.path.join(self.hub.home, missing))
            self.until(lambda: self.is_gone(process), missing)
            self.assertIn("so no command can find it", self.log())
        process = self.start()
        os.rename(self.hub.home, self.hub.home + ".moved")
        self.until(lambda: self.is_gone(process), "the home was moved")
        os.rename(self.hub.home + ".moved", self.hub.home)
        self.start()
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)

    def test_ten_thousand_connections_of_one_client_leave_memory_bounded(self):
        process = self.start()
        resource.setrlimit(
            resource.RLIMIT_NOFILE, (min(12_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
                                     resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        clients, refused = [], 0
        begin = time.monotonic()
        try:
            for _ in range(10_000):
                client = socket.socket(socket.AF_UNIX)
                client.settimeout(0.05)
                clients.append(client)
                try:
                    client.connect(self.socket)
                    client.send(b"GET /v1/health HT")
                except OSError:
                    refused += 1
            memory = resident(process)
            self.assertFalse(self.is_gone(process))
        finally:
            for client in clients:
                client.close()
        self.assertLess(memory, 150 << 20, "bytes resident")
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
        self.assertLess(time.monotonic() - begin, 60)
        self.until(lambda: resident(process) < 100 << 20, "memory is not given back")

    @unittest.skipUnless(os.geteuid() == 0, "only root may mount")
    def test_an_agent_on_a_full_disk_signs_nothing_and_recovers(self):
        disk = os.path.join(self.hub.folder.name, "disk")
        os.mkdir(disk)
        if subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=4m,mode=0700", "tmpfs", disk],
                capture_output=True).returncode != 0:
            self.skipTest("nothing can be mounted here")
        self.addCleanup(subprocess.run, ["umount", "--lazy", disk])
        small = os.path.join(disk, "home")
        shutil.copytree(self.hub.home, small)
        self.hub.home, self.socket = small, os.path.join(small, "agent.sock")
        self.start()
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
        filler = os.path.join(disk, "filler")
        with open(filler, "wb", 0) as file:
            try:
                while file.write(bytes(1 << 16)):
                    pass
            except OSError:
                pass
        done = self.run_plain("handle", event_url(1))
        for _ in range(200):
            if done.returncode != 0:
                break
            # The room that is left in the write-ahead log is used up first.
            done = self.run_plain("handle", event_url(1))
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertEqual(self.status()["state"], "unlocked")
        os.unlink(filler)
        self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
        self.assertEqual(self.run_plain("agent", "stop").returncode, 0)
        self.assertEqual(self.run_plain("audit", "verify").returncode, 0)

    def test_setting_the_clock_back_does_not_restore_a_limit(self):
        library = os.path.join(self.hub.folder.name, "clock.so")
        subprocess.run(
            ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=CLOCK.encode(),
            check=True, timeout=60)
        pathlib.Path(self.hub.home, "policy.toml").write_text(
            POLICY.replace(
                "acknowledge", 'limit = [{ count = 2, per = "1d" }]\nacknowledge'))
        self.hub.command("policy", "attest")
        # The file is in the home: the agent can read no other file that could change.
        clock = pathlib.Path(self.hub.home, "clock")

        def set_clock(days):
            clock.write_text(str(days * 86_400))
        given = {"LD_PRELOAD": library, "CLOCK_FILE": str(clock)}
        set_clock(0)
        before = dict(os.environ)
        os.environ.update(given)
        self.addCleanup(lambda: (os.environ.clear(), os.environ.update(before)))
        self.hub.command("agent", "start", "--socket", self.socket)
        os.environ.clear()
        os.environ.update(before)
        self.assertTrue(self.status()["sandbox"]["whole"], self.status()["sandbox"])
        body = json.dumps({"frame": event_url(1)})

        def ask():
            done = subprocess.run(
                ["curl", "--silent", "--unix-socket", self.socket, "--json", body,
                 "http://localhost/v1/requests"], check=True, capture_output=True, timeout=60)
            return json.loads(done.stdout)
        self.assertEqual([ask()["state"] for _ in range(2)], ["done", "done"])
        for days in (0, -2, -400):
            set_clock(days)
            answer = ask()
            self.assertEqual(
                (answer["state"], answer["reason"]["code"]), ("denied", "limit_exceeded"), days)
        set_clock(2)
        self.assertEqual(ask()["state"], "done")


if __name__ == "__main__":
    unittest.main()
