# SPDX-License-Identifier: Apache-2.0
"""A part of the crash matrix (Tests/Crash), and that the matrix notices a program that does not sync."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Crash"))
import crash
import scenarios


def run(chosen, sample, alter=None):
    """Runs the matrix over these commands; `alter` changes their traces before images are made of them."""
    with crash.scratch() as folder:
        matrix = crash.Matrix(folder, chosen, sample)
        for scenario in chosen:
            matrix.prepare(scenario)
        if alter:
            alter(matrix)
        for job in matrix.jobs():
            matrix.try_one(job)
    return matrix


class CrashMatrix(unittest.TestCase):
    def test_a_request_and_a_freeze_survive_crashes(self):
        sample = {crash.KILL: 5, crash.FAIL: 2, crash.FILL: 2, None: 3}
        matrix = run([scenarios.Request(), scenarios.Freeze()], sample)
        self.assertEqual(matrix.defects, [])
        self.assertGreater(matrix.counts.total(), 20)

    def test_after_a_stopped_repair_of_a_record_doctor_names_a_mend_that_works(self):
        matrix = run([scenarios.LostChain()], {crash.KILL: 6, crash.FAIL: 0, crash.FILL: 0, None: 0})
        self.assertEqual(matrix.defects, [])
        self.assertGreater(matrix.counts["repair ledger (a broken chain)", crash.KILL, "mended"], 0)

    def test_without_syncs_released_replies_are_missing_after_a_power_cut(self):
        scenario = scenarios.Request()

        def lose_syncs(matrix):
            traced, calls = matrix.traces[scenario]
            matrix.traces[scenario] = (traced, [call for call in calls if call[0] != "sync"])

        matrix = run([scenario], {crash.KILL: 0, crash.FAIL: 0, crash.FILL: 0, None: 8}, lose_syncs)
        self.assertTrue(any("without an intent" in text for text in matrix.defects), matrix.defects)


if __name__ == "__main__":
    unittest.main()
