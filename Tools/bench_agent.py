#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares signatures over the socket with those of OpenSSH's ssh-agent, in turns, in one run.

Both sign Ed25519. Our messages are NEP-413; 100 rules judge each of them, and the record is durable first.

usage: bench_agent.py BINARY [PICTURE.svg]
"""
import base64
import json
import os
import shutil
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


FRAME = json.dumps({"message": "Hello NEAR!", "recipient": "example.near", "nonce": "@NONCE@"})
BODY = json.dumps({"wire": "nep413", "frame": FRAME, "client": "bench"})


class Peer:
    """An agent and its request. The same load program, which takes little processor time, measures both agents."""

    def __init__(self, name, kind, path, request, scratch):
        self.name, self.kind, self.path = name, kind, path
        self.load = os.path.join(scratch, "load")
        self.file = os.path.join(scratch, f"{kind}-request")
        with open(self.file, "wb") as file:
            file.write(request)

    def measure(self, clients):
        """Returns rate, median and 99th percentile in milliseconds, with one request at a time for each client."""
        words = [self.load, self.kind, self.path, str(clients), str(SECONDS), self.file]
        printed = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
        return tuple(float(word) for word in printed.split())


def of_ssh(blob):
    """Returns a request to ssh-agent to sign 200 bytes."""
    text = struct.pack(">I", len(blob)) + blob + struct.pack(">I", 200) + b"x" * 200
    message = b"\x0d" + text + struct.pack(">I", 0)
    return struct.pack(">I", len(message)) + message


def started(scratch, binary):
    """Starts both agents; returns them and their processes."""
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
    source = os.path.join(os.path.dirname(__file__), "..", "Tests", "Tools", "AgentLoad", "load.c")
    subprocess.run(["cc", "-O2", "-o", os.path.join(scratch, "load"), source], check=True)
    return [Peer("countersign", "http", place, BODY.encode(), scratch),
            Peer("ssh-agent", "ssh", path, of_ssh(blob), scratch)], [ours, ssh]


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
                    found[peer.name].append(peer.measure(clients))
            for name, turns in found.items():
                # The best turn counts: slower ones were disturbed.
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
