# SPDX-License-Identifier: Apache-2.0
"""Networks that the owner added, with transactions of py-algorand-sdk and py-near."""
import base64
import json
import unittest

import nacl.signing
import py_near_primitives as peer
from algosdk import account as accounts
from algosdk import encoding, mnemonic
from algosdk.transaction import PaymentTxn, SuggestedParams

from algod_node import TESTNET, Algod, silent
from algorand_frames import LIQUID, transaction_bytes
from hub import Hub
from near_node import Node
from near_values import base58

#: The genesis of a private network, in the form of a LocalNet.
OWN = base64.b64encode(bytes(range(32))).decode()
OTHER = base64.b64encode(bytes(range(1, 33))).decode()


class NetworksPeer(unittest.TestCase):
    def setUp(self):
        # The rule acknowledges no unknown network.
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)

    def keep(self, node):
        self.addCleanup(node.close)
        return node

    def post(self, txn, *more, method="sign_and_post_transactions", status=0):
        item = {"txn": base64.b64encode(transaction_bytes(txn)).decode()}
        frame = json.dumps({"id": "1", "reference": f"arc0027:{method}:request",
                            "params": {"providerId": LIQUID, "txns": [item]}})
        return json.loads(self.hub.handle(frame, *more, status=status))

    def test_a_transaction_of_an_added_network_is_signed_as_the_sdk_does(self):
        secret, address = accounts.generate_account()
        self.hub.import_key("algorand", "own", mnemonic.from_private_key(secret))
        node = self.keep(Algod(network=OWN, genesis_id="dockernet-v1"))
        params = SuggestedParams(1000, 100, 1100, OWN, "dockernet-v1", flat_fee=True)
        txn = PaymentTxn(address, params, address, 7)
        self.assertEqual(self.post(txn, method="sign_transactions", status=1)["error"]["code"], 4004)
        self.hub.command("network", "add", "--algod", node.url, "localnet")
        [signed] = self.post(txn, method="sign_transactions")["result"]["stxns"]
        self.assertEqual(signed, encoding.msgpack_encode(txn.sign(secret)))
        # Its hash with the genesis id of another network is no network.
        params.gen = "testnet-v1.0"
        self.post(PaymentTxn(address, params, address, 7), method="sign_transactions", status=1)
        self.hub.command("network", "remove", "localnet")
        self.assertEqual(self.post(txn, method="sign_transactions", status=1)["error"]["code"], 4004)

    def test_a_node_of_another_genesis_gets_no_transaction(self):
        secret, address = accounts.generate_account()
        self.hub.import_key("algorand", "own", mnemonic.from_private_key(secret))
        node = self.keep(Algod(network=OWN, genesis_id="dockernet-v1"))
        self.hub.command("network", "add", "--algod", node.url, "localnet")
        params = SuggestedParams(1000, 100, 1100, OWN, "dockernet-v1", flat_fee=True)
        node.network = OTHER
        refused = self.post(PaymentTxn(address, params, address, 7), status=1)
        self.assertEqual(refused["error"]["code"], 4003)
        self.assertEqual(json.loads(self.hub.command("--json", "algorand", "unsent")), [])

    def test_an_added_node_that_hangs_does_not_delay_other_networks(self):
        secret, address = accounts.generate_account()
        self.hub.import_key("algorand", "own", mnemonic.from_private_key(secret))
        node = self.keep(Algod(network=OWN, genesis_id="dockernet-v1"))
        self.hub.command("network", "add", "--algod", node.url, "localnet")
        node.answer, node.network = silent, None
        before = len(node.asked)
        params = SuggestedParams(1000, 100, 1100, TESTNET, "testnet-v1.0", flat_fee=True)
        other = self.post(PaymentTxn(address, params, address, 7), method="sign_transactions")
        self.assertIn("result", other)
        discovered = json.loads(self.hub.handle(json.dumps(
            {"id": "1", "reference": "arc0027:discover:request"})))
        names = [network["genesisId"] for network in discovered["result"]["networks"]]
        self.assertEqual(names, ["mainnet-v1.0", "testnet-v1.0"])
        self.assertEqual(len(node.asked), before)

    def test_a_near_transaction_goes_to_the_node_of_its_network(self):
        key = nacl.signing.SigningKey(bytes(range(32)))
        public = bytes(key.verify_key)
        secret = "ed25519:" + base58(bytes(key) + public)
        node = self.keep(Node("localnet", genesis=bytes(range(32))))
        call = {"method": "signAndSendTransaction", "params": {
            "network": "sandbox", "signerId": "test.near", "receiverId": "bob.test.near",
            "actions": [{"type": "Transfer", "params": {"deposit": "7"}}]}}
        self.hub.import_key("near", "free", secret, "--account", "test.near")
        self.hub.handle(json.dumps(call), status=1)
        self.hub.command("network", "add", "--rpc", node.url, "sandbox")
        # A key that is bound to no network could sign for mainnet as well.
        refused = json.loads(self.hub.handle(json.dumps(call), status=1))
        self.assertIn("not bound", json.dumps(refused))
        self.hub.command("key", "remove", "--confirm", "free", "free")
        self.hub.import_key("near", "bound", secret, "--account", "test.near", "--network", "sandbox")
        self.hub.handle(json.dumps(call))
        [sent] = node.sent
        start = 4 + len("test.near") + 33
        nonce = int.from_bytes(sent[start:start + 8], "little")
        block = sent[-(1 + 16 + 4 + 32):-(1 + 16 + 4)]
        made = peer.Transaction("test.near", public, nonce, "bob.test.near", block, [peer.TransferAction(7)])
        self.assertEqual(sent, bytes(made.serialize()))
        # The same chain id with another genesis is another network.
        node.genesis = bytes(range(1, 33))
        self.hub.handle(json.dumps(call), status=1)
        self.assertEqual(len(node.sent), 1)


if __name__ == "__main__":
    unittest.main()
