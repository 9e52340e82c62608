# SPDX-License-Identifier: Apache-2.0
"""A hub with a database that lies, cuts connections, or sends without end."""
import struct
import time
import unittest

import fake_postgres
from fake_postgres import (
    BATCH, BYTES, HEAD, LONG, SETTING, SETTINGS, SHORT, TEXT, FakePostgres, batch, columns, error, long, message, notice, row,
    rows, short, status, tag)
from postgres_server import ORIGIN, Probe


def now(seconds=0):
    return long(int((time.time() + seconds) * 1000))


def endless(one):
    """So many rows that a program that keeps them runs out of memory."""
    def send(client):
        client.sendall(columns(BATCH))
        while True:
            client.sendall(one)
    return send


def endlessly(client, one):
    while True:
        client.sendall(one)


def silence(client):
    client.recv(1 << 20)
    while client.recv(1 << 20):
        pass
    raise OSError


def hang_up(client):
    raise OSError


class Lies(unittest.TestCase):
    def ask(self, *words, **answers):
        fake = FakePostgres(**answers)
        self.addCleanup(fake.end)
        probe = Probe(fake.address)
        self.addCleanup(probe.end)
        self.probe = probe
        return getattr(probe, words[0])(*words[1:])

    def assertCorrupt(self, answer, text="not a shared log"):
        self.assertIn(text, answer.get("error", str(answer)[:200]))
        self.assertEqual(answer["kind"], "corrupt")

    def test_valid_answers_are_accepted(self):
        self.assertEqual(self.ask("news"), {"batches": [], "end": 0})
        self.assertEqual(self.probe.turn(), {"batches": [], "end": 0})
        self.assertEqual(self.probe.append(ORIGIN)["sequence"], 1)

    def test_invalid_heads_are_corrupt(self):
        good = [bytes(16), long(0), bytes(32)]
        for name, answer in {
            "a null": rows(HEAD, [None, *good[1:]]),
            "a null sequence": rows(HEAD, [good[0], None, good[2]]),
            "no row": rows(HEAD),
            "two rows": rows(HEAD, good, good),
            "a short identity": rows(HEAD, [bytes(15), *good[1:]]),
            "a long hash": rows(HEAD, [*good[:2], bytes(33)]),
            "a negative sequence": rows(HEAD, [good[0], long(-1), good[2]]),
            "a short number": rows(HEAD, [good[0], bytes(4), good[2]]),
            "an empty number": rows(HEAD, [good[0], b"", good[2]]),
            "another type": rows([BYTES, SHORT, BYTES], [good[0], short(0), good[2]]),
            "text in the place of bytes": rows([TEXT, LONG, BYTES], good),
            "text form": rows(HEAD, [b"\\x00", b"0", b"\\x00"], formats=0),
            "a column too few": rows(HEAD[:2], good[:2]),
            "a column too many": rows([*HEAD, LONG], [*good, long(0)]),
            "another tag": columns(HEAD) + row(good) + tag("UPDATE 1"),
            "another count": columns(HEAD) + row(good) + tag("SELECT 2"),
            "a tag alone": tag("SELECT 0"),
            "an empty query": message(b"I"),
            "a copy": message(b"G", b"\1" + struct.pack("!h", 0)),
        }.items():
            with self.subTest(name):
                answer = self.ask("news", head=answer)
                self.assertIn("error", answer, answer)
                self.assertEqual(answer["kind"], "corrupt", answer)

    def test_invalid_batches_are_refused(self):
        head = rows(HEAD, [bytes(16), long(2), bytes(32)])
        for name, answer in {
            "a gap": rows(BATCH, batch(2)),
            "twice the same": rows(BATCH, batch(1), batch(1)),
            "backwards": rows(BATCH, batch(2), batch(1)),
            "behind the end": rows(BATCH, batch(1), batch(2), batch(3)),
            "none": rows(BATCH),
            "a null": rows(BATCH, batch(1, body=None)),
            "a short signature": rows(BATCH, batch(1, signature=bytes(63))),
            "a short hash": rows(BATCH, batch(1, previous=bytes(31))),
            "a long body": rows(BATCH, batch(1, body=bytes((1 << 20) + 1))),
            "too many": rows(BATCH, *[batch(number) for number in range(1, 258)]),
            "an endless answer": endless(row(batch(1))),
            "an endless answer of large rows": endless(row(batch(1, body=bytes(1 << 20)))),
            "one endless row": endless_row,
            "endless warnings": lambda client: endlessly(client, notice("careful")),
            "endless settings": lambda client: endlessly(client, status("TimeZone", "x" * 1000)),
        }.items():
            with self.subTest(name):
                answer = self.ask("news", head=head, batches=answer)
                self.assertIn("error", answer, str(answer)[:200])
                # For all that this hub knows, a log that begins later was cut.
                is_cut = name in ("a gap", "backwards")
                self.assertEqual(answer["kind"], "unavailable" if is_cut else "corrupt", answer)

    def test_invalid_settings_are_corrupt(self):
        for name, answer in {
            "another value": rows(SETTING, [now(), b"off", *SETTINGS[1:]]),
            "another encoding": rows(SETTING, [now(), b"\xff", *SETTINGS[1:]]),
            "no time": rows(SETTING, [None, *SETTINGS]),
            "a time that is none": rows(SETTING, [long(-(1 << 63)), *SETTINGS]),
            "the encoding changes": rows(SETTING, [now(), *SETTINGS]) + status("client_encoding", "LATIN1"),
        }.items():
            with self.subTest(name):
                self.assertCorrupt(self.ask("turn", setting=answer))
        answer = self.ask("news", encoding="SQL_ASCII")
        self.assertCorrupt(answer, "encoding")

    def test_a_wrong_clock_gets_no_turn(self):
        for seconds in (-60, 60):
            answer = self.ask("turn", setting=rows(SETTING, [now(seconds), *SETTINGS]))
            self.assertIn("s apart", answer["error"])
            self.assertEqual(answer["kind"], "unavailable")

    def test_an_append_without_a_clean_commit_fails(self):
        for name, answers in {
            "nothing was inserted": {"appending": tag("INSERT 0 0")},
            "two were": {"appending": tag("INSERT 0 2")},
            "it was undone": {"commit": tag("ROLLBACK")},
            "with a warning": {"commit": notice("it is not replicated") + tag("COMMIT")},
            "with a warning before": {"appending": notice("careful") + tag("INSERT 0 1")},
            "with a refusal": {"commit": error("40001", "try again")},
            "with the end": {"commit": hang_up},
        }.items():
            with self.subTest(name):
                begun = []
                begin = lambda *_: begun.append(1) or tag("BEGIN")  # noqa: E731
                commit = answers.pop("commit", tag("COMMIT"))
                # The version is queried in a separate transaction.
                answers["commit"] = lambda *words: (
                    tag("COMMIT") if len(begun) < 2 else commit(*words) if callable(commit) else commit)
                self.assertEqual(self.ask("turn", begin=begin, **answers), {"batches": [], "end": 0})
                answer = self.probe.append(ORIGIN)
                self.assertIn("error", answer, answer)
                self.assertIn("lock on the shared log is lost", self.probe.append(ORIGIN)["error"])

    def test_a_flush_in_another_session_is_refused(self):
        """Like a pooler that gives each transaction another connection."""
        for name, session in {"another": b"8 2026-01-01 00:00:00+00", "another server": b"7 2026-01-02 00:00:00+00"}.items():
            with self.subTest(name):
                flush = rows([TEXT] * 4, [b"on", b"warning", b"0/0", session])
                self.assertEqual(self.ask("turn", flush=flush), {"batches": [], "end": 0})
                answer = self.probe.append(ORIGIN)
                self.assertIn("directly to the server", answer["error"])
                self.assertEqual(answer["kind"], "unavailable")
                head = rows(HEAD, [bytes(16), long(1), bytes(32)])
                answer = self.ask("news", flush=flush, head=head, batches=rows(BATCH, batch(1)))
                self.assertIn("directly to the server", answer["error"])

    def test_server_errors_are_shown_without_their_details(self):
        answer = self.ask("news", head=error("XX000", "a\x1b[31m\ntext" + "x" * 5000, "the secret detail"))
        self.assertIn("XX000", answer["error"])
        self.assertNotIn("secret", answer["error"])
        self.assertLess(len(answer["error"]), 500)
        self.assertTrue(answer["error"].isprintable())

    def test_other_versions_of_the_log_are_refused(self):
        for version, word in ((0, "too old for this program"), (2, "newer countersign")):
            self.assertCorrupt(self.ask("news", form=rows([SHORT], [short(version)])), word)
        self.assertCorrupt(self.ask("news", form=rows([SHORT])), "version")

    def test_another_log_at_the_same_address_is_refused(self):
        logs = [bytes(16), bytes([1] * 16)]
        answers = iter(logs)
        head = lambda *_: rows(HEAD, [next(answers), long(0), bytes(32)])  # noqa: E731
        self.assertEqual(self.ask("news", head=head)["end"], 0)
        self.assertCorrupt(self.probe.news(), "another shared log")

    def test_an_older_state_is_reported(self):
        """A hub that knows more learns the size of the log, instead of "no news"."""
        head = rows(HEAD, [bytes(16), long(3), bytes(32)])
        known = (5, "11" * 32)
        self.assertEqual(self.ask("news", known, head=head), {"batches": [], "end": 3})
        self.assertEqual(self.probe.turn(known), {"batches": [], "end": 3})
        answer = self.ask("news", (3, "11" * 32), head=head)
        self.assertCorrupt(answer, "is not the batch that this hub knows")
        self.assertCorrupt(self.ask("turn", (3, "11" * 32), head=head), "is not the batch that this hub knows")

    def test_a_silent_server_times_out(self):
        for what in ("greeting", "form", "head", "commit"):
            with self.subTest(what):
                answer = self.ask("news", **{what: silence})
                self.assertIn("in time", answer["error"])
                self.assertEqual(answer["kind"], "unavailable")

    def test_a_server_that_hangs_up_is_unavailable(self):
        for what in ("greeting", "form", "head", "commit"):
            with self.subTest(what):
                answer = self.ask("news", **{what: hang_up})
                self.assertEqual(answer["kind"], "unavailable", answer)

    def test_answers_outside_the_protocol_are_errors(self):
        for name, noise in {
            "zeros": bytes(1000), "text": b"HTTP/1.1 400 Bad Request\r\n\r\n", "a huge length": b"D\x7f\xff\xff\xff",
            "a negative length": b"D\xff\xff\xff\xff", "an unknown kind": message(b"@", b"x"),
            "bytes that end too early": message(b"D", struct.pack("!hi", 7, 100)),
            "an error without an end": message(b"E", b"SERROR"),
        }.items():
            with self.subTest(name):
                answer = self.ask("news", head=noise)
                self.assertIn("error", answer, answer)
        # The connection and the process still work afterwards.
        self.assertIn("error", self.probe.news())


def endless_row(client):
    """Sends one value that never ends; its length says a gigabyte."""
    client.sendall(columns(BATCH) + b"D" + struct.pack("!I", 1 << 30) + struct.pack("!hi", 7, 8) + long(1))
    client.sendall(struct.pack("!i", (1 << 30) - 100))
    while True:
        client.sendall(bytes(1 << 20))


if __name__ == "__main__":
    unittest.main()
