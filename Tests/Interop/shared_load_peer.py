# SPDX-License-Identifier: Apache-2.0
"""Four agents on one record under load, while hubs and the server are killed: limits hold, and no answer is lost.

It sends 6,000 requests, or the number in LOAD_REQUESTS.
"""
import hashlib
import itertools
import json
import os
import pathlib
import queue
import random
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

from hub import BINARY, PASSPHRASE, Hub
from postgres_server import Server, wait
from teams_peer import Joined, request

REQUESTS = int(os.environ.get("LOAD_REQUESTS", "6000"))
CLIENTS = 4  # of each hub
SECONDS_BETWEEN_KILLS = 2
# Seven in ten requests are notes; the others are transfers, each of which is sent twice.
NOTES = REQUESTS * 7 // 10
TRANSFERS = (REQUESTS - NOTES) // 2
NOTES_MAX = NOTES * 9 // 10
NEAR_MAX = sum(1 + number % 3 for number in range(TRANSFERS)) * 8 // 10
POLICY = f"""
version = 1
default = "deny"

[[rule]]
id = "notes"
effect = "allow"
protocol = "nostr"
operation = "sign_event"
acknowledge = ["new_client"]
limit = [{{ count = {NOTES_MAX}, per = "7d" }}]

[[rule]]
id = "transfers"
effect = "allow"
protocol = "near"
operation = "sign_transaction"
acknowledge = ["new_client", "offline_nonce"]
limit = [{{ amount = "{NEAR_MAX} NEAR", of = "deposit", per = "7d" }}]
"""
OWN = {"local", "checkpoints"}


def transfer(number):
    return json.dumps({"method": "signTransaction", "params": {
        "network": "mainnet", "signerId": "bench.near", "receiverId": "bob.near",
        "actions": [{"type": "Transfer", "params": {"deposit": str((1 + number % 3) * 10**24)}}],
        "blockHash": "244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM", "nonce": str(number + 1)}})


class Work:
    """Requests in random order; each is sent until it is answered."""

    def __init__(self):
        notes = [("nip155", request(f"note {number}")) for number in range(NOTES)]
        transfers = [("nep413", transfer(number)) for number in range(TRANSFERS)]
        items = notes + transfers
        random.shuffle(items)
        self.left = queue.SimpleQueue()
        for item in items:
            # The second copy follows at once, mostly to another hub.
            for _ in range(2 if item[0] == "nep413" else 1):
                self.left.put(item)

    def next(self):
        try:
            return self.left.get_nowait()
        except queue.Empty:
            return None


class Client(threading.Thread):
    """Asks an agent over one connection, which is opened again after a failure."""

    numbers = itertools.count()

    def __init__(self, place, work):
        super().__init__(daemon=True)
        self.place, self.work = place, work
        self.link = Link(place)
        self.answers = []  # digest of the request, state, code, id
        self.cut = 0
        self.start()

    def run(self):
        while (item := self.work.next()) is not None:
            while (answer := self.ask(*item)) is None:
                time.sleep(0.1)
            self.answers.append((hashlib.sha256(item[1].encode()).hexdigest(), *answer))
        self.link.close()

    def ask(self, wire, frame):
        """Returns state, code and id; None if the request must be sent again."""
        key = f"k{next(self.numbers)}"
        # Every tenth request is sent twice under one name, which makes it one request.
        times = 2 if wire == "nip155" and random.random() < 0.1 else 1
        try:
            found = [self.link.ask(wire, frame, key) for _ in range(times)]
        except (OSError, ValueError):
            self.cut += 1
            self.link.close()
            self.link = Link(self.place)
            return None
        if len({json.dumps(each, sort_keys=True) for each in found}) != 1:
            raise AssertionError(f"one request has two answers: {found}")
        state, code = found[0]["state"], found[0].get("reason", {}).get("code")
        if state == "failed" and code == "ledger_unavailable":
            return None
        return state, code, found[0]["id"]


class Link:
    """A persistent connection to an agent."""

    def __init__(self, place):
        self.place, self.socket, self.data = place, None, b""

    def ask(self, wire, frame, key):
        if self.socket is None:
            self.socket = socket.socket(socket.AF_UNIX)
            self.socket.settimeout(60)
            self.socket.connect(self.place)
        body = json.dumps({"wire": wire, "frame": frame, "client": "app", "wait_seconds": 30}).encode()
        self.socket.sendall((
            "POST /v1/requests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            f"Idempotency-Key: {key}\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body)
        while b"\r\n\r\n" not in self.data:
            self.take()
        head, self.data = self.data.split(b"\r\n\r\n", 1)
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        while len(self.data) < length:
            self.take()
        answer, self.data = json.loads(self.data[:length]), self.data[length:]
        if "state" not in answer:
            raise ValueError(answer)
        return answer

    def take(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionResetError
        self.data += piece

    def close(self):
        if self.socket:
            self.socket.close()


class Agent:
    def __init__(self, hub):
        self.hub = hub
        self.place = os.path.join(hub.home, "agent.sock")
        path = os.path.join(hub.folder.name, "countersign-passphrase")
        with open(path, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(PASSPHRASE)
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [BINARY, "--home", self.hub.home, "agent", "--socket", self.place],
            env={**os.environ, "CREDENTIALS_DIRECTORY": self.hub.folder.name}, stdin=subprocess.DEVNULL,
            stderr=subprocess.PIPE)
        self.process.stderr.readline()
        wait(lambda: os.path.exists(self.place), what="the agent")

    def ask(self, frame):
        link = Link(self.place)
        try:
            return link.ask("nip155", frame, os.urandom(16).hex())
        finally:
            link.close()

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()

    def stop(self):
        self.process.terminate()
        self.process.communicate(timeout=60)


class Load(unittest.TestCase):
    def setUp(self):
        self.server = Server("load")
        self.addCleanup(self.server.end)
        self.server.access("host all all 127.0.0.1/32 trust")
        self.server.start()
        self.server.sql("CREATE ROLE hub LOGIN")
        self.server.sql("CREATE DATABASE team OWNER hub")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        one = Hub("new_client")
        one.command("key", "new", "--protocol", "nostr", "--name", "alice")
        one.command("key", "new", "--protocol", "near", "--name", "bob", "--account", "bench.near", "--network", "mainnet")
        pathlib.Path(one.home, "policy.toml").write_text(POLICY)
        one.command("policy", "attest")
        address = f"postgresql://hub@127.0.0.1:{self.server.port}/team?sslmode=disable"
        one.command("ledger", "move", address, "--hub", "one")
        backup = os.path.join(folder.name, "one.backup")
        one.command("backup", "create", backup)
        self.hubs = [one, *(Joined(backup, name) for name in ("two", "three", "four"))]
        for hub in self.hubs:
            self.addCleanup(hub.folder.cleanup)
        self.agents = [Agent(hub) for hub in self.hubs]
        self.addCleanup(lambda: [agent.kill() for agent in self.agents])

    def disturb(self, clients):
        """Kills a hub or the server repeatedly, until all is answered; returns the counts."""
        kills = {"hub": 0, "server": 0}
        for turn in itertools.count():
            until = time.monotonic() + SECONDS_BETWEEN_KILLS
            while time.monotonic() < until and any(client.is_alive() for client in clients):
                time.sleep(0.05)
            if not any(client.is_alive() for client in clients):
                return kills
            if turn % 2:
                kills["server"] += 1
                if turn % 4 == 1:
                    self.server.kill()
                else:
                    self.server.stop("immediate")
                self.server.start()
            else:
                kills["hub"] += 1
                agent = random.choice(self.agents)
                agent.kill()
                agent.start()

    def test_limits_and_the_record_under_load_and_kills(self):
        work, began = Work(), time.monotonic()
        clients = [Client(agent.place, work) for agent in self.agents for _ in range(CLIENTS)]
        kills = self.disturb(clients)
        took = time.monotonic() - began
        for agent in self.agents:
            agent.stop()
        for hub in self.hubs:
            hub.command("ledger", "status")
        answers = [answer for client in clients for answer in client.answers]
        self.assertEqual(len(answers), NOTES + 2 * TRANSFERS)
        intents, outcomes = self.record()
        self.check_limits(intents, outcomes)
        self.check_answers(answers, intents, outcomes)
        self.check_copies()
        done = sum(answer[1] == "done" for answer in answers)
        print(f"load: {len(answers)} requests in {took:.0f} s over {len(self.hubs)} hubs, {done} signed, "
              f"{sum(client.cut for client in clients)} connections cut, {kills['hub']} kills of hubs, {kills['server']} of "
              f"the server; {len(intents) - len(outcomes)} intents without a result; 0 overspent, 0 lost, 0 signed off the record",
              flush=True)

    def record(self):
        """Returns all intents, and the existing outcomes, by their ids."""
        with sqlite3.connect(f"file:{self.hubs[0].home}/ledger.db?mode=ro", uri=True) as base:
            bodies = [(kind, json.loads(body)) for kind, body in base.execute(
                "SELECT kind, body FROM audit WHERE kind IN ('intent', 'result') ORDER BY sequence")]
        base.close()
        intents = {body["id"]: body for kind, body in bodies if kind == "intent"}
        outcomes = {body["id"]: body for kind, body in bodies if kind == "result"}
        return intents, outcomes

    def check_limits(self, intents, outcomes):
        """The used amounts, without those that were given back unused, are within the limits; each number is used
        once."""
        counted = [body for name, body in intents.items() if outcomes.get(name, {}).get("outcome") != "not_used"]
        notes = [body for body in counted if body["adapter"] == "nip155"]
        transfers = [body for body in counted if body["adapter"] == "nep413"]
        self.assertEqual(len(notes), NOTES_MAX)
        spent = sum(int(claim["amount"]) for body in transfers for claim in body["claims"])
        self.assertLessEqual(spent, NEAR_MAX * 10**24)
        self.assertGreater(spent, (NEAR_MAX - 3) * 10**24)
        numbers = [serial["number"] for body in transfers for serial in body["serials"]]
        self.assertEqual(len(set(numbers)), len(numbers))
        self.assertEqual(len(numbers), len(transfers))

    def check_answers(self, answers, intents, outcomes):
        """Every answer has a separate intent, and every refusal has a valid reason."""
        of_request = {}
        for name, body in intents.items():
            of_request.setdefault(body["request"], []).append(name)
        done = {}
        for digest, state, code, name in answers:
            if state == "done":
                done.setdefault(digest, set()).add(name)
            else:
                self.assertIn((state, code), {("denied", "limit_exceeded"), ("denied", "replayed")})
        for digest, names in done.items():
            there = [name for name in of_request.get(digest, []) if outcomes.get(name, {}).get("outcome", "done") == "done"]
            self.assertGreaterEqual(len(there), len(names))

    def check_copies(self):
        """All hubs have the same rows, which agree with the log, and each record verifies."""
        copies = []
        self.hubs[3].command("ledger", "rebuild")
        for hub in self.hubs:
            self.assertIn(b"ok", hub.command("audit", "verify"))
            with sqlite3.connect(f"file:{hub.home}/ledger.db?mode=ro", uri=True) as base:
                tables = [name for name, in base.execute(
                    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1")]
                copies.append({name: self.digest(base, name) for name in tables if name not in OWN})
            base.close()
        self.assertIn("open_intents", copies[0])
        for copy in copies[1:]:
            self.assertEqual(copy, copies[0])

    @staticmethod
    def digest(base, table):
        found = hashlib.sha256()
        for row in base.execute(f'SELECT * FROM "{table}" ORDER BY 1, 2'):
            found.update(repr(row).encode())
        return found.hexdigest()


if __name__ == "__main__":
    unittest.main()
