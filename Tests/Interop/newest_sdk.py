# SPDX-License-Identifier: Apache-2.0
"""The newest nostr-sdk as a client of a bunker: run by bunker_clients_peer, beside the pinned one.

usage: newest_sdk.py URI EXPECTED-KEY
"""
import asyncio
import datetime
import importlib.metadata
import sys

import nostr_sdk


async def use(uri, expected):
    signer = nostr_sdk.NostrConnect(
        nostr_sdk.NostrConnectUri.parse(uri), nostr_sdk.Keys.generate(),
        datetime.timedelta(seconds=20), None)
    key = await signer.get_public_key_async()
    assert key.to_hex() == expected
    event = await signer.sign_event_async(
        nostr_sdk.EventBuilder(nostr_sdk.Kind(1), "hello").finalize_unsigned(key))
    assert event.verify() and event.author().to_hex() == expected
    other = nostr_sdk.Keys.generate()
    for seal, unseal in [(signer.nip44_encrypt_async, signer.nip44_decrypt_async),
                         (signer.nip04_encrypt_async, signer.nip04_decrypt_async)]:
        assert await unseal(other.public_key(), await seal(other.public_key(), "text")) == "text"
    try:
        await signer.sign_event_async(
            nostr_sdk.EventBuilder(nostr_sdk.Kind(7), "+").finalize_unsigned(key))
    except nostr_sdk.NostrSdkError as error:
        assert "permission denied" in str(error), error
    else:
        raise AssertionError("kind 7 was signed")


asyncio.run(use(*sys.argv[1:]))
print(importlib.metadata.version("nostr-sdk"), "good")
