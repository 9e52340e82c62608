#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sends one real request per protocol, then one that the policy denies and one that needs a person.
# usage: demo.sh BINARY
set -eu
here=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export COUNTERSIGN_HOME="$scratch/home" CREDENTIALS_DIRECTORY="$scratch"
(umask 077 && printf 'a passphrase for the demonstration' > "$scratch/countersign-passphrase")

say() { printf '\n== %s\n' "$1"; }
countersign() { "$binary" --quiet "$@"; }

# Prints the text for a person and the verdict, then answers. $1: expected exit status.
answer() {
    expected=$1 request=$2
    shift 2
    countersign policy explain "$@" "$request"
    echo "-- the reply:"
    status=0
    countersign handle "$@" "$request" > "$scratch/reply" 2> "$scratch/said" || status=$?
    cat "$scratch/reply" "$scratch/said"
    [ "$status" -eq "$expected" ] || { echo "exit status $status, not $expected" >&2; exit 1; }
}
check() { python3 "$here/independent_check.py" "$@"; }

say "a home with three published test keys"
countersign init
cp "$here/policies/demo.toml" "$COUNTERSIGN_HOME/policy.toml"
countersign policy attest
countersign key import --protocol nostr --name alice < "$here/requests/nostr-secret.txt" > /dev/null
countersign key import --protocol near --name round-toad --account round-toad.testnet \
    --network testnet < "$here/requests/near-secret.txt" > /dev/null
countersign key import --protocol algorand --name treasury --network testnet \
    < "$here/requests/algorand-words.txt" > /dev/null
countersign key list
countersign policy check

say "1a. Nostr: NIP-155, example 14.1 (sign_event, the signature back)"
answer 0 "$(cat "$here/requests/nip155-14.1.url")"
check nostr-bare "$here/requests/nip155-14.1.url" "$scratch/reply"

say "1b. Nostr: NIP-155, example 14.2 (get_public_key)"
answer 0 "$(cat "$here/requests/nip155-14.2.url")"
check nostr-key "$here/requests/nip155-14.2.url" "$scratch/reply" "$here/requests/nostr-secret.txt"

say "2a. NEAR: a NEP-413 message of near-api-js"
answer 0 "$here/requests/nep413.json"
check nep413 "$here/requests/nep413.json" "$scratch/reply"
cmp "$scratch/reply" "$here/requests/nep413.expected.json" && echo "equal to the published vector"

say "2b. NEAR: a transfer for near-connect, signed offline (signTransaction with nonce and block)"
answer 0 "$here/requests/near-transfer.json"
check near-transfer "$here/requests/near-transfer.json" "$scratch/reply"

say "3. Algorand: ARC-27 sign_transactions, a group of two"
answer 0 "$here/requests/arc27-group.json"
check arc27 "$here/requests/arc27-group.json" "$scratch/reply" "$here/requests/arc27-group.expected.json"

say "4a. denied by the policy: a profile (kind 0)"
answer 3 "$(cat "$here/requests/nip155-profile.url")"
check nostr-denied "$here/requests/nip155-profile.url" "$scratch/reply"

say "4b. needs a person, but no person can answer here: a NEP-413 message for another recipient"
answer 3 "$here/requests/nep413-other.json" < /dev/null
check nep413-unasked "$here/requests/nep413-other.json" "$scratch/reply"

say "the record"
countersign audit list
countersign audit verify
