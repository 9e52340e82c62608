# SPDX-License-Identifier: Apache-2.0
"""Algorand's 25 words against py-algorand-sdk."""
import json
import unittest

from algosdk import account, error, mnemonic

from algorand_values import Signer, Transactions
from hub import Hub
from near_values import in_parallel


class AlgorandKeysPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("control_characters")
        cls.addClassCleanup(cls.hub.folder.cleanup)

    def export(self, name):
        return self.hub.command("key", "export", name).decode().rstrip("\n")

    def test_words_in_and_out(self):
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

    def test_what_is_made_here_is_the_same_account_there(self):
        for place in range(6):
            out = self.hub.command(
                "--json", "key", "new", "--protocol", "algorand", "--name", f"new{place}")
            words = self.export(f"new{place}")
            private = mnemonic.to_private_key(words)
            self.assertEqual(
                account.address_from_private_key(private), json.loads(out)["address"])
            self.assertEqual(mnemonic.from_private_key(private), words)

    def test_wrong_words_are_refused_on_both_sides(self):
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
