#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the built tests. The names of failed tests are the last lines, where CI looks for them.
# A few failed tests are run again alone, three times; see Docs/Design/Building.md.
set -u
swift=${1:-swift}
log=.build/test.log
results=.build/tests.xml
found=.build/tests-swift-testing.xml
few_failed=5
# All tests take about five minutes; a test that has not ended by then never will.
seconds_max=${TEST_SECONDS_MAX:-1080}
hung=.build/test.hung
# At once, all tests hold about 1,600 files open. With more than 1,365, Foundation's Process reads past the end of a
# list of them.
few=--experimental-maximum-parallelization-width
"$swift" test --help-hidden | grep -q -e "$few" && set -- "$few" 32 || set --

# Runs all tests; `$hung` receives those that did not end.
run() {
    rm -f "$found"
    { sleep "$seconds_max" && sh Tools/hung.sh "$log" >"$hung"; } 2>/dev/null &
    watch=$!
    status=$( { { "$swift" test --skip-build --xunit-output "$results" "$@" 2>&1; echo $? >&3; } | tee "$log" >&4; } 3>&1 ) 4>&1
    # If the watcher does not sleep any more, it is writing its report.
    pkill -P "$watch" -x sleep
    wait "$watch" 2>/dev/null
}

rm -f "$hung" "$hung.again"
run "$@"
if [ -s "$hung" ]; then
    hung=$hung.again
    run "$@"
fi
# CI looks for the last lines.
ending() {
    code=$?
    for file in .build/test.hung .build/test.hung.again; do
        [ -s "$file" ] && { echo "unsteady: these tests did not end"; cat "$file"; } >&2
    done
    exit "$code"
}
trap ending EXIT
# With several packages in one build folder, the built tests may be those of another package.
if ! grep -q 'Suite "House style"' "$log"; then
    echo "error: the build folder contains the tests of another package" >&2
    echo "hint: swift build --build-tests" >&2
    exit 1
fi
[ "$status" -eq 0 ] && exit 0

# One line for each: Module.Suite/function, as a regular expression that matches only this test.
failed=$(awk -F'"' '
    /<testcase/ { suite = $2; name = $4; sub(/\(.*/, "", name) }
    /<failure/ && !told[suite, name]++ {
        module = suite; sub(/\..*/, "", module); sub(/^[^.]*\.?/, "", suite); gsub(/\./, "/", suite)
        print "^" module "[.]" (suite == "" ? "" : suite "/") name "[(]"
    }' "$found" 2>/dev/null)
count=$(printf '%s' "$failed" | grep -c .)
echo "failed:" >&2
grep -aE '^✘ Test .* recorded an issue|^(.*: )?Fatal error|^error:|Crash' "$log" >&2
if [ "$count" -eq 0 ] || [ "$count" -gt "$few_failed" ]; then
    exit 1
fi
status=0
words=
for test in $failed; do
    word='unsteady: failed among the others, passed alone three times'
    for turn in 1 2 3; do
        if ! timeout "$seconds_max" "$swift" test --skip-build --filter "$test" >"$log.alone" 2>&1 ||
            ! grep -q 'Test run with 1 test ' "$log.alone"; then
            cat "$log.alone" >&2
            word='failed alone, too'
            status=1
            break
        fi
    done
    words="$words$word: $test
"
done
printf '%s' "$words" >&2
exit "$status"
