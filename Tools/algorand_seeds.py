#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the Algorand vectors as inputs of the fuzz harness ARC27: frames, CBOR, MessagePack.

usage: algorand_seeds.py VECTORS FOLDER
"""
import base64
import json
import pathlib
import sys


def load(folder, name):
    return json.loads((folder / name).read_text(encoding="utf-8"))


def texts(value, names):
    """Returns all members with these names, at any depth."""
    if isinstance(value, dict):
        for name, member in value.items():
            if name in names and isinstance(member, str):
                yield member
            yield from texts(member, names)
    if isinstance(value, list):
        for element in value:
            yield from texts(element, names)


def seeds(folder):
    """Returns every input."""
    for name in ("transactions.json", "groups.json", "multisig.json", "post_quantum.json"):
        for text in texts(load(folder, name), ("txn_b64", "stxn_b64")):
            yield base64.b64decode(text)
    for call in load(folder, "arc27_messages.json")["conversations"]:
        request = call["request"]
        yield json.dumps(request["json"], separators=(",", ":")).encode()
        yield bytes.fromhex(request["cbor_hex"])
        for text in texts(request, ("frame_b64url", "cborx_frame_b64url",
                                    "indefinite_frame_b64url")):
            yield text.encode()
        if call.get("response"):
            yield json.dumps(call["response"]["json"], separators=(",", ":")).encode()
    for case in load(folder, "cbor_edge_cases.json")["cases"]:
        yield base64.urlsafe_b64encode(bytes.fromhex(case["hex"]))


def main():
    out = pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for place, seed in enumerate(seeds(pathlib.Path(sys.argv[1]))):
        (out / f"{place:03}").write_bytes(seed)


if __name__ == "__main__":
    main()
