# SPDX-License-Identifier: Apache-2.0
"""A team's log with a replica: a batch reported as durable outlives the primary, and a hub reports missing ones."""
import os
import signal
import unittest

from postgres_server import ORIGIN, Probe, Server, wait
from shared_log_faults_peer import Load, whole
from shared_log_peer import place

LOCAL = "host all all 127.0.0.1/32 trust"


class Replicas(unittest.TestCase):
    def setUp(self):
        self.one = Server("one")
        self.addCleanup(self.one.end)
        self.one.access(LOCAL)
        self.one.start()
        self.one.sql("CREATE ROLE hub LOGIN")
        self.one.sql("CREATE DATABASE team OWNER hub")
        self.two = Server("two", copy_of=self.one)
        self.addCleanup(self.two.end)
        self.two.start()
        wait(lambda: self.one.sql("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"), what="the replica")

    def synchronous(self):
        self.one.set(synchronous_standby_names="'two'")
        self.one.reload()
        wait(lambda: self.one.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"), what="the replica")

    def receiver(self):
        """Returns the replica's process that receives data from the primary."""
        return int(wait(lambda: self.two.sql("SELECT pid FROM pg_stat_wal_receiver", check=False)))

    def probe(self, replicas=1):
        ports = ",".join(f"127.0.0.1:{server.port}" for server in (self.one, self.two))
        more = f"replicas={replicas}" if replicas else "replication=asynchronous"
        found = Probe(f"postgresql://hub@{ports}/team?sslmode=disable&{more}")
        self.addCleanup(found.end)
        return found

    def test_a_server_without_required_replicas_is_refused(self):
        self.assertIn("synchronous_standby_names", self.probe().ask("create")["error"])
        self.assertNotIn("error", self.probe(0).ask("create"))
        hub = self.probe()
        self.assertIn("synchronous_standby_names", hub.turn()["error"])
        self.assertEqual(hub.news(), {"batches": [], "end": 0})
        self.synchronous()
        self.assertEqual(hub.turn(), {"batches": [], "end": 0})
        self.assertEqual(hub.append(ORIGIN)["sequence"], 1)
        self.assertIn("as many replicas", self.probe(2).turn()["error"])
        self.one.set(full_page_writes="off")
        self.one.reload()
        wait(lambda: "full_page_writes" in hub.turn().get("error", "") or hub.ask("giveback"), what="a refusal")

    def test_durable_batches_outlive_the_primary(self):
        self.synchronous()
        first = self.probe()
        first.ask("create")
        load = Load([self.probe() for _ in range(4)])
        self.addCleanup(load.end)
        load.wait(40)
        self.one.kill()
        self.two.promote()
        # The new primary has no replica yet, and the address requires one.
        self.two.set(synchronous_standby_names="''")
        self.two.reload()
        wait(lambda: "synchronous_standby_names" in first.turn().get("error", ""), what="the new primary")
        load.end()
        bodies = [batch["body"] for batch in whole(self.probe())]
        self.assertEqual(len(set(bodies)), len(bodies))
        self.assertEqual(set(load.durable) - set(bodies), set())
        self.assertLessEqual(set(bodies), set(load.durable) | set(load.unknown))
        writer = self.probe(0)
        known = place(whole(writer)[-1])
        writer.turn(known)
        self.assertEqual(writer.append(known)["sequence"], known[0] + 1)

    def test_a_promoted_replica_that_lacks_batches_is_noticed(self):
        """Without synchronous replication, a hub that saw more learns that the log is shorter, or that it differs."""
        first, other = self.probe(0), self.probe(0)
        first.ask("create")
        first.turn()
        known = place(first.append(ORIGIN, body="0a"))
        wait(lambda: self.two.sql("SELECT count(*) FROM countersign.batches", "team", check=False) == "1")
        # The connection of the replica ends.
        self.two.set(primary_conninfo="''")
        self.two.reload()
        wait(lambda: not self.one.sql("SELECT 1 FROM pg_stat_replication"))
        first.turn(known)
        lost = place(first.append(known, body="0b"))
        self.one.kill()
        self.two.promote()
        self.assertEqual(first.news(lost), {"batches": [], "end": 1})
        self.assertEqual(first.turn(lost), {"batches": [], "end": 1})
        first.ask("giveback")
        other.turn(known)
        other.append(known, body="0c")
        answer = first.news(lost)
        self.assertIn("is not the batch that this hub knows", answer["error"])
        self.assertEqual(answer["kind"], "corrupt")

    def test_a_cancelled_wait_for_the_replica_is_not_durable(self):
        self.synchronous()
        hub = self.probe()
        hub.ask("create")
        known, count = ORIGIN, 0
        for end, said in (("pg_cancel_backend", "the database gave a warning"), ("pg_terminate_backend", "")):
            with self.subTest(end):
                receiver = self.receiver()
                self.assertNotIn("error", hub.turn(known))
                os.kill(receiver, signal.SIGSTOP)
                hub.send("append", sequence=known[0], hash=known[1], hub=1, version=1, body="0a", signature="5a" * 64)
                wait(lambda: self.one.sql(
                    f"SELECT {end}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = 'hub'") == "t")
                answer = hub.take()
                os.kill(receiver, signal.SIGCONT)
                self.assertEqual(answer.get("kind"), "unavailable", answer)
                self.assertIn(said, answer["error"])
                count += 1
                news = hub.turn(known)
                self.assertEqual(news["end"], count)
                known = place(news["batches"][-1])
                hub.ask("giveback")

    def test_a_wait_for_the_replica_times_out(self):
        self.synchronous()
        hub = self.probe()
        hub.ask("create")
        receiver = self.receiver()
        hub.turn()
        os.kill(receiver, signal.SIGSTOP)
        self.assertIn("in time", hub.append(ORIGIN, body="0a")["error"])
        # The next hub sees the batch with its turn, but no hub relies on it or reports it.
        other = self.probe()
        [batch] = other.turn()["batches"]
        self.assertIn("in time", other.append(place(batch), body="0b")["error"])
        self.assertIn("in time", other.news()["error"])
        os.kill(receiver, signal.SIGCONT)
        bodies = [batch["body"] for batch in wait(lambda: hub.news().get("batches"))]
        self.assertEqual(bodies, ["0a", "0b"])

    def test_a_batch_is_unknown_if_the_primary_dies_during_the_wait(self):
        self.synchronous()
        hub = self.probe()
        hub.ask("create")
        receiver = self.receiver()
        hub.turn()
        os.kill(receiver, signal.SIGSTOP)
        hub.send("append", sequence=0, hash=ORIGIN[1], hub=1, version=1, body="0a", signature="5a" * 64)
        wait(lambda: self.one.sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND usename = 'hub'"))
        self.one.kill()
        self.assertEqual(hub.take().get("kind"), "unavailable")
        os.kill(receiver, signal.SIGCONT)
        self.one.start()
        self.assertIn(wait(lambda: hub.news().get("end", -1) + 1), (1, 2))


if __name__ == "__main__":
    unittest.main()
