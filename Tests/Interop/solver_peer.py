# SPDX-License-Identifier: Apache-2.0
"""The solver of "policy diff" beside CaDiCaL, on the encodings of pairs of policies."""
import os
import shutil
import subprocess
import unittest

from hub import ROOT


class Solver(unittest.TestCase):
    def test_both_solvers_answer_alike(self):
        self.assertTrue(shutil.which("cadical"), "cadical is not installed: make peers")
        done = subprocess.run(
            [os.environ.get("SWIFT", "swift"), "test", "--skip-build", "--filter", "SolverPeerTests"],
            cwd=ROOT, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        self.assertIn("Test run with 3 tests ", done.stdout)
        self.assertIn("passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
