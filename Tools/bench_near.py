#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the transfers of signing-bench with py-near, timed on this machine in one thread.

usage: bench_near.py FILE, where FILE is the output of signing-bench
"""
import base64
import hashlib
import re
import sys
import time

import py_near_primitives
from nacl.signing import SigningKey
from py_near import transactions

AMOUNT = 10 ** 24
SIGNATURE_COUNT = 64
# The number of the curve and the signature itself.
TAIL_COUNT = 65


def transfer(key, nonce):
    """Signs a transfer with py-near, and verifies it like our key store."""
    secret = bytes(key) + bytes(key.verify_key)
    text = transactions.sign_and_serialize_transaction(
        "bench.near", secret, "bob.near", nonce, [py_near_primitives.TransferAction(AMOUNT)],
        bytes(32))
    signed = base64.b64decode(text)
    digest = hashlib.sha256(signed[:-TAIL_COUNT]).digest()
    key.verify_key.verify(digest, signed[-SIGNATURE_COUNT:])


def per_second(action):
    """Returns the best of five runs."""
    best, nonce = 0, 0
    for _ in range(5):
        start, first = time.perf_counter(), nonce
        while time.perf_counter() - start < 0.7:
            for _ in range(20):
                nonce += 1
                action(nonce)
        best = max(best, (nonce - first) / (time.perf_counter() - start))
    return best


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        ours = dict(re.findall(r"^(.+?): (\d+)/s", file.read(), re.MULTILINE))
    key = SigningKey(bytes(range(1, 33)))
    theirs = per_second(lambda nonce: transfer(key, nonce))
    ratio = int(ours["nep413 transfer"]) / theirs
    print(f"nep413 transfer: {ratio:.2f} of py-near's {theirs:.0f}/s (target 1.2)")


if __name__ == "__main__":
    main()
