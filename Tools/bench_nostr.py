#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the figures of signing-bench with nostr-sdk, timed on this machine in one thread.

usage: bench_nostr.py FILE, where FILE is the output of signing-bench
"""
import re
import sys
import time

import nostr_sdk

TEXT = "0123456789abcde\n" * 64


def per_second(action):
    """Returns the best of five runs."""
    best = 0
    for _ in range(5):
        start, count = time.perf_counter(), 0
        while time.perf_counter() - start < 0.7:
            for _ in range(20):
                action()
            count += 20
        best = max(best, count / (time.perf_counter() - start))
    return best


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        ours = dict(re.findall(r"^(.+?): (\d+)/s", file.read(), re.MULTILINE))
    keys, peer = nostr_sdk.Keys.generate(), nostr_sdk.Keys.generate()
    version = nostr_sdk.Nip44Version.V2
    sealed = nostr_sdk.nip44_encrypt(keys.secret_key(), peer.public_key(), TEXT, version)
    for name, target, action in [
            ("nip155", 1.2, lambda: nostr_sdk.EventBuilder.text_note("hello").sign_with_keys(keys).verify()),
            ("nip155 nip44_encrypt 1 KiB", 1,
             lambda: nostr_sdk.nip44_encrypt(keys.secret_key(), peer.public_key(), TEXT, version)),
            ("nip155 nip44_decrypt 1 KiB", 1,
             lambda: nostr_sdk.nip44_decrypt(keys.secret_key(), peer.public_key(), sealed))]:
        theirs = per_second(action)
        print(f"{name}: {int(ours[name]) / theirs:.2f} of nostr-sdk's {theirs:.0f}/s (target {target})")


if __name__ == "__main__":
    main()
