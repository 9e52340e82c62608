# SPDX-License-Identifier: Apache-2.0
"""Algorand's 25 words, compared with py-algorand-sdk."""
import json
import shlex
import unittest

from algosdk import account, error, mnemonic

from algorand_values import Signer, Transactions
from hub import BINARY, PASSPHRASE, Hub
from inbox_peer import Screen
from near_values import in_parallel


class AlgorandKeysPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("control_characters")
        cls.addClassCleanup(cls.hub.folder.cleanup)

    def export(self, name):
        return self.hub.command("key", "export", name).decode().rstrip("\n")

    def test_the_peers_words_are_imported_and_exported(self):
        source = Transactions(20261207)
        seeds = [b"\0" * 32, b"\xff" * 32, b"\1" + bytes(31), bytes(31) + b"\x80"]
        seeds += [source.randbytes(32) for _ in range(16)]

        def check(case):
            place, seed = case
            signer = Signer(seed)
            shown = self.hub.import_key("algorand", f"in{place}", signer.words)
            self.assertEqual(shown["address"], signer.address)
            self.assertEqual(self.export(f"in{place}"), signer.words)

        in_parallel(check, enumerate(seeds))

    def test_a_new_key_is_the_same_account_for_the_peer(self):
        for place in range(6):
            out = self.hub.command(
                "--json", "key", "new", "--protocol", "algorand", "--name", f"new{place}")
            words = self.export(f"new{place}")
            private = mnemonic.to_private_key(words)
            self.assertEqual(
                account.address_from_private_key(private), json.loads(out)["address"])
            self.assertEqual(mnemonic.from_private_key(private), words)

    def test_a_wallet_key_is_kept_after_its_address_was_shown(self):
        words = "abandon " * 11 + "about"
        address = "EP2D7TV7IAFANZHK3B6QLKB53N5UTD7RARVXZTWCPCRQQBKYVGM2XIMT2Q"

        def screen(name, *more):
            command = shlex.join([
                BINARY, "--home", self.hub.home, "key", "import", "--protocol", "algorand",
                "--name", name, "--scheme", "slip10", *more])
            screen = Screen(f"echo {words} | {command}; echo ended with $?", columns=120, rows=40)
            self.addCleanup(screen.close)
            return screen

        def names():
            return [key["name"] for key in json.loads(self.hub.command("--json", "key", "list"))]

        asked = screen("refused")
        asked.see("These words give the account", address, "keep it?")
        asked.press("n", "Enter")
        asked.see('"refused" was not kept', "ended with 1")
        self.assertNotIn("refused", names())
        asked = screen("kept")
        asked.see("keep it?")
        asked.press("y", "Enter")
        asked.see("assphrase")
        asked.press(*PASSPHRASE.decode().replace(" ", " Space ").split(" "), "Enter", rest=0.2)
        asked.see("ended with 0")
        self.assertIn("kept", names())
        sure = screen("sure", "--hd-path", "m/44'/283'/0'/0'/1'", "--yes")
        sure.see("assphrase")
        self.assertNotIn("keep it?", sure.text())

    def test_wrong_words_are_refused_here_and_by_the_peer(self):
        source = Transactions(20261208)
        words = Signer(source.randbytes(32)).words.split()
        wrong = [words[:24], words + words[:1], words[::-1], words[:24] + ["zzz"]]
        wrong.append(words[:3] + [words[4], words[3]] + words[5:])
        for _ in range(16):
            place = source.randrange(25)
            other = Signer(source.randbytes(32)).words.split()[place]
            wrong.append(words[:place] + [other] + words[place + 1:])

        def check(case):
            place, given = case
            with self.assertRaises((error.WrongMnemonicLengthError, error.WrongChecksumError,
                                    ValueError)):
                mnemonic.to_private_key(" ".join(given))
            self.hub.command("key", "import", "--protocol", "algorand", "--name", f"bad{place}",
                             stdin=" ".join(given).encode(), status=1)

        in_parallel(check, enumerate(wrong))
        listed = json.loads(self.hub.command("--json", "key", "list"))
        self.assertEqual([key["name"] for key in listed if key["name"].startswith("bad")], [])


if __name__ == "__main__":
    unittest.main()
