# SPDX-License-Identifier: Apache-2.0
"""A prompt program that the real agent runs to answer for its owner."""
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from agent_life_peer import LifeCase, event_url
from hub import BINARY

PROGRAM = """#!/usr/bin/python3 -u
import json, os, sys, time
log = open({log!r}, "a", buffering=1)
log.write(json.dumps({{"pid": os.getpid()}}) + "\\n")
def say(**members):
    print(json.dumps(members), flush=True)
for line in sys.stdin:
    log.write(line)
    event = json.loads(line)
    if event["event"] != "question":
        continue
    mode = open({mode!r}).read()
    if mode == "blind":
        say(id=event["id"], answer="once", seen="0" * 64)
    elif mode == "details":
        say(details=event["id"])
    elif mode == "long":
        sys.stdout.write("x" * 10000); sys.stdout.flush(); time.sleep(600)
    elif mode == "junk":
        print("no json"); say(answer="once"); say(id="0" * 32, answer="once", seen="0" * 64)
        say(id=event["id"], answer="once", seen=event["digest"], more=1)
    elif mode in ("once", "no", "1h"):
        say(id=event["id"], answer=mode, seen=event["digest"])
"""


class ApproverPeer(LifeCase):
    def setUp(self):
        super().setUp()
        self.program = os.path.join(self.hub.folder.name, "approver")
        self.log = os.path.join(self.hub.folder.name, "said")
        self.mode = os.path.join(self.hub.folder.name, "mode")
        pathlib.Path(self.program).write_text(PROGRAM.format(log=self.log, mode=self.mode))
        os.chmod(self.program, 0o700)
        self.set_mode("wait")

    def set_mode(self, mode):
        pathlib.Path(self.mode).write_text(mode)

    def name(self):
        self.hub.command("agent", "approver", self.program)

    def heard(self):
        if not os.path.exists(self.log):
            return []
        lines = pathlib.Path(self.log).read_text().splitlines()
        return [json.loads(line) for line in lines]

    def events(self, kind):
        return [event for event in self.heard() if event.get("event") == kind]

    def pids(self):
        return [event["pid"] for event in self.heard() if "pid" in event]

    def standing(self):
        return self.status()["approver"]

    def runs(self):
        # The process appears slightly before its log entry.
        self.until(lambda: self.standing().startswith("runs") and self.pids(), "it does not run")

    def ask(self, number=4):
        command = subprocess.Popen(
            [BINARY, "--home", self.hub.home, "handle", event_url(number)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)

        def end():
            command.kill()
            command.communicate(timeout=30)
        self.addCleanup(end)
        return command

    def test_the_program_answers_the_text_that_the_inbox_shows(self):
        self.name()
        self.start()
        self.runs()
        command = self.ask()
        self.until(lambda: self.events("question"))
        reported = self.events("question")[0]
        listed = json.loads(self.hub.command("inbox", "--json"))["waiting"]
        self.assertEqual([item["id"] for item in listed], [reported["id"]])
        shown = json.loads(self.hub.command("--json", "inbox", "show", reported["id"]))
        for member in ("text", "digest", "offer", "headline", "client", "remember"):
            self.assertEqual(reported[member], shown[member])
        command.kill()
        self.until(lambda: self.events("ended"))
        self.assertEqual(self.events("ended")[0]["ending"], "withdrawn")
        self.set_mode("once")
        out, error = self.ask().communicate(timeout=60)
        self.assertIn(b"peer://ok", out, error)
        self.assertEqual(self.events("answered")[-1]["ending"], "once")
        self.set_mode("no")
        done = self.ask(7)
        self.assertIn(b"person_denied", done.communicate(timeout=60)[1])

    def test_an_answer_to_another_text_does_not_count(self):
        self.name()
        self.start()
        self.runs()
        self.set_mode("blind")
        self.ask()
        self.until(lambda: self.events("refused"))
        self.assertEqual(self.events("refused")[0]["code"], "other_words")
        self.set_mode("junk")
        self.ask(7)
        self.until(lambda: len(self.events("refused")) >= 5)
        self.assertEqual(
            [event["code"] for event in self.events("refused")[1:]],
            ["bad_json", "bad_member", "not_found", "unknown_member"])
        self.set_mode("details")
        self.ask(9)
        self.until(lambda: self.events("details"))
        self.assertEqual(len(self.events("details")[0]["digest"]), 64)
        self.assertEqual(self.status()["waiting"], 3)

    def test_a_program_that_other_users_can_change_is_refused(self):
        for mode in (0o720, 0o702, 0o600):
            os.chmod(self.program, mode)
            self.hub.command("agent", "approver", self.program, status=1)
        os.chmod(self.program, 0o700)
        folder = os.path.join(self.hub.folder.name, "open")
        os.mkdir(folder)
        os.chmod(folder, 0o777)
        inside = os.path.join(folder, "approver")
        os.link(self.program, inside)
        self.hub.command("agent", "approver", inside, status=1)
        self.hub.command("agent", "approver", "approver", status=1)
        self.hub.command("agent", "approver", "/nowhere", status=1)
        self.assertEqual(self.run_plain("agent", "approver").stdout, "no approver program is set\n")

    def test_a_program_that_was_changed_does_not_run(self):
        self.name()
        with open(self.program, "a") as program:
            program.write("# changed\n")
        self.start()
        self.until(lambda: "the program changed after it was set" in self.standing())
        self.assertEqual(self.heard(), [])
        self.name()
        # Path and digest are fixed before the agent enters the sandbox.
        self.until(lambda: "start the agent again" in self.standing())
        self.assertEqual(self.heard(), [])
        self.assertEqual(self.run_plain("agent", "stop").returncode, 0)
        self.start()
        self.runs()
        self.hub.command("agent", "approver", "--forget")
        self.until(lambda: self.standing() == "not set")
        self.until(lambda: self.is_gone(self.pids()[-1]))

    def test_a_program_named_later_runs_with_the_next_agent(self):
        self.start()
        self.name()
        self.until(lambda: "start the agent again" in self.standing())
        self.assertEqual(self.heard(), [])

    def test_the_program_ends_with_the_lock_and_with_the_agent(self):
        self.name()
        process = self.start()
        self.runs()
        first = self.pids()[-1]
        self.assertEqual(self.run_plain("agent", "lock").returncode, 0)
        self.until(lambda: self.is_gone(first))
        self.hub.command("agent", "unlock")
        self.until(lambda: len(self.pids()) == 2)
        second = self.pids()[-1]
        os.kill(process, signal.SIGKILL)
        self.until(lambda: self.is_gone(second))
        self.start()
        self.until(lambda: len(self.pids()) == 3)
        self.assertEqual(self.run_plain("agent", "stop").returncode, 0)
        self.until(lambda: self.is_gone(self.pids()[-1]))

    def test_a_program_that_ends_or_floods_is_restarted_more_slowly(self):
        self.name()
        self.start()
        self.runs()
        os.kill(self.pids()[-1], signal.SIGKILL)
        begin = time.monotonic()
        self.until(lambda: len(self.pids()) == 2)
        self.assertGreater(time.monotonic() - begin, 0.9)
        self.set_mode("long")
        self.ask()
        begin = time.monotonic()
        self.until(lambda: len(self.pids()) == 3)
        self.assertGreater(time.monotonic() - begin, 1.9)
        self.assertTrue(self.is_gone(self.pids()[1]), "it is not left behind")


if __name__ == "__main__":
    unittest.main()
