#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times complete commands: start, key list with 1,000 keys, the memory of one handle, and handle with an agent.

usage: bench_command.py BINARY BENCH
"""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

REQUEST = ("nostrsigner://sign_event?type=sign_event&x-success=myapp://ok"
           "&event=%7B%22kind%22%3A1%2C%22content%22%3A%22hello%22%7D")
POLICY = 'version = 1\ndefault = "deny"\n[[rule]]\nid = "a"\neffect = "allow"\nprotocol = "nostr"\n' \
    'acknowledge = ["new_client"]\n'


def median_ms(command, environment):
    times = []
    for _ in range(41):
        start = time.perf_counter()
        subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
        times.append((time.perf_counter() - start) * 1000)
    return sorted(times)[len(times) // 2]


def private(path, flags):
    return os.open(path, flags, 0o600)


class ServedHome:
    """A home with an agent and some rules, of which the first one allows the note."""

    def __init__(self, binary, scratch, rules):
        self.binary, self.count, self.times = binary, 0, {"handle": [], "curl": []}
        self.home = os.path.join(scratch, f"served-{rules}")
        self.socket = os.path.join(self.home, "agent.sock")
        self.environment = {"PATH": os.environ["PATH"], "COUNTERSIGN_HOME": self.home,
                            "CREDENTIALS_DIRECTORY": scratch}
        self.run("init", "--quiet")
        self.run("key", "new", "--quiet", "--protocol", "nostr", "--name", "bench")
        others = "".join(
            f'[[rule]]\nid = "r{number}"\neffect = "deny"\nprotocol = "nostr"\nkind = {number + 1000}\n'
            for number in range(rules - 1))
        with open(os.path.join(self.home, "policy.toml"), "w", encoding="ascii") as file:
            file.write(POLICY + others)
        self.run("policy", "attest", "--quiet")
        self.agent = subprocess.Popen([binary, "agent", "--socket", self.socket], env=self.environment,
                                      stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.agent.stderr.readline()

    def run(self, *words):
        subprocess.run([self.binary, *words], env=self.environment, stdout=subprocess.DEVNULL, check=True)

    def turn(self):
        """Times one note by the command, and one by curl on the socket of the agent."""
        body = json.dumps({"frame": self.note(), "channel": "cli"})
        curl = ["curl", "-s", "-f", "--unix-socket", self.socket, "--json", body, "http://localhost/v1/requests"]
        for name, words in (("handle", [self.binary, "handle", self.note()]), ("curl", curl)):
            start = time.perf_counter()
            subprocess.run(words, env=self.environment, stdout=subprocess.DEVNULL, check=True)
            self.times[name].append((time.perf_counter() - start) * 1000)

    def note(self):
        self.count += 1
        return REQUEST.replace("hello", f"hello%20{self.count}")

    def median(self, name):
        times = sorted(self.times[name])
        return times[len(times) // 2]


def with_agents(binary, scratch):
    """Compares handle with an agent for few and for many rules, and with curl, in turns."""
    homes = [ServedHome(binary, scratch, rules) for rules in (2, 2001)]
    try:
        for _ in range(41):
            for home in homes:
                home.turn()
    finally:
        for home in homes:
            home.agent.terminate()
            home.agent.wait()
    few, many = (home.median("handle") for home in homes)
    print(f"handle with an agent: {few:.1f} ms; with 2,001 rules {many:.1f} ms, "
          f"{many / few:.2f} times as long (target 1.3)")
    print(f"handle with an agent beside curl: {few / homes[0].median('curl'):.2f} times as long; "
          f"with 2,001 rules {many / homes[1].median('curl'):.2f} (target 1.5)")


def main():
    binary, bench = map(os.path.abspath, sys.argv[1:3])
    scratch = tempfile.mkdtemp()
    home = os.path.join(scratch, "home")
    environment = {"PATH": os.environ["PATH"], "COUNTERSIGN_HOME": home,
                   "CREDENTIALS_DIRECTORY": scratch}
    try:
        subprocess.run([bench, "make-home", home], check=True)
        secret = os.path.join(scratch, "countersign-passphrase")
        with open(secret, "w", encoding="ascii", opener=private) as file:
            file.write("benchmark")
        with open(os.path.join(home, "policy.toml"), "w", encoding="ascii") as file:
            file.write(POLICY)
        subprocess.run([binary, "policy", "attest", "--quiet"], env=environment, check=True)
        print(f"--help: {median_ms([binary, '--help'], environment):.1f} ms (target 15)")
        print(f"key list, 1,000 keys: {median_ms([binary, 'key', 'list'], environment):.1f} ms (target 50)")
        subprocess.run([binary, "handle", REQUEST], env=environment, check=True,
                       stdout=subprocess.DEVNULL)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        print(f"handle, 1,000 keys: {peak:.0f} MiB resident at its peak, "
              f"{peak - 64:.0f} MiB beyond Argon2id's 64 (target 40)")
        with_agents(binary, scratch)
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
