# SPDX-License-Identifier: Apache-2.0
"""Docs/Scale.md has the results of the simulation, and the simulation is close to the measurements."""
import dataclasses
import importlib.util
import subprocess
import sys
import unittest

from hub import ROOT

PROGRAM = ROOT / "Tests/Tools/ScaleSimulation/scale.py"


def load():
    found = importlib.util.spec_from_file_location("scale", PROGRAM)
    module = importlib.util.module_from_spec(found)
    sys.modules["scale"] = module
    found.loader.exec_module(module)
    return module


class Scale(unittest.TestCase):
    def test_scale_md_has_the_computed_results(self):
        tables = subprocess.run(
            [sys.executable, str(PROGRAM)], capture_output=True, text=True, check=True, timeout=300).stdout
        page = (ROOT / "Docs/Scale.md").read_text()
        for table in tables.strip().split("\n\n"):
            self.assertIn(table, page)

    def test_the_simulation_is_close_to_the_measurements(self):
        scale = load()
        self.assertGreater(len(scale.MEASURED), 4)
        for hubs, clients, flush, measured in scale.MEASURED:
            rate, _ = scale.rate(dataclasses.replace(scale.Costs(), flush=flush), hubs, clients)
            self.assertTrue(measured / 1.5 < rate < measured * 1.5, (hubs, clients, flush, measured, rate))

    def test_the_simulation_agrees_with_known_bounds(self):
        scale = load()
        free = scale.Costs(turn=0, request=0, batch=0, taken=0, outside=0, trip=0, flush=1_000)
        # One client waits for one flush each time; of many clients the first waits alone.
        self.assertAlmostEqual(scale.rate(free, 1, 1)[0], 1_000, delta=2)
        self.assertAlmostEqual(scale.rate(free, 1, 50)[0], 25_000, delta=60)
        # Hubs wait neither for each other's flushes nor for each other's round trips.
        self.assertAlmostEqual(scale.rate(free, 4, 1)[0], 4_000, delta=20)
        far = dataclasses.replace(free, trip=1_000, flush=0)
        self.assertAlmostEqual(scale.rate(far, 1, 1)[0], 500, delta=2)
        self.assertAlmostEqual(scale.rate(far, 2, 1)[0], 1_000, delta=5)
        # Each hub takes in all batches, a bound that more hubs do not lift.
        slow = dataclasses.replace(free, flush=100, taken=1_000)
        self.assertLess(scale.rate(slow, 8, 4)[0], 1_000 / 7 * 1.2)
        self.assertEqual(scale.rate(slow, 8, 4), scale.rate(slow, 8, 4))


if __name__ == "__main__":
    unittest.main()
