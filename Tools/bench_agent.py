#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signatures over the socket beside those of OpenSSH's ssh-agent, in turns, in one run.

Both sign Ed25519; ours are NEP-413 messages, each judged by 100 rules and recorded durably first.

usage: bench_agent.py BINARY [PICTURE.svg]
"""
import base64
import json
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time

CLIENTS = (1, 4, 16, 64)
SECONDS = 2.0
TURNS = 3
PASSPHRASE = "correct horse battery"
RULES = "".join(
    f'[[rule]]\nid = "r{number}"\neffect = "deny"\nprotocol = "nostr"\nkind = {number}\n'
    for number in range(99))
POLICY = f"""version = 1
default = "deny"
{RULES}
[[rule]]
id = "messages"
effect = "allow"
protocol = "near"
operation = "sign_message"
acknowledge = ["new_client"]
"""


class Ours:
    """HTTP/1.1 on a connection that stays."""

    name = "countersign"

    def __init__(self, path):
        self.path = path

    def request(self):
        nonce = base64.b64encode(os.urandom(32)).decode()
        frame = json.dumps({"message": "Hello NEAR!", "recipient": "example.near", "nonce": nonce})
        body = json.dumps({"wire": "nep413", "frame": frame, "client": "bench"}).encode()
        return (b"POST /v1/requests HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: %d\r\n\r\n" % len(body)) + body

    def length(self, data):
        """How long the answer is in all; None while it cannot be told."""
        end = data.find(b"\r\n\r\n")
        if end < 0:
            return None
        head = data[:end].lower()
        start = head.index(b"content-length:") + 15
        return end + 4 + int(head[start:].split(b"\r\n", 1)[0])

    def check(self, data):
        if b'"state":"done"' not in data:
            raise SystemExit(f"not signed: {data!r}")


class SSH:
    """The protocol of ssh-agent."""

    name = "ssh-agent"

    def __init__(self, path, blob):
        self.path = path
        text = struct.pack(">I", len(blob)) + blob + struct.pack(">I", 200) + b"x" * 200
        message = b"\x0d" + text + struct.pack(">I", 0)
        self.message = struct.pack(">I", len(message)) + message

    def request(self):
        return self.message

    def length(self, data):
        return None if len(data) < 4 else 4 + struct.unpack(">I", data[:4])[0]

    def check(self, data):
        if data[4] != 14:
            raise SystemExit("ssh-agent did not sign")


def load(peer, clients):
    """Rate, median and 99th percentile in milliseconds, each client with one request at a time."""
    poll = select.epoll()
    links = {}
    for _ in range(clients):
        link = socket.socket(socket.AF_UNIX)
        link.connect(peer.path)
        links[link.fileno()] = [link, b"", 0.0]
        poll.register(link, select.EPOLLIN)
    times = []
    start = time.perf_counter()
    for state in links.values():
        state[2] = time.perf_counter()
        state[0].sendall(peer.request())
    while True:
        now = time.perf_counter()
        if now - start > SECONDS:
            break
        for number, _ in poll.poll(1):
            state = links[number]
            state[1] += state[0].recv(65536)
            length = peer.length(state[1])
            if length is None or len(state[1]) < length:
                continue
            now = time.perf_counter()
            times.append(now - state[2])
            peer.check(state[1])
            state[1] = b""
            message = peer.request()
            state[2] = time.perf_counter()
            state[0].sendall(message)
    for state in links.values():
        state[0].close()
    times.sort()
    return len(times) / (now - start), times[len(times) // 2] * 1e3, times[len(times) * 99 // 100] * 1e3


def started(scratch, binary):
    """Both agents, and what ends them."""
    home = os.path.join(scratch, "home")
    environment = {"PATH": os.environ["PATH"], "COUNTERSIGN_HOME": home,
                   "CREDENTIALS_DIRECTORY": scratch}
    with open(os.path.join(scratch, "countersign-passphrase"), "w", encoding="ascii",
              opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
        file.write(PASSPHRASE)

    def command(*words):
        subprocess.run([binary, *words], env=environment, check=True, stdout=subprocess.DEVNULL)

    command("init", "--quiet")
    command("key", "new", "--quiet", "--protocol", "near", "--name", "bench", "--account",
            "bench.near")
    with open(os.path.join(home, "policy.toml"), "w", encoding="ascii") as file:
        file.write(POLICY)
    command("policy", "attest", "--quiet")
    place = os.path.join(home, "agent.sock")
    ours = subprocess.Popen([binary, "agent", "--socket", place], env=environment,
                            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    ours.stderr.readline()
    key = os.path.join(scratch, "id")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    path = os.path.join(scratch, "ssh.sock")
    ssh = subprocess.Popen(["ssh-agent", "-D", "-a", path], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
    while not os.path.exists(path):
        time.sleep(0.05)
    subprocess.run(["ssh-add", "-q", key], env={**os.environ, "SSH_AUTH_SOCK": path}, check=True)
    with open(key + ".pub", encoding="ascii") as file:
        blob = base64.b64decode(file.read().split()[1])
    return [Ours(place), SSH(path, blob)], [ours, ssh]


def picture(rows, path):
    """Throughput and median over clients, as SVG."""
    parts = []
    for place, (title, column) in enumerate((("signatures per second", 0), ("median, ms", 1))):
        top = max(row[column] for table in rows.values() for row in table.values())
        left = 60 + place * 340
        parts.append(f'<text x="{left}" y="24" font-weight="bold">{title}</text>')
        parts.append(f'<path d="M{left} 40V220H{left + 260}" fill="none" stroke="#888"/>')
        parts.append(f'<text x="{left - 6}" y="46" text-anchor="end">{top:.4g}</text>')
        parts.append(f'<text x="{left - 6}" y="222" text-anchor="end">0</text>')
        for (name, table), colour in zip(rows.items(), ("#1f6feb", "#b35900")):
            points = [(left + 20 + 75 * index, 220 - 180 * table[count][column] / top)
                      for index, count in enumerate(CLIENTS)]
            parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="'
                         + " ".join(f"{x:.0f},{y:.0f}" for x, y in points) + '"/>')
            x, y = points[-1]
            parts.append(f'<text x="{x - 4:.0f}" y="{y - 6:.0f}" text-anchor="end" fill="{colour}">'
                         f"{name}</text>")
        for index, count in enumerate(CLIENTS):
            parts.append(f'<text x="{left + 20 + 75 * index}" y="238" text-anchor="middle">{count}</text>')
        parts.append(f'<text x="{left + 130}" y="256" text-anchor="middle">clients at once</text>')
    with open(path, "w", encoding="ascii") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" width="700" height="266" '
                   'font-family="sans-serif" font-size="12">\n<rect width="700" height="266" '
                   'fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    binary = os.path.abspath(sys.argv[1])
    scratch = tempfile.mkdtemp()
    processes = []
    try:
        peers, processes = started(scratch, binary)
        rows = {peer.name: {} for peer in peers}
        for clients in CLIENTS:
            found = {peer.name: [] for peer in peers}
            for _ in range(TURNS):
                for peer in peers:
                    found[peer.name].append(load(peer, clients))
            for name, turns in found.items():
                # The best: what is slower was disturbed.
                rows[name][clients] = max(turns)
            ours, ssh = (rows[peer.name][clients] for peer in peers)
            target = {1: " (target 1.5, median 0.4 ms)", 16: " (target 3, p99 10 ms)"}
            print(f"agent, {clients} clients: {ours[0]:.0f}/s, median {ours[1]:.2f} ms, p99 "
                  f"{ours[2]:.1f} ms; ssh-agent {ssh[0]:.0f}/s, {ssh[1]:.2f}, {ssh[2]:.1f}; ratio "
                  f"{ours[0] / ssh[0]:.2f}{target.get(clients, '')}")
        with open(f"/proc/{processes[0].pid}/status", encoding="ascii") as file:
            sizes = dict(line.split(":", 1) for line in file)
        print(f"agent, resident: {int(sizes['VmRSS'].split()[0]) / 1024:.0f} MiB, at its peak "
              f"{int(sizes['VmHWM'].split()[0]) / 1024:.0f}")
        if len(sys.argv) > 2:
            picture(rows, sys.argv[2])
    finally:
        for process in processes:
            process.terminate()
            process.wait(timeout=30)
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
