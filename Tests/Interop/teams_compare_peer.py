# SPDX-License-Identifier: Apache-2.0
"""Hubs that compare their logs: a server that shows each hub another log, and the units that ask by ssh."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import unittest

from hub import BINARY, ROOT, Hub
from teams_peer import Teams, output, refused, request

UNITS = ROOT / "Docs/systemd"


def line(hub):
    return hub.command("hub", "compare").decode().strip()


class Comparing(Teams):
    def fork(self, hub, name):
        """Shows a hub another database from now on, which starts as a copy of the first one."""
        self.server.sql(f"CREATE DATABASE {name} TEMPLATE {self.database} OWNER hub")
        self.show(hub, name)

    def show(self, hub, database):
        hub.command("ledger", "address", self.address.replace(f"/{self.database}?", f"/{database}?"))

    def test_hubs_with_one_history_agree(self):
        one, two = self.pair()
        one.handle(request("a"))
        statement = line(one)
        self.assertRegex(statement, r"\Acountersign-hub-1 [0-9a-f]{8} 1 one [0-9]+:[0-9a-f]{64}[ ,]")
        said = two.command("hub", "compare", statement).decode()
        self.assertIn("hub one saw the same log", said)
        two.handle(request("b"))
        # A hub that is behind catches up, and older statements stay valid.
        self.assertIn("saw the same log", one.command("hub", "compare", line(two)).decode())
        self.assertIn("saw the same log", two.command("hub", "compare", statement).decode())
        status = json.loads(one.command("--json", "ledger", "status"))
        self.assertEqual([(each["hub"], each["result"]) for each in status["heard"]], [("two", "same")])
        self.assertIn("hub two saw the same log", one.command("ledger", "status").decode())

    def test_hubs_with_two_histories_stop_signing(self):
        one, two = self.pair()
        self.fork(two, self.database + "x")
        # Until the hubs compare, a limit holds for each hub separately.
        one.handle(request("a"))
        two.handle(request("b"))
        lines = line(one), line(two)
        for hub, other in ((one, lines[1]), (two, lines[0])):
            self.assertIn("two histories", output(hub, "hub", "compare", "-", stdin=other + "\n"))
            self.assertIn("ledger_unavailable", refused(hub, "more"))
            self.assertIn("two histories", output(hub, "ledger", "status"))
            self.assertIn("two histories", hub.command("doctor", status=1).decode())
            self.assertIn(b'"two_histories"', hub.command("--json", "ledger", "status", status=1))
        one.command("freeze", "two histories")
        one.command("thaw")
        self.assertIn("two histories", output(one, "hub", "compare", lines[1]))
        # The team continues with one of the hubs, which its owner chooses.
        one.command("hub", "retire", "two", "--confirm", "two")
        one.handle(request("alone"))
        one.command("ledger", "status")
        self.assertIn("retired", output(one, "hub", "compare", lines[1]))
        self.assertIn("two histories", output(two, "ledger", "status"))
        three = self.joining(one, "three")
        self.assertIn("saw the same log", three.command("hub", "compare", line(one)).decode())

    def test_a_log_that_lacks_batches_of_another_hub_stops_signing(self):
        one, two = self.pair()
        self.fork(two, self.database + "y")
        two.handle(request("unseen"))
        statement = line(two)
        self.assertIn("here the log ends before that", output(one, "hub", "compare", statement))
        self.assertIn("ledger_unavailable", refused(one, "not by this one"))
        self.assertIn("here the log ends before that", output(one, "ledger", "status"))
        # Hubs can compare even if a log is empty.
        self.server.stop()
        self.addCleanup(lambda: (self.server.data / "postmaster.pid").exists() or self.server.start())
        self.assertIn("here the log ends before that", output(one, "hub", "compare", statement))
        self.server.start()
        self.show(one, self.database + "y")
        one.handle(request("shown all of it"))

    def test_invalid_and_foreign_statements_are_refused(self):
        one, two = self.pair()
        statement = line(two)
        others = {
            "": "not a statement", "\n": "not a statement", "nonsense": "cannot be opened",
            statement + "\n" + statement: "not a statement", statement.replace(" two ", " one "): "no hub of this record",
            statement[:-1] + ("0" if statement[-1] != "0" else "1"): "did not sign", line(one): "itself",
            "countersign-hub-1 " + "x" * 5_000: "not a statement", statement.replace("\u0020", "\u00a0"): "not a statement"}
        for other, why in others.items():
            source = ("-", other) if other != "nonsense" else (other, "")
            self.assertIn(why, output(one, "hub", "compare", source[0], stdin=source[1]), other[:80])
        stranger, _ = Teams.pair(self.elsewhere())
        self.assertIn("another record", output(one, "hub", "compare", line(stranger)))
        alone = Hub("new_client")
        self.addCleanup(alone.folder.cleanup)
        self.assertIn("is not shared", output(alone, "hub", "compare"))
        one.handle(request("none of it counts"))

    def elsewhere(self):
        """Returns another team on the same server."""
        other = type(self)(self._testMethodName)
        Teams.setUp(other)
        self.addCleanup(other.doCleanups)
        return other


class Units(Teams):
    """The unit that systemd starts every five minutes, with an ssh that stays on this machine."""

    def run_unit(self, hub, peer):
        text = (UNITS / "countersign-compare@.service").read_text().replace("@PREFIX@", self.prefix)
        words = shlex.split(re.search("^ExecStart=(.*)$", text, re.M).group(1).replace("$$", "$"))
        words[-1] = words[-1].replace("%I", peer)
        return subprocess.run(
            words, env={**os.environ, "PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "COUNTERSIGN_HOME": hub.home},
            capture_output=True, text=True, timeout=120)

    def setUp(self):
        super().setUp()
        self.prefix = os.path.join(self.folder.name, "prefix")
        place = pathlib.Path(self.prefix, "bin")
        place.mkdir(parents=True)
        os.symlink(BINARY, place / "countersign")

    def ssh(self, homes):
        """Installs an ssh that runs commands locally, in the home of the named hub."""
        cases = "\n".join(f"{name}) COUNTERSIGN_HOME={shlex.quote(hub.home)};;" for name, hub in homes.items())
        file = pathlib.Path(self.prefix, "bin/ssh")
        file.write_text(
            "#!/bin/sh\n[ \"$1 $2\" = '-o BatchMode=yes' ] || exit 255\nshift 2\ncase $1 in\n" + cases
            + "\n*) exit 255;;\nesac\nshift\nexport COUNTERSIGN_HOME\nexec sh -c \"$*\"\n")
        file.chmod(0o755)

    def test_the_unit_asks_and_compares(self):
        one, two = self.pair()
        self.ssh({"two": two})
        done = self.run_unit(one, "two")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("hub two saw the same log", done.stdout)
        done = self.run_unit(one, "nobody")
        self.assertEqual(done.returncode, 1)
        self.assertIn("not a statement", done.stderr)
        one.handle(request("all is well"))

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not there")
    def test_systemd_accepts_the_units_for_comparing(self):
        folder = pathlib.Path(self.folder.name, "units")
        folder.mkdir()
        for unit in UNITS.glob("countersign-compare@.*"):
            text = unit.read_text().replace("@PREFIX@", self.prefix)
            (folder / unit.name.replace("@.", "@two.")).write_text(text)
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *map(str, sorted(folder.iterdir()))], capture_output=True,
            text=True, timeout=120)
        self.assertEqual((done.returncode, [row for row in done.stderr.splitlines() if "countersign" in row]), (0, []))


if __name__ == "__main__":
    unittest.main()
