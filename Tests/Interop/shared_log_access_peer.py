# SPDX-License-Identifier: Apache-2.0
"""The identity of a team's database and the access to it: certificates, passwords, rights, names, and ignored
settings."""
import os
import socket
import tempfile
import unittest

import shared_log_peer
from postgres_server import ORIGIN, Authority, Server, free_port, wait

NAME = "localhost"
ACCESS = "hostssl all all 127.0.0.1/32 scram-sha-256"


class Certificates(shared_log_peer.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="authorities-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = folder.name
        cls.authority, cls.foreign = Authority(folder.name), Authority(folder.name, "foreign")
        cls.server.sql("ALTER ROLE hub PASSWORD 'pass:word'")

    def serve(self, pair):
        self.server.access(ACCESS)
        self.server.certify(pair)
        self.server.stop()
        self.server.start()

    def passwords(self, text="*:*:*:hub:pass\\:word", mode=0o600):
        handle, path = tempfile.mkstemp(dir=self.folder)
        os.write(handle, text.encode() + b"\n")
        os.close(handle)
        os.chmod(path, mode)
        return path

    def there(self, host=NAME, authority=None, passfile=None, **environment):
        authority = authority or self.authority
        passfile = f"&passfile={passfile}" if passfile else ""
        return self.probe(
            f"postgresql://hub@{host}:{self.server.port}/team?sslrootcert={authority.file}{passfile}", **environment)

    def test_a_certificate_proves_a_server(self):
        self.log()
        self.serve(self.authority.issue(NAME))
        good = self.passwords()
        one = self.there(passfile=good)
        self.assertEqual(one.turn(), {"batches": [], "end": 0})
        self.assertEqual(one.append(ORIGIN)["sequence"], 1)
        self.assertEqual(
            self.server.sql("SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'hub'"), "t")
        self.assertEqual(self.there(PGPASSFILE=good).news()["end"], 1)
        self.assertFails(self.there(authority=self.foreign, passfile=good).news(), "certificate verify failed")
        self.assertFails(self.there("127.0.0.1", passfile=good).news(), "does not match host name")
        for pair, said in (
                (self.foreign.issue(NAME), "certificate verify failed"),
                (self.authority.issue("example.org"), "does not match host name"),
                (self.authority.issue(NAME, days=(-2, -1)), "certificate"),
                (self.authority.issue(NAME, days=(1, 2)), "certificate")):
            self.serve(pair)
            self.assertFails(self.there(passfile=good).news(), said)

    def test_a_password_file_that_others_can_read_is_refused(self):
        self.log()
        self.serve(self.authority.issue(NAME))
        for mode in (0o644, 0o640, 0o604, 0o620):
            answer = self.there(passfile=self.passwords(mode=mode)).news()
            self.assertFails(answer, "can be read by others")
        self.assertFails(self.there(PGPASSFILE=self.passwords(mode=0o644)).news(), "chmod 600")
        self.assertFails(self.there(passfile=self.folder).news(), "is not a file")
        self.assertFails(self.there(passfile=self.folder + "/none").news(), "check the path")
        wrong = self.there(passfile=self.passwords("*:*:*:hub:another secret")).news()
        self.assertFails(wrong, "password authentication failed")
        self.assertNotIn("secret", wrong["error"])
        for variables in ({}, {"PGPASSWORD": "pass:word"}):
            self.assertFails(self.there(HOME=self.folder, **variables).news(), "no password supplied")
        os.rename(self.passwords(), self.folder + "/.pgpass")
        self.addCleanup(os.remove, self.folder + "/.pgpass")
        self.assertEqual(self.there(HOME=self.folder).news()["end"], 0)

    def test_a_server_without_tls_gets_no_password(self):
        self.log()
        self.server.access("host all all 127.0.0.1/32 password")
        self.server.set(ssl="off")
        self.server.stop()
        self.server.start()
        self.assertFails(self.there(passfile=self.passwords()).news(), "does not support SSL")

    def test_a_password_is_never_sent_in_plain_text(self):
        """A server with the right certificate that requests the plain password does not receive it."""
        self.log()
        self.serve(self.authority.issue(NAME))
        self.server.access("hostssl all all 127.0.0.1/32 password")
        self.server.reload()
        self.assertFails(self.there(passfile=self.passwords()).news(), "channel binding")


class Access(shared_log_peer.Case):
    def test_variables_of_the_environment_are_ignored(self):
        self.log()
        for name, value in {
            "PGHOST": "/nowhere", "PGHOSTADDR": "127.0.0.1", "PGPORT": "1", "PGDATABASE": "postgres", "PGUSER": "root",
            "PGOPTIONS": "-c synchronous_commit=off -c nonsense=1", "PGSERVICE": "none", "PGSERVICEFILE": "/none",
            "PGSSLMODE": "require", "PGREQUIRESSL": "1", "PGTARGETSESSIONATTRS": "standby", "PGREQUIREPEER": "nobody",
            "PGCLIENTENCODING": "LATIN1", "PGTZ": "nonsense", "PGDATESTYLE": "nonsense", "PGCHANNELBINDING": "require",
            "PGGSSENCMODE": "require", "PGAPPNAME": "another", "PGSSLROOTCERT": "/none",
        }.items():
            with self.subTest(name):
                hub = self.probe(**{name: value})
                self.assertEqual(hub.news(), {"batches": [], "end": 0})
                hub.end()

    def test_settings_of_the_database_for_users_have_no_effect(self):
        self.log()
        for setting in (
                "synchronous_commit = off", "default_transaction_isolation = serializable", "statement_timeout = 500",
                "idle_in_transaction_session_timeout = 0", "lock_timeout = 0", "search_path = pg_temp",
                "client_min_messages = debug5", "bytea_output = escape", "row_security = off"):
            with self.subTest(setting):
                self.server.sql("ALTER ROLE hub RESET ALL")
                self.server.sql(f"ALTER ROLE hub SET {setting}")
                hub = self.probe()
                batches = hub.turn()["batches"]
                known = shared_log_peer.place(batches[-1]) if batches else ORIGIN
                self.assertNotIn("error", hub.append(known))
                hub.end()
        self.server.sql("ALTER ROLE hub RESET ALL")

    def test_metacharacters_in_names_are_escaped(self):
        user, database = "o'\"x; --", "te\"am'; DROP TABLE x; --"
        owner, quoted = user.replace('"', '""'), database.replace('"', '""')
        self.server.sql(f'DROP ROLE IF EXISTS "{owner}"')
        self.server.sql(f'CREATE ROLE "{owner}" LOGIN')
        self.server.sql(f'CREATE DATABASE "{quoted}" OWNER "{owner}"')
        self.addCleanup(self.server.sql, f'DROP DATABASE "{quoted}" WITH (FORCE)')

        def written(text):
            return "".join(f"%{byte:02x}" for byte in text.encode())

        for schema in ('a".meta; DROP DATABASE team; --', "'; --", '"', "$1", "%s", "public"):
            with self.subTest(schema):
                hub = self.probe(self.server.address(written(database), written(user), schema=written(schema)))
                self.assertIn("ledger", hub.ask("create"))
                hub.turn()
                self.assertEqual(hub.append(ORIGIN)["sequence"], 1)
        self.assertIn("team", self.server.sql("SELECT datname FROM pg_database"))

    def test_a_hub_needs_few_rights(self):
        self.log()
        self.server.sql("DROP ROLE IF EXISTS least")
        self.server.sql("CREATE ROLE least LOGIN")
        hub = self.probe(self.server.address(user="least"))
        self.assertFails(hub.news(), "no right")
        self.server.sql(
            "GRANT USAGE ON SCHEMA countersign TO least; GRANT SELECT ON ALL TABLES IN SCHEMA countersign TO least;"
            "GRANT UPDATE (sequence, hash) ON countersign.head TO least; GRANT INSERT ON countersign.batches TO least",
            "team")
        self.assertEqual(hub.turn(), {"batches": [], "end": 0})
        self.assertEqual(hub.append(ORIGIN)["sequence"], 1)
        self.server.sql("REVOKE INSERT ON countersign.batches FROM least", "team")
        self.assertEqual(self.probe(self.server.address(user="least")).turn()["end"], 1)
        self.server.sql("DROP OWNED BY least", "team")
        self.assertFails(self.probe(self.server.address(user="least")).ask("create"), "no right")

    def test_a_hub_waits_for_a_free_connection(self):
        self.log()
        self.server.sql("ALTER ROLE hub CONNECTION LIMIT 1")
        self.addCleanup(self.server.sql, "ALTER ROLE hub CONNECTION LIMIT -1")
        self.server.sql("SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE usename = 'hub'")
        one, other = self.probe(), self.probe()
        self.assertEqual(one.news()["end"], 0)
        self.assertFails(other.news(), "too many connections")
        one.end()
        wait(lambda: other.news().get("end") == 0, what="the connection")

    def test_missing_servers_users_and_databases_are_reported(self):
        for address, said in (
                (self.server.address("nothing"), "does not exist"),
                (self.server.address(user="nobody"), "does not exist"),
                ("postgresql://hub@/team?host=/nowhere", "No such file"),
                (f"postgresql://hub@127.0.0.1:{free_port()}/team?sslmode=disable", "refused"),
                ("postgresql://hub@name.invalid/team?sslrootcert=/none", "is not found")):
            self.assertFails(self.probe(address).news(), said)
        for bad in ("postgresql://hub:secret@db/team", "postgresql://hub@db/team?options=-c%20fsync%3Doff"):
            answer = self.probe(bad).take()
            self.assertEqual(answer["kind"], "address")
            self.assertNotIn("secret", answer["error"])

    def test_the_writable_one_of_several_servers_is_used(self):
        self.server.access("host all all 127.0.0.1/32 trust", "host replication all 127.0.0.1/32 trust")
        self.server.reload()
        self.log()
        replica = Server("replica", copy_of=self.server)
        self.addCleanup(replica.end)
        replica.start()
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)
        ports = (free_port(), silent.getsockname()[1], replica.port, self.server.port)
        hosts = ",".join(f"127.0.0.1:{port}" for port in ports)
        hub = self.probe(f"postgresql://hub@{hosts}/team?sslmode=disable&replication=asynchronous")
        self.assertEqual(hub.turn(), {"batches": [], "end": 0})
        self.assertEqual(hub.append(ORIGIN)["sequence"], 1)
        alone = self.probe(f"postgresql://hub@127.0.0.1:{replica.port}/team?sslmode=disable")
        self.assertFails(alone.news(), "read-only")


if __name__ == "__main__":
    unittest.main()
