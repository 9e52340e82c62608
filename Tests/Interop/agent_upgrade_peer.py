# SPDX-License-Identifier: Apache-2.0
"""Files that another version writes under a running agent, and a freeze on a full disk."""
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from agent_life_peer import LifeCase, event_url
from hub import BINARY


class Upgrades(LifeCase):
    def edit(self, file, *statements):
        """Changes a database of the home like another program."""
        base = sqlite3.connect(os.path.join(self.hub.home, file))
        try:
            for statement in statements:
                base.execute(statement)
            base.commit()
            return base.execute("PRAGMA user_version").fetchone()[0]
        finally:
            base.close()

    def make_older(self):
        """Gives the ledger the format before the newest one, which has the same tables."""
        newest = self.edit("ledger.db")
        self.edit("ledger.db", f"PRAGMA user_version = {newest - 1}")
        return newest

    def verify(self):
        self.assertEqual(self.run_plain("audit", "verify").returncode, 0)

    def test_an_agent_signs_nothing_after_a_newer_version_changes_the_format(self):
        for file, what in (("ledger.db", "ledger.db"), ("vault.db", "the vault")):
            with self.subTest(file=file):
                self.start()
                self.assertEqual(self.run_plain("handle", event_url(1)).returncode, 0)
                newest = self.edit(file)
                self.edit(file, f"PRAGMA user_version = {newest + 1}")
                refused = self.run_plain("handle", event_url(1))
                self.assertNotEqual(refused.returncode, 0)
                self.assertNotIn("peer://ok", refused.stdout)
                self.until(lambda: self.status()["state"] == "locked", "it does not lock")
                self.assertIn(f"{what} has format {newest + 1}", self.status()["outdated"])
                self.assertIn("restart the agent", self.log())
                self.assertIn("restart the agent", self.run_plain("agent", "status").stdout)
                self.hub.command("agent", "unlock", status=1)
                self.assertEqual(self.status()["state"], "locked")
                self.edit(file, f"PRAGMA user_version = {newest}")
                self.assertEqual(self.run_plain("agent", "stop").returncode, 0)

    def test_no_command_upgrades_the_format_while_an_agent_runs(self):
        self.start()
        newest = self.make_older()
        for words in (["repair", "format"], ["handle", "--no-agent", event_url(1)]):
            refused = self.run_plain(*words)
            self.assertEqual(refused.returncode, 1, words)
            self.assertIn("an agent of an older version runs for this home", refused.stderr)
            self.assertIn("countersign agent stop", refused.stderr)
        self.assertEqual(self.edit("ledger.db"), newest - 1)
        self.assertEqual(self.run_plain("agent", "stop").returncode, 0)
        for words in (["audit", "list"], ["grant", "list"], ["doctor"]):
            done = self.run_plain(*words)
            self.assertEqual(done.returncode, 1, words)
            self.assertIn(f"ledger.db has format {newest - 1}", done.stdout + done.stderr)
            self.assertIn("countersign repair format", done.stdout + done.stderr)
        self.assertEqual(self.edit("ledger.db"), newest - 1)
        self.hub.handle(event_url(1))
        self.assertEqual(self.edit("ledger.db"), newest)
        self.make_older()
        self.assertEqual(self.run_plain("repair", "format").returncode, 0)
        self.assertEqual(self.edit("ledger.db"), newest)
        self.verify()

    def test_under_load_nothing_that_begins_after_the_change_is_signed(self):
        self.start()
        newest = self.edit("ledger.db")
        began, ends = [], time.monotonic() + 3

        def load():
            while time.monotonic() < ends:
                start = time.monotonic()
                done = self.run_plain("handle", event_url(1))
                began.append((start, "peer://ok" in done.stdout))

        threads = [threading.Thread(target=load) for _ in range(4)]
        for thread in threads:
            thread.start()
        time.sleep(1)
        self.edit("ledger.db", f"PRAGMA user_version = {newest + 1}")
        changed = time.monotonic()
        for thread in threads:
            thread.join()
        self.assertTrue(any(signed for start, signed in began if start < changed))
        late = [signed for start, signed in began if start > changed]
        self.assertGreater(len(late), 0)
        self.assertFalse(any(late))
        self.edit("ledger.db", f"PRAGMA user_version = {newest}")
        self.assertEqual(self.run_plain("agent", "stop").returncode, 0)
        self.assertEqual(self.run_plain("audit", "verify").returncode, 0)

    def test_a_killed_upgrade_leaves_the_old_or_the_new_format_and_is_repeated(self):
        seen = set()
        for number in range(40):
            newest = self.make_older()
            upgrade = subprocess.Popen(
                [BINARY, "--home", self.hub.home, "repair", "format"], stdout=subprocess.DEVNULL)
            time.sleep(random.uniform(0, 0.05))
            upgrade.kill()
            upgrade.wait()
            seen.add(self.edit("ledger.db") - newest)
            self.assertEqual(self.run_plain("repair", "format").returncode, 0)
            self.assertEqual(self.edit("ledger.db"), newest)
            self.verify()
            # The copy is complete, and there is no other.
            [copy] = [name for name in os.listdir(self.hub.home) if ".format-" in name]
            self.assertEqual(copy, f"ledger.db.format-{newest - 1}")
            self.assertEqual(self.edit(copy), newest - 1)
        self.assertLessEqual(seen, {0, -1})
        self.assertIn(copy, self.run_plain("doctor").stdout)

    def test_status_and_doctor_name_the_build_that_runs(self):
        self.start()
        status = self.status()
        build = subprocess.run(["readelf", "-n", BINARY], capture_output=True, text=True).stdout
        self.assertIn(status["build"], build)
        self.assertIn(status["version"], self.run_plain("doctor").stdout)
        self.assertIn(f"(build {status['build'][:12]})", self.run_plain("agent", "status").stdout)


@unittest.skipUnless(os.geteuid() == 0, "only root mounts a file system")
class FullDisk(LifeCase):
    """The home is on a small file system."""

    def setUp(self):
        super().setUp()
        self.disk = tempfile.mkdtemp(prefix="countersign-disk-")
        self.addCleanup(shutil.rmtree, self.disk)
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", self.disk])
        if mounted.returncode != 0:
            self.skipTest("this machine mounts nothing")
        self.addCleanup(subprocess.run, ["umount", "-l", self.disk])
        home = os.path.join(self.disk, "home")
        shutil.copytree(self.hub.home, home)
        os.chmod(home, 0o700)
        self.hub.home = home
        self.socket = os.path.join(home, "agent.sock")

    def fill(self):
        """Fills the file system to the last byte."""
        with open(os.path.join(self.disk, "filler"), "wb", 0) as filler:
            for size in (65_536, 4_096, 1):
                try:
                    while True:
                        filler.write(b"x" * size)
                except OSError:
                    pass

    def test_freeze_works_with_and_without_an_agent(self):
        for with_agent in (False, True):
            with self.subTest(with_agent=with_agent):
                self.hub.handle(event_url(1))
                if with_agent:
                    self.start()
                self.fill()
                done = self.run_plain("freeze", "lost laptop")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("not yet on record", done.stderr)
                os.remove(os.path.join(self.disk, "filler"))
                # The disk has room again, and the home is still frozen.
                refused = self.hub.handle(event_url(1), status=3)
                self.assertNotIn("signature", refused)
                self.assertIn("lost laptop", self.run_plain("doctor").stdout)
                self.hub.command("thaw")
                entries = self.run_plain("audit", "list").stdout
                self.assertIn("lost laptop", entries)
                self.hub.handle(event_url(1))
                self.assertEqual(self.run_plain("audit", "verify").returncode, 0)
                if with_agent:
                    self.assertEqual(self.run_plain("agent", "stop").returncode, 0)


if __name__ == "__main__":
    unittest.main()
