# SPDX-License-Identifier: Apache-2.0
"""The program of `agent --hook`, which learns that something waits: what it gets, and what it cannot do."""
import os
import pathlib
import re
import subprocess
import time
import unittest
import urllib.parse

from agent_life_peer import LifeCase, event_url
from approvals_peer import several
from hub import BINARY, PASSPHRASE, Hub

NAMES = {"HOME", "USER", "LOGNAME", "LANG", "PATH", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
         "DISPLAY", "WAYLAND_DISPLAY", "COUNTERSIGN_NEWS", "COUNTERSIGN_COUNT"}
NOTES = 'env -0 > "{folder}/run.$$.new"; mv "{folder}/run.$$.new" "{folder}/run.$(date +%s%N)"\n'


def lives(process):
    """True if a process runs; a zombie does not."""
    try:
        return ") Z " not in pathlib.Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False


class Hook(LifeCase):
    def hook(self, text=NOTES, mode=0o700):
        """Writes a program that runs these lines of a shell."""
        path = pathlib.Path(self.hub.folder.name, "hook")
        path.write_text("#!/bin/sh\n" + text.replace("{folder}", self.hub.folder.name))
        path.chmod(mode)
        return str(path)

    def start(self, path, *words):
        return self.hub.command("agent", "start", "--socket", self.socket, "--hook", path, *words)

    def ask(self, kind=4, *words, url=None):
        """Starts a command whose request waits for an answer."""
        command = subprocess.Popen(
            [BINARY, "--home", self.hub.home, "handle", url or event_url(kind), *words],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

        def end():
            command.kill()
            command.communicate()
        self.addCleanup(end)
        return command

    def runs(self):
        """The environments in which the program ran, in order."""
        found = sorted(pathlib.Path(self.hub.folder.name).glob("run.[0-9]*[0-9]"))
        return [dict(word.split("=", 1) for word in path.read_text().split("\0") if word)
                for path in found if not path.name.endswith(".new")]

    def until(self, check, seconds=30):
        deadline = time.monotonic() + seconds
        while not check():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def news(self):
        return [(run["COUNTERSIGN_NEWS"], run["COUNTERSIGN_COUNT"]) for run in self.runs()]

    def test_it_is_told_that_a_question_waits_and_that_none_waits_any_more(self):
        path = self.hook()
        self.start(path)
        self.assertEqual(self.status()["hook"], f"{path}: not run yet")
        first = self.ask(4)
        self.until(lambda: self.news() == [("waiting", "1")])
        second = self.ask(7)
        self.until(lambda: self.news()[1:] == [("waiting", "2")])
        self.until(lambda: self.status()["hook"] == f"{path}: ended with exit status 0")
        for command in (first, second):
            command.kill()
        self.until(lambda: self.news()[-1] == ("nothing", "0"))
        ended = f"hook: {path}: ended with exit status 0"
        self.until(lambda: ended in self.run_plain("agent", "status").stdout)

    def test_it_is_told_that_several_people_are_asked(self):
        other = Hub("new_client")
        self.addCleanup(other.folder.cleanup)
        several(self.hub, other)
        self.start(self.hook())
        self.ask(4)
        self.until(lambda: self.news() == [("approvals", "1")])

    def test_it_gets_no_secret_no_request_and_no_name_that_a_client_chose(self):
        os.environ["COUNTERSIGN_NEAR_RPC"] = "http://127.0.0.1:9/secret-of-the-node"
        self.addCleanup(os.environ.pop, "COUNTERSIGN_NEAR_RPC")
        evil = "$(touch gone); `touch gone` \n'\"&|"
        self.start(self.hook(NOTES + 'cat > "{folder}/input"; ls -l /proc/self/fd > "{folder}/files"\n'))
        event = urllib.parse.quote('{"kind":4,"content":"evil-content","tags":[]}', safe="")
        self.ask(url=f"nostrsigner://sign_event?type=sign_event&event={event}&x-success=peer://ok"
                     f"&x-source={urllib.parse.quote(evil, safe='')}")
        self.until(lambda: pathlib.Path(self.hub.folder.name, "files").exists()
                   and self.status()["hook"].endswith("exit status 0"))
        [run] = self.runs()
        self.assertLessEqual(set(run) - {"PWD", "_", "SHLVL", "OLDPWD"}, NAMES)
        text = repr(run)
        for word in ("evil", "touch", "secret-of-the-node", PASSPHRASE.decode()):
            self.assertNotIn(word, text)
        self.assertEqual(pathlib.Path(self.hub.folder.name, "input").read_bytes(), b"")
        files = pathlib.Path(self.hub.folder.name, "files").read_text()
        self.assertEqual(re.findall("vault|ledger|socket:", files), [])
        self.assertFalse(pathlib.Path("gone").exists())

    def test_a_program_that_hangs_and_forks_blocks_no_request_and_is_ended(self):
        path = self.hook('for i in 1 2 3 4 5 6 7 8; do (while :; do sleep 600; done) & done\n'
                         'echo $$ > "{folder}/number"\nsleep 600\n')
        self.start(path)
        self.ask(4)
        number = pathlib.Path(self.hub.folder.name, "number")
        self.until(lambda: number.exists() and number.read_text().strip())
        group = number.read_text().strip()
        began = time.monotonic()
        self.hub.command("handle", event_url(1))
        self.assertLess(time.monotonic() - began, 5)
        members = [entry for entry in os.listdir("/proc") if entry.isdigit() and self.group(entry) == group]
        self.assertGreater(len(members), 8)
        self.until(lambda: self.status()["hook"] == f"{path}: was ended after 10 s")
        self.until(lambda: not any(lives(member) for member in members))

    def group(self, process):
        try:
            return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(") ", 1)[1].split()[2]
        except (FileNotFoundError, ProcessLookupError):
            return None

    def test_it_ends_with_the_agent(self):
        self.start(self.hook('echo $$ > "{folder}/number"\nsleep 600\n'))
        self.ask(4)
        number = pathlib.Path(self.hub.folder.name, "number")
        self.until(lambda: number.exists() and number.read_text().strip())
        began = time.monotonic()
        self.run_plain("agent", "stop")
        self.assertLess(time.monotonic() - began, 8)
        self.until(lambda: not lives(number.read_text().strip()), seconds=5)

    def test_its_output_and_status_decide_nothing(self):
        path = self.hook('echo yes; echo "{\\"answer\\":\\"yes\\"}" >&2; exit 3\n')
        self.start(path)
        asked = self.ask(4)
        self.until(lambda: self.status()["hook"] == f"{path}: ended with exit status 3")
        self.assertEqual(self.status()["waiting"], 1)
        self.assertIsNone(asked.poll())

    def test_a_program_that_others_can_change_is_refused(self):
        for path, mode, words in [
                (self.hook(mode=0o722), 0o722, "others may change it"), (self.hook(mode=0o600), 0o600, "not an executable"),
                ("hook", None, "does not begin with a slash"), ("/nonexistent/hook", None, "No such file")]:
            if mode:
                os.chmod(path, mode)
            done = self.run_plain("agent", "--locked", "--socket", self.socket, "--hook", path)
            self.assertEqual(done.returncode, 1, path)
            self.assertIn(words, done.stderr)

    def test_a_program_that_the_kernel_cannot_run_is_refused_before_the_passphrase(self):
        path = pathlib.Path(self.hook())
        for text, words in [("#!/nonexistent/sh -e\n", 'its interpreter "/nonexistent/sh" cannot be run'),
                            ("#!\n", "its interpreter"), ("echo\n", "no program and no script"), ("", "no program")]:
            path.write_text(text)
            for start in (("agent",), ("agent", "start")):
                done = self.run_plain(*start, "--socket", self.socket, "--hook", str(path))
                self.assertEqual(done.returncode, 1, done)
                self.assertIn(words, done.stderr)

    def test_a_program_that_became_writable_is_not_run(self):
        path = self.hook()
        self.start(path)
        os.chmod(path, 0o722)
        self.ask(4)
        self.until(lambda: self.status()["hook"]
                   == f"{path}: cannot be run: others may change it, or a folder above it")
        self.assertEqual(self.runs(), [])

    def test_many_short_questions_run_it_seldom(self):
        self.start(self.hook())
        deadline = time.monotonic() + 6
        while time.monotonic() < deadline:
            command = self.ask(4)
            time.sleep(0.15)
            command.kill()
            command.wait()
        self.assertLessEqual(len(self.runs()), 5)


if __name__ == "__main__":
    unittest.main()
