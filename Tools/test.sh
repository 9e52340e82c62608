#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests that are built; what failed stands at the end, where it is looked for.
set -u
log=.build/test.log
status=$( { { "${1:-swift}" test --skip-build 2>&1; echo $? >&3; } | tee "$log" >&4; } 3>&1 ) 4>&1
if [ "$status" -ne 0 ]; then
    echo "failed:" >&2
    grep -E -A4 '^✘|error:|Fatal|Crash' "$log" >&2
fi
exit "$status"
