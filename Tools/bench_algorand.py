#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the payments of signing-bench with py-algorand-sdk, timed on this machine in one thread.

usage: bench_algorand.py FILE, where FILE is the output of signing-bench
"""
import base64
import re
import sys
import time

from algosdk import encoding, transaction
from algosdk.atomic_transaction_composer import (
    AccountTransactionSigner, sign_transaction_with_signer)
from nacl.signing import SigningKey

TESTNET = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="


def answer(text, signer, public):
    """Decodes, signs, verifies like our key store, and encodes."""
    txn = encoding.msgpack_decode(text)
    signed = sign_transaction_with_signer(txn, signer)
    public.verify(txn.bytes_to_sign(), base64.b64decode(signed.signature))
    return encoding.msgpack_encode(signed)


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
    key = SigningKey(bytes(range(32)))
    public = key.verify_key
    signer = AccountTransactionSigner(base64.b64encode(bytes(key) + bytes(public)).decode())
    parameters = transaction.SuggestedParams(
        1000, 85_001_236, 85_002_236, TESTNET, "testnet-v1.0", flat_fee=True)
    text = encoding.msgpack_encode(transaction.PaymentTxn(
        encoding.encode_address(bytes(public)), parameters,
        encoding.encode_address(b"\x79" * 32), 1000))
    theirs = per_second(lambda: answer(text, signer, public))
    ratio = int(ours["arc27"]) / theirs
    print(f"arc27 payment: {ratio:.2f} of py-algorand-sdk's {theirs:.0f}/s (target 2.5)")


if __name__ == "__main__":
    main()
