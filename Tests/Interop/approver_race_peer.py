# SPDX-License-Identifier: Apache-2.0
"""Approvers who answer at the same time: an accepted no is never followed by a signature, on one home and on two
hubs."""
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest
import urllib.parse

from agent_peer import Agent
from hub import BINARY, PASSPHRASE, Hub, pipe
from teams_peer import Teams

RULE = """
version = 1
default = "deny"
[approvers]
%s
[[rule]]
id = "in-public"
effect = "ask"
protocol = "nostr"
operation = "sign_event"
approvers = { min = 2, of = ["alice", "bob", "carol"], within = "10m" }
"""
ROUNDS = 8


def request(text, kind):
    """A request of a distinct kind: too many questions about one kind at once are refused."""
    event = json.dumps({"kind": kind, "content": text, "tags": [], "created_at": 1_700_000_000})
    return "nostrsigner://sign_event?type=sign_event&x-success=app://ok&event=" + urllib.parse.quote(event)


class Races(Teams):
    def setUp(self):
        super().setUp()
        self.people = {name: Hub("new_client") for name in ("alice", "bob", "carol")}
        lines = [each.command("approver", "new", "--name", name).decode() for name, each in self.people.items()]
        self.one, self.two = self.pair()
        self.rule = RULE % "".join(lines)
        self.attest(self.rule)
        self.two.command("policy", "sync")
        for each in self.people.values():
            self.addCleanup(each.folder.cleanup)
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)
        self.kind = 1000

    def attest(self, policy):
        pathlib.Path(self.one.home, "policy.toml").write_text(policy)
        self.one.command("policy", "attest")

    def begin(self, hub, text):
        """Starts a command that waits for approvers."""
        reader = pipe(PASSPHRASE)
        try:
            process = subprocess.Popen(
                [BINARY, "--home", hub.home, "--passphrase-fd", str(reader), "handle", "-"], text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[reader])
        finally:
            os.close(reader)
        self.kind += 1
        process.stdin.write(request(text, self.kind))
        process.stdin.close()
        process.stdin = None
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def waiting(self, hub, count=1):
        deadline = time.monotonic() + 60
        while True:
            found = json.loads(hub.command("--json", "approver", "pending"))["waiting"]
            if len(found) == count:
                return [each["question"] for each in found]
            assert time.monotonic() < deadline, found
            time.sleep(0.05)

    def answers(self, hub, digest, **words):
        """Returns the signed answers of approvers, as files."""
        question = pathlib.Path(self.folder.name, f"{digest}.json")
        question.write_bytes(hub.command("approver", "export", digest))
        files = {}
        for name, word in words.items():
            answer = self.people[name].command("approver", "answer", str(question), word, "--seen", digest)
            files[name] = os.path.join(self.folder.name, f"{digest}.{name}")
            pathlib.Path(files[name]).write_bytes(answer)
        return files

    @staticmethod
    def deliver(hub, file, after=0.0):
        time.sleep(after)
        return subprocess.run([BINARY, "--home", hub.home, "approver", "deliver", file], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120)

    def race(self, other, text, after):
        """Two approvers say yes to hub one. Carol says no to a hub after a delay in seconds. Returns the result of
        the request."""
        process = self.begin(self.one, text)
        digest, = self.waiting(self.one)
        files = self.answers(self.one, digest, alice="yes", bob="yes", carol="no")
        self.assertEqual(self.deliver(self.one, files["alice"]).returncode, 0)
        other.command("approver", "pending")
        yes = self.pool.submit(self.deliver, self.one, files["bob"])
        no = self.pool.submit(self.deliver, other, files["carol"], after)
        out, said = process.communicate(timeout=120)
        yes, no = yes.result(), no.result()
        isDenied = no.returncode == 0
        if isDenied:
            self.assertEqual(process.returncode, 3, said)
            self.assertIn("person_denied", said)
            self.assertIn("denied by the approver carol", said)
            self.assertNotIn("result=", out)
            self.assertIn("delivered: no", no.stdout + no.stderr)
        else:
            # The no was too late: the request was carried out, and the answer says so.
            self.assertEqual(no.returncode, 3, no.stderr)
            self.assertNotIn("delivered", no.stdout + no.stderr)
            self.assertIn("no such question waits", no.stderr)
            self.assertEqual(process.returncode, 0, said)
            self.assertIn("result=", out)
        return isDenied

    def verify(self):
        for hub in (self.one, self.two):
            hub.command("ledger", "status")
            hub.command("audit", "verify")

    def test_two_hubs_accept_a_no_or_sign_but_never_both(self):
        # The client becomes known first: a new client may not ask so often.
        self.assertFalse(self.race(self.two, "long after", 5))
        for number in range(ROUNDS):
            self.race(self.two, f"two {number}", 0.05 + 0.01 * number)
        self.verify()

    def test_one_home_accepts_a_no_or_signs_but_never_both(self):
        self.assertFalse(self.race(self.one, "long after", 5))
        for number in range(ROUNDS):
            self.race(self.one, f"one {number}", 0.04 * number)
        self.verify()

    def test_a_late_no_is_refused_although_another_record_has_the_question(self):
        other = Hub("new_client")
        self.addCleanup(other.folder.cleanup)
        invitation = os.path.join(self.folder.name, "invitation")
        code = self.one.command("hub", "invite", "other", invitation).decode().strip()
        other.command("approver", "join", invitation, secret=code)
        process = self.begin(self.one, "in two records")
        digest, = self.waiting(self.one)
        body = self.one.command("approver", "export", digest).decode().rstrip("\n")
        other.plant_question(digest, body)
        files = self.answers(self.one, digest, alice="yes", bob="yes", carol="no")
        for name in ("alice", "bob"):
            self.assertEqual(self.deliver(self.two, files[name]).returncode, 0)
        self.assertIn("result=", process.communicate(timeout=120)[0])
        late = self.deliver(other, files["carol"])
        self.assertEqual(late.returncode, 3, late.stdout + late.stderr)
        self.assertIn("no such question waits", late.stderr)
        self.verify()

    def test_replacing_the_policy_ends_a_waiting_question_even_if_it_is_put_back(self):
        process = self.begin(self.one, "under the first")
        digest, = self.waiting(self.one)
        files = self.answers(self.one, digest, alice="yes", bob="yes")
        self.attest(self.rule.replace("min = 2", "min = 3"))
        self.attest(self.rule)
        for file in files.values():
            self.assertEqual(self.deliver(self.two, file).returncode, 0)
        out, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 3, out + said)
        self.assertIn("policy_changed", said)
        self.verify()

    def test_ending_a_command_withdraws_its_question(self):
        # A question that is not withdrawn is carried out. The client becomes known with it.
        process = self.begin(self.one, "carried out")
        digest, = self.waiting(self.one)
        for file in self.answers(self.one, digest, alice="yes", carol="yes").values():
            self.assertEqual(self.deliver(self.two, file).returncode, 0)
        out, said = process.communicate(timeout=120)
        self.assertIn("result=", out, said)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.begin(self.one, f"ended by {number}")
            digest, = self.waiting(self.two)
            files = self.answers(self.two, digest, alice="yes")
            process.send_signal(number)
            out, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 3, out + said)
            self.assertIn("withdrawn", said)
            self.assertEqual(self.waiting(self.two, 0), [])
            late = self.deliver(self.two, files["alice"])
            self.assertEqual(late.returncode, 3)
        self.verify()

    def test_ending_an_agent_withdraws_its_questions(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            agent = Agent(self.one)
            self.addCleanup(agent.stop)
            process = self.begin(self.one, f"by an agent that {number} ends")
            self.waiting(self.two)
            agent.process.send_signal(number)
            self.assertEqual(agent.process.wait(timeout=60), 0)
            out, said = process.communicate(timeout=60)
            self.assertNotIn("result=", out, said)
            self.assertEqual(self.waiting(self.two, 0), [])
        self.verify()


if __name__ == "__main__":
    unittest.main()
