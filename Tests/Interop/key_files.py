# SPDX-License-Identifier: Apache-2.0
"""Key files of other wallets, built from their published formats with PyNaCl, pycryptodomex and sqlite3.

Prints the vectors of Tests/Vectors/algorand/key_files.json when it is run.
"""
import base64
import hashlib
import hmac
import json
import pathlib
import random
import sqlite3

import msgpack
from Cryptodome.Protocol.KDF import scrypt
from nacl.secret import SecretBox
from nacl.signing import SigningKey

from algosdk import encoding

KMD_SCHEMA = """
CREATE TABLE metadata (
  driver_name TEXT NOT NULL, driver_version INT NOT NULL, wallet_id TEXT NOT NULL UNIQUE,
  wallet_name TEXT NOT NULL, mep_encrypted BLOB NOT NULL, mdk_encrypted BLOB NOT NULL,
  max_key_idx_encrypted BLOB NOT NULL);
CREATE TABLE keys (address BLOB PRIMARY KEY, secret_key_encrypted BLOB NOT NULL, key_idx INT);
CREATE TABLE msig_addrs (
  address BLOB PRIMARY KEY, version INT NOT NULL, threshold INT NOT NULL, pks BLOB NOT NULL);
"""
KMD_COST = (65536, 1, 32)
WORDS = pathlib.Path(__file__).parents[1] / "Vectors/nostr/bip39.english.txt"


def pair(seed):
    """The secret key of 64 bytes, the public key and the address."""
    public = bytes(SigningKey(seed).verify_key)
    return seed + public, public, encoding.encode_address(public)


def kmd_box(source, content, kind, key=None, password=None, cost=KMD_COST):
    """One sealed value: under a key, or under a password by scrypt."""
    salt = bytes(32)
    if key is None:
        salt = source.randbytes(32)
        n, r, p = cost
        # OpenSSL refuses the N that kmd has with r = 1, so hashlib cannot do it.
        key = scrypt(password, salt, 32, n, r, p)
    plain = msgpack.packb({"plaintext": content, "plaintext_type": kind}, use_bin_type=True)
    nonce = source.randbytes(24)
    n, r, p = cost if password is not None else (0, 0, 0)
    return msgpack.packb({
        "ciphertext": SecretBox(key).encrypt(plain, nonce).ciphertext,
        "do_scrypt": password is not None, "nonce": nonce, "salt": salt,
        "scrypt_n": n, "scrypt_p": p, "scrypt_r": r}, use_bin_type=True)


def kmd_wallet(source, seeds, password, cost=KMD_COST, version=1, page=512, joint=0):
    """The bytes of a wallet's SQLite file; the last seed is an imported key."""
    master, derivation = source.randbytes(32), source.randbytes(32)
    file = sqlite3.connect(":memory:")
    file.execute(f"PRAGMA page_size = {page}")
    file.executescript(KMD_SCHEMA)
    number = msgpack.packb(max(len(seeds) - 1, 0))
    file.execute("INSERT INTO metadata VALUES (?, ?, ?, ?, ?, ?, ?)", [
        "sqlite", version, b"0123456789abcdef", b"wallet",
        kmd_box(source, master, "master_key", password=password, cost=cost),
        kmd_box(source, derivation, "master_derivation_key", key=master),
        kmd_box(source, number, "max_key_idx", key=master)])
    for place, seed in enumerate(seeds):
        secret, public, _ = pair(seed)
        sealed = kmd_box(source, msgpack.packb(secret, use_bin_type=True), "secret_key", key=master)
        index = None if place and place == len(seeds) - 1 else place + 1
        file.execute("INSERT INTO keys VALUES (?, ?, ?)", [public, sealed, index])
    for _ in range(joint):
        file.execute("INSERT INTO msig_addrs VALUES (?, 1, 1, ?)", [source.randbytes(32), b"\x90"])
    file.commit()
    return file.serialize()


def words_of(entropy):
    """The 12 words of BIP-39 for 16 bytes."""
    words = WORDS.read_text().split()
    bits = int.from_bytes(entropy, "big") << 4 | hashlib.sha256(entropy).digest()[0] >> 4
    return " ".join(words[bits >> 11 * place & 2047] for place in reversed(range(12)))


def account_of(seed, kind="single", **more):
    secret, _, address = pair(seed)
    row = {"address": address, "name": "My \"NFT\" account", "account_type": kind}
    if kind == "single":
        row["private_key"] = base64.b64encode(secret).decode()
    return row | more


def arc35(source, accounts, entropy, write=json.dumps, **changes):
    """The text of a backup, and its 12 words."""
    key = hmac.new(b"Algorand export 1.0", entropy, hashlib.sha256).digest()
    body = write({
        "device_id": "2498232091970170817", "provider_name": "Pera Wallet", "accounts": accounts})
    sealed = SecretBox(key).encrypt(body.encode(), source.randbytes(24))
    envelope = {
        "version": "1.0", "suite": "HMAC-SHA256:sodium_secretbox_easy",
        "ciphertext": base64.b64encode(bytes(sealed)).decode()} | changes
    return base64.b64encode(write(envelope).encode()).decode(), words_of(entropy)


def escaping(value):
    """JSON as writers that escape the digits of Base64 have it."""
    return json.dumps(value).replace("/", "\\/").replace("=", "\\u003d").replace("+", "\\u002B")


def vectors():
    source = random.Random(20261127)
    seeds = [source.randbytes(32) for _ in range(3)]
    small = (1024, 1, 2)

    def rows(seeds):
        return [{"address": pair(seed)[2], "seed_hex": seed.hex()} for seed in seeds]

    kmd = []
    for name, password, chosen, joint in [
            ("three keys", "correct horse", seeds, 2), ("one key, no password", "", seeds[:1], 0),
            ("no keys", "x", [], 0)]:
        data = kmd_wallet(source, chosen, password.encode(), small, joint=joint)
        kmd.append({"name": name, "password": password, "keys": rows(chosen),
                    "file_base64": base64.b64encode(data).decode()})
    entropy = source.randbytes(16)
    arc = []
    others = [account_of(seeds[2], kind) for kind in ("watch", "ledger")]
    others.append(account_of(seeds[2], "multisig", multisig={"version": 1, "addrs": ["a", "{"]}))
    for name, accounts, chosen, write in [
            ("one account", [account_of(seeds[0])], seeds[:1], json.dumps),
            ("two accounts and others", [others[0], account_of(seeds[0]), *others[1:],
                                         account_of(seeds[1])], seeds[:2], escaping)]:
        text, words = arc35(source, accounts, entropy, write)
        arc.append({"name": name, "words": words, "text": text, "keys": rows(chosen)})
    return {"kmd": kmd, "arc35": arc}


if __name__ == "__main__":
    print(json.dumps(vectors(), indent=1))
