#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures 1,000 clients over 5 relays on this machine; every connection uses all five.

Each request is sealed, judged by 100 rules with a limit, recorded durably, signed, sealed, and published on all five
relays. Relays, clients and agent share the machine.

usage: bench_bunker.py BINARY BENCH [SECONDS]
"""
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time

CLIENTS = 1_000
RELAYS = 5
RATE = 200
SECONDS = 60
ALONE = 300
PASSPHRASE = "benchmark"


async def relay(port):
    """Runs a relay that stores no events; it prints the number of keys in each subscription."""
    from websockets.asyncio.server import serve
    from websockets.exceptions import ConnectionClosed
    places = {}

    async def talk(link):
        own = {}
        try:
            async for text in link:
                message = json.loads(text)
                if message[0] == "EVENT":
                    event = message[1]
                    await link.send(json.dumps(["OK", event["id"], True, ""]))
                    key = next(tag[1] for tag in event["tags"] if tag[0] == "p")
                    # Forwarded unchanged, without encoding it again.
                    body = text[text.index("{"):-1]
                    for other, name in list(places.get(key, {}).items()):
                        try:
                            await other.send(f'["EVENT","{name}",{body}]')
                        except ConnectionClosed:
                            pass
                elif message[0] == "REQ":
                    own[message[1]] = message[2]["#p"]
                    for key in own[message[1]]:
                        places.setdefault(key, {})[link] = message[1]
                    await link.send(json.dumps(["EOSE", message[1]]))
                    print(sum(len(keys) for keys in own.values()), flush=True)
        except ConnectionClosed:
            pass
        finally:
            for keys in own.values():
                for key in keys:
                    places.get(key, {}).pop(link, None)

    async with serve(talk, "127.0.0.1", port, max_size=None, compression=None):
        print("ready", flush=True)
        await asyncio.Event().wait()


class Relay:
    """One relay, in a separate process."""

    def __init__(self, port):
        self.port = port
        self.url = f"ws://127.0.0.1:{port}"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--relay", str(self.port)], stdout=subprocess.PIPE,
            text=True)
        assert self.process.stdout.readline() == "ready\n"

    def wait_asked(self):
        while int(self.process.stdout.readline() or CLIENTS) < CLIENTS:
            pass

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


class Clients:
    """All clients; each one uses one of the relays."""

    def __init__(self, signers, relays):
        import nostr_sdk
        self.sdk = nostr_sdk
        self.keys = [nostr_sdk.Keys.parse(f"{number + 1:064x}") for number in range(CLIENTS)]
        self.names = {keys.public_key().to_hex(): number for number, keys in enumerate(self.keys)}
        self.signers = [nostr_sdk.PublicKey.parse(signer) for signer in signers]
        self.relays = relays
        self.count = 0
        self.sent = {}
        self.waits = []
        self.heard = 0
        self.last = {}
        self.answered = asyncio.Event()

    async def open(self):
        from websockets.asyncio.client import connect
        self.links = [await connect(relay.url, max_size=None, compression=None)
                      for relay in self.relays]
        self.tasks = [asyncio.ensure_future(self.hear(link)) for link in self.links]
        for place, link in enumerate(self.links):
            own = [name for name, number in self.names.items() if number % RELAYS == place]
            await link.send(json.dumps(["REQ", "mine", {"kinds": [24133], "#p": own}]))
        await asyncio.sleep(1)

    async def hear(self, link):
        async for text in link:
            message = json.loads(text)
            if message[0] != "EVENT":
                continue
            number = self.names[message[2]["tags"][0][1]]
            self.heard += 1
            began = self.sent.pop(number, None)
            if began is not None:
                self.waits.append(time.perf_counter() - began)
            self.last[number] = message[2]
            self.answered.set()

    def envelope(self, number):
        self.count += 1
        event = json.dumps({"kind": 1, "content": f"note {self.count}", "tags": [],
                            "created_at": int(time.time())})
        call = json.dumps({"id": str(self.count), "method": "sign_event", "params": [event]})
        keys, signer = self.keys[number], self.signers[number]
        sealed = self.sdk.nip44_encrypt(
            keys.secret_key(), signer, call, self.sdk.Nip44Version.V2)
        return self.sdk.EventBuilder(self.sdk.Kind(24133), sealed).tags(
            [self.sdk.Tag.public_key(signer)]).sign_with_keys(keys).as_json()

    async def post(self, number):
        text = f'["EVENT",{self.envelope(number)}]'
        self.sent[number] = time.perf_counter()
        await self.links[number % RELAYS].send(text)

    def check(self):
        """Checks that the last answer to each client is a note that the account signed."""
        for number, event in self.last.items():
            opened = json.loads(self.sdk.nip44_decrypt(
                self.keys[number].secret_key(), self.signers[number], event["content"]))
            assert self.sdk.Event.from_json(opened["result"]).verify(), opened
        return len(self.last)


def memory(process):
    for line in open(f"/proc/{process.pid}/status", encoding="ascii"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("the agent has ended")


async def load(agent, signers, relays, seconds):
    clients = Clients(signers, relays)
    await clients.open()
    for number in range(ALONE):
        clients.answered.clear()
        await clients.post(number)
        await asyncio.wait_for(clients.answered.wait(), 10)
    alone = sorted(clients.waits)
    print(f"one at a time, {ALONE} requests: median {1000 * statistics.median(alone):.1f} ms "
          f"(target 20), 95 % within {1000 * alone[int(0.95 * len(alone))]:.1f} ms", flush=True)
    clients.waits.clear()
    clients.heard = 0
    began = time.perf_counter()
    sizes = []
    for place in range(RATE * seconds):
        pause = began + place / RATE - time.perf_counter()
        if pause > 0:
            await asyncio.sleep(pause)
        await clients.post((ALONE + place) % CLIENTS)
        if place % (10 * RATE) == 0:
            sizes.append(memory(agent))
    wanted = RATE * seconds
    end = time.perf_counter() + 10
    while clients.heard < wanted and time.perf_counter() < end:
        await asyncio.sleep(0.05)
    took = time.perf_counter() - began
    waits = sorted(clients.waits)
    sizes.append(memory(agent))
    print(f"{RATE}/s for {seconds} s: {clients.heard} of {wanted} answered, {clients.heard / took:.0f}/s, "
          f"median {1000 * statistics.median(waits):.1f} ms, 99 % within "
          f"{1000 * waits[int(0.99 * len(waits))]:.0f} ms")
    print("memory each 10 s, in MiB: " + " ".join(f"{size:.1f}" for size in sizes))
    print(f"{clients.check()} answers opened and verified", flush=True)
    for task in clients.tasks:
        task.cancel()
    for link in clients.links:
        await link.close()


def main(binary, bench, seconds):
    ports = []
    for _ in range(RELAYS):
        with socket.socket() as place:
            place.bind(("127.0.0.1", 0))
            ports.append(place.getsockname()[1])
    relays = [Relay(port) for port in ports]
    folder = tempfile.TemporaryDirectory(prefix="countersign-")
    home = os.path.join(folder.name, "home")
    agent = None
    try:
        made = subprocess.run(
            [bench, "bunker", home, str(CLIENTS), *[relay.url for relay in relays]],
            capture_output=True, text=True, check=True)
        signers = made.stdout.split()
        assert len(signers) == CLIENTS, made.stderr
        reader, writer = os.pipe()
        os.write(writer, PASSPHRASE.encode())
        os.close(writer)
        began = time.perf_counter()
        agent = subprocess.Popen(
            [binary, "--home", home, "--passphrase-fd", str(reader), "agent", "--idle", "0",
             "--socket", os.path.join(home, "agent.sock")],
            pass_fds=[reader], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(reader)
        for each in relays:
            each.wait_asked()
        print(f"{CLIENTS} connections on {RELAYS} relays after "
              f"{time.perf_counter() - began:.1f} s")
        time.sleep(10)
        ticks = cpu(agent)
        time.sleep(10)
        print(f"idle: {memory(agent):.1f} MiB (target 120), "
              f"{(cpu(agent) - ticks) / 10:.1f} % of a core", flush=True)
        asyncio.run(load(agent, signers, relays, seconds))
        relays[0].end()
        time.sleep(2)
        relays[0].start()
        began = time.perf_counter()
        relays[0].wait_asked()
        print(f"{CLIENTS} keys asked for again {time.perf_counter() - began:.2f} s after a relay "
              "came back (target 5)")
    finally:
        if agent:
            agent.kill()
            agent.wait()
        for each in relays:
            each.end()
        folder.cleanup()


def cpu(process):
    """Returns the processor time so far, in hundredths of a second."""
    fields = open(f"/proc/{process.pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) * 100 / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    if sys.argv[1] == "--relay":
        asyncio.run(relay(int(sys.argv[2])))
    else:
        main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else SECONDS)
