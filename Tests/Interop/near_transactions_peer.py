# SPDX-License-Identifier: Apache-2.0
"""NEAR transactions and delegate actions, compared with py-near (near-primitives in Rust)."""
import base64
import hashlib
import json
import os
import unittest

import nacl.exceptions
import nacl.signing
import py_near_primitives as peer
from py_near import transactions

from hub import Hub
from near_values import (
    Values, base58, base64_text, base64url_text, buffer, in_parallel, indexed, key_text)

BYTES = [base64_text, base64url_text, lambda data: base64_text(data).rstrip("="), buffer, indexed]
DELEGATE_TAG = (2**30 + 366).to_bytes(4, "little")
ED25519 = b"\0"
MISSING = object()


class Signer:
    """An account with its key on both sides."""

    def __init__(self, account, seed):
        self.key = nacl.signing.SigningKey(seed)
        self.public = bytes(self.key.verify_key)
        self.account = account or self.public.hex()
        self.secret = seed + self.public

    def transaction(self, *parts):
        """Returns the peer's signed transaction in Base64, and its hash."""
        receiver, nonce, actions, block_hash = parts
        given = (self.account, self.secret, receiver, nonce, actions, block_hash)
        return (transactions.sign_and_serialize_transaction(*given),
                transactions.calc_trx_hash(*given))

    def unsigned(self, *parts):
        """The peer's transaction in Borsh."""
        receiver, nonce, actions, block_hash = parts
        return bytes(peer.Transaction(
            self.account, self.public, nonce, receiver, block_hash, actions).serialize())

    def delegate(self, receiver, actions, nonce, height):
        """Returns the peer's signed delegate action in Borsh, and the peer's object of it."""
        action = peer.DelegateAction(self.account, receiver, actions, nonce, height, self.public)
        signature = self.key.sign(bytes(action.get_nep461_hash())).signature
        return (bytes(action.serialize()) + ED25519 + signature,
                peer.SignedDelegateAction(action, signature))


class Actions(Values):
    """Random actions: in the forms of connectors, and as objects of the peer."""

    def amount(self, bits):
        """Returns a number, and a form of it in JSON."""
        number = self.number(bits)
        exact = number < 2**53 and self.random() < 0.5
        return number, number if exact else str(number)

    def public(self):
        key = self.key()
        text = key_text(key)
        return key, self.choice([text, text.removeprefix("ed25519:")])

    def shown(self, data):
        """Returns a form of bytes in JSON."""
        # An empty list of bytes cannot be distinguished from an empty object.
        return self.choice(BYTES if data else BYTES[:3])(data)

    def literal(self):
        """Returns a JSON value that is neither a text nor an object with another meaning."""
        return self.choice([
            None, True, False, 5, -1.5, [], [1, 2], [255], {}, {"0": 5}, {"0": 255, "1": 1}, buffer(b"\0\1"),
            [self.text(20), {"receiver_id": self.account()}]])

    def arguments(self):
        """Returns the arguments of a call, and a form of them in JSON."""
        if self.random() < 0.5:
            data = self.data(1000)
            if self.random() < 0.1:
                data = self.randbytes(40000)
            return data, MISSING if not data and self.random() < 0.5 else self.choice(BYTES[:3])(data)
        if self.random() < 0.2:
            value = self.literal()
            return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), value
        values = {"k" + self.text(10): self.choice(
            [self.text(100), self.randint(-2**53 + 1, 2**53 - 1), 1.5, True, None, [], {},
             [self.text(20), {"receiver_id": self.account()}]])
            for _ in range(self.randint(0, 6))}
        if self.random() < 0.3:
            values |= {"receiver_id": self.account(), "amount": str(self.number(128))}
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        return text.encode(), values

    def action(self):
        kind = self.choice([
            "CreateAccount", "DeployContract", "FunctionCall", "FunctionCall", "Transfer", "Stake",
            "AddKey", "AddKey", "DeleteKey", "DeleteAccount", "DeployGlobalContract",
            "UseGlobalContract"])
        params, there = getattr(self, kind)()
        shown = {"type": kind, "params": params}
        if not params and self.random() < 0.5:
            del shown["params"]
        return shown, there

    def CreateAccount(self):
        return {}, peer.CreateAccountAction()

    def DeployContract(self):
        code = self.data(3000)
        return {"code": self.shown(code)}, peer.DeployContractAction(code)

    def FunctionCall(self):
        method = self.choice(["ft_transfer", "m", self.text(256), "nft_approve"])
        args, shown_args = self.arguments()
        gas, shown_gas = self.amount(64)
        deposit, shown_deposit = self.amount(128)
        params = {"methodName": method, "args": shown_args, "gas": shown_gas,
                  "deposit": shown_deposit}
        if shown_args is MISSING:
            del params["args"]
        return params, peer.FunctionCallAction(method, args, gas, deposit)

    def Transfer(self):
        deposit, shown = self.amount(128)
        return {"deposit": shown}, peer.TransferAction(deposit)

    def Stake(self):
        stake, shown = self.amount(128)
        key, text = self.public()
        return {"stake": shown, "publicKey": text}, peer.StakeAction(stake, key)

    def AddKey(self):
        key, text = self.public()
        nonce, shown_nonce = self.choice([(0, None), self.amount(64)])
        if self.random() < 0.3:
            permission, there = "FullAccess", peer.AccessKeyPermissionFieldless.FullAccess
        else:
            receiver = self.account()
            methods = [self.text(256) for _ in range(self.choice([0, 1, self.randint(0, 20)]))]
            allowance, shown = self.choice([(None, None), self.amount(128), self.amount(128)])
            permission = {"receiverId": receiver, "allowance": shown, "methodNames": methods}
            for name in [name for name, value in permission.items() if value in (None, [])]:
                if self.random() < 0.5:
                    del permission[name]
            there = peer.FunctionCallPermission(receiver, methods, allowance)
        access = {"nonce": shown_nonce, "permission": permission}
        if shown_nonce is None and self.random() < 0.5:
            del access["nonce"]
        return ({"publicKey": text, "accessKey": access},
                peer.AddKeyAction(key, peer.AccessKey(nonce, there)))

    def DeleteKey(self):
        key, text = self.public()
        return {"publicKey": text}, peer.DeleteKeyAction(key)

    def DeleteAccount(self):
        account = self.account()
        return {"beneficiaryId": account}, peer.DeleteAccountAction(account)

    def DeployGlobalContract(self):
        code = self.data(3000)
        mode, make = self.choice([
            ("CodeHash", peer.DeployGlobalContractAction.from_code_hash),
            ("AccountId", peer.DeployGlobalContractAction.from_account_id)])
        return {"code": self.shown(code), "deployMode": mode}, make(code)

    def UseGlobalContract(self):
        if self.random() < 0.5:
            key = self.key()
            return ({"contractIdentifier": {"codeHash": base58(key)}},
                    peer.UseGlobalContractAction.from_code_hash(key))
        account = self.account()
        return ({"contractIdentifier": {"accountId": account}},
                peer.UseGlobalContractAction.from_account_id(account))

    def actions(self, most):
        """Returns a list of actions, in JSON and as objects of the peer."""
        pairs = [self.action() for _ in range(self.choice([1, 1, self.randint(0, most), most]))]
        return [shown for shown, _ in pairs], [there for _, there in pairs]


class NearTransactionsPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub(
            "full_access_key", "adds_key", "deletes_key", "deletes_account", "deploys_code",
            "stakes", "token_transfer", "delegates", "offline_nonce", "opaque",
            "control_characters", "oversize", "new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        names = ["aa", "a-b_c.0.testnet", "x" * 64, None]
        cls.signers = [Signer(name, bytes([place]) * 32) for place, name in enumerate(names)]
        for place, signer in enumerate(cls.signers):
            shown = cls.hub.import_key(
                "near", f"key{place}", "ed25519:" + base58(signer.secret),
                "--network", "testnet", *([] if names[place] is None else ["--account", signer.account]))
            assert shown["address"] == signer.account, shown
        # A nonce is signed once: all nonces of one key are in this draw, and in no other.
        source = Values(20261124)
        cls.nonces = {signer.account: iter(source.distinct(64, 400)) for signer in cls.signers}

    def call(self, method, params, status=0, escaped=False):
        frame = json.dumps({"method": method, "params": {"network": "testnet"} | params},
                           ensure_ascii=escaped)
        return json.loads(self.hub.handle(
            frame, "--adapter", "nep413", "--client", "test", status=status))

    def verify(self, text, holds=True, count=1):
        """Asks the binary about what is signed."""
        out = self.hub.command(
            "--json", "verify", "--adapter", "nep413", "-", stdin=text.encode(),
            status=(0, 4) if holds else 1)
        found = json.loads(out)
        # The answer to an unreadable value is an error.
        self.assertEqual(found.get("proof", "invalid") != "invalid", holds, text)
        if holds:
            is_own = all(account["key"] == "own" for account in found["accounts"])
            self.assertEqual(found["verified"], is_own, text)
            self.assertEqual(len(found["signatures"]), count)
        return found

    def test_300_random_transactions_byte_for_byte(self):
        source = Actions(20261125)

        def check(case):
            signer, parts, params, escaped = case
            signed, name = signer.transaction(*parts)
            result = self.call("signTransaction", params, escaped=escaped)["result"]
            self.assertEqual(result, {"signedTransaction": signed, "transactionHash": name})
            data = base64.b64decode(signed, validate=True)
            unsigned = signer.unsigned(*parts)
            self.assertEqual(data[:-64], unsigned + ED25519)
            digest = hashlib.sha256(unsigned).digest()
            self.assertEqual(name, base58(digest))
            signer.key.verify_key.verify(digest, data[-64:])

        cases = []
        for number in range(300):
            signer = source.choice(self.signers)
            shown, there = source.actions(100 if number % 30 == 0 else 6)
            nonce, block_hash = next(self.nonces[signer.account]), source.key()
            receiver = source.choice([source.account(), signer.account])
            if number % 3:
                given = {"signerId": signer.account, "receiverId": receiver, "actions": shown,
                         "blockHash": base58(block_hash), "nonce": str(nonce)}
                if nonce < 2**53 and source.random() < 0.5:
                    given["nonce"] = nonce
                if source.random() < 0.3:
                    given["publicKey"] = key_text(signer.public)
            else:
                # Only complete transactions can carry the signed action of another account.
                if source.random() < 0.5:
                    there = there[:99] + [self.delegate_of_another(source)]
                whole = signer.unsigned(receiver, nonce, there, block_hash)
                given = {"transaction": source.choice(BYTES[:3])(whole)}
                if source.random() < 0.3:
                    given["signerId"] = signer.account
            cases.append((signer, (receiver, nonce, there, block_hash), given,
                          source.random() < 0.5))
        in_parallel(check, cases)

    def delegate_of_another(self, source):
        another = Signer(source.account(), source.randbytes(32))
        _, there = source.actions(5)
        return another.delegate(source.account(), there, source.number(64), source.number(64))[1]

    def test_160_random_delegate_actions_byte_for_byte(self):
        source = Actions(20261126)

        def check(case):
            signer, items, params = case
            reply = self.call("signDelegateActions", params)
            expected = []
            for receiver, there, nonce, height in items:
                data, signed = signer.delegate(receiver, there, nonce, height)
                expected.append(base64_text(data))
                # The peer's hash follows NEP-461, and a relayer can send the action.
                action = peer.DelegateAction(
                    signer.account, receiver, there, nonce, height, signer.public)
                digest = hashlib.sha256(DELEGATE_TAG + bytes(action.serialize())).digest()
                self.assertEqual(bytes(action.get_nep461_hash()), digest)
                signer.key.verify_key.verify(digest, data[-64:])
                carried = self.signers[0].unsigned(signer.account, 1, [signed], bytes(32))
                self.assertTrue(carried.endswith(b"\1\0\0\0\x08" + data))
            self.assertEqual(reply, {"result": {"signedDelegateActions": expected}})
            self.verify(json.dumps(reply), count=len(items))
            self.verify(expected[0])

        cases = []
        for count in [16] * 9 + [1, 2, 13]:
            signer = source.choice(self.signers)
            items, shown_items = [], []
            for _ in range(count):
                shown, there = source.actions(5)
                nonce, height = next(self.nonces[signer.account]), source.number(64)
                receiver = source.account()
                items.append((receiver, there, nonce, height))
                shown_items.append({"receiverId": receiver, "actions": shown, "nonce": str(nonce),
                                    "maxBlockHeight": str(height)})
            cases.append((signer, items, {"signerId": signer.account,
                                          "delegateActions": shown_items}))
        self.assertEqual(sum(len(items) for _, items, _ in cases), 160)
        in_parallel(check, cases)

    def test_the_peers_transactions_verify_here(self):
        source = Actions(20261127)
        cases = []
        for number in range(300):
            signer = Signer(source.choice([source.account(), None]), source.randbytes(32))
            _, there = source.actions(6)
            if number % 3:
                if source.random() < 0.2:
                    there.append(self.delegate_of_another(source))
                text, _ = signer.transaction(
                    source.account(), source.number(64), there, source.key())
            else:
                data, _ = signer.delegate(
                    source.account(), there, source.number(64), source.number(64))
                text = base64_text(data)
            cases.append((signer, text, True))
            if number % 2 == 0:
                # Changes one bit anywhere: the signature covers every bit.
                cases.append((signer, base64_text(source.flipped(base64.b64decode(text))), False))

        def check(case):
            signer, text, holds = case
            found = self.verify(text, holds)
            if holds:
                self.assertEqual(found["signatures"][0]["signer"], signer.account)

        in_parallel(check, cases)
        path = os.path.join(self.hub.folder.name, "signed.txt")
        with open(path, "w", encoding="ascii") as file:
            file.write(cases[0][1] + "\n")
        self.hub.command("verify", "--adapter", "nep413", path)

    def test_a_nonce_is_signed_once(self):
        signer, nonce = self.signers[0], next(self.nonces[self.signers[0].account])

        def params(amount):
            return {"signerId": signer.account, "receiverId": "bb", "nonce": str(nonce),
                    "blockHash": base58(bytes(32)),
                    "actions": [{"type": "Transfer", "params": {"deposit": amount}}]}

        parts = ("bb", nonce, [peer.TransferAction(1)], bytes(32))
        reply = self.call("signTransaction", params("1"))
        self.assertEqual(reply["result"]["signedTransaction"], signer.transaction(*parts)[0])
        reply = self.call("signTransaction", params("2"), status=3)
        self.assertEqual(set(reply), {"error"})
        # Delegate actions count with the transactions of their key.
        delegate = {"receiverId": "bb", "nonce": str(nonce), "maxBlockHeight": "9", "actions": []}
        reply = self.call("signDelegateActions",
                          {"signerId": signer.account, "delegateActions": [delegate]}, status=3)
        self.assertEqual(set(reply), {"error"})

    def test_transactions_with_errors_are_refused(self):
        source = Actions(20261128)
        signer = self.signers[0]

        def members(*actions, **more):
            nonce = str(next(self.nonces[signer.account]))
            return {"signerId": signer.account, "receiverId": "bb", "nonce": nonce,
                    "blockHash": base58(bytes(32)), "actions": [*actions]} | more

        def action(kind, **params):
            return {"type": kind, "params": params}

        def whole(data):
            return {"transaction": base64_text(data)}

        def unsigned(*actions):
            """A transaction, of actions in Borsh."""
            empty = signer.unsigned("bb", next(self.nonces[signer.account]), [], bytes(32))
            self.assertTrue(empty.endswith(bytes(4)))
            return empty[:-4] + len(actions).to_bytes(4, "little") + b"".join(actions)

        def delegate(*actions):
            """Action 8, of actions in Borsh: the peer has no nested ones."""
            data = signer.delegate("bb", [], 1, 1)[0]
            tail = 8 + 8 + 1 + 32 + 1 + 64
            self.assertEqual(data[-tail - 4:-tail], bytes(4))
            return (b"\x08" + data[:-tail - 4] + len(actions).to_bytes(4, "little")
                    + b"".join(actions) + data[-tail:])

        long, quantum = "a" * 65, "ml-dsa-65:" + base58(source.randbytes(1952))
        quantum_key = b"\2" + source.randbytes(1952)
        borsh_long = (65).to_bytes(4, "little") + long.encode()
        # The refusals are made from bytes that are valid otherwise.
        plain = whole(unsigned(delegate(b"\0"), b"\x07\2\0\0\0bb"))
        self.assertIn("result", self.call("signTransaction", plain))

        # In text, an ML-DSA-65 key is longer than the longest key text that is read.
        quantum_codes = ("unsupported_key", "payload_too_large")
        refused = {
            "receiver of 65": ("invalid_account_id", members(receiverId=long)),
            "signer of 65": ("invalid_account_id", members(signerId=long)),
            "beneficiary of 65":
                ("invalid_account_id", members(action("DeleteAccount", beneficiaryId=long))),
            "publisher of 65": ("invalid_account_id", members(action(
                "UseGlobalContract", contractIdentifier={"accountId": long}))),
            "receiver of a key of 65": ("invalid_account_id", members(action(
                "AddKey", publicKey=key_text(bytes(32)),
                accessKey={"permission": {"receiverId": long}}))),
            "beneficiary of 65 in Borsh":
                ("invalid_account_id", whole(unsigned(b"\x07" + borsh_long))),
            "signer of 65 in Borsh": ("invalid_account_id", whole(
                borsh_long + unsigned()[4 + len(signer.account):])),
            "type": ("unsupported_action", members(action("Nope", deposit="1"))),
            "type without params": ("invalid_request", members({"type": "Nope"})),
            "number of an action": ("unsupported_action", whole(unsigned(b"\x10"))),
            "nested delegate": ("nested_delegate", whole(unsigned(delegate(delegate(b"\0"))))),
            "nested delegate of version 2":
                ("nested_delegate", whole(unsigned(delegate(b"\x0e\0" + delegate()[1:])))),
            "key asked for": (quantum_codes, members(publicKey=quantum)),
            "key added": (quantum_codes, members(action(
                "AddKey", publicKey=quantum, accessKey={"permission": "FullAccess"}))),
            "key deleted": (quantum_codes, members(action("DeleteKey", publicKey=quantum))),
            "key staked with":
                (quantum_codes, members(action("Stake", stake="1", publicKey=quantum))),
            "key deleted in Borsh":
                ("unsupported_key", whole(unsigned(b"\x06" + quantum_key))),
            "key of the signer in Borsh": ("unsupported_key", whole(
                unsigned()[:4 + len(signer.account)] + quantum_key
                + unsigned()[4 + len(signer.account) + 33:])),
        }
        for name, (code, params) in refused.items():
            with self.subTest(name):
                reply = self.call("signTransaction", params, status=1)
                self.assertEqual(set(reply), {"error"})
                codes = (code,) if isinstance(code, str) else code
                self.assertIn(reply["error"]["code"], codes, reply)
        delegates = {
            "receiver of 65": ("invalid_account_id", {"receiverId": long, "actions": []}),
            "type": ("unsupported_action", {"receiverId": "bb", "actions": [action("Nope", a=1)]}),
            "delegate": ("unsupported_action", {
                "receiverId": "bb", "actions": [action("SignedDelegate", delegateAction={})]}),
            "key": (quantum_codes, {
                "receiverId": "bb", "actions": [action("DeleteKey", publicKey=quantum)]}),
        }
        for name, (code, item) in delegates.items():
            with self.subTest(name, kind="delegate"):
                item = {"nonce": "7777", "maxBlockHeight": "9"} | item
                reply = self.call("signDelegateActions", {
                    "signerId": signer.account, "delegateActions": [item]}, status=1)
                self.assertEqual(set(reply), {"error"})
                codes = (code,) if isinstance(code, str) else code
                self.assertIn(reply["error"]["code"], codes, reply)
        item = {"receiverId": "bb", "nonce": "1", "maxBlockHeight": "9", "actions": []}
        self.assertIn("error", self.call("signDelegateActions", {
            "signerId": signer.account, "delegateActions": [item] * 17}, status=1))


if __name__ == "__main__":
    unittest.main()
