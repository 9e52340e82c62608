#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the link of a program whose home has one wire, NIP-155: linked.sh PROGRAM.
# It contains no code of another chain, of a transport or of shared records, and needs no C library
# that only those use.
set -eu
program=$1
foreign="NEAR|Algorand|ARC27|NEP413|NIP07|NIP55|LiquidCeremony|LiquidAuth|Connect|PostgresLog|AllAdapters|BuiltInProtocols|SigningNetwork|Relays|Socket|Web|Sandbox"
# A mangled name begins with the length and the name of its module.
names=$(nm --defined-only "$program" | awk '{print $NF}')
for module in $(echo "$foreign" | tr '|' ' '); do
    if echo "$names" | grep -qE "^\\\$s${#module}${module}[0-9A-Z]"; then
        echo "error: $program contains code of $module" >&2
        exit 1
    fi
done
# The same search finds the modules that belong there.
for module in NIP155 Nostr SigningStorage SigningVault SigningService; do
    if ! echo "$names" | grep -qE "^\\\$s${#module}${module}[0-9A-Z]"; then
        echo "error: $program contains no code of $module" >&2
        exit 1
    fi
done
needed=$(readelf -d "$program" | sed -n 's/.*(NEEDED).*\[lib\([^]]*\)\.so.*/\1/p')
for library in $needed; do
    case $library in
        # The system and Swift.
        c | m | gcc_s | stdc++ | swift* | Foundation* | _Foundation* | dispatch | BlocksRuntime) ;;
        # Policy; record; hashes, keys and secrets; codecs.
        glib-2.0 | re2 | sqlite3 | crypto | sodium | secp256k1 | unistring | cbor | idn2 | psl | z) ;;
        *) echo "error: $program needs lib$library" >&2; exit 1 ;;
    esac
done
echo "$program: one wire, and $(echo "$needed" | wc -l) libraries"
