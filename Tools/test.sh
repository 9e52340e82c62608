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
# With several packages in one build folder another one's tests may be what is built.
if [ "$status" -eq 0 ] && ! grep -q 'Suite "House style" passed' "$log"; then
    echo "error: the tests that were run are not those of this package" >&2
    echo "hint: swift build --build-tests" >&2
    status=1
fi
exit "$status"
