#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times complete commands: start, key list with 1,000 keys, and the memory of one handle.

usage: bench_command.py BINARY BENCH
"""
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
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
