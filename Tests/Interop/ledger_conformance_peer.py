# SPDX-License-Identifier: Apache-2.0
"""The checks that every ledger has to pass, on a real PostgreSQL."""
import os
import subprocess
import unittest

from hub import ROOT
from postgres_server import Server


class Conformance(unittest.TestCase):
    def test_a_ledger_on_a_real_server_passes_the_checks_of_all_ledgers(self):
        server = Server()
        self.addCleanup(server.end)
        server.start()
        server.sql("CREATE ROLE hub LOGIN")
        server.sql("CREATE DATABASE team OWNER hub")
        done = subprocess.run(
            [os.environ.get("SWIFT", "swift"), "test", "--skip-build", "--filter",
             "LedgerConformanceTests/postgres"],
            cwd=ROOT, env={**os.environ, "COUNTERSIGN_TEST_SERVER": server.address()},
            capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        self.assertIn("Test run with 1 test ", done.stdout)
        self.assertIn("passed", done.stdout)
        made = server.sql("SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'conformance%'", "team")
        self.assertGreater(int(made), 10)


if __name__ == "__main__":
    unittest.main()
