#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds what an edit touched, then runs the tests of one target and the transcripts of its pages.
# The transcripts run the debug binary, so no release build is needed.
# usage: quick.sh TARGET [PAGES]   PAGES is a regular expression for paths of pages
set -eu
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
target=${1:-}
if [ ! -d "Tests/${target}Tests" ] || [ -z "$target" ]; then
    echo "error: there are no tests of the target \"$target\"" >&2
    echo "hint: make quick TARGET=NAME; NAME is one of" \
        "$(cd Tests && echo ./*Tests | sed 's|\./||g; s|Tests\b||g')" | fold -s -w 78 >&2
    exit 2
fi
case $target in
NIP* | Nostr | Relays) pages='Transcripts/(nostr|permissions|decrypted)' ;;
NEP413 | NEAR*) pages='Transcripts/near' ;;
ARC27 | Algorand*) pages='Transcripts/(algorand|watch-only)' ;;
Liquid*) pages='Transcripts/liquid|Docs/Liquid' ;;
*Policy* | SigningPolicyTools) pages='Transcripts/(policy|cookbook|learning|guarded)|Docs/Policy' ;;
SigningFiles | SigningVault | SigningStorage | SigningHome) pages='Transcripts/(audit|archive|backup|remembered)' ;;
PostgresLog) pages='Transcripts/teams|Docs/Teams' ;;
SigningAgent | Socket) pages='Transcripts/(agent|access)|Docs/Agent' ;;
SigningTerminal) pages='Transcripts/(terminal|long|two|window)' ;;
SigningCLI | Command) pages='Transcripts/(usage|bad-input|json|newcomer)' ;;
*) pages='^$' ;;
esac
pages=${2:-Plugins/$target/|$pages}

find Sources Plugins Clients Tests \( -path "*/$target/*" -o -path "*/${target}Tests/*" \) -name '*.swift' \
    -exec "$swift" format lint --strict {} +
"$swift" build --build-tests --explicit-target-dependency-import-check error
COUNTERSIGN_BINARY=$PWD/.build/debug/countersign COUNTERSIGN_PAGES=$pages "$swift" test --skip-build \
    --filter "^${target}Tests[.]" --filter '^CommandTests[.]TranscriptTests/(transcript|page)[(]'
