#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures one hub and four hubs with a record on PostgreSQL, and one with a private record, in turns, in one run.

Hubs are processes that take requests through all steps and sign; they reach the server by its Unix socket. Everything
is measured twice: with the plain disk, and with 1 ms added to every flush of the server and of each hub's file.

usage: bench_teams.py SIGNING_BENCH COUNTERSIGN
"""
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

INTEROP = pathlib.Path(__file__).resolve().parent.parent / "Tests" / "Interop"
sys.path.insert(0, str(INTEROP))
os.environ.setdefault("COUNTERSIGN_BINARY", os.path.abspath(sys.argv[2]))

from hub import Hub  # noqa: E402
from postgres_server import Server, wait  # noqa: E402
from shared_load_peer import Agent  # noqa: E402
from teams_peer import POLICY, request  # noqa: E402

BENCH = os.path.abspath(sys.argv[1])
SECONDS = 2
TURNS = 3
SHIM = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
static int late(const char *name, int file) {
    struct timespec time = {0, 1000000};
    nanosleep(&time, 0);
    return ((int (*)(int))dlsym(RTLD_NEXT, name))(file);
}
int fsync(int file) { return late("fsync", file); }
int fdatasync(int file) { return late("fdatasync", file); }
"""


def flush_microseconds(folder):
    """Returns the time to make 8 kB durable that overwrite earlier data, as in a log."""
    place = os.open(os.path.join(folder, "flush"), os.O_RDWR | os.O_CREAT)
    block, times = bytes(8192), []
    os.write(place, block * 64)
    os.fsync(place)
    for number in range(500):
        os.pwrite(place, block, number % 64 * 8192)
        start = time.perf_counter()
        os.fdatasync(place)
        times.append(time.perf_counter() - start)
    os.close(place)
    return statistics.median(times) * 1e6


def busy():
    """Returns the time that the processors have worked, and the total time."""
    numbers = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    return sum(numbers) - numbers[3] - numbers[4], sum(numbers)


class Bench:
    """One server, one hub with a private record, and four hubs that share a record."""

    def __init__(self, folder, shim):
        self.folder, self.shim = folder, shim
        self.environment = {**os.environ, **({"LD_PRELOAD": shim} if shim else {})}
        self.server = Server("bench")
        self.server.access()
        self.server.set(track_wal_io_timing="on", max_wal_size="'1GB'")
        if shim:
            os.environ["LD_PRELOAD"] = shim
        try:
            self.server.start()
        finally:
            os.environ.pop("LD_PRELOAD", None)
        self.server.sql("CREATE ROLE hub LOGIN")
        self.server.sql("CREATE DATABASE team OWNER hub")
        self.homes = [os.path.join(folder, name) for name in ("one", "two", "three", "four")]
        self.alone = os.path.join(folder, "alone")
        self.call("team-make", self.alone)
        self.call("team-make", self.homes[0], self.server.address())
        for home in self.homes[1:]:
            self.call("team-join", self.homes[0], home, os.path.basename(home))

    def call(self, *words):
        subprocess.run([BENCH, *words], check=True, env=self.environment)

    def syncs(self):
        count, took = self.server.sql("SELECT wal_sync, wal_sync_time FROM pg_stat_wal").split("|")
        return int(count), float(took) / 1e3

    def measure(self, homes, clients):
        """Returns the signatures a second of all hubs, and the used parts of the processors' time and of the elapsed
        time."""
        hubs = []
        try:
            for home in homes:
                # One after the other: each first takes in the batches of the others.
                hubs.append(subprocess.Popen([BENCH, "team", home, str(clients), str(SECONDS)], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, text=True, env=self.environment))
                if hubs[-1].stdout.readline() != "ready\n":
                    raise SystemExit("a hub does not start")
            before, start = busy(), time.monotonic()
            for hub in hubs:
                hub.stdin.write("\n")
                hub.stdin.flush()
            rate = 0
            for hub in hubs:
                count, failed, took, _ = map(float, hub.stdout.readline().split())
                rate += count / took
                if failed:
                    print(f"  {failed:.0f} requests failed")
            after, end = busy(), time.monotonic()
        finally:
            for hub in hubs:
                hub.stdin.close()
                hub.stdout.close()
                hub.wait()
        return rate, (after[0] - before[0]) / (after[1] - before[1]), end - start

    def turn(self, homes, clients):
        # The server's counters are up to a second late.
        time.sleep(1.1)
        count, slept = self.syncs()
        rate, processors, took = self.measure(homes, clients)
        time.sleep(1.1)
        flushes, flushing = self.syncs()
        return rate, processors, (flushing - slept) / took, (flushes - count) / took

    def run(self):
        cases = {"alone": ([self.alone], 16), "one": (self.homes[:1], 16), "four": (self.homes, 16),
                 "one of 4": (self.homes[:1], 4), "four of 4": (self.homes, 4)}
        found = {name: [] for name in cases}
        for _ in range(TURNS):
            for name, (homes, clients) in cases.items():
                found[name].append(self.turn(homes, clients))
        # The median by rate, as other machines on the host disturb.
        return {name: sorted(turns)[len(turns) // 2] for name, turns in found.items()}


def limit(row):
    """Returns the resource that was used most, and the use of each."""
    _, processors, flushing, flushes = row
    name = "the server's flush" if flushing > processors else "the processors"
    return name, f"processors {processors:.0%}, flushes {flushing:.0%} of the time ({flushes:.0f}/s)"


def print_report(title, rows):
    print(title)
    alone, one, four, small, smalls = (rows[name] for name in ("alone", "one", "four", "one of 4", "four of 4"))
    print(f"  one hub, 16 clients: PostgreSQL {one[0]:.0f}/s ({limit(one)[1]}), SQLite {alone[0]:.0f}/s; "
          f"ratio {one[0] / alone[0]:.2f} (target 0.6)")
    for clients, hub, hubs in ((16, one, four), (4, small, smalls)):
        name, use = limit(hubs)
        target = 2 if name == "the server's flush" else 0.9
        print(f"  four hubs of {clients} clients: {hubs[0]:.0f}/s, one {hub[0]:.0f}/s ({limit(hub)[1]}); "
              f"ratio {hubs[0] / hub[0]:.2f} (target {target}, the limit is {name}: {use})")


def promotion():
    """Returns the seconds from the promotion of a replica to the first signature in its log."""
    one = Server("one")
    two = None
    hub = Hub("new_client")
    agent = None
    try:
        one.access("host all all 127.0.0.1/32 trust")
        one.start()
        one.sql("CREATE ROLE hub LOGIN")
        one.sql("CREATE DATABASE team OWNER hub")
        two = Server("two", copy_of=one)
        two.start()
        one.set(synchronous_standby_names="'two'")
        one.reload()
        wait(lambda: one.sql("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'"), what="the replica")
        hub.command("key", "new", "--protocol", "nostr", "--name", "alice")
        pathlib.Path(hub.home, "policy.toml").write_text(POLICY.replace("count = 12", "count = 100000"))
        hub.command("policy", "attest")
        hub.command("ledger", "move", f"postgresql://hub@127.0.0.1:{one.port},127.0.0.1:{two.port}/team?sslmode=disable",
                    "--hub", "one")
        agent = Agent(hub)
        if agent.ask(request("before"))["state"] != "done":
            raise SystemExit("nothing is signed before the promotion")
        one.kill()
        start = time.monotonic()
        two.promote()
        for number in range(10_000):
            if agent.ask(request(f"after {number}"))["state"] == "done":
                return time.monotonic() - start
        raise SystemExit("nothing is signed after the promotion")
    finally:
        if agent:
            agent.kill()
        for server in (one, two):
            if server:
                server.end()
        hub.folder.cleanup()


def main():
    with tempfile.TemporaryDirectory() as folder:
        print(f"teams: the disk flushes 8 kB in {flush_microseconds(folder):.0f} us")
        source, shim = os.path.join(folder, "late.c"), os.path.join(folder, "late.so")
        pathlib.Path(source).write_text(SHIM)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"], check=True)
        os.chmod(folder, 0o755)
        for title, preloaded in (("teams, the disk as it is:", None), ("teams, 1 ms added to every flush:", shim)):
            place = os.path.join(folder, "late" if preloaded else "plain")
            os.mkdir(place)
            bench = Bench(place, preloaded)
            try:
                print_report(title, bench.run())
            finally:
                bench.server.end()
    print(f"teams: from a promotion to the next signature {promotion():.1f} s (target 5)")


if __name__ == "__main__":
    main()
