#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the tests that are built; what failed stands at the end, where it is looked for.
set -u
swift=${1:-swift}
log=.build/test.log
# All at once they hold some 1,600 files open, and where there are more than 1,365 Foundation's
# Process reads past the end of a list of them.
few=--experimental-maximum-parallelization-width
"$swift" test --help-hidden | grep -q -e "$few" && set -- "$few" 32 || set --
status=$( { { "$swift" test --skip-build "$@" 2>&1; echo $? >&3; } | tee "$log" >&4; } 3>&1 ) 4>&1
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
