#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the NEAR vectors as inputs of the fuzz harness NEAR: calls, and values in Borsh.

usage: near_seeds.py VECTORS FOLDER
"""
import json
import pathlib
import sys


def load(folder, name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def seeds(folder):
    """Returns every input."""
    for vector in load(folder, "transactions.json")["vectors"]:
        for name in ("transactionBorshHex", "signedTransactionBorshHex"):
            if vector.get(name):
                yield bytes.fromhex(vector[name])
    for vector in load(folder, "delegate_actions.json")["vectors"]:
        if vector.get("signedDelegateBorshHex"):
            yield bytes.fromhex(vector["signedDelegateBorshHex"])
    calls = [{"method": call["method"], "params": call["params"]}
             for call in load(folder, "wallet_calls.json")["calls"]]
    calls += [{"method": "signTransaction",
               "params": {"network": "mainnet", "receiverId": "bob.near",
                          "actions": [vector["connectorAction"]]}}
              for vector in load(folder, "connector_actions.json")["vectors"]]
    for call in calls:
        frame = json.dumps(call, separators=(",", ":"))
        yield frame.encode()


def main():
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for place, seed in enumerate(seeds(pathlib.Path(sys.argv[1]))):
        (out / f"{place:03}").write_bytes(seed)


if __name__ == "__main__":
    main()
