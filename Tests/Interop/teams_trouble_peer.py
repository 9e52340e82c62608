# SPDX-License-Identifier: Apache-2.0
"""Failures of a team's record: full disks, no free connection, a killed hub, replicas without synchronous commit."""
import ctypes
import json
import os
import pathlib
import sqlite3
import subprocess
import tempfile
import threading
import unittest

from hub import Hub
from postgres_proxy import HOLD, Proxy, once
from postgres_server import Server, wait
from shared_load_peer import Agent
from teams_peer import LIMIT, POLICY, Joined, output, refused, request

WORDS = "last-signatures-may-be-lost"
NEW_NAMESPACE = 0x00020000


def mounts():
    """Gives this process separate mounts; returns the reason if that is not permitted."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_NAMESPACE):
        return "needs the right to mount file systems"
    done = subprocess.run(["mount", "--make-rprivate", "/"], capture_output=True, check=False)
    return "" if done.returncode == 0 else "needs the right to mount file systems"


def client(hub, text):
    """Returns the state of a request at the hub's agent, and its reason."""
    answer = hub.agent.ask(request(text))
    return answer["state"], answer.get("reason", {}).get("code")


class Trouble(unittest.TestCase):
    """A server on this machine, and two hubs with agents."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.server = Server("trouble")
        self.addCleanup(self.server.end)
        self.server.access("host all all 127.0.0.1/32 trust")
        self.server.start()
        self.server.sql("CREATE ROLE hub LOGIN")

    def address(self, port=None, more=""):
        return f"postgresql://hub@127.0.0.1:{port or self.server.port}/team?sslmode=disable{more}"

    def home(self):
        one = Hub("new_client")
        self.addCleanup(one.folder.cleanup)
        one.command("key", "new", "--protocol", "nostr", "--name", "alice")
        pathlib.Path(one.home, "policy.toml").write_text(POLICY)
        one.command("policy", "attest")
        return one

    def pair(self, address=None):
        self.server.sql("CREATE DATABASE team OWNER hub")
        one = self.home()
        one.command("ledger", "move", address or self.address(), "--hub", "one")
        backup = os.path.join(self.folder, "one.backup")
        one.command("backup", "create", backup)
        two = Joined(backup, "two")
        self.addCleanup(two.folder.cleanup)
        for hub in (one, two):
            hub.agent = Agent(hub)
            self.addCleanup(hub.agent.kill)
        return one, two

    def assertBack(self, *hubs):
        """All hubs sign again without a restart, and their records verify."""
        for hub in hubs:
            wait(lambda: client(hub, f"back {os.urandom(4).hex()}")[0] == "done", what="the hub")
        for hub in hubs:
            hub.agent.stop()
            hub.command("ledger", "status")
            hub.command("audit", "verify")


class Hubs(Trouble):
    def test_hubs_without_a_free_connection_sign_nothing(self):
        one, two = self.pair()
        self.assertEqual(client(one, "before")[0], "done")
        self.server.sql("ALTER ROLE hub CONNECTION LIMIT 0")
        self.server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hub'")
        for hub in (one, two):
            self.assertEqual(client(hub, "no room"), ("failed", "ledger_unavailable"))
        self.server.sql("ALTER ROLE hub CONNECTION LIMIT -1")
        self.assertBack(one, two)

    def test_a_killed_hub_has_used_the_limits_that_it_reserved(self):
        proxy = Proxy(self.server.port)
        self.addCleanup(proxy.end)
        one, two = self.pair(self.address(proxy.port))
        two.command("ledger", "status")
        # The confirmation that the batch is durable is held back.
        proxy.down = once(b"D", b"\0\4\0\0\0\2on", HOLD)
        answers = []

        def ask():
            try:
                answers.append(client(one, "cut off"))
            except OSError:
                pass

        asking = threading.Thread(target=ask)
        asking.start()
        self.assertTrue(proxy.held.wait(60))
        one.agent.kill()
        asking.join(60)
        self.assertEqual(answers, [])
        proxy.resume()
        states = [client(two, f"note {number}") for number in range(LIMIT)]
        self.assertEqual(states[LIMIT - 1], ("denied", "limit_exceeded"))
        self.assertEqual([state for state, _ in states].count("done"), LIMIT - 1)
        two.agent.stop()
        for hub in (one, two):
            hub.command("ledger", "status")
            hub.command("audit", "verify")
            with sqlite3.connect(f"file:{hub.home}/ledger.db?mode=ro", uri=True) as base:
                open_ones = base.execute("SELECT count(*) FROM open_intents").fetchone()
            base.close()
            self.assertEqual(open_ones, (1,))

    def test_doctor_reports_a_server_that_accepts_no_writes(self):
        one, _ = self.pair()
        one.command("doctor", status=0)
        self.server.sql("REVOKE INSERT ON countersign.batches FROM hub", "team")
        self.assertIn(b"grant", one.command("doctor", status=1))
        self.server.sql("GRANT INSERT ON countersign.batches TO hub", "team")
        self.server.sql("REVOKE UPDATE ON countersign.head FROM hub", "team")
        self.assertIn(b"right", one.command("doctor", status=1))
        self.server.sql("GRANT UPDATE ON countersign.head TO hub", "team")
        self.server.sql("ALTER DATABASE team SET default_transaction_read_only = on")
        self.assertIn(b"read-only", one.command("doctor", status=1))
        self.server.sql("ALTER DATABASE team RESET default_transaction_read_only")
        rows = self.server.sql("SELECT count(*) FROM countersign.batches", "team")
        one.command("doctor", status=0)
        self.assertEqual(self.server.sql("SELECT count(*) FROM countersign.batches", "team"), rows)

    def test_a_changed_log_is_not_reported_as_a_damaged_file(self):
        one, two = self.pair()
        self.assertEqual(client(one, "a")[0], "done")
        one.agent.stop()
        self.server.sql(
            "UPDATE countersign.batches SET body = set_byte(body, 40, get_byte(body, 40) # 1)"
            " WHERE sequence = (SELECT max(sequence) FROM countersign.batches)", "team")
        said = output(two, "ledger", "status")
        self.assertIn("shared log", said)
        self.assertIn("Docs/Teams.md", said)
        self.assertNotIn("is damaged", said)


class Replicas(Trouble):
    def test_asynchronous_replicas_need_an_option_in_the_address(self):
        self.server.sql("CREATE DATABASE team OWNER hub")
        two = Server("two", copy_of=self.server)
        self.addCleanup(two.end)
        two.start()
        wait(lambda: self.server.sql("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'"), what="the replica")
        hub = self.home()
        accepted = self.address(more="&replication=asynchronous")
        self.assertIn("does not wait for them", output(hub, "ledger", "move", self.address(), "--hub", "one"))
        self.assertIn(WORDS, output(hub, "ledger", "move", accepted, "--hub", "one"))
        self.assertIn("the name does not match", output(hub, "ledger", "move", accepted, "--hub", "one", "--confirm", "yes"))
        hub.command("ledger", "move", accepted, "--hub", "one", "--confirm", WORDS)
        hub.handle(request("a"))
        said = json.loads(hub.command("--json", "audit", "list", "--last", "50"))
        self.assertIn("accept_loss", json.dumps(said))
        hub.command("audit", "verify")
        # Each connection is checked again.
        self.assertIn("does not wait for them", output(hub, "ledger", "address", self.address()))
        self.server.set(synchronous_standby_names="'two'")
        self.server.reload()
        wait(lambda: self.server.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"), what="the replica")
        hub.command("ledger", "address", self.address())
        hub.handle(request("b"))
        self.server.set(synchronous_standby_names="''")
        self.server.reload()
        wait(lambda: self.server.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'async'"), what="the replica")
        self.assertIn("ledger_unavailable", refused(hub, "c"))
        self.assertIn(b"does not wait for them", hub.command("doctor", status=1))
        hub.command("ledger", "address", accepted, "--confirm", WORDS)
        hub.handle(request("d"))


class FullDisks(Trouble):
    @classmethod
    def setUpClass(cls):
        missing = mounts()
        if missing:
            raise unittest.SkipTest(missing)

    def mount(self, place, megabytes):
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "none", str(place)], check=True)
        self.addCleanup(lambda: subprocess.run(["umount", "-l", str(place)], check=True))

    def fill(self, place):
        with open(place / "filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass

    def test_hubs_sign_nothing_while_the_disk_of_the_tables_is_full(self):
        place = self.server.folder / "small"
        place.mkdir()
        self.mount(place, 32)
        own = pathlib.Path(tempfile.mkdtemp(dir=place))
        subprocess.run(["chown", f"{self.server.owner}:", str(place), str(own)], check=True)
        self.server.sql(f"CREATE TABLESPACE small LOCATION '{own}'")
        self.server.sql("ALTER DATABASE template1 IS_TEMPLATE true")
        self.server.sql("GRANT CREATE ON TABLESPACE small TO hub")
        one, two = self.pair()
        for hub in (one, two):
            self.assertEqual(client(hub, "before")[0], "done")
        self.server.sql("ALTER TABLE countersign.batches SET TABLESPACE small", "team")
        self.fill(place)
        # The rest of the last page is used up first.
        states = []
        for number in range(LIMIT):
            states.append(client((one, two)[number % 2], f"full {number}"))
            if states[-1][0] != "done":
                break
        self.assertEqual(states[-1], ("failed", "ledger_unavailable"))
        signed = [state for state, _ in states].count("done")
        os.unlink(place / "filler")
        rest = [client(one, f"after {number}") for number in range(LIMIT)]
        # Requests that failed for the full disk did not use the limit.
        self.assertEqual([state for state, _ in rest].count("done"), LIMIT - 2 - signed)
        self.assertEqual(rest[-1], ("denied", "limit_exceeded"))

    def test_hubs_recover_after_the_disk_of_the_servers_log_was_full(self):
        """The server stops, and keeps all durable batches once there is room again."""
        one, two = self.pair()
        self.assertEqual(client(one, "before")[0], "done")
        self.server.stop()
        wal = self.server.data / "pg_wal"
        kept = self.server.folder / "kept"
        subprocess.run(["cp", "-a", str(wal), str(kept)], check=True)
        size = sum(file.stat().st_size for file in kept.rglob("*") if file.is_file()) >> 20
        self.mount(wal, size + 2)
        subprocess.run(f"cp -a {kept}/. {wal}/", shell=True, check=True)
        subprocess.run(["chown", f"{self.server.owner}:", str(wal)], check=True)
        wal.chmod(0o700)
        self.server.start()
        self.assertEqual(client(one, "with little room")[0], "done")
        self.fill(wal)
        # A new segment of 16 MB has no room.
        self.server.sql("SELECT pg_switch_wal()", check=False)
        self.server.sql("CREATE TABLE filler AS SELECT generate_series(1, 1000000)", check=False)
        states = [client(hub, "full") for hub in (one, two)]
        self.assertEqual(set(states), {("failed", "ledger_unavailable")})
        os.unlink(wal / "filler")
        subprocess.run(["mount", "-o", f"remount,size={size + 200}m", str(wal)], check=True)
        self.server.stop("immediate")
        self.server.start()
        self.assertBack(one, two)


if __name__ == "__main__":
    unittest.main()
