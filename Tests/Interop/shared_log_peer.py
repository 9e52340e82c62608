# SPDX-License-Identifier: Apache-2.0
"""The shared log of a team in a real PostgreSQL: turns of two hubs, and refused operations."""
import subprocess
import unittest

from postgres_server import FOLDER, ORIGIN, Probe, Server, wait


def place(batch):
    return batch["sequence"], batch["hash"]


class Case(unittest.TestCase):
    """One server for all tests of a class; each has a separate log."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.server.end)
        cls.server.access()
        cls.server.start()
        cls.server.sql("CREATE ROLE hub LOGIN")

    def setUp(self):
        self.server.sql("DROP DATABASE IF EXISTS team WITH (FORCE)")
        self.server.sql("CREATE DATABASE team OWNER hub")

    def probe(self, address=None, *more, **environment):
        found = Probe(address or self.server.address(), *more, **environment)
        self.addCleanup(found.end)
        return found

    def log(self):
        """Returns a hub with a new log."""
        found = self.probe()
        self.assertEqual(len(found.ask("create")["ledger"]), 32)
        return found

    def assertFails(self, answer, text, kind="unavailable"):
        self.assertIn(text, answer.get("error", "no error"))
        self.assertEqual(answer["kind"], kind)


class Turns(Case):
    def test_one_hub_reads_the_batches_of_another(self):
        one, other = self.log(), self.probe()
        self.assertEqual(one.turn(), {"batches": [], "end": 0})
        first = place(one.append(ORIGIN, body="0102", hub=7))
        news = other.news()
        self.assertEqual(news["end"], 1)
        [batch] = news["batches"]
        self.assertEqual((place(batch), batch["body"], batch["hub"]), (first, "0102", 7))
        self.assertEqual(other.turn(first), {"batches": [], "end": 1})
        second = place(other.append(first, size=1 << 20, hub=8))
        [batch] = one.news(first)["batches"]
        self.assertEqual((place(batch), batch["body"]), (second, "00" * (1 << 20)))
        self.assertEqual(one.ask("identity"), other.ask("identity"))

    def test_a_schema_has_one_log(self):
        one = self.log()
        self.assertFails(one.ask("create"), "already")
        other = self.probe(self.server.address(schema="other"))
        self.assertFails(other.news(), "does not contain a shared log")
        self.assertNotEqual(other.ask("create"), one.ask("identity"))


    def test_one_hub_at_a_time_has_the_turn(self):
        one, other = self.log(), self.probe()
        self.assertNotIn("error", one.turn())
        self.assertFails(one.turn(), "this process has already locked")
        # A hub that waits long enough receives the turn: the server takes it from a silent hub.
        self.assertNotIn("error", other.turn())
        self.assertFails(one.append(ORIGIN), "lock on the shared log was not used for a second")
        self.assertFails(one.append(ORIGIN), "the lock on the shared log is lost")
        self.assertNotIn("error", other.append(ORIGIN))
        self.assertEqual(one.turn()["end"], 1)
        one.ask("giveback")
        self.assertNotIn("error", other.turn())

    def test_a_hub_stops_waiting_for_the_turn_after_two_seconds(self):
        self.log()
        other = self.probe()
        other.news()
        holder = self.psql("BEGIN; SELECT 1 FROM countersign.head FOR UPDATE; SELECT pg_sleep(600)")
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        wait(lambda: self.server.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"))
        self.assertFails(other.turn(), "another hub has locked the shared log for two seconds")
        self.assertEqual(other.news(), {"batches": [], "end": 0})

    def psql(self, text):
        return subprocess.Popen(
            [str(FOLDER / "psql"), "-X", "-h", str(self.server.folder), "-p", str(self.server.port), "-U", "root", "-d",
             "team", "-c", text], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def test_a_batch_must_continue_the_last_one(self):
        one = self.log()
        one.turn()
        self.assertFails(one.append((1, "11" * 32)), "does not continue")
        self.assertFails(one.append(ORIGIN), "lock on the shared log is lost")
        for more in ({"size": (1 << 20) + 1}, {"body": "00", "signature": "00"}):
            one.turn()
            request = {"sequence": 0, "hash": ORIGIN[1], "hub": 1, "version": 1, "signature": "5a" * 64, **more}
            self.assertFails(one.ask("append", **request), "does not continue")
        self.assertEqual(one.news(), {"batches": [], "end": 0})

    def test_long_logs_come_in_pieces(self):
        one, known = self.log(), ORIGIN
        for _ in range(6):
            one.turn(known)
            known = place(one.append(known, size=1 << 20))
        for _ in range(260):
            one.turn(known)
            known = place(one.append(known, body="07"))
        other, found, pieces = self.probe(), ORIGIN, []
        while found != known:
            news = other.news(found)
            self.assertEqual(news["end"], 266)
            pieces.append(len(news["batches"]))
            found = place(news["batches"][-1])
        self.assertEqual(pieces, [4, 256, 6])
        # A turn returns only a few batches; the others are read without the turn.
        self.assertEqual(len(other.turn(ORIGIN)["batches"]), 4)
        self.assertNotIn("error", one.turn(known))

    def test_a_hub_too_far_behind_gets_no_turn(self):
        one, other = self.log(), self.probe()
        one.turn()
        known = place(one.append(ORIGIN, size=100_000))
        # The answer does not reach the end, so that a hub does not take it for its turn.
        self.assertEqual(other.turn(), {"batches": [], "end": 1})
        one.turn(known)
        one.append(known, body="0a")
        answer = other.turn()
        self.assertEqual((len(answer["batches"]), answer["end"]), (1, 2))
        found = other.news()["batches"]
        self.assertEqual(other.turn(place(found[-1])), {"batches": [], "end": 2})
        self.assertEqual(other.append(place(found[-1]), body="0b")["sequence"], 3)

    def test_a_hub_with_a_wrong_clock_gets_no_turn(self):
        self.log()
        for seconds in (-60, 60):
            hub = self.probe(None, seconds)
            answer = hub.turn()
            self.assertFails(answer, "this machine's clock and the server's are")
            self.assertRegex(answer["error"], "are (59|60|61) s apart")
            self.assertEqual(hub.news(), {"batches": [], "end": 0})

    def test_changes_to_the_tables_are_noticed(self):
        for change, said in (
                ("DELETE FROM countersign.head", "has no head"),
                ("DELETE FROM countersign.meta", "version"),
                ("UPDATE countersign.meta SET version = 2", "does not know"),
                ("UPDATE countersign.head SET sequence = 9", "lacks batch 3"),
                ("UPDATE countersign.head SET hash = '\\x00'", "length"),
                ("DELETE FROM countersign.batches WHERE sequence = 1", "no longer contains batch 1"),
                ("DELETE FROM countersign.batches", "lacks batch 1"),
                ("UPDATE countersign.batches SET signature = '\\x00'", "length"),
                ("UPDATE countersign.batches SET sequence = -sequence; UPDATE countersign.batches SET sequence = 3 + sequence",
                 ""),
                ("ALTER TABLE countersign.head ALTER sequence TYPE integer", "type"),
                ("ALTER TABLE countersign.batches ALTER body DROP NOT NULL; UPDATE countersign.batches SET body = NULL",
                 ""),
                ("DROP TABLE countersign.batches", "does not contain a shared log"),
                ("DROP SCHEMA countersign CASCADE", "does not contain a shared log")):
            with self.subTest(change):
                self.setUp()
                one = self.log()
                one.turn()
                known = place(one.append(ORIGIN, body="01"))
                one.turn(known)
                one.append(known, body="02")
                self.server.sql(change, "team")
                reader = self.probe()
                news = reader.news()
                if news.get("end", 0) > 2:
                    news = reader.news(place(news["batches"][-1]))
                if not said:
                    # The reader has to notice it: the hashes do not match.
                    self.assertTrue("error" in news or news["batches"][0]["body"] != "01", news)
                else:
                    self.assertIn(said, news.get("error", "no error"), news)

    def test_an_old_state_of_the_database_is_noticed(self):
        one = self.log()
        one.turn()
        first = place(one.append(ORIGIN, body="01"))
        dump = self.server.call("pg_dump", "-h", str(self.server.folder), "-p", str(self.server.port), "-U", "root",
                                "team").stdout
        one.turn(first)
        second = place(one.append(first, body="02"))
        (self.server.folder / "dump").write_text(dump)
        self.server.sql("DROP DATABASE team WITH (FORCE)")
        self.server.sql("CREATE DATABASE team OWNER hub")
        self.server.call("psql", "-q", "-h", str(self.server.folder), "-p", str(self.server.port), "-U", "root", "-d",
                         "team", "-f", str(self.server.folder / "dump"))
        self.assertEqual(one.news(second), {"batches": [], "end": 1})
        other = self.probe()
        other.turn(first)
        other.append(first, body="03")
        self.assertFails(one.turn(second), "set back to an older state", "corrupt")


if __name__ == "__main__":
    unittest.main()
