# SPDX-License-Identifier: Apache-2.0
"""The archive of a shared record: made by one hub, and by each hub for its rows."""
import json
import os
import pathlib
import subprocess
import time
import unittest

from hub import BINARY, PASSPHRASE, pipe
from teams_peer import POLICY, Joined, Teams, output, refused, request

FILE = "ledger.db.archive-{}"


def killed(hub, seconds, *words):
    """Starts a command and kills it after a while; returns true if it had ended before."""
    reader = pipe(PASSPHRASE)
    try:
        running = subprocess.Popen(
            [BINARY, "--home", hub.home, "--passphrase-fd", str(reader), *words], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[reader])
    finally:
        os.close(reader)
    time.sleep(seconds)
    running.kill()
    return running.wait(60) == 0


class Archives(Teams):
    def file(self, hub, number=1):
        path = pathlib.Path(hub.home, FILE.format(number))
        return path.read_bytes() if path.exists() else None

    def archive(self, hub):
        return json.loads(hub.command("--json", "audit", "archive", "--keep", "0"))

    def assertWhole(self, *hubs):
        """All hubs have the same files, and records that verify."""
        entries, states = set(), set()
        for hub in hubs:
            hub.command("ledger", "status")
            hub.command("audit", "verify")
            newest = max((int(path.suffix[7:]) for path in pathlib.Path(hub.home).glob("ledger.db.state-*")), default=0)
            states.add((newest, pathlib.Path(hub.home, f"ledger.db.state-{newest}").read_bytes() if newest else None))
            segments = [path.name for path in pathlib.Path(hub.home).iterdir() if ".archive-" in path.name]
            self.assertNotIn("ledger.db.archive-part", segments)
            entries.add(tuple(sorted((name, pathlib.Path(hub.home, name).read_bytes()) for name in segments)))
        self.assertEqual((len(entries), len(states)), (1, 1))

    def test_each_hub_archives_its_own_rows(self):
        one, two = self.pair()
        for text in "abcd":
            one.handle(request(text))
        made = self.archive(one)
        self.assertTrue(made["archived"])
        self.assertIsNone(self.file(two))
        # The command takes in the archive first, although its verdict came before.
        two.handle(request("e"))
        self.assertEqual(self.file(two), self.file(one))
        self.assertWhole(one, two)
        # Both hubs list the archived entries with their files.
        for hub in (one, two):
            listed = hub.command("audit", "list").decode()
            self.assertIn("archive  what=1-", listed)
            self.assertIn(made["file"], output(hub, "audit", "show", "2"))
        # The limit still counts archived requests: twelve in all.
        for text in "fghijkl":
            two.handle(request(text))
        refused(one, "m")
        self.assertTrue(self.archive(two)["archived"])
        refused(one, "n")
        self.assertWhole(one, two)
        three = self.joining(one, "three")
        refused(three, "o")
        self.assertWhole(one, two, three)

    def test_backups_and_rebuilt_copies_contain_the_archive(self):
        one, two = self.pair()
        before = os.path.join(self.folder.name, "before.backup")
        for text in "ab":
            one.handle(request(text))
        one.command("backup", "create", before)
        for text in "cd":
            two.handle(request(text))
        self.archive(one)
        three = Joined(before, "three")
        self.addCleanup(three.folder.cleanup)
        self.assertEqual(self.file(three), self.file(one))
        three.handle(request("e"))
        os.remove(os.path.join(three.home, FILE.format(1)))
        # The state after the archived entries stands for them.
        self.assertIn("are not verified", output(three, "audit", "verify", status=(1, 2, 3)))
        three.command("ledger", "rebuild")
        self.assertEqual(self.file(three), self.file(one))
        self.assertWhole(one, two, three)
        three.command("ledger", "move", "local")
        three.command("audit", "verify")
        output(one, "handle", "-", stdin=request("f"), status=(1, 3))
        self.assertIn("three", output(one, "ledger", "status", status=(0, 1)) + one.command("hub", "list").decode())

    def test_an_archive_can_be_killed_at_any_step(self):
        one, two = self.pair()
        pathlib.Path(one.home, "policy.toml").write_text(POLICY.replace("count = 12", "count = 100000"))
        one.command("policy", "attest")
        two.command("policy", "sync")
        begun = time.monotonic()
        self.archive(one)
        step = (time.monotonic() - begun) / 8
        made = ended = 0
        for round in range(14):
            one.handle(request(f"a{round}"))
            two.handle(request(f"b{round}"))
            ended += killed(one, step * (round % 10), "audit", "archive", "--keep", "0")
            killed(two, step * (round % 5) / 2, "ledger", "status")
            two.handle(request(f"c{round}"))
            one.handle(request(f"d{round}"))
            made = len([path for path in os.listdir(two.home) if ".archive-" in path])
        self.archive(one)
        self.assertWhole(one, two)
        self.assertGreaterEqual(made, ended)

    def test_a_foreign_file_at_the_path_of_an_archive_is_reported_and_kept(self):
        one, two = self.pair()
        for text in "abc":
            one.handle(request(text))
        other = pathlib.Path(two.home, FILE.format(1))
        other.write_text("a file of another program")
        self.archive(one)
        refused(two, "d")
        said = output(two, "ledger", "status")
        self.assertIn("ledger.db.archive-1", said)
        self.assertIn("move the file away", said)
        self.assertEqual(other.read_text(), "a file of another program")
        other.unlink()
        two.handle(request("d"))
        self.assertWhole(one, two)

    def test_a_long_policy_is_read_by_policy_sync(self):
        one, two = self.pair()
        text = POLICY.replace("24h", "48h") + "".join(f"# {number:090}\n" for number in range(1_200))
        pathlib.Path(one.home, "policy.toml").write_text(text)
        one.command("policy", "attest")
        self.assertIn("policy sync", refused(two, "a"))
        two.command("policy", "sync")
        two.handle(request("a"))

    def test_a_log_can_be_cut_after_a_snapshot(self):
        one, two = self.pair()
        old = os.path.join(self.folder.name, "old.backup")
        two.command("backup", "create", old)
        for text in "abc":
            one.handle(request(text))
            two.handle(request(text + text))
        self.assertIn("make one first", output(one, "ledger", "cut", "--confirm", "one"))
        made = json.loads(one.command("--json", "ledger", "snapshot"))
        self.assertIn("these hubs have not written", output(one, "ledger", "cut", "--confirm", "one"))
        two.handle(request("d"))
        output(one, "ledger", "cut", "--confirm", "two")
        before = self.rows()
        cut = json.loads(one.command("--json", "ledger", "cut", "--confirm", "one"))
        self.assertEqual((cut["batch"], cut["removed"]), (made["batch"], made["batch"]))
        self.assertEqual(self.rows(), before + 1 - cut["removed"])
        two.command("ledger", "rebuild")
        for text in "efghi":
            two.handle(request(text))
        refused(one, "j")
        self.assertWhole(one, two)
        # A hub from before the cut learns the way to join.
        late = Joined(old, "late", status=1)
        self.addCleanup(late.folder.cleanup)
        new = self.joining(two, "new")
        refused(new, "k")
        # The administrator of the database removes the snapshot, changes it, or restores an older one.
        table = "countersign.snapshots"
        for change, word in (
                (f"UPDATE {table} SET body = set_byte(body, 40, get_byte(body, 40) # 1)", "not this team"),
                (f"UPDATE {table} SET part = 7", "no longer contains"), (f"DELETE FROM {table}", "no longer contains"), (f"DROP TABLE {table}", "no longer contains")):
            self.server.sql(change, self.database)
            self.assertIn(word, output(two, "ledger", "rebuild"))
            refused(two, "l")
        two.command("ledger", "status")
        self.assertWhole(one, two)
        one.command("ledger", "snapshot")
        two.command("audit", "verify")


if __name__ == "__main__":
    unittest.main()
