# SPDX-License-Identifier: Apache-2.0
"""Calls that py-algorand-sdk writes by ARC-4, and their words by a file that the owner adds."""
import json
import pathlib
import random
import re
import unittest

from algosdk import abi, atomic_transaction_composer as composer, encoding, transaction

from algorand_values import Signer
from hub import Hub

APP = 1001
TESTNET = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="
SOURCE = 'by the file "peer" that you added'


class Types(random.Random):
    """Random types of ARC-4 with values, and the words for them."""

    def type(self, depth):
        kinds = ["uint", "ufixed", "bool", "byte", "address", "string"]
        kind = self.choice(kinds + ["array", "list", "tuple"] * (2 if depth else 0))
        if kind == "uint":
            return f"uint{8 * self.randint(1, 64)}"
        if kind == "ufixed":
            return f"ufixed{8 * self.randint(1, 64)}x{self.randint(1, 160)}"
        if kind == "array":
            return f"{self.type(depth - 1)}[{self.randint(0, 4)}]"
        if kind == "list":
            return self.type(depth - 1) + "[]"
        if kind == "tuple":
            return f"({','.join(self.type(depth - 1) for _ in range(self.randint(0, 4)))})"
        return kind

    def value(self, type):
        """Returns a value and its words."""
        if isinstance(type, (abi.UintType, abi.UfixedType)):
            number = self.choice([0, 1, self.getrandbits(type.bit_size), 2**type.bit_size - 1])
            if isinstance(type, abi.UintType):
                return number, str(number)
            digits = str(number).rjust(type.precision + 1, "0")
            return number, f"{digits[:-type.precision]}.{digits[-type.precision:]}"
        if isinstance(type, abi.BoolType):
            truth = self.random() < 0.5
            return truth, "true" if truth else "false"
        if isinstance(type, abi.ByteType):
            byte = self.getrandbits(8)
            return byte, str(byte)
        if isinstance(type, abi.AddressType):
            address = encoding.encode_address(self.randbytes(32))
            return address, address
        if isinstance(type, abi.StringType):
            text = "".join(self.choice("ab1\u00e9\u4e2d") for _ in range(self.randint(0, 9)))
            return text, f'"{text}"'
        if isinstance(type, abi.TupleType):
            inner = type.child_types
        else:
            count = (type.static_length if isinstance(type, abi.ArrayStaticType)
                     else self.randint(0, 4))
            inner = [type.child_type] * count
            if isinstance(type.child_type, abi.ByteType):
                data = list(self.randbytes(count))
                return data, f"hex {bytes(data).hex()}" if data else "no bytes"
        pairs = [self.value(child) for child in inner]
        return [value for value, _ in pairs], f"[{', '.join(words for _, words in pairs)}]"


class AlgorandABIPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.signer = Signer(bytes([7]) * 32, "testnet")
        cls.hub.import_key("algorand", "own", cls.signer.words, "--network", "testnet")

    def add(self, methods, *more):
        file = pathlib.Path(self.hub.folder.name, "peer.json")
        file.write_text(json.dumps(
            {"name": "peer", "networks": {TESTNET: {"appID": APP}},
             "methods": [method.dictify() for method in methods]}))
        out = self.hub.command("--json", "abi", "add", *more, str(file))
        self.addCleanup(self.hub.command, "abi", "remove", "peer")
        self.assertEqual(json.loads(out), {"added": "peer", "methods": len(methods)})

    def group(self, method, arguments):
        """The transactions that the SDK's composer makes for one call."""
        parameters = transaction.SuggestedParams(1000, 1, 900, TESTNET, flat_fee=True)
        atom = composer.AtomicTransactionComposer()
        atom.add_method_call(
            APP, method, self.signer.address, parameters,
            composer.AccountTransactionSigner(self.signer.private), arguments)
        return [entry.txn for entry in atom.build_group()]

    def lines(self, transactions):
        """The lines of the question about transactions, by their labels."""
        items = [{"txn": encoding.msgpack_encode(txn)} for txn in transactions]
        request = {"id": "1", "reference": "arc0027:sign_transactions:request",
                   "params": {"txns": items}}
        shown = self.hub.command(
            "policy", "explain", "-", stdin=json.dumps(request).encode()).decode()
        # The call is the last transaction; its lines have its number if there are others.
        number = rf"{len(transactions)}: " if len(transactions) > 1 else ""
        lines = re.findall(rf"^  {number}(method value [0-9]+|method) +(.*)$", shown, re.M)
        return {label: text for label, text in lines}

    def test_random_methods_are_shown_with_the_values_that_the_sdk_wrote(self):
        source = Types(20261127)
        methods = []
        for number in range(24):
            count = source.choice([0, 1, 2, 3, 14, 15, 16, 18])
            types = [source.type(2 if count < 4 else 0) for _ in range(count)]
            methods.append(abi.Method.from_signature(f"m{number}({','.join(types)})void"))
        self.add(methods)
        for method in methods:
            pairs = [source.value(argument.type) for argument in method.args]
            lines = self.lines(self.group(method, [value for value, _ in pairs]))
            self.assertEqual(lines["method"], f'"{method.name}" {SOURCE}')
            for place, (argument, (_, words)) in enumerate(zip(method.args, pairs)):
                self.assertEqual(lines[f"method value {place + 1}"], f"{argument.type}: {words}")

    def test_references_and_transactions_are_those_that_the_sdk_put_beside_the_call(self):
        method = abi.Method.from_signature("fill(pay,account,account,asset,application,txn)void")
        self.add([method])
        other = encoding.encode_address(bytes(range(32)))
        parameters = transaction.SuggestedParams(1000, 1, 900, TESTNET, flat_fee=True)
        own = self.signer.address
        signer = composer.AccountTransactionSigner(self.signer.private)
        pay = transaction.PaymentTxn(own, parameters, other, 1_500_000)
        opt_in = transaction.AssetTransferTxn(own, parameters, own, 0, 31)
        lines = self.lines(self.group(method, [
            composer.TransactionWithSigner(pay, signer), other, own, 31, 55,
            composer.TransactionWithSigner(opt_in, signer)]))
        self.assertEqual([lines[f"method value {place}"] for place in range(1, 7)], [
            "pay: transaction 1 of the group, a payment of 1.5 ALGO", f"account: {other}",
            f"account: {own}, the sender", "asset: asset 31", "application: app 55",
            "txn: transaction 2 of the group, an asset opt-in: asset 31"])

    def test_a_file_that_does_not_fit_says_so_and_changes_no_danger(self):
        method = abi.Method.from_signature("m(uint64)void")
        [call] = self.group(method, [5])
        bare = self.lines([call])
        self.assertNotIn("method", bare)
        self.add([abi.Method.from_signature("other(uint64)void")])
        self.assertEqual(self.lines([call])["method"], f"not named {SOURCE}")
        call.app_args[0] = abi.Method.from_signature("other(uint64)void").get_selector()
        call.app_args[1] = bytes(7)
        lines = self.lines([call])
        self.assertEqual(
            lines["method"], f'"other" {SOURCE}, but the arguments are not those of it')


if __name__ == "__main__":
    unittest.main()
