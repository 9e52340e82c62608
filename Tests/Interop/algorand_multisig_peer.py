# SPDX-License-Identifier: Apache-2.0
"""Multisignatures in steps, compared with the steps of py-algorand-sdk."""
import base64
import json
import os
import tempfile
import unittest

import msgpack
from algosdk import encoding, transaction
from algosdk.atomic_transaction_composer import (
    MultisigTransactionSigner, sign_transaction_with_signer)
from algosdk.transaction import Multisig, MultisigTransaction
from nacl.signing import VerifyKey

from algorand_frames import LIQUID, address_text, call, item, packed, sha512_256, transaction_bytes
from algorand_values import DANGERS, Signer, Transactions
from hub import Hub
from near_values import in_parallel

CASES_PER_CALL = 10


def decoded(text):
    return encoding.msgpack_decode(text)


class Case:
    """A transaction of an account of several keys, some of them in this home."""

    def __init__(self, source, ours, others):
        held = source.sample(ours, source.choice([1, 1, 2, 3]))
        foreign = source.sample(others, source.randint(1, 4))
        self.members = source.sample(held + foreign, len(held) + len(foreign))
        self.held, self.foreign = held, foreign
        self.threshold = source.choice([2, 3, source.randint(1, len(self.members))])
        self.threshold = min(self.threshold, len(self.members))
        self.addresses = [signer.address for signer in self.members]
        self.address = self.account().address()
        # An account that is rekeyed to this one names it as the signer.
        sender = source.address() if source.random() < 0.4 else self.address
        self.txn = self.transaction(source, sender)
        self.more = {"msig": {
            "version": 1, "threshold": self.threshold, "addrs": self.addresses}}
        if sender != self.address or source.random() < 0.2:
            self.more["authAddr"] = self.address
        # Without a list, every key in this home may sign, so only one key gives a defined result.
        if len(held) > 1 or source.random() < 0.5:
            self.more["signers"] = [signer.address for signer in held]

    @staticmethod
    def transaction(source, sender):
        """Returns a transaction that the SDK can read back: it cannot read a first voting round of 0."""
        while True:
            txn = source.transaction(sender, "testnet")
            if getattr(txn, "votefst", 1) != 0 and getattr(txn, "votekd", 1) != 0:
                return txn

    def account(self):
        return Multisig(1, self.threshold, self.addresses)

    def signed_by(self, signers):
        """Returns the multisignature that the SDK makes alone."""
        keys = [signer.private for signer in signers]
        return sign_transaction_with_signer(
            self.txn, MultisigTransactionSigner(self.account(), keys))


class AlgorandMultisigPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("partial_multisig", "new_client", *DANGERS)
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.ours = [Signer(bytes([place]) * 32) for place in range(1, 4)]
        cls.others = [Signer(bytes([place]) * 32) for place in range(101, 107)]
        for place, signer in enumerate(cls.ours):
            cls.hub.import_key(
                "algorand", f"key{place}", signer.words, "--network", "testnet")

    def sign(self, source, cases):
        items = [item(source, case.txn, **case.more) for case in cases]
        result = call(self.hub, source, "sign_transactions", {
            "providerId": LIQUID, "txns": items})
        self.assertEqual(len(result["stxns"]), len(cases))
        return result["stxns"]

    def check_apart(self, text, case):
        """Checks without the SDK: encoding, order of the keys, and signers."""
        data = base64.b64decode(text, validate=True)
        whole = msgpack.unpackb(data)
        self.assertEqual(packed(whole), data)
        preimage = b"TX" + packed(whole["txn"])
        self.assertEqual(preimage, b"TX" + transaction_bytes(case.txn))
        multisig = whole["msig"]
        self.assertEqual((multisig["v"], multisig["thr"]), (1, case.threshold))
        self.assertEqual(
            [address_text(part["pk"]) for part in multisig["subsig"]], case.addresses)
        public = sha512_256(b"MultisigAddr" + bytes([1, case.threshold]) + b"".join(
            part["pk"] for part in multisig["subsig"]))
        self.assertEqual(whole.get("sgnr", whole["txn"]["snd"]), public)
        self.assertEqual("sgnr" in whole, whole["txn"]["snd"] != public)
        for signer, part in zip(case.members, multisig["subsig"]):
            self.assertEqual("s" in part, signer in case.held)
            if "s" in part:
                VerifyKey(part["pk"]).verify(preimage, part["s"])

    def test_our_step_and_the_peers_steps_give_the_peers_multisignature(self):
        source = Transactions(20261209)
        cases = [Case(source, self.ours, self.others) for _ in range(120)]
        self.assertGreater(sum("authAddr" in case.more for case in cases), 20)
        self.assertGreater(sum(case.txn.sender != case.address for case in cases), 20)

        def check(case):
            place, cases = case
            source = Transactions(place)
            for text, case in zip(self.sign(source, cases), cases):
                self.assertEqual(text, encoding.msgpack_encode(case.signed_by(case.held)))
                self.check_apart(text, case)
                added = source.sample(case.foreign, source.randint(1, len(case.foreign)))
                whole = case.signed_by(case.held + added)
                # Each key signs a separate copy, in any order.
                copies = [decoded(text), case.signed_by(added)]
                merged = MultisigTransaction.merge(source.sample(copies, 2))
                self.assertEqual(
                    encoding.msgpack_encode(merged), encoding.msgpack_encode(whole))
                # Each key signs the result of the one before.
                ours = decoded(text)
                for signer in added:
                    index = case.addresses.index(signer.address)
                    ours.multisig.subsigs[index].signature = signer.key.sign(
                        case.txn.bytes_to_sign()).signature
                self.assertEqual(
                    encoding.msgpack_encode(ours), encoding.msgpack_encode(whole))
                self.assertEqual(
                    ours.multisig.verify(case.txn.bytes_to_sign()),
                    len(case.held) + len(added) >= case.threshold)

        in_parallel(check, enumerate(
            cases[start:start + CASES_PER_CALL]
            for start in range(0, len(cases), CASES_PER_CALL)))

    def test_a_group_with_members_of_several_keys(self):
        source = Transactions(20261210)
        for size in (2, 7, 16):
            cases = [Case(source, self.ours, self.others) for _ in range(size)]
            transaction.assign_group_id([case.txn for case in cases])
            for text, case in zip(self.sign(source, cases), cases):
                self.assertEqual(text, encoding.msgpack_encode(case.signed_by(case.held)))

    def test_multisignatures_in_steps_verify_here(self):
        source = Transactions(20261211)
        cases = [Case(source, self.ours, self.others) for _ in range(12)]

        def check(case):
            everybody = case.signed_by(case.members)
            text = encoding.msgpack_encode(everybody)
            found = json.loads(self.hub.command(
                "--json", "verify", "--adapter", "arc27", "-", stdin=text.encode(),
                status=(0, 4)))
            account = found["accounts"][0]
            self.assertEqual(found["verified"], account["key"] == "own")
            self.assertGreaterEqual(account["signatures"], account["signaturesNeeded"])

        in_parallel(check, cases)

    def test_files_of_the_peer_are_signed_and_read_back(self):
        source = Transactions(20261213)
        cases = [Case(source, self.ours, self.others) for _ in range(6)]
        # Other keys have signed; a payment of a key in this home and one of an unknown key follow.
        own = source.transaction(self.ours[0].address, "testnet")
        foreign = source.transaction(self.others[0].address, "testnet")
        parts = [case.signed_by(case.foreign[:1]) for case in cases] + [own, foreign]
        with tempfile.TemporaryDirectory() as folder:
            unsigned, signed = os.path.join(folder, "a.txn"), os.path.join(folder, "b.stxn")
            with open(unsigned, "wb") as file:
                # Written in the canonical form, which the SDK's writer of signed files does not keep.
                for part in parts[:-2]:
                    file.write(base64.b64decode(encoding.msgpack_encode(part)))
            transaction.write_to_file(parts[-2:], unsigned, overwrite=False)
            self.hub.command("algorand", "sign", "--out", signed, unsigned)
            found = transaction.retrieve_from_file(signed)
            self.hub.command("algorand", "sign", "--out", signed, unsigned, status=1)
            lines = self.hub.command("algorand", "sign", unsigned).decode().splitlines()
            with open(signed, "rb") as file:
                self.assertEqual(b"".join(map(base64.b64decode, lines)), file.read())
            self.hub.command("verify", signed, status=1)
            with open(signed, "rb") as file:
                whole = file.read()
            with open(signed, "wb") as file:
                file.write(whole[:-len(base64.b64decode(lines[-1]))])
            reported = json.loads(self.hub.command("--json", "verify", signed, status=(0, 4)))
        self.assertEqual(len(reported["accounts"]), len(cases) + 1)
        self.assertTrue(reported["accounts"][-1]["proved"])
        self.assertTrue(all(row["holds"] for row in reported["signatures"]))
        for text, case in zip(lines, cases):
            missing = max(0, case.threshold - 1)
            self.check_file(text, case, missing)
        self.assertEqual(lines[-2], encoding.msgpack_encode(own.sign(self.ours[0].private)))
        self.assertEqual(found[-1].dictify(), foreign.dictify())

    def check_file(self, text, case, missing):
        """Existing signatures stay, and only the needed number is added."""
        found = decoded(text)
        self.assertEqual(found.transaction.dictify(), case.txn.dictify())
        signed = [part.signature is not None for part in found.multisig.subsigs]
        by = [signer for signer, is_signed in zip(case.members, signed) if is_signed]
        self.assertIn(case.foreign[0], by)
        ours = [signer for signer in by if signer in case.held]
        self.assertEqual(len(ours), min(missing, len(case.held)))
        self.assertEqual(set(by), {case.foreign[0], *ours})
        self.assertEqual(text, encoding.msgpack_encode(case.signed_by(by)))

    def test_multisignature_requests_with_errors_are_refused(self):
        source = Transactions(20261212)
        case = Case(source, self.ours, self.others)
        account = {"msig": case.more["msig"], "authAddr": case.address}
        foreign = case.foreign[0].address
        refused = {
            "a listed signer that is not held": (4100, account | {"signers": [foreign]}),
            "a listed signer that is no member":
                (4200, account | {"signers": [source.address()]}),
            "another account": (4200, account | {"authAddr": source.address()}),
            "another order": (4200, account | {
                "msig": account["msig"] | {"addrs": case.addresses[::-1]}}),
            "no member held here": (4100, {
                "msig": {"version": 1, "threshold": 1, "addrs": [foreign]},
                "authAddr": Multisig(1, 1, [foreign]).address()}),
        }
        for name, (code, more) in refused.items():
            with self.subTest(name):
                found = call(
                    self.hub, source, "sign_transactions",
                    {"providerId": LIQUID, "txns": [item(source, case.txn, **more)]}, status=1)
                self.assertEqual(found["code"], code, found)


if __name__ == "__main__":
    unittest.main()
