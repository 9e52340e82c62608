# SPDX-License-Identifier: Apache-2.0
"""Random Algorand transactions from a seed, built by py-algorand-sdk."""
import base64

from algosdk import box_reference, constants, encoding, mnemonic, transaction
from algosdk.app_access import ResourceReference
from algosdk.atomic_transaction_composer import (
    AccountTransactionSigner, sign_transaction_with_signer)
from nacl.signing import SigningKey

from near_values import Values

NETWORKS = {
    "mainnet": ("mainnet-v1.0", "wGHE2Pwdvd7S12BL5FaOP20EGYesN73ktiC1qzkkit8="),
    "testnet": ("testnet-v1.0", "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="),
}
# The dangers that one of these transactions can have.
DANGERS = [
    "rekey", "close_out", "asset_close", "clawback", "app_update", "app_delete", "asset_destroy",
    "asset_reconfigure", "key_registration", "non_participation", "high_fee",
    "control_characters", "oversize", "foreign_sender"]
KINDS = [
    "payment", "closing", "transfer", "asset_opt_in", "asset_closing", "clawback",
    "asset_creation", "asset_change", "asset_destruction", "freeze", "call", "app_creation",
    "app_update", "call_with_access", "online", "offline", "nonparticipating"]


class Signer:
    """A key on both sides, bound to a network or to no network."""

    def __init__(self, seed, network=None):
        self.key = SigningKey(seed)
        public = bytes(self.key.verify_key)
        self.private = base64.b64encode(seed + public).decode()
        self.address = encoding.encode_address(public)
        self.words = mnemonic.from_private_key(self.private)
        self.networks = [network] if network else [*NETWORKS]
        self.network = network

    def sign(self, txn):
        """Returns the peer's signed transaction in Base64."""
        signed = sign_transaction_with_signer(txn, AccountTransactionSigner(self.private))
        return encoding.msgpack_encode(signed)


class Transactions(Values):
    """Random transactions of every type; edge values are more frequent than others."""

    def address(self):
        return encoding.encode_address(self.randbytes(32))

    def maybe(self, *values):
        """Returns one of the values, or None."""
        return self.choice([None, *values])

    def index(self):
        """The id of an asset or an application."""
        return self.choice([1, 31566704, 2**32, 2**64 - 1, self.randint(1, 2**40)])

    def parameters(self, network):
        name, genesis = NETWORKS[network]
        first = self.choice([0, 1, 127, 128, 2**32 - 1, 2**53, 2**64 - 1001, self.getrandbits(26)])
        last = max(first + self.choice([0, 1, 999, 1000, self.randint(0, 1000)]), 1)
        fee = self.choice([0, 1, 1000, 1000, 10_000, 10_001, 2_000_000, self.number(64)])
        return transaction.SuggestedParams(
            fee, first, last, genesis, self.choice([name, name, None]), flat_fee=True)

    def header(self, network):
        """Returns the arguments that every type has."""
        note = self.choice([
            None, None, b"", self.text(60).encode(), self.data(60), self.randbytes(31),
            self.randbytes(self.choice([255, 256, 1024]))])
        if self.random() < 0.01:
            note = self.randbytes(4096)
        return {
            "sp": self.parameters(network), "note": note,
            "lease": self.maybe(None, None, self.randbytes(32), b"\xff" * 32, bytes(32)),
            "rekey_to": self.maybe(None, None, None, None, self.address())}

    def transaction(self, sender, network, kind=None):
        """Returns one transaction, of a random or the given type."""
        return getattr(self, kind or self.choice(KINDS))(sender, self.header(network))

    def receiver(self, sender):
        return self.choice([self.address(), self.address(), sender, constants.ZERO_ADDRESS])

    def payment(self, sender, header, close=None):
        return transaction.PaymentTxn(
            sender, receiver=self.receiver(sender), amt=self.number(64),
            close_remainder_to=close, **header)

    def closing(self, sender, header):
        return self.payment(sender, header, self.choice([self.address(), sender]))

    def transfer(self, sender, header, **more):
        return transaction.AssetTransferTxn(
            sender, receiver=self.receiver(sender), amt=self.number(64), index=self.index(),
            **more, **header)

    def asset_opt_in(self, sender, header):
        return transaction.AssetOptInTxn(sender, index=self.index(), **header)

    def asset_closing(self, sender, header):
        if self.random() < 0.5:
            return self.transfer(sender, header, close_assets_to=self.address())
        return transaction.AssetCloseOutTxn(
            sender, receiver=self.address(), index=self.index(), **header)

    def clawback(self, sender, header):
        return self.transfer(sender, header, revocation_target=self.address())

    def rulers(self, sender):
        """Returns the addresses that control an asset: some, all or no addresses."""
        return {role: self.maybe(self.address(), sender)
                for role in ("manager", "reserve", "freeze", "clawback")}

    def asset_creation(self, sender, header):
        return transaction.AssetConfigTxn(
            sender, total=self.maybe(self.number(64)), decimals=self.randint(0, 19),
            default_frozen=self.random() < 0.5, unit_name=self.maybe("", self.text(8)),
            asset_name=self.maybe("", self.text(32)), url=self.maybe("", self.text(96)),
            metadata_hash=self.maybe(self.randbytes(32)), strict_empty_address_check=False,
            **self.rulers(sender), **header)

    def asset_change(self, sender, header):
        rulers = self.rulers(sender)
        rulers[self.choice([*rulers])] = self.address()
        return transaction.AssetConfigTxn(
            sender, index=self.index(), strict_empty_address_check=False, **rulers, **header)

    def asset_destruction(self, sender, header):
        return transaction.AssetDestroyTxn(sender, index=self.index(), **header)

    def freeze(self, sender, header):
        return transaction.AssetFreezeTxn(
            sender, index=self.index(), target=self.choice([self.address(), sender]),
            new_freeze_state=self.random() < 0.5, **header)

    def arguments(self):
        """Returns the arguments of a call. They may be empty, and the first may name a method."""
        if self.random() < 0.04:
            # The largest size that a network accepts.
            return [self.randbytes(1024) for _ in range(16)]
        found = [self.data(60) for _ in range(self.randint(0, 16))]
        if self.random() < 0.5:
            found[:1] = [self.randbytes(4)]
        return found

    def several(self, make, most):
        return [make() for _ in range(self.choice([0, 0, 1, self.randint(0, most)]))]

    def used(self, sender, app):
        """Returns the objects that a call may use, in separate lists."""
        apps = self.several(self.index, 8)
        places = [0, app, *apps]
        boxes = [(self.choice(places), self.data(64)) for _ in self.several(int, 8)]
        boxes += [box_reference.BoxReference(self.randint(0, len(apps)), self.data(64))
                  for _ in self.several(int, 2)]
        accounts = [constants.ZERO_ADDRESS, sender]
        return {
            "accounts": self.several(lambda: self.choice([*accounts, self.address()]), 8),
            "foreign_assets": self.several(lambda: self.number(64), 8), "foreign_apps": apps,
            "boxes": boxes, "reject_version": self.maybe(None, 1, self.number(32))}

    def call(self, sender, header, app=None, completion=None, **more):
        app = self.index() if app is None else app
        kinds = [kind for kind in transaction.OnComplete
                 if kind != transaction.OnComplete.UpdateApplicationOC]
        completion = self.choice(kinds) if completion is None else completion
        used = {} if "use_access" in more or "resources" in more else self.used(sender, app)
        return transaction.ApplicationCallTxn(
            sender, index=app, on_complete=completion, app_args=self.arguments(),
            **used, **more, **header)

    def programs(self):
        most = 8192 if self.random() < 0.05 else 300
        return {name: b"\x0a" + self.randbytes(self.choice([1, 30, most - 1]))
                for name in ("approval_program", "clear_program")}

    def app_creation(self, sender, header):
        schema = lambda: self.maybe(
            transaction.StateSchema(self.randint(0, 64), self.randint(0, 16)))
        return self.call(
            sender, header, app=0, completion=self.choice([*transaction.OnComplete]),
            local_schema=schema(), global_schema=schema(), extra_pages=self.randint(0, 7),
            **self.programs())

    def app_update(self, sender, header):
        return self.call(
            sender, header, completion=transaction.OnComplete.UpdateApplicationOC,
            **self.programs())

    def call_with_access(self, sender, header):
        """Returns a call with one list of used objects, at most 16."""
        app = self.index()
        if self.random() < 0.2:
            entries = [ResourceReference(), ResourceReference(address=self.address()),
                       ResourceReference(asset_id=self.index())]
            return self.call(
                sender, header, app=app, resources=self.choices(entries, k=self.randint(1, 16)))
        addresses = ["", self.address(), self.address()]
        apps = [0, app, self.index()]
        return self.call(
            sender, header, app=app, use_access=True,
            accounts=self.several(self.address, 2),
            foreign_assets=self.several(self.index, 2), foreign_apps=self.several(self.index, 2),
            boxes=self.several(lambda: (self.choice(apps), self.data(64)), 2),
            holdings=self.several(lambda: (self.index(), self.choice(addresses)), 1),
            locals=self.several(lambda: (self.choice(apps), self.choice(addresses)), 2))

    def online(self, sender, header):
        first = self.choice([0, 1, self.getrandbits(30)])
        return transaction.KeyregOnlineTxn(
            sender, votekey=self.randbytes(32), selkey=self.randbytes(32), votefst=first,
            votelst=first + self.choice([0, 1, 3_000_000]), votekd=self.choice([0, 1, 1733]),
            sprfkey=self.maybe(self.randbytes(64)), **header)

    def offline(self, sender, header):
        return transaction.KeyregOfflineTxn(sender, **header)

    def nonparticipating(self, sender, header):
        return transaction.KeyregNonparticipatingTxn(sender, **header)

    def mix(self, signers, count):
        """Returns transactions of all types in turn, each with the key that signs it."""
        cases = []
        for number in range(count):
            signer = self.choice(signers)
            # A sender without a key in this home is rekeyed to one.
            sender = self.address() if self.random() < 0.25 else signer.address
            network = self.choice(signer.networks)
            cases.append((self.transaction(sender, network, KINDS[number % len(KINDS)]), signer))
        self.shuffle(cases)
        return cases
