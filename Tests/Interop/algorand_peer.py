# SPDX-License-Identifier: Apache-2.0
"""ARC-27 with py-algorand-sdk and cbor2, and separately with msgpack and PyNaCl."""
import base64
import collections
import copy
import json
import unittest

from algosdk import encoding, transaction
from algosdk.transaction import calculate_group_id

from algorand_frames import FORMS, LIQUID, call, check_signed, in_calls, item
from algorand_values import DANGERS, KINDS, Signer, Transactions
from hub import Hub
from near_values import in_parallel


def group_id(members):
    """Returns the peer's group id of transactions that may have a group id already."""
    bare = [copy.copy(txn) for txn in members]
    for txn in bare:
        txn.group = None
    return calculate_group_id(bare)


class AlgorandPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub(*DANGERS)
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.signers = [Signer(bytes([place]) * 32, network)
                       for place, network in enumerate(["testnet", "mainnet", None])]
        for place, signer in enumerate(cls.signers):
            bound = ["--network", signer.network] if signer.network else []
            shown = cls.hub.import_key("algorand", f"key{place}", signer.words, *bound)
            assert shown["address"] == signer.address, shown
        cls.own = call(cls.hub, Transactions(1), "discover", {})["providerId"]

    def params(self, source, items):
        """Parameters with a provider id of this home or of the product."""
        return source.choice([{"providerId": self.own}, {"providerId": LIQUID}, {}]) | {
            "txns": items}

    def sign(self, source, items, form=None):
        """Returns the signed transactions; the answer has our provider id unless the request used the constant."""
        params = self.params(source, items)
        result = call(self.hub, source, "sign_transactions", params, form=form)
        self.assertEqual([*result], ["providerId", "stxns"])
        self.assertEqual(result["providerId"], params.get("providerId", self.own))
        return result["stxns"]

    def asked(self, source, txn, signer, isRekeyed=None):
        """An item that a key of this home signs, with optional members left out at random."""
        isRekeyed = txn.sender != signer.address if isRekeyed is None else isRekeyed
        more = {"authAddr": signer.address} if isRekeyed or source.random() < 0.2 else {}
        if source.random() < 0.3:
            more["signers"] = [signer.address]
        return item(source, txn, **more)

    def test_500_random_transactions_byte_for_byte(self):
        source = Transactions(20261129)
        cases = source.mix(self.signers, 500)
        self.assertEqual({txn.type for txn, _ in cases},
                         {"pay", "axfer", "acfg", "afrz", "appl", "keyreg"})

        def check(case):
            place, bundles = case
            source, found = Transactions(place), [pair for pair, in bundles]
            signed = self.sign(source, [self.asked(source, *pair) for pair in found])
            self.assertEqual(len(signed), len(found))
            for text, (txn, signer) in zip(signed, found):
                self.assertEqual(text, signer.sign(txn), txn)
                check_signed(text, txn, signer)

        in_parallel(check, enumerate(in_calls([pair] for pair in cases)))

    def test_each_type_alone_gets_the_same_answer_in_every_form(self):
        """The other tests send many items at once; an item alone must get the same answer."""
        source = Transactions(20261130)

        def check(case):
            place, (txn, signer) = case
            source = Transactions(place)
            signed = self.sign(source, [self.asked(source, txn, signer)],
                               form=[*FORMS][place % len(FORMS)])
            self.assertEqual(signed, [signer.sign(txn)])
            check_signed(*signed, txn, signer)

        in_parallel(check, enumerate(source.mix(self.signers, 2 * len(KINDS))))

    def member(self, source, network):
        """A transaction for a group and its role: signed here, left out or passed on."""
        ours = [signer for signer in self.signers if network in signer.networks]
        kind = source.random()
        if kind < 0.6:
            signer = source.choice(ours)
            sender = source.choice([signer.address] * 3 + [source.address()])
            return source.transaction(sender, network), signer, "sign"
        # An account of this home also signs only the requested transactions.
        signer = source.choice([*ours, Signer(source.randbytes(32))])
        sender = source.choice([signer.address, source.address()])
        return source.transaction(sender, network), signer, "leave" if kind < 0.85 else "pass"

    def passed(self, source, txn, signer):
        """A transaction that others signed: with a key, several keys or a program."""
        kind = source.randrange(4)
        if kind == 0:
            multisig = transaction.Multisig(1, 1, [signer.address, source.address()])
            signed = transaction.MultisigTransaction(txn, multisig)
            multisig.subsigs[0].signature = source.randbytes(64)
            return encoding.msgpack_encode(signed)
        if kind == 1:
            account = transaction.LogicSigAccount(b"\x0a\x81\x01", [b"a", b""])
            return encoding.msgpack_encode(transaction.LogicSigTransaction(txn, account))
        return signer.sign(txn)

    def entry(self, source, txn, signer, way, place):
        """A member as an entry of `txns`, and the expected result."""
        if way == "sign":
            return self.asked(source, txn, signer), signer.sign(txn)
        signed = self.passed(source, txn, signer) if way == "pass" else None
        more = {} if signed is None else {"stxn": signed}
        if place == 0 and source.random() < 0.2:
            more["groupMessage"] = source.text(40)
        return item(source, txn, signers=[], **more), signed

    def groups(self, source, count):
        """Groups; each member is a transaction, its signer and its role."""
        for place in range(count):
            network = source.choice(["mainnet", "testnet"])
            size = [2, 16, 1][place] if place < 3 else source.randint(2, 16)
            members = [self.member(source, network) for _ in range(size)]
            transaction.assign_group_id([txn for txn, *_ in members])
            yield members

    def test_100_random_groups_byte_for_byte(self):
        source = Transactions(20261201)
        bundles = []
        for members in self.groups(source, 100):
            bundles.append(members)
            # Sent alone and without a group id, between the groups.
            while source.random() < 0.4:
                bundles.append([self.member(source, source.choice(["mainnet", "testnet"]))])
        seen = collections.Counter(way for members in bundles for _, _, way in members)
        self.assertGreater(min(seen[way] for way in ("sign", "leave", "pass")), 100)

        def check(case):
            place, bundles = case
            source = Transactions(place)
            entries = [self.entry(source, *member, place)
                       for members in bundles for place, member in enumerate(members)]
            self.assertEqual(self.sign(source, [given for given, _ in entries]),
                             [expected for _, expected in entries])

        in_parallel(check, enumerate(in_calls(bundles)))

    def altered(self, source, members):
        """Transactions that share a wrong group id."""
        members = [copy.copy(txn) for txn in members]
        place = source.randrange(len(members))
        way = source.randrange(7)
        if way == 0:
            del members[place]
        elif way == 1:
            other = (place + source.randint(1, len(members) - 1)) % len(members)
            members[place], members[other] = members[other], members[place]
        elif way == 2:
            members[place].last_valid_round += 1
            members[place].first_valid_round += 1
        elif way == 3:
            members[place].note = source.randbytes(9)
        elif way == 4:
            more = source.transaction(self.signers[2].address, "testnet", "payment")
            more.group = members[0].group
            members.insert(place, more)
        elif way == 5:
            # A group with only one of its members is also cut.
            members = [members[place]]
        else:
            wrong = source.flipped(members[0].group)
            for txn in members:
                txn.group = wrong
        return members

    def test_altered_reordered_and_cut_groups_are_refused(self):
        source = Transactions(20261202)
        cases = []
        for place, members in enumerate(self.groups(source, 63)):
            if len(members) in (1, 16):
                continue
            altered = self.altered(source, [txn for txn, *_ in members])
            good = next(self.groups(source, 1)) if place % 4 == 0 else []
            cases.append(([txn for txn, *_ in good], altered))
        self.assertGreater(len(cases), 50)

        def check(case):
            place, (good, altered) = case
            source = Transactions(place)
            # One request is for one network.
            good = good if good and good[0].genesis_hash == altered[0].genesis_hash else []
            # No signature is needed: the id is wrong for every member.
            items = [item(source, txn, signers=[]) for txn in good + altered]
            found = call(
                self.hub, source, "sign_transactions", self.params(source, items), status=1)
            if len({txn.genesis_hash for txn in altered}) > 1:
                self.assertEqual(found["code"], 4200, found)
                return
            self.assertEqual(found["code"], 4201, found)
            self.assertEqual(
                base64.b64decode(found["data"]["computedGroupId"], validate=True),
                group_id(altered))

        in_parallel(check, enumerate(cases))

    def test_no_member_of_an_altered_group_is_signed(self):
        source = Transactions(20261203)
        signer = self.signers[0]
        group = [source.transaction(signer.address, "testnet") for _ in range(3)]
        transaction.assign_group_id(group)
        for part in (group[:2], group[::-1], group[2:]):
            items = [self.asked(source, txn, signer) for txn in part]
            found = call(
                self.hub, source, "sign_transactions", self.params(source, items), status=1)
            self.assertEqual(found["code"], 4201)
            self.assertEqual(
                found["data"], {"computedGroupId": base64.b64encode(group_id(part)).decode()})

    def test_a_key_signs_on_its_own_network_only(self):
        source = Transactions(20261204)
        bound = {signer.network: signer for signer in self.signers}
        for signer, network in ((bound["testnet"], "mainnet"), (bound["mainnet"], "testnet")):
            items = [self.asked(source, source.transaction(signer.address, network), signer)]
            found = call(
                self.hub, source, "sign_transactions", self.params(source, items), status=1)
            self.assertEqual(found["code"], 4004, found)

    def test_a_refusal_names_the_unknown_signer(self):
        source = Transactions(20261205)
        stranger = Signer(source.randbytes(32))
        ours = source.transaction(self.signers[0].address, "testnet", "payment")
        for sender in (stranger.address, self.signers[0].address):
            txn = source.transaction(sender, "testnet", "payment")
            items = [self.asked(source, ours, self.signers[0]),
                     self.asked(source, txn, stranger, isRekeyed=True)]
            found = call(
                self.hub, source, "sign_transactions", self.params(source, items), status=1)
            self.assertEqual((found["code"], found["data"]), (4100, {"signer": stranger.address}))

    def test_the_peers_signed_transactions_verify_here(self):
        source = Transactions(20261206)
        cases = []
        for number, (txn, signer) in enumerate(source.mix(self.signers, 2 * len(KINDS))):
            text = signer.sign(txn)
            cases.append((text, True, signer))
            if number % 2 == 0:
                broken = source.flipped(base64.b64decode(text))
                cases.append((base64.b64encode(broken).decode(), False, signer))

        def check(case):
            text, holds, signer = case
            out = json.loads(self.hub.command(
                "--json", "verify", "--adapter", "arc27", "-", stdin=text.encode(),
                status=(0, 4) if holds else 1))
            # The answer to an unreadable file is an error.
            self.assertEqual(out.get("proof", "invalid") != "invalid", holds, text)
            if holds:
                is_own = all(account["key"] == "own" for account in out["accounts"])
                self.assertEqual(out["verified"], is_own, text)
                self.assertEqual(out["signatures"][0]["signer"], signer.address)

        in_parallel(check, cases)


if __name__ == "__main__":
    unittest.main()
