# SPDX-License-Identifier: Apache-2.0
"""Rekeyed accounts in requests that hold only `txn`, compared with signatures of py-algorand-sdk."""
import base64
import json
import unittest

from algosdk import account as accounts
from algosdk import encoding, mnemonic
from algosdk.transaction import PaymentTxn, SuggestedParams

from algod_node import TESTNET, Algod
from algorand_frames import LIQUID, transaction_bytes
from hub import Hub


class AlgorandRekeyPeer(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client", "rekeyed_account")
        self.addCleanup(self.hub.folder.cleanup)
        self.secret, self.signer = accounts.generate_account()
        self.hub.import_key("algorand", "new", mnemonic.from_private_key(self.secret))
        self.old_secret, self.old = accounts.generate_account()
        self.node = Algod()
        self.addCleanup(self.node.close)

    def call(self, method, params, *more, status=0):
        frame = json.dumps({
            "id": "1", "reference": f"arc0027:{method}:request",
            "params": {"providerId": LIQUID, **params}})
        return json.loads(self.hub.handle(frame, *more, status=status))

    def payment(self, sender):
        params = SuggestedParams(1000, 100, 1100, TESTNET, "testnet-v1.0", flat_fee=True)
        return PaymentTxn(sender, params, self.signer, 7)

    def sign(self, txn, *more, status=0):
        return self.call(
            "sign_transactions",
            {"txns": [{"txn": base64.b64encode(transaction_bytes(txn)).decode()}]},
            *more, status=status)

    def test_the_key_that_the_owner_named_signs_as_the_sdk_does(self):
        txn = self.payment(self.old)
        refused = self.sign(txn, status=1)["error"]
        self.assertEqual(refused["code"], 4100)
        self.hub.command("key", "watch", "--signed-by", "new", "--name", "old", self.old)
        listed = self.call("enable", {"genesisHash": TESTNET})
        self.assertIn(
            self.old, [item["address"] for item in listed["result"]["accounts"]])
        [signed] = self.sign(txn)["result"]["stxns"]
        self.assertEqual(signed, encoding.msgpack_encode(txn.sign(self.secret)))
        self.assertEqual(
            encoding.msgpack_decode(signed).dictify()["sgnr"],
            encoding.decode_address(self.signer))

    def test_the_node_decides_which_of_two_keys_signs(self):
        self.hub.import_key("algorand", "old", mnemonic.from_private_key(self.old_secret))
        txn = self.payment(self.old)
        node = ["--algod", self.node.url]
        own = encoding.msgpack_encode(txn.sign(self.old_secret))
        self.assertEqual(self.sign(txn, *node)["result"]["stxns"], [own])
        self.node.keys[self.old] = self.signer
        other = encoding.msgpack_encode(txn.sign(self.secret))
        self.assertEqual(self.sign(txn, *node)["result"]["stxns"], [other])
        reported = self.call("sign_message", {"message": "hello", "signer": self.old}, *node)
        self.assertEqual(reported["result"]["signer"], self.signer)
        # The answer names a signer that this home lacks, and the retired key signs nothing.
        _, strange = accounts.generate_account()
        self.node.keys[self.old] = strange
        self.assertEqual(
            self.sign(txn, *node, status=1)["error"]["data"]["signer"], strange)
        # An unreachable node is a danger that no rule of this home acknowledges.
        self.node.answer = lambda handler: handler.write(b"{}", 500)
        self.assertEqual(self.sign(txn, *node, status=3)["error"]["code"], 4001)

    def test_files_of_rekeyed_accounts_are_signed(self):
        txn = self.payment(self.old)
        self.hub.command("key", "watch", "--signed-by", "new", self.old)
        data = transaction_bytes(txn)
        out = self.hub.command("algorand", "sign", "-", stdin=data).decode().strip()
        self.assertEqual(out, encoding.msgpack_encode(txn.sign(self.secret)))


if __name__ == "__main__":
    unittest.main()
