# SPDX-License-Identifier: Apache-2.0
"""Hubs that share a record on PostgreSQL: the real command, two and three homes, a real server."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import time
import unittest
import urllib.parse

from hub import BINARY, PASSPHRASE, Hub, pipe
from postgres_server import Authority, Server, wait

LIMIT = 12
POLICY = f"""
version = 1
default = "deny"

[[rule]]
id = "notes"
effect = "allow"
protocol = "nostr"
operation = "sign_event"
acknowledge = ["new_client"]
limit = [{{ count = {LIMIT}, per = "24h" }}]
"""


def request(text):
    event = json.dumps({"kind": 1, "content": text, "tags": [], "created_at": 1_700_000_000})
    return "nostrsigner://sign_event?type=sign_event&x-success=app://ok&event=" + urllib.parse.quote(event)


class Joined(Hub):
    """A home restored from another hub's backup."""

    def __init__(self, backup, name, status=0):
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-")
        self.home = os.path.join(self.folder.name, "home")
        self.command("hub", "join", backup, "--hub", name, status=status)


def output(hub, *words, status=(1,), stdin=""):
    """Returns the output of a command that fails."""
    reader = pipe(PASSPHRASE)
    try:
        done = subprocess.run(
            [BINARY, "--home", hub.home, "--passphrase-fd", str(reader), *words], capture_output=True,
            input=stdin, pass_fds=[reader], timeout=120, text=True)
    finally:
        os.close(reader)
    if done.returncode not in status:
        raise AssertionError(f"{words}: {done.returncode}: {done.stdout} {done.stderr}")
    return done.stderr


def refused(hub, text):
    """Checks that a request is not answered; returns the reason."""
    said = output(hub, "handle", "-", status=(1, 3), stdin=request(text))
    assert "result=" not in said, said
    return said


class Teams(unittest.TestCase):
    """A server with TLS and a password, and the homes of one test."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server("teams")
        cls.authority = Authority(cls.server.folder)
        cls.server.certify(cls.authority.issue("localhost"))
        cls.server.access("hostssl all hub 127.0.0.1/32 scram-sha-256")
        cls.server.start()
        cls.server.sql("CREATE ROLE hub LOGIN PASSWORD 'no guess'")
        cls.count = 0

    @classmethod
    def tearDownClass(cls):
        cls.server.end()

    def setUp(self):
        type(self).count += 1
        self.database = f"team{self.count}"
        self.server.sql(f"CREATE DATABASE {self.database} OWNER hub")
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.passwords = pathlib.Path(self.folder.name, "pgpass")
        self.passwords.write_text("*:*:*:hub:no guess\n")
        self.passwords.chmod(0o600)
        self.address = (
            f"postgresql://hub@localhost:{self.server.port}/{self.database}"
            f"?sslrootcert={self.authority.file}&passfile={self.passwords}")

    def pair(self):
        """Returns two hubs with one key."""
        one = Hub("new_client")
        one.command("key", "new", "--protocol", "nostr", "--name", "alice")
        pathlib.Path(one.home, "policy.toml").write_text(POLICY)
        one.command("policy", "attest")
        one.command("ledger", "move", self.address, "--hub", "one")
        return one, self.joining(one, "two")

    def joining(self, one, name):
        backup = os.path.join(self.folder.name, name + ".backup")
        one.command("backup", "create", backup)
        hub = Joined(backup, name)
        for each in (one, hub):
            self.addCleanup(each.folder.cleanup)
        return hub

    def rows(self):
        return int(self.server.sql("SELECT count(*) FROM countersign.batches", self.database))


class TwoHubs(Teams):
    def test_hubs_share_one_limit(self):
        one, two = self.pair()
        signed = denied = 0

        def ask(number):
            hub = (one, two)[number % 2]
            reader = pipe(PASSPHRASE)
            try:
                return subprocess.run(
                    [BINARY, "--home", hub.home, "--passphrase-fd", str(reader), "handle", "-"],
                    input=request(f"note {number}"), capture_output=True, text=True,
                    pass_fds=[reader], timeout=120)
            finally:
                os.close(reader)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for done in pool.map(ask, range(2 * LIMIT)):
                signed += done.returncode == 0
                denied += "limit_exceeded" in done.stderr
        self.assertEqual((signed, denied), (LIMIT, LIMIT))
        # The record is the same on both hubs, and each entry names its hub.
        for hub in (one, two):
            hub.command("ledger", "status")
            hub.command("audit", "verify")
        lists = [hub.command("--json", "audit", "list", "--last", "200") for hub in (one, two)]
        one, two = (json.loads(text) for text in lists)
        self.assertEqual(one, two)
        self.assertEqual({entry.get("hub") for entry in one}, {None, "one", "two"})

    def test_a_freeze_of_one_hub_freezes_all(self):
        one, two = self.pair()
        two.command("freeze", "lost a laptop")
        self.assertIn("frozen", refused(one, "now?"))
        one.command("thaw")
        two.handle(request("again"))

    def test_a_policy_put_in_force_on_one_hub_holds_for_all(self):
        one, two = self.pair()
        pathlib.Path(two.home, "policy.toml").write_text(POLICY.replace(str(LIMIT), "1"))
        two.command("policy", "attest")
        # This hub knows the old policy only: it signs nothing and cannot replace the new one.
        self.assertIn("policy sync", refused(one, "by the old one"))
        self.assertIn("policy sync", output(one, "policy", "attest"))
        one.command("policy", "sync")
        self.assertIn('count = 1,', pathlib.Path(one.home, "policy.toml").read_text())
        one.handle(request("by the new one"))
        self.assertIn("limit_exceeded", refused(two, "one too many"))

    def test_a_retired_hub_writes_nothing(self):
        one, two = self.pair()
        one.command("hub", "retire", "two", "--confirm", "two")
        refused(two, "still here?")
        self.assertIn("retired", output(two, "ledger", "status"))
        one.handle(request("one is"))
        hubs = json.loads(one.command("--json", "hub", "list"))
        self.assertEqual([(hub["name"], hub["retired"] is None) for hub in hubs], [("one", True), ("two", False)])

    def test_an_older_backup_catches_up_with_the_log(self):
        one, two = self.pair()
        backup = os.path.join(self.folder.name, "old.backup")
        one.command("backup", "create", backup)
        for number in range(LIMIT):
            two.handle(request(f"since {number}"))
        three = Joined(backup, "three")
        self.assertIn("limit_exceeded", refused(three, "what is left?"))

    def test_a_damaged_copy_can_be_rebuilt(self):
        one, two = self.pair()
        two.handle(request("before"))
        one.command("ledger", "status")
        with sqlite3.connect(os.path.join(one.home, "ledger.db")) as base:
            base.execute("UPDATE audit SET body = replace(body, 'sign_event', 'sign_other') WHERE kind = 'intent'")
        base.close()
        output(one, "audit", "verify")
        one.command("ledger", "rebuild")
        one.command("audit", "verify")
        one.handle(request("after"))
        output(one, "ledger", "address", self.address.replace(self.database, "postgres"))
        one.command("ledger", "address", self.address.replace("localhost:", "localhost:") + "&replicas=0")
        one.handle(request("by another address"))

    def test_other_hubs_refuse_after_the_record_was_moved_back(self):
        one, two = self.pair()
        one.command("ledger", "move", "local")
        one.handle(request("alone"))
        refused(two, "with whom?")
        one.command("audit", "verify")
        self.assertIn(b'"shared":false', one.command("--json", "ledger", "status"))

    def test_the_database_reveals_no_content_of_requests(self):
        one, _ = self.pair()
        one.handle(request("the word is mellon"))
        dump = self.server.call(
            "pg_dump", "-h", str(self.server.folder), "-p", str(self.server.port), "-U", "root",
            self.database).stdout
        for word in ("mellon", "alice", "sign_event", "notes", "app://"):
            self.assertNotIn(word, dump)
            self.assertNotIn(word.encode().hex(), dump)


class Broken(Teams):
    def test_hubs_sign_nothing_without_the_server_and_resume_later(self):
        one, two = self.pair()
        self.server.stop()
        self.addCleanup(lambda: (self.server.data / "postmaster.pid").exists() or self.server.start())
        self.assertIn("ledger_unavailable", refused(one, "nobody home"))
        self.assertIn("cannot be reached", output(one, "ledger", "status"))
        self.assertIn("WRONG", one.command("doctor", status=1).decode())
        self.server.start()
        two.handle(request("back"))
        one.handle(request("both"))

    def test_hubs_notice_a_database_that_was_put_back(self):
        one, two = self.pair()
        rows = self.rows()
        one.handle(request("a"))
        two.command("ledger", "status")
        self.server.sql(f"DELETE FROM countersign.batches WHERE sequence > {rows}", self.database)
        hash = self.server.sql(
            f"SELECT encode(hash, 'hex') FROM countersign.batches WHERE sequence = {rows}", self.database)
        self.server.sql(
            f"UPDATE countersign.head SET sequence = {rows}, hash = '\\x{hash}'", self.database)
        for hub in (one, two):
            refused(hub, "more")
            self.assertIn("earlier state", output(hub, "ledger", "status"))

    def test_giving_up_a_lost_log_needs_the_name_of_the_hub(self):
        one, two = self.pair()
        one.handle(request("a"))
        self.server.sql("DROP SCHEMA countersign CASCADE", self.database)
        refused(one, "b")
        output(one, "ledger", "move", "local")
        output(one, "ledger", "move", "local", "--lost", "--confirm", "two")
        one.command("ledger", "move", "local", "--lost", "--confirm", "one")
        one.command("audit", "verify")
        one.command("ledger", "move", self.address, "--hub", "again")
        for number in range(LIMIT - 1):
            one.handle(request(f"after {number}"))
        # Earlier use still counts.
        self.assertIn("limit_exceeded", refused(one, "one more"))
        # The other hub did not agree, and accepts no batch of the new log.
        refused(two, "b")

    def test_a_missing_copy_is_not_replaced_by_an_empty_ledger(self):
        one, two = self.pair()
        for number in range(LIMIT):
            one.handle(request(str(number)))
        one.command("hub", "retire", "two", "--confirm", "two")
        ledger = os.path.join(two.home, "ledger.db")
        for end in ("", "-wal", "-shm"):
            if os.path.exists(ledger + end):
                os.rename(ledger + end, ledger + end + ".away")
        said = output(two, "repair", "ledger", "--confirm", "ledger")
        self.assertIn("other hubs", said)
        # Another home's ledger is refused as well.
        other = Hub("new_client")
        shutil.copy(os.path.join(other.home, "ledger.db"), ledger)
        refused(two, "by a private record")

    def test_an_older_backup_joins_and_adopts_the_policy(self):
        one, two = self.pair()
        backup = os.path.join(self.folder.name, "older.backup")
        one.command("backup", "create", backup)
        pathlib.Path(one.home, "policy.toml").write_text(POLICY.replace(str(LIMIT), "3"))
        one.command("policy", "attest")
        three = Joined(backup, "three")
        self.addCleanup(three.folder.cleanup)
        self.assertIn("policy sync", refused(three, "with the old one"))
        three.command("policy", "sync")
        three.handle(request("with the new one"))

    def test_a_changed_batch_is_noticed(self):
        one, two = self.pair()
        one.handle(request("a"))
        self.server.sql(
            "UPDATE countersign.batches SET body = set_byte(body, 40, get_byte(body, 40) # 1)"
            " WHERE sequence = (SELECT max(sequence) FROM countersign.batches)", self.database)
        refused(two, "b")
        two.command("ledger", "status", status=1)

    def test_wrong_arguments_are_refused(self):
        one = Hub("new_client")
        for address, word in (
                ("mysql://x@y/z", "postgresql://"), (self.address.replace("hub@", "hub:secret@"), "password"),
                (self.address + "&options=-c%20x", "options"), ("postgresql://hub@db.example/x", "sslrootcert")):
            text = output(one, "ledger", "move", address, "--hub", "one")
            self.assertIn(word, text)
            self.assertNotIn("secret", text)
        self.passwords.chmod(0o644)
        self.assertIn("chmod 600", output(one, "ledger", "move", self.address, "--hub", "one"))
        self.passwords.chmod(0o600)
        output(one, "ledger", "move", self.address, "--hub", "a b", status=(64,))
        one.command("ledger", "move", self.address, "--hub", "one")
        self.assertIn("shared already", output(one, "ledger", "move", self.address, "--hub", "one"))
        other = Hub("new_client")
        self.assertIn("already", output(other, "ledger", "move", self.address, "--hub", "two"))


class WithAgents(Teams):
    def agent(self, hub):
        place = os.path.join(hub.home, "agent.sock")
        with open(os.path.join(hub.folder.name, "countersign-passphrase"), "wb",
                  opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(PASSPHRASE)
        agent = subprocess.Popen(
            [BINARY, "--home", hub.home, "agent", "--socket", place],
            env={**os.environ, "CREDENTIALS_DIRECTORY": hub.folder.name}, stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True)
        agent.stderr.readline()

        def end():
            agent.terminate()
            agent.communicate(timeout=60)

        self.addCleanup(end)
        wait(lambda: os.path.exists(place), what="the agent")
        return place

    def ask(self, place, text):
        body = json.dumps({"wire": "nip155", "frame": request(text), "client": "app", "wait_seconds": 30})
        done = subprocess.run(
            ["curl", "-sS", "--unix-socket", place, "-H", "Content-Type: application/json", "-d", body,
             "http://localhost/v1/requests"], capture_output=True, text=True, timeout=120, check=True)
        return json.loads(done.stdout)

    def test_two_agents_share_limits_and_freezes_and_reconnect(self):
        one, two = self.pair()
        places = [self.agent(one), self.agent(two)]
        self.server.stop("immediate")
        self.addCleanup(lambda: (self.server.data / "postmaster.pid").exists() or self.server.start())
        self.assertEqual(self.ask(places[0], "no server")["state"], "failed")
        self.server.start()
        # The agents reconnect automatically.
        wait(lambda: self.ask(places[1], f"back {time.monotonic()}")["state"] == "done", what="the server")
        one.command("freeze", "enough")
        answer = self.ask(places[1], "frozen?")
        self.assertEqual((answer["state"], answer["reason"]["code"]), ("denied", "frozen"))
        one.command("thaw")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(
                lambda number: self.ask(places[number % 2], f"note {number}")["state"], range(3 * LIMIT)))
        self.assertEqual(answers.count("done"), LIMIT - 1)
        self.assertIn("agent", output(one, "ledger", "move", "local"))


if __name__ == "__main__":
    unittest.main()
