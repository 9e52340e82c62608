# SPDX-License-Identifier: Apache-2.0
"""The crash matrix: stops the real program at its calls that change files, and checks what is left.

usage: crash.py [SCENARIO...]; see Docs/Reliability.md. CRASH_FULL=1 tries every call.
"""
import collections
import concurrent.futures
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile
import threading
import time
import traceback

import power
from places import BINARY, Defect, Place, released
from preload import COUNT, FAIL, FILL, KILL, Calls, build, read_trace
from scenarios import ALL

KINDS = {KILL: "killed", FAIL: "I/O error", FILL: "full disk", None: "power cut"}
# The calls that fail with an I/O error, and those that need space on a disk.
FAILING = {FAIL: ("write", "sync"), FILL: ("write", "create", "rename", "link", "mkdir")}
# The crashes of each kind for each command in a short run. A full run has every call, and this number of power cuts.
RUNS, POWER_CUTS = 8, 1000
# A short run leaves out what it has not begun by then.
SECONDS = 480
LANES = 2


def spread(numbers):
    """Returns the numbers in an order whose first ones are spread over all of them."""
    golden = (5 ** 0.5 - 1) / 2
    order = sorted(range(len(numbers)), key=lambda index: (index + 1) * golden % 1)
    return [numbers[index] for index in order]


class Matrix:
    """The template of each scenario, and the outcomes of its runs."""

    def __init__(self, folder, scenarios, sample, seconds=float("inf")):
        """`sample` is the number of crashes for each command, by kind; None is every call.

        Crashes that have not begun after `seconds` are left out.
        """
        self.folder, self.library, self.scenarios = folder, build(folder), scenarios
        self.sample, self.seconds = sample, seconds
        self.began, self.lock, self.number = time.monotonic(), threading.Lock(), 0
        self.counts, self.defects, self.left_out = collections.Counter(), [], 0
        self.calls, self.traces, self.seen = {}, {}, {}

    def place(self, scenario):
        """Copies the home of a scenario into a new folder."""
        with self.lock:
            self.number += 1
            number = self.number
        return Place(self.template(scenario)).copy(os.path.join(self.folder, f"run{number}"))

    def template(self, scenario):
        return os.path.join(self.folder, f"template{self.scenarios.index(scenario)}")

    def forget(self, place):
        shutil.rmtree(place.folder, ignore_errors=True)
        pathlib.Path(place.folder + ".state").unlink(missing_ok=True)

    def calls_for(self, scenario, place, mode, at=0, trace=None):
        return Calls(self.library, place.folder, mode, at, trace, scenario.is_armed)

    def prepare(self, scenario):
        """Makes the template, runs the scenario once without a fault, and keeps its trace."""
        scenario.prepare(Place(self.template(scenario)))
        place, trace = self.place(scenario), os.path.join(self.folder, f"trace{self.scenarios.index(scenario)}")
        # A trace begins with the first call, so that no file is unknown that was made before.
        calls = Calls(self.library, place.folder, COUNT, trace=trace)
        status, out, errors = scenario.victim(place, calls.environment, calls)
        if status not in (0, -9):
            raise Defect(f"{scenario.name} fails without a fault: {errors}")
        self.calls[scenario] = calls.count - calls.before
        self.traces[scenario] = (place.folder, read_trace(trace))
        state, taken = scenario.examine(place, released(out))
        if state != "new" or taken:
            raise Defect(f"{scenario.name} without a fault is {state}, {taken}")
        self.forget(place)

    def jobs(self):
        """Returns the crashes to try, so ordered that the first ones are an even sample of all."""
        found = []
        for scenario in self.scenarios:
            for mode in KINDS:
                numbers = self.numbers(scenario, mode)
                found += [(index / len(numbers), (scenario, mode, at)) for index, at in enumerate(spread(numbers))]
        return [job for _, job in sorted(found, key=lambda pair: pair[0])]

    def numbers(self, scenario, mode):
        """Returns the calls at which the fault can happen, or the seeds of images of power cuts."""
        if mode is None:
            return list(range(self.sample[None] if scenario.cuts_power else 0))
        # The calls of an agent differ from run to run.
        every = [
            number for number, kind in enumerate(self.kinds(scenario), 1)
            if not scenario.is_armed or mode == KILL or kind in FAILING[mode]]
        size = len(every) if self.sample[mode] is None else min(len(every), self.sample[mode])
        return [every[index * len(every) // size] for index in range(size)]

    def kinds(self, scenario):
        calls = [call[0] for call in self.traces[scenario][1] if call[0] != "reply"]
        return calls[-self.calls[scenario]:]

    def try_one(self, job):
        scenario, mode, at = job
        if time.monotonic() - self.began > self.seconds:
            with self.lock:
                self.left_out += 1
            return
        try:
            outcome = self.cut_power(scenario, at) if mode is None else self.fault(scenario, mode, at)
        except Defect as defect:
            outcome = "defect"
            text = f"{scenario.name}, {KINDS[mode]} {at}: {defect}"
        except Exception:
            outcome = "defect"
            text = f"{scenario.name}, {KINDS[mode]} {at}: {traceback.format_exc()}"
        with self.lock:
            self.counts[scenario.name, mode, outcome] += 1
            if outcome == "defect":
                self.defects.append(text)
                print(text, flush=True)

    def fault(self, scenario, mode, at):
        place = self.place(scenario)
        calls = self.calls_for(scenario, place, mode, at)
        status, out, errors = scenario.victim(place, calls.environment, calls)
        if not calls.is_hit:
            # This run made fewer calls.
            self.forget(place)
            return "not met"
        if mode != KILL:
            place.check_words(errors)
            if status > 0 and "error" not in errors and b"error" not in out:
                raise Defect(f"fails without words: {status} {errors} {out[:200]}")
            if status < 0 and status != -9:
                raise Defect(f"ended by signal {-status}: {errors[-300:]}")
        state, taken = scenario.examine(place, released(out))
        if status == 0 and state != "new":
            raise Defect("said that it is done, and it is not")
        self.forget(place)
        return "mended" if taken else state

    def cut_power(self, scenario, seed):
        traced, calls = self.traces[scenario]
        with self.lock:
            self.number += 1
            place = Place(os.path.join(self.folder, f"run{self.number}"))
        contents, number = power.cut(self.template(scenario), traced, calls, place.folder, seed)
        replies = released(b"".join(call[4] for call in calls[:number] if call[0] == "reply"))
        key = hashlib.sha256(repr((scenario.name, sorted(contents.items()), sorted(replies))).encode()).digest()
        with self.lock:
            known = self.seen.get(key)
        if known is None:
            state, taken = scenario.examine(place, replies)
            known = "mended" if taken else state
            with self.lock:
                self.seen[key] = known
        self.forget(place)
        return known

    def run(self):
        with concurrent.futures.ThreadPoolExecutor(LANES) as lanes:
            list(lanes.map(self.prepare, self.scenarios))
            jobs = self.jobs()
            print(f"{len(jobs)} runs of {BINARY}", flush=True)
            list(lanes.map(self.try_one, jobs))

    def table(self):
        """Returns the outcomes as the table of Docs/Reliability.md."""
        lines = [
            "| command | calls | " + " | ".join(KINDS.values()) + " | defects |", "|---" * (len(KINDS) + 3) + "|"]
        for scenario in self.scenarios:
            cells = []
            for mode in KINDS:
                old, new, mended = (self.counts[scenario.name, mode, word] for word in ("old", "new", "mended"))
                cells.append(f"{old + new + mended}: {old}, {new}, {mended}" if old + new + mended else "-")
            defects = sum(self.counts[scenario.name, mode, "defect"] for mode in KINDS)
            lines.append(f"| {scenario.name} | {self.calls[scenario]} | {' | '.join(cells)} | {defects} |")
        return "\n".join(lines)


def scratch():
    """Returns a temporary folder, in memory if there is such a place: the runs sync thousands of times."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix="countersign-crash-", dir=memory)


def main(names):
    chosen = [scenario for scenario in ALL if not names or any(name in scenario.name for name in names)]
    is_full = os.environ.get("CRASH_FULL") == "1"
    seconds = float(os.environ.get("CRASH_SECONDS", "inf" if is_full else SECONDS))
    with scratch() as folder:
        runs = None if is_full else int(os.environ.get("CRASH_RUNS", RUNS))
        sample = {mode: runs for mode in KINDS} | {None: POWER_CUTS if is_full else runs}
        matrix = Matrix(folder, chosen, sample, seconds)
        matrix.run()
    print(matrix.table())
    tried = sum(count for (_, _, outcome), count in matrix.counts.items() if outcome != "not met")
    print(f"{tried} crashes in {time.monotonic() - matrix.began:.0f} s, {matrix.left_out} left out, "
          f"{len(matrix.defects)} defects")
    for defect in matrix.defects:
        print(f"defect: {defect}")
    return 1 if matrix.defects else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
