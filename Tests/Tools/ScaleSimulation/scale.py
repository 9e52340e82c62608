# SPDX-License-Identifier: Apache-2.0
"""Simulates the number of requests that hubs can put on one shared log; the time is simulated, not measured.

Every hub has clients that each wait for an answer and ask again. The hub commits all waiting requests as one batch:
it requests the log's turn, receives the batches of other hubs since its last turn and takes them in, makes its own
changes and appends them, which ends the turn. Once the server has flushed, for several hubs at a time, the hub
commits its copy, answers, and begins again. Turns are granted in the order of the requests for them.

usage: scale.py [check] prints the tables for Docs/Scale.md; with "check", one line for each measured point
"""
import collections
import dataclasses
import heapq
import sys


@dataclasses.dataclass(frozen=True)
class Costs:
    """Microseconds, as `signing-bench growth` measures them."""
    turn: float = 700.0      # of one hub's turn, for any content: sealing, signing, its own commit
    request: float = 145.0   # of one of its own requests in the turn, with the settlement of another
    batch: float = 165.0     # to take in a batch of another hub: two signatures, its own commit
    taken: float = 27.0      # to take in one request of such a batch
    outside: float = 60.0    # of a request before and after the turn: reading, judging, signing
    cores: int = 2           # processors for that work
    trip: float = 0.0        # round trip between hub and server
    flush: float = 0.0       # flush of the server's disk, and of required replicas


class Run:
    """One simulation of a number of hubs and clients for each, over one log."""
    BATCH_MAX = 1_000
    SPAN = 5_000_000.0

    def __init__(self, costs, hubs, clients):
        self.costs, self.hubs = costs, hubs
        self.waiting = [0] * hubs        # requests that wait for the hub's next batch
        self.batch = [0] * hubs          # requests in its current batch
        self.known = [(0, 0)] * hubs     # the numbers of requests and batches of the log that it has taken in
        self.busy = [False] * hubs
        self.log = (0, 0)                # requests and batches in the log
        self.queue = collections.deque() # hubs that wait for the turn
        self.holder = None
        self.done = self.batches = 0
        self.events, self.number = [], 0
        for hub in range(hubs):
            self.at(hub * 37.0, self.arrive, hub, clients)

    def at(self, time, what, *words):
        self.number += 1
        heapq.heappush(self.events, (time, self.number, what, words))

    def run(self):
        """Returns requests a second, and requests a batch."""
        warm = (0, 0)
        half = self.SPAN / 2
        now = 0.0
        while self.events and now < self.SPAN:
            now, _, what, words = heapq.heappop(self.events)
            if now > half and warm == (0, 0):
                warm = (self.done, self.batches)
            what(now, *words)
        done, batches = self.done - warm[0], self.batches - warm[1]
        return done / (self.SPAN - half) * 1e6, done / max(1, batches)

    def arrive(self, now, hub, count):
        self.waiting[hub] += count
        self.begin(now, hub)

    def begin(self, now, hub):
        if self.busy[hub] or not self.waiting[hub]:
            return
        self.busy[hub] = True
        self.batch[hub] = min(self.waiting[hub], self.BATCH_MAX)
        self.waiting[hub] -= self.batch[hub]
        self.at(now + self.costs.trip / 2, self.ask, hub)

    def ask(self, now, hub):
        self.queue.append(hub)
        self.grant(now)

    def grant(self, now):
        if self.holder is not None or not self.queue:
            return
        hub = self.holder = self.queue.popleft()
        requests, batches = (end - known for end, known in zip(self.log, self.known[hub]))
        self.known[hub] = self.log
        work = requests * self.costs.taken + batches * self.costs.batch
        work += self.costs.turn + self.batch[hub] * self.costs.request
        # The grant travels, the hub works, the batch travels.
        self.at(now + self.costs.trip + work, self.append, hub)

    def append(self, now, hub):
        self.log = (self.log[0] + self.batch[hub], self.log[1] + 1)
        self.known[hub] = self.log
        self.holder = None
        self.grant(now)
        self.at(now + self.costs.flush + self.costs.trip / 2, self.answer, hub)

    def answer(self, now, hub):
        count, self.batch[hub], self.busy[hub] = self.batch[hub], 0, False
        self.done += count
        self.batches += 1
        for place in range(count):
            self.at(now + self.costs.outside * (1 + place // self.costs.cores), self.arrive, hub, 1)
        self.begin(now, hub)


HUBS = (1, 2, 4, 8, 16, 32)
SERVERS = (
    ("the same room, a fast disk", 200.0, 100.0), ("the same room, 1 ms a flush", 200.0, 1_000.0),
    ("a replica in another town", 1_000.0, 6_000.0), ("a server in another town", 10_000.0, 1_000.0))
# Hubs, clients for each, flush in microseconds, and the rate that `signing-bench growth` printed.
MEASURED = (
    (1, 1, 0.0, 1_319), (1, 16, 0.0, 4_386), (1, 64, 0.0, 5_848), (1, 8, 5_000.0, 675),
    (2, 8, 5_000.0, 1_031), (3, 8, 5_000.0, 1_352))


def rate(costs, hubs, clients=16):
    found, batch = Run(costs, hubs, clients).run()
    return round(found), batch


def table(clients):
    lines = [
        f"| {clients} clients a hub | " + " | ".join(f"{hubs}" for hubs in HUBS) + " |",
        "|---|" + "---:|" * len(HUBS)]
    for name, trip, flush in SERVERS:
        costs = dataclasses.replace(Costs(), trip=trip, flush=flush)
        lines.append(f"| {name} | " + " | ".join(f"{rate(costs, hubs, clients)[0]}" for hubs in HUBS) + " |")
    return "\n".join(lines)


def chains():
    """Simulates these hubs, with each group of hubs on a separate log and separate keys."""
    lines = ["| 16 hubs in groups of | " + " | ".join(f"{size}" for size in (16, 8, 4, 2)) + " |", "|---|---:|---:|---:|---:|"]
    for name, trip, flush in SERVERS[1:2]:
        costs = dataclasses.replace(Costs(), trip=trip, flush=flush)
        cells = (str(16 // size * rate(costs, size)[0]) for size in (16, 8, 4, 2))
        lines.append(f"| {name}, 16 clients a hub | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def check():
    lines = ["| hubs | clients each | flush | measured | simulated |", "|---:|---:|---:|---:|---:|"]
    for hubs, clients, flush, measured in MEASURED:
        simulated, _ = rate(dataclasses.replace(Costs(), flush=flush), hubs, clients)
        lines.append(f"| {hubs} | {clients} | {flush / 1_000:g} ms | {measured} | {simulated} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parts = [check()] if sys.argv[1:] == ["check"] else [check(), table(4), table(16), table(64), chains()]
    print("\n\n".join(parts))
