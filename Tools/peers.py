# SPDX-License-Identifier: Apache-2.0
"""Runs the peers of Tests/Interop; what failed among the others is run alone, twice.

See Docs/Decisions/0069-unsteady-tests.md. The names of what failed are the last lines.
"""

import faulthandler
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "Tests" / "Interop"
MOST = 5
TURNS = 2
# Far longer than any of them takes.
SECONDS = 900


class Watched(unittest.TextTestResult):
    """One that does not end is told with the lines where it stands, and ends the run."""

    def startTest(self, test):
        super().startTest(test)
        faulthandler.dump_traceback_later(SECONDS, exit=True)

    def stopTest(self, test):
        # What a class or a module takes down after it is watched as well.
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        super().stopTest(test)


def name(test: unittest.TestCase) -> str:
    """What `python -m unittest` calls it: a test, or the class or module that could not be set up."""
    test = getattr(test, "test_case", test)  # of a part (`subTest`), the whole
    group = re.fullmatch(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)", test.id())
    return group.group(1) if group else test.id()


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
    sys.path.insert(0, str(FOLDER))
    tests = unittest.defaultTestLoader.discover(str(FOLDER), pattern="*_peer.py")
    result = unittest.TextTestRunner(verbosity=1, resultclass=Watched).run(tests)
    faulthandler.cancel_dump_traceback_later()
    if result.wasSuccessful():
        return 0
    broken = list(dict.fromkeys(name(test) for test, _ in result.failures + result.errors))
    print("failed:", *broken, sep="\n  ", flush=True)
    if not 1 <= len(broken) <= MOST or result.unexpectedSuccesses:
        return 1
    again = [test for test in broken if not all(passes_alone(test) for _ in range(TURNS))]
    for test in broken:
        word = "failed alone, too" if test in again else f"unsteady: passed alone {TURNS} times"
        print(f"{word}: {test}", flush=True)
    return 1 if again else 0


if __name__ == "__main__":
    sys.exit(main())
