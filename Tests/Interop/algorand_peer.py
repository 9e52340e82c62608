# SPDX-License-Identifier: Apache-2.0
"""ARC-27 against py-algorand-sdk and cbor2."""
import base64
import json
import unittest
import uuid

import cbor2
from algosdk import account, encoding, mnemonic, transaction
from nacl.signing import VerifyKey

from hub import Hub

GENESIS = {"testnet-v1.0": "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="}


def parameters():
    return transaction.SuggestedParams(
        1000, 5000, 5999, GENESIS["testnet-v1.0"], "testnet-v1.0", flat_fee=True)


def request(transactions):
    items = [{"txn": encoding.msgpack_encode(txn)} for txn in transactions]
    return {"id": str(uuid.uuid4()), "reference": "arc0027:sign_transactions:request",
            "params": {"providerId": "02657eaf-be17-4efc-b0a4-19d654b2448e", "txns": items}}


class AlgorandPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("close_out", "asset_close", "rekey", "high_fee", "clawback")
        cls.private, cls.address = account.generate_account()
        cls.other = account.generate_account()[1]
        words = mnemonic.from_private_key(cls.private)
        shown = cls.hub.import_key("algorand", "carol", words, "--network", "testnet")
        assert shown["address"] == cls.address

    def transactions(self):
        pay = lambda amount, **more: transaction.PaymentTxn(
            self.address, parameters(), self.other, amount, **more)
        asset = lambda amount, **more: transaction.AssetTransferTxn(
            self.address, parameters(), self.other, amount, 31566704, **more)
        return [pay(1), pay(0), pay(2**63), pay(7, note=b"\x00\xff" * 100, lease=bytes(range(32))),
                pay(5, close_remainder_to=self.other), pay(5, rekey_to=self.other), asset(10),
                asset(0, close_assets_to=self.other), asset(3, revocation_target=self.other)]

    def check(self, reply, transactions):
        for text, txn in zip(reply["result"]["stxns"], transactions):
            self.assertEqual(text, encoding.msgpack_encode(txn.sign(self.private)))
            signed = encoding.msgpack_decode(text)
            VerifyKey(encoding.decode_address(self.address)).verify(
                b"TX" + base64.b64decode(encoding.msgpack_encode(signed.transaction)),
                base64.b64decode(signed.signature))

    def test_single_transactions_equal_the_peers(self):
        for txn in self.transactions():
            reply = json.loads(self.hub.handle(json.dumps(request([txn]))))
            self.check(reply, [txn])

    def test_a_group_equals_the_peers(self):
        group = transaction.assign_group_id(self.transactions())
        self.check(json.loads(self.hub.handle(json.dumps(request(group)))), group)
        part = json.loads(self.hub.handle(json.dumps(request(group[:-1])), status=1))
        self.assertEqual(part["error"]["code"], 4201)

    def test_cbor_frames_in_and_out(self):
        txn = self.transactions()[0]
        for options in ({}, {"canonical": True}, {"indefinite_containers": True}):
            call = request([txn])
            frame = base64.urlsafe_b64encode(cbor2.dumps(call, **options)).rstrip(b"=")
            answer = self.hub.handle(frame, "--adapter", "arc27")
            reply = cbor2.loads(base64.urlsafe_b64decode(answer + "=" * (-len(answer) % 4)))
            self.assertEqual(reply["requestId"], call["id"])
            self.check(reply, [txn])

    def test_the_peers_signed_transactions_verify_here(self):
        signed = self.transactions()[0].sign(self.private)
        text = encoding.msgpack_encode(signed).encode()
        self.assertTrue(json.loads(self.hub.command(
            "--json", "verify", "--adapter", "arc27", "-", stdin=text))["verified"])
        broken = bytearray(base64.b64decode(text))
        broken[10] ^= 1
        self.hub.command(
            "verify", "--adapter", "arc27", "-", stdin=base64.b64encode(broken), status=1)
