# SPDX-License-Identifier: Apache-2.0
"""One passphrase in a terminal: its next commands need none, all others do."""
import contextlib
import os
import pathlib
import shlex
import signal
import subprocess
import time
import unittest

from hub import BINARY, PASSPHRASE, Hub
from inbox_peer import Screen

PROMPT = "passphrase to open the inbox"
NONE = "nothing waits"
CALL = r"""
import socket, sys
agent = socket.socket(socket.AF_UNIX)
agent.connect(sys.argv[1])
agent.sendall(b"POST /v1/owner/terminals HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
reply = agent.recv(4096)
print("status", reply.split()[1].decode())
if len(sys.argv) > 2:
    open(sys.argv[2], "wb").write(reply.split(b'"token":"')[1].split(b'"')[0])
"""
USE = r"""
import socket, sys
agent = socket.socket(socket.AF_UNIX)
agent.connect(sys.argv[1])
agent.sendall(b"GET /v1/questions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
              b"Authorization: Bearer " + open(sys.argv[2], "rb").read() + b"\r\n\r\n")
print("status", agent.recv(4096).split()[1].decode())
"""


class OwnerTerminalPeer(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        self.addCleanup(self.hub.command, "agent", "stop")
        self.socket = os.path.join(self.hub.home, "agent.sock")

    def words(self, *words):
        return shlex.join([BINARY, "--home", self.hub.home, *words])

    def screen(self):
        screen = Screen("PS1='$ '", columns=200, rows=50)
        self.addCleanup(screen.close)
        return screen

    def run_in(self, screen, command):
        """Runs one line in the shell of a screen and returns what it showed before `done`."""
        screen.tmux("send-keys", "clear", "Enter")
        screen.gone("done")
        screen.tmux("send-keys", f"{command}; echo do''ne", "Enter")

    def see(self, screen, text):
        """Checks that a command showed a text and nothing of the others."""
        shown = screen.see(text)
        for other in {PROMPT, NONE} - {text}:
            self.assertNotIn(other, shown)

    def start(self, *options):
        """Starts the agent in a new terminal, with the passphrase."""
        screen = self.screen()
        self.run_in(screen, self.words("agent", "start", "--socket", self.socket, *options))
        screen.see("passphrase")
        screen.press(PASSPHRASE.decode(), "Enter", rest=0)
        screen.see("the agent runs", "done")
        return screen

    def asks(self, screen, before="", after=""):
        """Checks that the inbox asks for the passphrase, and leaves the prompt."""
        self.run_in(screen, before + self.words("inbox", "--list") + after)
        self.see(screen, PROMPT)
        screen.tmux("send-keys", "C-c")

    def needs_none(self, screen, before="", after=""):
        self.run_in(screen, before + self.words("inbox", "--list") + after)
        self.see(screen, NONE)
        screen.see("done")

    def call(self):
        """A command that wants a session without the passphrase and prints the status."""
        path = pathlib.Path(self.hub.folder.name, "call.py")
        path.write_text(CALL)
        return shlex.join(["python3", str(path), self.socket])

    def status(self, screen):
        self.run_in(screen, self.words("agent", "status"))
        return screen.see("passphrase given", "done")

    def test_the_terminal_of_the_passphrase_needs_no_second_one(self):
        screen = self.start()
        self.needs_none(screen)
        self.assertIn("in this terminal, valid until", self.status(screen))
        other = self.screen()
        self.assertIn("not in this terminal; in others: 1", self.status(other))
        self.asks(other)
        # The agent asks the kernel, so a program cannot claim to be in the terminal.
        call = self.call()
        elsewhere = shlex.join(["setsid", "-w", "script", "-qec", call, "/dev/null"])
        for command, status in [
                (call, 201), (f"setsid -w {call}", 401), (f"{call} & wait", 401), (elsewhere, 401)]:
            self.run_in(screen, command)
            screen.see(f"status {status}", "done")
        done = subprocess.run(
            shlex.split(call), capture_output=True, text=True, start_new_session=True, timeout=30)
        self.assertEqual(done.stdout, "status 401\n")
        self.needs_none(screen)

    def test_a_token_of_the_terminal_is_of_no_use_elsewhere(self):
        screen = self.start()
        token, use = (os.path.join(self.hub.folder.name, name) for name in ["token", "use.py"])
        pathlib.Path(use).write_text(USE)
        self.run_in(screen, f"{self.call()} {token}")
        screen.see("status 201", "done")
        words = ["python3", use, self.socket, token]
        used = shlex.join(words)
        other = self.screen()
        for place, command, status in [
                (screen, used, 200), (screen, f"{used} & wait", 200),
                (screen, f"setsid -w {used}", 401), (other, used, 401), (screen, used, 200)]:
            self.run_in(place, command)
            place.see(f"status {status}", "done")

        def outside():
            return subprocess.run(
                words, capture_output=True, text=True, start_new_session=True, timeout=30).stdout

        self.assertEqual(outside(), "status 401\n")
        screen.close()
        self.assertEqual(outside(), "status 401\n")
        # The agent forgets a terminal that is closed.
        deadline = time.monotonic() + 30
        while b"given: in no terminal" not in self.hub.command("agent", "status"):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)

    def test_it_ends_with_forget_lock_freeze_and_another_agent(self):
        screen = self.start()
        self.hub.command("agent", "forget")
        self.asks(screen)
        for end in [("agent", "lock"), ("freeze", "lost")]:
            screen.see("$ ")
            self.run_in(screen, self.words("agent", "unlock"))
            screen.see("passphrase to unlock the agent")
            screen.press(PASSPHRASE.decode(), "Enter", rest=0)
            screen.see("is unlocked", "done")
            self.needs_none(screen)
            self.hub.command(*end)
            if end[0] == "freeze":
                self.hub.command("thaw")
            else:
                self.hub.command("agent", "unlock")
            self.asks(screen)
        self.hub.command("agent", "stop")
        self.hub.command("agent", "start", "--socket", self.socket)
        self.asks(screen)

    def test_a_closed_terminal_leaves_nothing_to_its_jobs(self):
        screen = self.start()
        mark, number = (os.path.join(self.hub.folder.name, name) for name in ["answers", "number"])
        loop = (f"trap '' HUP; echo $$ >{number}; "
                f"while :; do {self.call()} >>{mark} 2>&1; sleep 0.2; done")
        screen.tmux("send-keys", f"sh -c {shlex.quote(loop)}", "Enter")
        self.wait_for(mark, "status 201")
        try:
            screen.close()
            time.sleep(1)
            os.truncate(mark, 0)
            self.wait_for(mark, "status 401")
            time.sleep(1)
            with open(mark) as file:
                self.assertNotIn("201", file.read())
        finally:
            with open(number) as file:
                os.kill(int(file.read()), signal.SIGKILL)

    @staticmethod
    def wait_for(path, text, seconds=30):
        deadline = time.monotonic() + seconds
        while True:
            with contextlib.suppress(FileNotFoundError), open(path) as file:
                if text in file.read():
                    return
            if time.monotonic() > deadline:
                raise AssertionError(f"{text} is not in {path}")
            time.sleep(0.05)

    def test_it_can_be_switched_off(self):
        screen = self.start("--terminal", "0")
        self.asks(screen)
        screen.see("$ ")
        self.assertIn("never remembered", self.status(screen))


if __name__ == "__main__":
    unittest.main()
