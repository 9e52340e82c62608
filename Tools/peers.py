# SPDX-License-Identifier: Apache-2.0
"""Runs the peers of Tests/Interop, two modules at a time; runs each failed test twice more, alone.

See Docs/Design/Building.md. The names of failed tests are the last lines.
"""

import faulthandler
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "Tests" / "Interop"
LANES = 2
# More failures than this are not a matter of timing: they are not tried again.
MOST = 5
TURNS = 2
# The time limit of one test; no test takes a fifth of it.
SECONDS = 900
# The modules that take longest start first, so that the lanes end together.
FIRST = (
    "browser_peer", "shared_log_faults_peer", "teams_peer", "web_peer", "bunker_peer", "agent_life_peer",
    "liquid_browser_peer", "firefox_peer", "datachannel_peer", "near_page_peer",
)
# These modules measure memory or load the machine, so they run after the lanes.
ALONE = ("agent_memory_peer", "scale_peer", "shared_load_peer")


class Watched(unittest.TextTestResult):
    """A result that ends the process, with a stack of every thread, when a test does not end."""

    def startTest(self, test):
        super().startTest(test)
        faulthandler.dump_traceback_later(SECONDS, exit=True)

    def stopTest(self, test):
        # The tear-down of a class or a module has the same limit.
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        super().stopTest(test)


def name(test: unittest.TestCase) -> str:
    """Returns the name that `python -m unittest` takes: a test, or the class or module whose set-up failed."""
    test = getattr(test, "test_case", test)  # the test that a failed subtest belongs to
    group = re.fullmatch(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)", test.id())
    return group.group(1) if group else test.id()


def run_module(module: str, report: Path) -> int:
    """Runs one module in this process and writes its counts and failures to `report`."""
    sys.path.insert(0, str(FOLDER))
    tests = unittest.defaultTestLoader.loadTestsFromName(module)
    result = unittest.TextTestRunner(verbosity=1, resultclass=Watched).run(tests)
    faulthandler.cancel_dump_traceback_later()
    broken = [name(test) for test, _ in result.failures + result.errors]
    broken += [name(test) for test in result.unexpectedSuccesses]
    report.write_text(json.dumps({
        "run": result.testsRun, "skipped": len(result.skipped), "broken": list(dict.fromkeys(broken))}))
    return 0


def in_process(module: str) -> dict:
    """Runs one module in a separate process; a process that ends early is a failure of the module."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        process = subprocess.run(
            [sys.executable, __file__, module, str(report)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace")
        try:
            counts = json.loads(report.read_text())
        except (OSError, ValueError):
            counts = {"run": 0, "skipped": 0, "broken": [module]}
    # A module without tests proves nothing.
    if counts["run"] == 0 and counts["skipped"] == 0 and not counts["broken"]:
        counts["broken"] = [module]
    if counts["broken"]:
        print(process.stdout)
    print(f"{module}: {counts['run']} tests, {time.monotonic() - began:.0f} s", flush=True)
    return counts


def passes_alone(test: str) -> bool:
    run = subprocess.run(
        [sys.executable, "-m", "unittest", "--verbose", test],
        env={**os.environ, "PYTHONPATH": str(FOLDER)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=2 * SECONDS)
    if run.returncode == 0 and re.search(r"^Ran [1-9]", run.stdout, re.MULTILINE):
        return True
    print(run.stdout)
    return False


def main() -> int:
    began = time.monotonic()
    modules = sorted(path.stem for path in FOLDER.glob("*_peer.py"))
    shared = [module for module in modules if module not in ALONE]
    shared.sort(key=lambda module: FIRST.index(module) if module in FIRST else len(FIRST))
    with ThreadPoolExecutor(LANES) as lanes:
        counts = list(lanes.map(in_process, shared))
    counts += [in_process(module) for module in modules if module in ALONE]
    broken = [test for count in counts for test in count["broken"]]
    tests, skipped = (sum(count[key] for count in counts) for key in ("run", "skipped"))
    print(f"Ran {tests} tests in {time.monotonic() - began:.0f} s (skipped={skipped})", flush=True)
    if not broken:
        return 0
    print("failed:", *broken, sep="\n  ", flush=True)
    if len(broken) > MOST:
        return 1
    again = [test for test in broken if not all(passes_alone(test) for _ in range(TURNS))]
    for test in broken:
        word = "failed alone, too" if test in again else f"unsteady: passed alone {TURNS} times"
        print(f"{word}: {test}", flush=True)
    return 1 if again else 0


if __name__ == "__main__":
    sys.exit(run_module(sys.argv[1], Path(sys.argv[2])) if len(sys.argv) == 3 else main())
