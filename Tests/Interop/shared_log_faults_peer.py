# SPDX-License-Identifier: Apache-2.0
"""Network and server failures while a team's log is written: no batch is lost, late or duplicated."""
import os
import signal
import threading
import unittest

import shared_log_peer
from postgres_proxy import CUT, HOLD, PART, Proxy, once
from postgres_server import ORIGIN, wait
from shared_log_peer import place


class Network(shared_log_peer.Case):
    """One hub reaches the database through a proxy, another one directly."""

    def setUp(self):
        super().setUp()
        self.server.access("host all all 127.0.0.1/32 trust")
        self.server.reload()
        self.proxy = Proxy(self.server.port)
        self.addCleanup(self.proxy.end)
        self.other = self.log()
        self.hub = self.probe(f"postgresql://hub@127.0.0.1:{self.proxy.port}/team?sslmode=disable")
        self.assertEqual(self.hub.turn(), {"batches": [], "end": 0})

    def assertUnknown(self, answer):
        self.assertEqual(answer.get("kind"), "unavailable", answer)

    def bodies(self, hub=None):
        return [batch["body"] for batch in self.news_of(hub or self.other)]

    def news_of(self, hub):
        news = hub.news()
        self.assertEqual(news["end"], len(news["batches"]))
        return news["batches"]

    def take_over(self, body="0b"):
        """The other hub takes a turn and appends a batch."""
        news = self.other.turn()
        self.assertNotIn("error", news)
        known = place(news["batches"][-1]) if news["batches"] else ORIGIN
        self.assertNotIn("error", self.other.append(known, body=body))

    def test_a_lost_answer_leaves_the_batch_in_the_log(self):
        self.proxy.down = once(b"C", b"COMMIT", CUT)
        self.assertUnknown(self.hub.append(ORIGIN, body="0a"))
        # The next turn shows the batch.
        [batch] = self.hub.turn()["batches"]
        self.assertEqual(batch["body"], "0a")
        self.assertEqual(self.hub.append(place(batch), body="0c")["sequence"], 2)
        self.assertEqual(self.bodies(), ["0a", "0c"])

    def test_a_lost_append_leaves_no_batch(self):
        self.proxy.up = once(b"B", b"\0append\0", CUT)
        self.assertUnknown(self.hub.append(ORIGIN, body="0a"))
        self.assertEqual(self.hub.turn(), {"batches": [], "end": 0})
        self.hub.append(ORIGIN, body="0c")
        self.assertEqual(self.bodies(), ["0c"])

    def test_a_lost_commit_leaves_no_batch(self):
        self.proxy.up = once(b"B", b"\0commit\0", CUT)
        self.assertUnknown(self.hub.append(ORIGIN, body="0a"))
        self.assertEqual(self.hub.turn(), {"batches": [], "end": 0})

    def test_a_late_append_leaves_no_batch(self):
        self.proxy.up = once(b"B", b"\0append\0", HOLD)
        self.assertUnknown(self.hub.append(ORIGIN, body="0a"))
        self.assertTrue(self.proxy.held.is_set())
        self.take_over()
        self.proxy.resume()
        self.proxy.settle()
        self.assertEqual(self.bodies(), ["0b"])
        self.assertFalse(self.server.sql("SELECT 1 FROM pg_stat_activity WHERE state LIKE 'idle in%'"))
        [batch] = self.hub.turn()["batches"]
        self.assertEqual(self.hub.append(place(batch), body="0a")["sequence"], 2)
        self.assertEqual(self.bodies(), ["0b", "0a"])

    def test_half_of_a_large_batch_leaves_no_batch(self):
        """The server waits for the rest of one message as long as for the next one."""
        self.proxy.up = once(b"B", b"\0append\0", PART)
        self.assertUnknown(self.hub.append(ORIGIN, size=1 << 20))
        self.take_over()
        self.proxy.resume()
        self.proxy.settle()
        self.assertEqual(self.bodies(), ["0b"])

    def test_a_late_commit_leaves_no_batch(self):
        self.proxy.up = once(b"B", b"\0commit\0", HOLD)
        self.assertUnknown(self.hub.append(ORIGIN, body="0a"))
        self.take_over()
        self.proxy.resume()
        self.proxy.settle()
        self.assertEqual(self.bodies(), ["0b"])

    def test_a_missing_answer_leaves_the_batch_in_the_log(self):
        self.proxy.down = once(b"C", b"COMMIT", HOLD)
        self.assertUnknown(self.hub.append(ORIGIN, body="0a"))
        self.take_over()
        self.assertEqual(self.bodies(), ["0a", "0b"])
        self.proxy.resume()
        self.assertEqual(self.bodies(self.hub), ["0a", "0b"])

    def test_a_late_request_for_the_turn_does_not_keep_it(self):
        self.hub.ask("giveback")
        self.proxy.up = once(b"B", b"\0turn\0", HOLD)
        self.assertUnknown(self.hub.turn())
        self.take_over()
        self.proxy.resume()
        self.take_over("0d")
        self.assertEqual(self.bodies(), ["0b", "0d"])

    def test_a_truncated_answer_is_requested_again(self):
        self.assertNotIn("error", self.hub.append(ORIGIN, size=200_000))
        for count in (0, 1, 4, 5, 100, 50_000):
            with self.subTest(count):
                self.proxy.down = once(b"D", bytes(1000), count)
                # The hub asks again, on another connection.
                self.assertEqual(len(self.news_of(self.hub)), 1)
                self.proxy.down = always(b"D", bytes(1000), count)
                self.assertUnknown(self.hub.news())
                self.proxy.resume()
                self.assertEqual(len(self.news_of(self.hub)), 1)

    def test_truncated_answers_to_a_batch_leave_it_in_the_log(self):
        known = ORIGIN
        for count in (0, 1, 4, 5, 8):
            self.proxy.down = once(b"C", b"COMMIT", count)
            self.assertUnknown(self.hub.append(known, body="0a"))
            batch = self.hub.turn(known)["batches"][-1]
            known = place(batch)
        self.assertEqual(self.bodies(), ["0a"] * 5)

    def test_a_slow_network_only_takes_longer(self):
        self.hub.ask("giveback")
        self.proxy.delay = 0.05
        known = ORIGIN
        for _ in range(3):
            self.assertNotIn("error", self.hub.turn(known))
            known = place(self.hub.append(known))
        self.assertEqual(len(self.bodies()), 3)

    def test_a_hub_that_does_not_read_does_not_hold_the_turn(self):
        known = place(self.hub.append(ORIGIN, size=60_000))
        for _ in range(7):
            self.other.turn(known)
            known = place(self.other.append(known, size=1 << 20))
        # The batches after the first place have 7 MB; the hub does not read the answer.
        self.proxy.down = lambda kind, body: HOLD
        self.hub.send("turn", sequence=0, hash=ORIGIN[1])
        self.assertTrue(self.proxy.held.wait(60))
        self.assertNotIn("error", self.other.turn(known))
        self.assertNotIn("error", self.other.append(known, body="0b"))
        self.assertUnknown(self.hub.take())

    def test_a_hub_that_stops_loses_the_turn(self):
        os.kill(self.hub.process.pid, signal.SIGSTOP)
        self.take_over()
        os.kill(self.hub.process.pid, signal.SIGCONT)
        self.assertUnknown(self.hub.append(ORIGIN, body="0a"))
        self.assertEqual(self.bodies(), ["0b"])
        self.assertEqual(self.hub.turn()["end"], 1)

    def test_a_hub_that_dies_loses_the_turn(self):
        self.hub.process.kill()
        self.take_over()
        self.assertEqual(self.bodies(), ["0b"])


def always(kind, text, action):
    return lambda found, body: once(kind, text, action)(found, body)


class Load:
    """Hubs that write until they are stopped; each keeps the batches that were reported as durable."""

    def __init__(self, probes):
        self.goes = True
        self.durable, self.unknown = [], []
        self.threads = [threading.Thread(target=self.write, args=item) for item in enumerate(probes, 1)]
        for thread in self.threads:
            thread.start()

    def write(self, hub, probe):
        known, count = ORIGIN, 0
        while self.goes:
            news = probe.turn(known)
            if "error" in news or (news["batches"] and news["batches"][-1]["sequence"] < news["end"]):
                probe.ask("giveback")
            for batch in news.get("batches", []):
                known = place(batch)
            if "error" in news or known[0] != news["end"]:
                continue
            count += 1
            body = f"{hub:04x}{count:08x}"
            answer = probe.append(known, body=body, hub=hub)
            if "error" in answer:
                self.unknown.append(body)
            else:
                known = place(answer)
                self.durable.append(body)

    def wait(self, count):
        """Waits until this many more batches are durable."""
        until = len(self.durable) + count
        wait(lambda: len(self.durable) >= until, 120, "batches")

    def end(self):
        self.goes = False
        for thread in self.threads:
            thread.join(120)


def whole(probe):
    """Returns all batches of the log, and checks that each continues the one before."""
    known, found = ORIGIN, []
    while True:
        news = probe.news(known)
        if "error" in news:
            raise AssertionError(news)
        for batch in news["batches"]:
            if batch["previous"] != known[1] or batch["sequence"] != known[0] + 1:
                raise AssertionError(f"{batch} does not stand behind {known}")
            known = place(batch)
        found += news["batches"]
        if known[0] == news["end"]:
            return found


class Kills(shared_log_peer.Case):
    def setUp(self):
        super().setUp()
        self.first = self.log()
        self.load = Load([self.probe() for _ in range(4)])
        self.addCleanup(self.load.end)

    def check(self):
        """Each batch that was reported as durable is there once; each with an unknown result is there at most once."""
        self.load.wait(20)
        self.load.end()
        bodies = [batch["body"] for batch in whole(self.first)]
        self.assertEqual(len(set(bodies)), len(bodies))
        self.assertEqual(set(self.load.durable) - set(bodies), set())
        self.assertLessEqual(set(bodies), set(self.load.durable) | set(self.load.unknown))

    def test_hubs_take_turns(self):
        self.load.wait(100)
        self.check()
        self.assertEqual(self.load.unknown, [])
        self.assertEqual({body[:4] for body in self.load.durable}, {"0001", "0002", "0003", "0004"})

    def test_the_server_crashes(self):
        """One process of the server crashes, and it restarts all others."""
        for _ in range(3):
            self.load.wait(20)
            found = wait(lambda: self.server.sql(
                "SELECT pid FROM pg_stat_activity WHERE usename = 'hub' LIMIT 1", check=False))
            os.kill(int(found), signal.SIGKILL)
        self.check()

    def test_the_server_is_killed_and_started_again(self):
        for _ in range(2):
            self.load.wait(20)
            self.server.kill()
            self.server.start()
        self.check()

    def test_connections_are_ended(self):
        for _ in range(5):
            self.load.wait(10)
            self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hub'")
        self.check()

    def test_the_server_stops_for_a_while(self):
        self.load.wait(20)
        self.server.signal(signal.SIGSTOP)
        wait(lambda: self.load.unknown, what="hubs that do not wait for ever")
        self.server.signal(signal.SIGCONT)
        self.check()


if __name__ == "__main__":
    unittest.main()
