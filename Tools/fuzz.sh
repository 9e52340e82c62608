#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds every fuzz harness and runs each for the given number of seconds.
# usage: fuzz.sh SECONDS
set -eu
seconds=$1
cd "$(dirname "$0")/../Tests/Fuzz"
swift build --sanitize=fuzzer
mkdir -p .build/corpus
for source in Sources/*/; do
    name=$(basename "$source")
    corpus=.build/corpus/$name
    mkdir -p "$corpus"
    seeds=../FuzzSeeds/$name
    [ -d "$seeds" ] || seeds=
    echo "== $name"
    # shellcheck disable=SC2086 # no seeds is no word
    ".build/debug/Fuzz$name" -max_total_time="$seconds" -max_len=65536 -timeout=10 \
        -print_final_stats=0 -verbosity=1 "$corpus" $seeds 2>&1 | tail -n 3
done
