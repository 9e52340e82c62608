# SPDX-License-Identifier: Apache-2.0
"""Approvers on separate machines that read a team's record on a real PostgreSQL and hold no key of the team."""
import concurrent.futures
import json
import os
import pathlib
import shlex
import subprocess
import time
import unittest

from agent_peer import Agent
from hub import BINARY, PASSPHRASE, Hub, pipe
from inbox_peer import Screen
from teams_peer import Teams, output, request

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
approvers = { min = 2, of = ["alice", "bob"], within = "10m" }
"""


class Approvers(Teams):
    def setUp(self):
        super().setUp()
        self.people = {name: Hub("new_client") for name in ("alice", "bob")}
        lines = [each.command("approver", "new", "--name", name).decode() for name, each in self.people.items()]
        self.one, self.two = self.pair()
        pathlib.Path(self.one.home, "policy.toml").write_text(RULE % "".join(lines))
        self.one.command("policy", "attest")
        self.two.command("policy", "sync")
        for each in self.people.values():
            self.addCleanup(each.folder.cleanup)
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)

    def invite(self, name, hub=None):
        """Returns the file and the code of an invitation."""
        path = os.path.join(self.folder.name, f"{name}.{time.monotonic_ns()}.invitation")
        code = (hub or self.one).command("hub", "invite", name, path).decode().strip()
        return path, code

    def join(self, name, seat=None):
        path, code = self.invite(seat or name)
        self.people[name].command("approver", "join", path, secret=code)

    def ask(self, hub, text):
        return self.pool.submit(lambda: hub.command("handle", "-", stdin=request(text).encode()).decode())

    def waiting(self, person, count=1):
        deadline = time.monotonic() + 60
        while True:
            found = json.loads(self.people[person].command("approver", "pending", "--json"))["waiting"]
            if len(found) == count:
                return [each["question"] for each in found]
            assert time.monotonic() < deadline, found
            time.sleep(0.05)

    def answer(self, person, digest, word):
        self.people[person].command("approver", "answer", digest, word, "--seen", digest)


class OnTheirOwnMachines(Approvers):
    def test_each_approver_sees_and_answers_the_questions_of_the_team(self):
        self.join("alice")
        self.join("bob")
        asked = self.ask(self.two, "for all to see")
        digest, = self.waiting("alice")
        shown = self.people["alice"].command("approver", "show", digest).decode()
        for text in ("for all to see", "in-public: 2 of alice, bob", "alice may say yes or no", digest,
                     f"record    team 1, localhost:{self.server.port}/{self.database}"):
            self.assertIn(text, shown)
        self.answer("alice", digest, "yes")
        self.assertIn("1 of 2", self.people["bob"].command("approver", "pending").decode())
        self.assertFalse(asked.done())
        self.answer("bob", digest, "yes")
        self.assertIn("result=", asked.result(timeout=60))
        for hub in (self.one, self.two):
            hub.command("ledger", "status")
            hub.command("audit", "verify")
        rows = json.loads(self.one.command("hub", "list", "--json"))
        self.assertEqual([row["answers_only"] for row in rows], [False, False, True, True])
        self.assertIn("shared by 2 hubs", self.one.command("ledger", "status").decode())
        # The home has the record, and no key to sign with.
        self.assertEqual(json.loads(self.people["alice"].command("key", "list", "--json")), [])
        copy = os.path.join(self.people["alice"].home, "teams", "1", "ledger.db")
        self.assertEqual(os.stat(copy).st_mode & 0o777, 0o600)
        self.assertFalse(os.path.exists(os.path.join(os.path.dirname(copy), "vault.db")))
        self.assertIn("has no Nostr key", output(self.people["alice"], "handle", "-", stdin=request("mine")))

    def test_a_no_of_one_approver_ends_the_question_for_all(self):
        self.join("alice")
        self.join("bob")
        asked = self.pool.submit(lambda: output(self.one, "handle", "-", status=(3,), stdin=request("no")))
        digest, = self.waiting("bob")
        self.answer("bob", digest, "no")
        self.assertIn("person_denied", asked.result(timeout=60))
        self.waiting("alice", 0)

    def test_the_inbox_of_an_approvers_agent_answers_with_one_key(self):
        self.join("alice")
        self.join("bob")
        agent = Agent(self.people["alice"])
        self.addCleanup(agent.stop)
        screen = Screen(f"{BINARY} --home {shlex.quote(self.people['alice'].home)} inbox")
        self.addCleanup(screen.close)
        screen.see("passphrase to open the inbox")
        screen.press(PASSPHRASE.decode(), "Enter", rest=0)
        screen.see("nothing waits")
        asked = self.ask(self.one, "seen from afar")
        screen.see("several people: approve (1)", "seen from afar")
        for _ in range(20):
            if "Space for more" not in screen.text():
                break
            screen.press("Space", rest=0)
        screen.press("o")
        screen.see("1 of 2: Sign")
        self.answer("bob", self.waiting("bob")[0], "yes")
        self.assertIn("result=", asked.result(timeout=60))
        screen.see("nothing waits")
        # Teams cannot be joined or left while an agent runs.
        path, code = self.invite("alice-2")
        said = output(self.people["alice"], "approver", "leave", "1", "--confirm", "alice")
        self.assertIn("an agent runs", said)
        self.people["alice"].command("approver", "join", path, secret=code, status=1)

    def test_an_approvers_agent_continues_while_the_server_is_away(self):
        self.join("alice")
        self.join("bob")
        agent = Agent(self.people["bob"])
        self.addCleanup(agent.stop)
        self.server.stop()
        try:
            line = agent.process.stderr.readline().decode()
            while "team 1" not in line:
                line = agent.process.stderr.readline().decode()
            self.assertEqual(agent.ask("GET", "/v1/health")[0], 200)
            said = output(self.people["alice"], "approver", "pending", status=(0,))
            self.assertIn("team 1 is not up to date", said)
            doctor = self.people["alice"].command("doctor", status=1).decode()
        finally:
            self.server.start()
        asked = self.ask(self.one, "after it is back")
        for person in ("alice", "bob"):
            self.answer(person, self.waiting(person)[0], "yes")
        self.assertIn("result=", asked.result(timeout=60))
        self.assertIn("WRONG  team 1", doctor)


class Refusals(Approvers):
    def test_an_invitation_works_once_with_its_code(self):
        path, code = self.invite("alice")
        alice, bob = self.people["alice"], self.people["bob"]
        self.assertEqual(os.stat(path).st_mode & 0o777, 0o600)
        self.assertNotIn(b"postgresql", pathlib.Path(path).read_bytes())
        for wrong in ("0" * 64, code[:-1], "", code + "00", "x" * 64):
            alice.command("approver", "join", path, secret=wrong, status=1)
        broken = pathlib.Path(self.folder.name, "broken")
        data = pathlib.Path(path).read_bytes()
        for change in (data[:-1], data + b"\0", data[:60] + b"\xff" + data[61:], b"", b"no invitation\n"):
            broken.write_bytes(change)
            alice.command("approver", "join", str(broken), secret=code, status=1)
        self.assertEqual(os.listdir(os.path.join(alice.home, "teams")), [])
        alice.command("approver", "join", path, "--address", "postgresql://nobody@localhost:1/x?sslmode=disable",
                      secret=code, status=1)
        alice.command("approver", "join", path, secret=code)
        alice.command("approver", "join", path, secret=code, status=1)
        self.assertEqual(os.listdir(os.path.join(alice.home, "teams")), ["1"])
        self.one.command("hub", "invite", "alice", path + "2", status=1)
        self.assertFalse(os.path.exists(path + "2"))
        self.one.command("hub", "invite", "carol", path, status=1)
        self.assertEqual(pathlib.Path(path).read_bytes(), data)
        self.assertEqual(json.loads(self.one.command("hub", "list", "--json"))[-1]["name"], "alice")
        bob.command("hub", "invite", "x", path + "3", status=1)
        # A hub of the team has its record already.
        path, code = self.invite("two-too")
        self.two.command("approver", "join", path, secret=code, status=1)
        self.assertIn("team 1 still accepts answers by this key", output(alice, "approver", "retire", "alice", status=(0,)))

    def test_a_retired_approver_cannot_answer_and_can_leave(self):
        self.join("alice", "laptop")
        alice = self.people["alice"]
        listed = alice.command("approver", "list").decode()
        self.assertIn("team 1  answers as laptop", listed)
        self.assertIn("team 1", alice.command("doctor").decode())
        self.one.command("hub", "retire", "laptop", "--confirm", "laptop")
        asked = self.ask(self.one, "without alice")
        digest, = self.waiting("alice")
        said = output(alice, "approver", "answer", digest, "yes", "--seen", digest)
        self.assertIn("was retired", said)
        self.assertIn(b"laptop can no longer write to that record", alice.command("doctor", status=1))
        self.assertIn("can no longer write to that record", output(alice, "approver", "pending", status=(0,)))
        said = output(alice, "approver", "leave", "1", "--confirm", "laptop", status=(0,))
        self.assertIn("hub retire laptop", said)
        self.assertEqual(os.listdir(os.path.join(alice.home, "teams")), [])
        output(alice, "approver", "leave", "1", "--confirm", "laptop")
        self.waiting("alice", 0)
        # Answers by file still work, and so does a new invitation.
        self.join("alice", "laptop-2")
        self.join("bob")
        for person in ("alice", "bob"):
            self.answer(person, self.waiting(person)[0], "yes")
        self.assertIn("result=", asked.result(timeout=60))

    def test_a_team_that_copies_a_question_does_not_divert_the_answer(self):
        """Bob has another team, invites alice, and copies a question of the first team there."""
        self.join("bob")
        alice, bob = self.people["alice"], self.people["bob"]
        asked = self.ask(self.one, "for the first team")
        digest, = self.waiting("bob")
        body = bob.command("approver", "export", digest).decode().rstrip("\n")
        other = Hub("new_client")
        self.addCleanup(other.folder.cleanup)
        other.plant_question(digest, body)
        self.server.sql(f"CREATE DATABASE other{self.database} OWNER hub")
        other.command("ledger", "move", self.address.replace(f"/{self.database}?", f"/other{self.database}?"),
                      "--hub", "other")
        path, code = self.invite("alice", other)
        alice.command("approver", "join", path, secret=code)
        self.join("alice")
        self.assertEqual(self.waiting("alice"), [digest])
        self.answer("alice", digest, "yes")
        self.answer("bob", digest, "yes")
        self.assertIn("result=", asked.result(timeout=60))
        # A question that was answered there can still be answered in its own team.
        alice.command("approver", "leave", "2", "--confirm", "alice")
        again = self.ask(self.one, "once more")
        digest, = [each for each in self.waiting("bob") if each != digest]
        self.assertNotIn(digest, alice.command("approver", "pending").decode())
        self.one.command("hub", "retire", "alice", "--confirm", "alice")
        self.join("alice", "alice-2")
        self.answer("alice", digest, "yes")
        self.answer("bob", digest, "yes")
        self.assertIn("result=", again.result(timeout=60))

    def test_an_approver_key_in_a_signing_hub_approves_no_request_of_the_team(self):
        line = self.two.command("approver", "new", "--name", "dora").decode()
        lines = [each.command("approver", "list").decode().split()[:2] for each in self.people.values()]
        people = "".join(f'{name} = "{key}"\n' for name, key in lines) + line
        rule = RULE.replace('["alice", "bob"]', '["alice", "bob", "dora"]')
        pathlib.Path(self.one.home, "policy.toml").write_text(rule % people)
        self.one.command("policy", "attest")
        self.two.command("policy", "sync")
        self.join("alice")
        self.join("bob")
        asked = self.ask(self.one, "by the owner of both")
        digest, = self.waiting("alice")
        self.answer("alice", digest, "yes")
        # The answer is refused on that hub, and as a file for the asking hub.
        said = output(self.two, "approver", "answer", digest, "yes", "--seen", digest, status=(3,))
        self.assertIn("own home", said)
        file = pathlib.Path(self.folder.name, "question.json")
        file.write_bytes(self.one.command("approver", "export", digest))
        yes = pathlib.Path(self.folder.name, "yes.json")
        yes.write_bytes(self.two.command("approver", "answer", str(file), "yes", "--seen", digest))
        said = output(self.one, "approver", "deliver", str(yes), status=(3,))
        self.assertIn("own home", said)
        self.assertIn("1 of 2", self.one.command("approver", "pending").decode())
        self.answer("bob", digest, "yes")
        self.assertIn("result=", asked.result(timeout=60))
        for hub in (self.one, self.two):
            hub.command("ledger", "status")
            hub.command("audit", "verify")

    def test_a_killed_join_leaves_no_copy_and_no_key(self):
        path, code = self.invite("alice")
        alice = self.people["alice"]
        teams = os.path.join(alice.home, "teams")
        for milliseconds in range(20, 600, 40):
            reader = pipe(code.encode())
            process = subprocess.Popen(
                [BINARY, "--home", alice.home, "approver", "join", path, "--secret-fd", str(reader)],
                pass_fds=[reader], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.close(reader)
            time.sleep(milliseconds / 1000)
            process.kill()
            process.wait()
            if os.path.exists(os.path.join(teams, "1")):
                alice.command("approver", "leave", "1", "--confirm", "alice")
        # The copy is complete or absent; the next attempt cleans up, even with a relative path of the home.
        reader = pipe(code.encode())
        subprocess.run(
            [BINARY, "--home", os.path.relpath(alice.home), "approver", "join", path, "--secret-fd", str(reader)],
            pass_fds=[reader], check=True, stderr=subprocess.DEVNULL)
        os.close(reader)
        self.assertEqual(sorted(os.listdir(teams)), ["1"])
        alice.command("approver", "join", path, secret=code, status=1)
        self.one.command("hub", "retire", "alice", "--confirm", "alice")
        alice.command("approver", "leave", "1", "--confirm", "alice")
        alice.command("approver", "join", path, secret=code, status=1)
        self.assertEqual(os.listdir(teams), [])

    def test_a_damaged_copy_does_not_hide_other_questions(self):
        self.join("alice")
        alice = self.people["alice"]
        copy = pathlib.Path(alice.home, "teams", "1", "ledger.db")
        copy.write_bytes(b"no database" * 100)
        said = output(alice, "approver", "pending", status=(0,))
        self.assertIn("team 1 cannot be read", said)
        self.assertIn("nothing waits", said)
        self.assertIn(b"approver leave 1", alice.command("doctor", status=1))
        output(alice, "approver", "leave", "1", "--confirm", "1", status=(0,))


if __name__ == "__main__":
    unittest.main()
