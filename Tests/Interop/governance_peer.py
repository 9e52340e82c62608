# SPDX-License-Identifier: Apache-2.0
"""Two hubs on a real PostgreSQL; several people, each with a home, approve their policy changes, exports and thaws."""
import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import time
import unittest

from hub import BINARY, PASSPHRASE, Hub, pipe
from teams_peer import LIMIT, POLICY, Teams, output, refused, request

GOVERNED = """
[governance]
policy = { min = 2, of = ["alice", "bob", "carol"] }
export = { min = 1, of = ["alice", "bob"] }
thaw = { min = 1, of = ["carol"] }
"""


class Governance(Teams):
    def governed(self):
        """Returns two hubs under a policy with three approvers, whose homes are separate."""
        self.people = {}
        lines = "\n[approvers]\n"
        for name in ("alice", "bob", "carol"):
            self.people[name] = Hub("new_client")
            self.addCleanup(self.people[name].folder.cleanup)
            lines += self.people[name].command("approver", "new", "--name", name).decode()
        one, two = self.pair()
        # The policy in force needs no approvers yet.
        self.text = POLICY + lines + GOVERNED
        self.write(one, self.text)
        one.command("policy", "attest")
        two.command("policy", "sync")
        return one, two

    @staticmethod
    def write(hub, text):
        pathlib.Path(hub.home, "policy.toml").write_text(text)

    def begin(self, hub, *words):
        """Starts a command that waits for approvers."""
        reader = pipe(PASSPHRASE)
        try:
            process = subprocess.Popen(
                [BINARY, "--home", hub.home, "--passphrase-fd", str(reader), *words], text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[reader])
        finally:
            os.close(reader)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def end(self, process, status=0):
        out, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, status, said)
        return out + said

    def waiting(self, hub):
        """Returns the digest of the one question that waits, as this hub sees it."""
        for _ in range(300):
            found = json.loads(hub.command("--json", "approver", "pending"))["waiting"]
            if found:
                self.assertEqual(len(found), 1)
                return found[0]["question"]
            time.sleep(0.2)
        raise AssertionError("nothing waits")

    def say(self, hub, name, word, status=0):
        """An approver reads the question as a file and answers at home; a hub accepts the answer."""
        digest = self.waiting(hub)
        question = pathlib.Path(self.folder.name, "question.json")
        question.write_bytes(hub.command("approver", "export", digest))
        person = self.people[name]
        shown = person.command("approver", "show", str(question)).decode()
        answer = person.command("approver", "answer", str(question), word, "--seen", digest)
        hub.command("approver", "deliver", "-", stdin=answer, status=status)
        return shown

    def test_a_policy_needs_two_of_three_and_reaches_all_hubs(self):
        one, two = self.governed()
        self.write(one, self.text.replace(f"count = {LIMIT}", "count = 1"))
        attest = self.begin(one, "policy", "attest")
        shown = self.say(two, "alice", "yes")
        self.assertIn("put another policy in force", shown)
        self.assertIn("+ rule {", shown)
        two.handle(request("by the old one"))
        self.say(one, "carol", "yes")
        self.assertIn("in force:", self.end(attest))
        self.assertIn("policy sync", refused(two, "by the old one"))
        two.command("policy", "sync")
        self.assertIn("limit_exceeded", refused(two, "one too many"))
        last = json.loads(two.command("--json", "audit", "list", "--entry", "attest", "--last", "1"))[0]
        entry = two.command("audit", "show", str(last["sequence"])).decode()
        self.assertEqual({name for name in self.people if f"approved  {name} " in entry}, {"alice", "carol"})
        for hub in (one, two):
            hub.command("audit", "verify")
        self.assertEqual(json.loads(one.command("--json", "approver", "pending"))["waiting"], [])

    def test_approvers_see_a_change_compared_with_the_policy_in_force(self):
        one, _ = self.governed()
        one.command("ledger", "move", "local")
        vault = pathlib.Path(one.home, "vault.db")
        old = vault.read_bytes()
        self.write(one, self.text.replace(f"count = {LIMIT}", "count = 1"))
        attest = self.begin(one, "policy", "attest")
        for name in ("alice", "carol"):
            self.say(one, name, "yes")
        self.end(attest)
        vault.write_bytes(old)
        self.write(one, self.text + "\n")
        self.assertIn("older copy", output(one, "policy", "attest", status=(1,)))
        output(one, "repair", "vault", status=(0, 1))
        self.assertIn("is not the policy in force in this vault", output(one, "policy", "attest", status=(1,)))
        self.assertEqual(json.loads(one.command("--json", "approver", "pending"))["waiting"], [])
        one.command("policy", "sync")
        self.write(one, self.text.replace(f"count = {LIMIT}", "count = 2"))
        attest = self.begin(one, "policy", "attest")
        # The change is compared with the policy that was put in force last.
        shown = self.say(one, "bob", "yes").replace("\n| ", "")
        self.assertIn("- rule {", shown)
        self.assertIn('"maximum":"1"', shown)
        self.say(one, "carol", "yes")
        self.assertIn("in force:", self.end(attest))

    def test_a_no_on_another_hub_ends_the_question(self):
        one, two = self.governed()
        self.write(one, POLICY)
        attest = self.begin(one, "policy", "attest")
        self.say(two, "bob", "no")
        self.assertIn("an approver said no", self.end(attest, status=1))
        # The refused policy is not in force: a change still waits for approvers.
        self.assertIn("waits for approvers", output_while(self, one))
        two.handle(request("as before"))
        for hub in (one, two):
            hub.command("audit", "verify")

    def test_changed_files_of_one_hub_do_not_lift_the_approvals(self):
        one, two = self.governed()
        two.handle(request("before"))
        one.handle(request("between"))
        # A person with access to the machine changes its files so that no approvers are needed.
        with sqlite3.connect(os.path.join(one.home, "ledger.db")) as base:
            (sequence, policy), = base.execute(
                "SELECT sequence, body FROM audit WHERE kind = 'attest' ORDER BY sequence LIMIT 1")
            mark = f"{sequence} {json.loads(policy)['policy']}"
            base.execute("UPDATE meta SET value = ? WHERE name = 'policy'", [mark])
            base.execute(
                "UPDATE audit SET kind = 'refusal' WHERE kind = 'attest' AND sequence > ?", [sequence])
        base.close()
        with sqlite3.connect(os.path.join(one.home, "vault.db")) as base:
            base.execute("UPDATE policy SET source = CAST('version = 1' AS BLOB), hash = ?",
                         [bytes.fromhex(mark.split()[1])])
        base.close()
        self.write(one, 'version = 1\ndefault = "ask"\n')
        before = self.rows()
        output(one, "policy", "attest", status=(0, 1))
        self.assertGreater(self.rows(), before)
        refused(two, "under whose policy?")
        self.assertIn("this hub refuses", output(two, "ledger", "status"))
        self.assertIn("this hub refuses", output(two, "policy", "sync"))
        # The hub has the approved policy, and its record verifies.
        self.assertIn("[governance]", pathlib.Path(two.home, "policy.toml").read_text())
        two.command("audit", "verify")

    def test_a_thaw_needs_an_approver(self):
        one, two = self.governed()
        two.command("freeze", "lost a laptop")
        thaw = self.begin(one, "thaw")
        shown = self.say(two, "carol", "yes")
        self.assertIn("by hub two: lost a laptop", shown)
        self.end(thaw)
        two.handle(request("again"))
        # The yes was for the previous freeze.
        two.command("freeze", "again")
        thaw = self.begin(one, "thaw")
        self.waiting(one)
        thaw.send_signal(signal.SIGINT)
        self.assertIn("withdrawn", self.end(thaw, status=1))
        self.assertIn("frozen", refused(two, "still?"))
        # A frozen home asks no question.
        self.assertIn("frozen", output(two, "key", "export", "alice", status=(1,)))
        self.assertEqual(json.loads(two.command("--json", "approver", "pending"))["waiting"], [])

    def test_an_export_needs_an_approver_and_ctrl_c_withdraws_its_question(self):
        one, two = self.governed()
        export = self.begin(two, "key", "export", "alice")
        self.waiting(one)
        export.send_signal(signal.SIGINT)
        self.assertIn("withdrawn", self.end(export, status=1))
        one.command("ledger", "status")
        self.assertEqual(json.loads(one.command("--json", "approver", "pending"))["waiting"], [])
        export = self.begin(two, "key", "export", "alice")
        self.say(one, "bob", "yes")
        self.assertIn("nsec1", self.end(export))
        for hub in (one, two):
            hub.command("audit", "verify")


def output_while(test, hub):
    """Returns the output of a change while it waits; the change is then withdrawn."""
    attest = test.begin(hub, "policy", "attest")
    test.waiting(hub)
    attest.send_signal(signal.SIGINT)
    return test.end(attest, status=1)


if __name__ == "__main__":
    unittest.main()
