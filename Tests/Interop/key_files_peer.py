# SPDX-License-Identifier: Apache-2.0
"""`key import FILE` with the files of other wallets, built by independent code."""
import base64
import json
import os
import pathlib
import random
import unittest

from algosdk import mnemonic

import key_files
from hub import Hub
from near_values import in_parallel


class KeyFilesPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("control_characters")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.source = random.Random(20261128)

    def file(self, name, data):
        path = pathlib.Path(self.hub.folder.name, name)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
        os.chmod(path, 0o600)
        return str(path)

    def imported(self, name, path, *more, secret=None, status=0):
        out = self.hub.command(
            "--json", "key", "import", "--name", name, *more, path, secret=secret, status=status)
        return json.loads(out)

    def check_words(self, name, seed):
        """The key in the home is that of the seed, as the SDK writes it in words."""
        private = base64.b64encode(key_files.pair(seed)[0]).decode()
        words = self.hub.command("key", "export", name).decode().strip()
        self.assertEqual(words, mnemonic.from_private_key(private))

    def test_kmd_wallets_at_the_cost_that_kmd_asks_for(self):
        seeds = [self.source.randbytes(32) for _ in range(5)]
        data = key_files.kmd_wallet(self.source, seeds, "pass wörd".encode(), page=4096, joint=1)
        path = self.file("wallet.db", data)
        self.assertIn("error", self.imported("wrong", path, secret="password", status=1))
        one = self.imported("one", path, "--account", key_files.pair(seeds[2])[2],
                            secret="pass wörd")
        self.assertEqual((one["name"], one["address"]), ("one", key_files.pair(seeds[2])[2]))
        rest = self.imported("kmd", path, secret="pass wörd")
        self.assertEqual([key["name"] for key in rest], ["kmd-1", "kmd-2", "kmd-4", "kmd-5"])
        for name, seed in [("one", seeds[2]), ("kmd-1", seeds[0]), ("kmd-5", seeds[4])]:
            self.check_words(name, seed)
        again = self.imported("kmd", path, secret="pass wörd", status=1)
        self.assertIn("in this home already", again["error"])
        other = self.imported("none", path, "--account", key_files.pair(bytes(32))[2],
                              secret="pass wörd", status=1)
        self.assertIn("there is no secret key of", other["error"])

    def test_a_wallet_of_many_keys_gives_one_or_all_within_the_limit(self):
        seeds = [self.source.randbytes(32) for _ in range(257)]
        path = self.file("many.db", key_files.kmd_wallet(self.source, seeds, b"", (2, 1, 1)))
        self.assertIn("at most 256", self.imported("many", path, status=1)["error"])
        chosen = self.imported("chosen", path, "--account", key_files.pair(seeds[256])[2])
        self.assertEqual(chosen["address"], key_files.pair(seeds[256])[2])
        # A name that another key has stops the import before its first key.
        pair = self.file("pair.db", key_files.kmd_wallet(self.source, seeds[:2], b"", (2, 1, 1)))
        self.hub.command("key", "new", "--protocol", "nostr", "--name", "both-2")
        self.assertIn("both-2", self.imported("both", pair, status=1)["error"])
        names = [key["name"] for key in json.loads(self.hub.command("--json", "key", "list"))]
        self.assertNotIn("both-1", names)

    def test_the_account_of_the_standards_example(self):
        secret = ("w0HG2VH7tAYz9PD4SYX0flC4CKh1OONCB6U5bP7cXGci7RJ4+fqRSfPEh54USMPbR+hIQa2QLEdQ"
                  "jrH1uDHMRA==")
        account = {"address": "ELWRE6HZ7KIUT46EQ6PBISGD3ND6QSCBVWICYR2QR2Y7LOBRZRCAIKLWDE",
                   "name": "My NFT Account", "account_type": "single", "private_key": secret}
        seed = base64.b64decode(secret)[:32]
        self.assertEqual(key_files.pair(seed)[2], account["address"])
        text, words = key_files.arc35(self.source, [account], bytes(range(16)))
        shown = self.imported("standard", self.file("standard.txt", text), secret=words)
        self.assertEqual(shown["address"], account["address"])

    def test_wallets_of_other_forms_are_refused(self):
        seeds = [self.source.randbytes(32)]
        newer = key_files.kmd_wallet(self.source, seeds, b"", (2, 1, 1), version=2)
        heavy = key_files.kmd_wallet(self.source, seeds, b"", (2, 1, 1)).replace(
            b"scrypt_n\x02", b"scrypt_n\x03")
        for name, data, text in [
                ("newer", newer, "another version"), ("odd", heavy, "damaged"),
                ("home", pathlib.Path(self.hub.home, "vault.db").read_bytes(), "not a kmd wallet")]:
            answer = self.imported(name, self.file(f"{name}.db", data), status=1)
            self.assertIn(text, answer["error"])

    def test_backups_of_many_accounts(self):
        def check(place):
            source = random.Random(place)
            seeds = [source.randbytes(32) for _ in range(source.randint(1, 6))]
            accounts = [key_files.account_of(seed) for seed in seeds]
            accounts.insert(0, key_files.account_of(source.randbytes(32), "watch"))
            write = source.choice([json.dumps, key_files.escaping])
            text, words = key_files.arc35(source, accounts, source.randbytes(16), write)
            path = self.file(f"{place}.txt", text)
            shown = self.imported(f"arc{place}", path, secret=words)
            shown = shown if isinstance(shown, list) else [shown]
            self.assertEqual([key["address"] for key in shown],
                             [key_files.pair(seed)[2] for seed in seeds])
            self.check_words(shown[0]["name"], seeds[0])

        in_parallel(check, range(12))

    def test_a_backup_that_is_changed_newer_or_lies_gives_no_key(self):
        seed = self.source.randbytes(32)
        account = key_files.account_of(seed)
        lie = account | {"address": key_files.pair(bytes(32))[2]}
        short = account | {"private_key": base64.b64encode(seed).decode()}
        entropy = bytes(16)
        for name, accounts, changes, text in [
                ("lie", [lie], {}, "there is no secret key in"),
                ("short", [short], {}, "there is no secret key in"),
                ("newer", [account], {"version": "2.0"}, "another form than ARC-35"),
                ("cut", [account], {"ciphertext": "AAAA"}, "do not open")]:
            backup, words = key_files.arc35(self.source, accounts, entropy, **changes)
            answer = self.imported(name, self.file(f"{name}.txt", backup), secret=words, status=1)
            self.assertIn(text, answer["error"])

    def test_key_files_of_algokey(self):
        for place, seed in enumerate([bytes(32), b"\xff" * 32, self.source.randbytes(32)]):
            shown = self.imported(f"algokey{place}", self.file(f"algokey{place}", seed))
            self.assertEqual(shown["address"], key_files.pair(seed)[2])
            self.check_words(f"algokey{place}", seed)


if __name__ == "__main__":
    unittest.main()
