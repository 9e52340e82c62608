# SPDX-License-Identifier: Apache-2.0
"""ARC-27 frames in the forms of clients, and independent checks of the answers."""
import base64
import json
import re
import uuid

import cbor2
import msgpack
from algosdk import encoding
from Cryptodome.Hash import SHA512
from nacl.signing import VerifyKey

LIQUID = "02657eaf-be17-4efc-b0a4-19d654b2448e"
FRESH = re.compile("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
BASE64URL = re.compile("[A-Za-z0-9_-]+")
# The largest number of items in a call, and of bytes in their transactions: the answer must fit into a frame as well.
ITEM_COUNT_MAX = 64
CALL_BYTES_MAX = 80_000


class Undefined:
    """A member that a JavaScript client leaves undefined."""


def cborx(value):
    """Encodes like cbor-x: every map has a head of three bytes, even a small map."""
    if isinstance(value, dict):
        parts = [b"\xb9" + len(value).to_bytes(2, "big")]
        for name, member in value.items():
            parts += [cborx(name), cborx(member)]
        return b"".join(parts)
    if isinstance(value, list):
        # The head of a list of the same number of empty texts is the same.
        head = cbor2.dumps([""] * len(value))[:-len(value) or None]
        return head + b"".join(map(cborx, value))
    if isinstance(value, Undefined):
        return b"\xf7"
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**32:
        return cbor2.dumps(float(value))
    return cbor2.dumps(value)


def without_undefined(value):
    if isinstance(value, dict):
        return {name: without_undefined(member) for name, member in value.items()
                if not isinstance(member, Undefined)}
    return [*map(without_undefined, value)] if isinstance(value, list) else value


def unpadded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


FORMS = {
    "json": lambda call: json.dumps(without_undefined(call), separators=(",", ":")).encode(),
    "json with spaces": lambda call: json.dumps(
        without_undefined(call), indent=1, ensure_ascii=False).encode(),
    "cbor": lambda call: unpadded(cbor2.dumps(without_undefined(call))),
    "canonical": lambda call: unpadded(cbor2.dumps(without_undefined(call), canonical=True)),
    "indefinite": lambda call: unpadded(
        cbor2.dumps(without_undefined(call), indefinite_containers=True)),
    "cbor-x": lambda call: unpadded(cborx(call)),
    "tagged, standard alphabet": lambda call: base64.b64encode(
        cbor2.dumps(cbor2.CBORTag(55799, without_undefined(call)))),
}


def envelope(source, method, params):
    """A request with its members in random order and an id in the form of clients."""
    name = str(uuid.UUID(int=source.getrandbits(128)))
    # Liquid Auth clients count ids with version 7.
    name = name[:14] + source.choice("47") + name[15:]
    members = [("id", source.choice([name, name.upper()])),
               ("reference", f"arc0027:{method}:request"), ("params", params)]
    source.shuffle(members)
    return dict(members)


def read(answer, is_cbor):
    """Returns the answer after checking its encoding."""
    if not is_cbor:
        assert "\n" not in answer, answer
        reply = json.loads(answer)
    else:
        assert BASE64URL.fullmatch(answer), answer
        data = base64.urlsafe_b64decode(answer + "=" * (-len(answer) % 4))
        reply = cbor2.loads(data)
        # The peer writes shortest definite lengths, with members in the order of the map.
        assert cbor2.dumps(reply) == data, data.hex()
    end = "error" if "error" in reply else "result"
    assert [*reply] == ["id", "reference", "requestId", end], reply
    assert FRESH.fullmatch(reply["id"]), reply
    return reply


def call(hub, source, method, params, status=0, form=None):
    """Sends one request in a form, random if none is named, and returns its result or error."""
    request = envelope(source, method, params)
    form = form or source.choice([*FORMS])
    answer = hub.handle(FORMS[form](request), "--adapter", "arc27", status=status)
    reply = read(answer, is_cbor=not form.startswith("json"))
    assert reply["requestId"] == request["id"], reply
    assert reply["reference"] == f"arc0027:{method}:response", reply
    return reply["error" if status else "result"]


def transaction_bytes(txn):
    return base64.b64decode(encoding.msgpack_encode(txn))


def item(source, txn, **more):
    """An entry of `txns` in the form of clients."""
    data = transaction_bytes(txn)
    forms = [base64.b64encode(data), base64.urlsafe_b64encode(data), unpadded(data)]
    found = {"txn": source.choice(forms).decode(), **more}
    if source.random() < 0.2:
        found["stxn"] = found.get("stxn", Undefined())
        found |= source.choice([
            {}, {"message": source.text(40)}, {"_wallet": {"any": ["thing", 2**53, None]}}])
    return found


def packed(value):
    """Canonical MessagePack, written by msgpack only."""
    def ordered(value):
        if isinstance(value, dict):
            return {name: ordered(value[name]) for name in sorted(value)}
        return [*map(ordered, value)] if isinstance(value, list) else value
    return msgpack.packb(ordered(value), use_bin_type=True)


def sha512_256(data):
    return SHA512.new(data, truncate="256").digest()


def address_text(public):
    """An address, computed by pycryptodomex only."""
    return base64.b32encode(public + sha512_256(public)[-4:]).decode().rstrip("=")


def check_signed(text, txn, signer):
    """Checks one signed transaction without the SDK: encoding, id, signer and signature."""
    data = base64.b64decode(text, validate=True)
    whole = msgpack.unpackb(data)
    assert packed(whole) == data, data.hex()
    unsigned = packed(whole["txn"])
    assert b"TX" + unsigned == txn.bytes_to_sign(), text
    name = base64.b32encode(sha512_256(b"TX" + unsigned)).decode().rstrip("=")
    assert name == txn.get_txid(), name
    public = whole.get("sgnr", whole["txn"]["snd"])
    # An `sgnr` equal to the sender is invalid since v42.
    assert whole.get("sgnr") != whole["txn"]["snd"], text
    assert address_text(public) == signer.address, text
    VerifyKey(public).verify(b"TX" + unsigned, whole["sig"])


def in_calls(bundles):
    """Cuts lists of cases into calls without splitting a case; a case begins with its transaction.

    One call is for one network.
    """
    calls, count, size, network = [], ITEM_COUNT_MAX, 0, None
    for bundle in sorted(bundles, key=lambda bundle: bundle[0][0].genesis_hash):
        if bundle[0][0].genesis_hash != network:
            network, count = bundle[0][0].genesis_hash, ITEM_COUNT_MAX
        bundle_size = sum(len(transaction_bytes(case[0])) for case in bundle)
        count += len(bundle)
        size += bundle_size
        if count > ITEM_COUNT_MAX or size > CALL_BYTES_MAX:
            calls.append([])
            count, size = len(bundle), bundle_size
        calls[-1].append(bundle)
    return calls
