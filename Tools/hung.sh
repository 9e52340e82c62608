#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Lists the tests that do not end and the stacks of their threads, and kills the process.
# usage: hung.sh LOG (what they have printed)
set -u
tests=$(pgrep -f "^$PWD/\.build/.*PackageTests\.xctest .*swift-testing" | head -n 1)
[ -n "$tests" ] || exit 0
stacks=$(gdb -p "$tests" -batch -ex 'set width 0' -ex 'thread apply all bt 40' 2>/dev/null)
kill -KILL "$tests"
# Waits until their last output is in the log.
sleep 5
echo "tests that started but did not end:"
grep -aE '^[◇✔✘] Test ' "$1" | awk '
    / Test case / { next }
    { name = $0; sub(/^[^ ]* Test /, "", name) }
    sub(/ started\.$/, "", name) { open[name]++; next }
    sub(/( with [0-9]+ test cases?)? (passed|failed) after .*$/, "", name) { open[name]-- }
    END { for (name in open) if (open[name] > 0) print "  " name }' | sort | head -n 20
echo "threads in tests:"
# Prints frames of this project, the innermost first.
printf '%s\n' "$stacks" | awk '
    function tell() { if (frames != "") printf "%s\n%s", head, frames }
    /^Thread / { tell(); head = $1 " " $2; frames = ""; next }
    / at .*(Tests|Sources|Plugins)\// || / in .*Tests/ {
        sub(/^(#[0-9]+) +0x[0-9a-f]+ in/, $1); frames = frames "  " substr($0, 1, 150) "\n" }
    END { tell() }' | head -n 60
