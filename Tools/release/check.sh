#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks the universal program: which libraries it needs and loads, and how it is hardened.
# usage: check.sh PROGRAM
set -eu
export LC_ALL=C
program=$1
stop() {
    echo "error: $program $1" >&2
    exit 1
}
same() {
    [ "$2" = "$3" ] || stop "$1: $2; expected: $3"
}
words() { sort | tr '\n' ' ' | sed 's/ $//'; }

dynamic=$(readelf -dW "$program")
same "needs" "$(echo "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | words)" \
    "ld-linux-x86-64.so.2 libc.so.6 libcrypto.so.3 libgcc_s.so.1 libm.so.6 libssl.so.3 libstdc++.so.6"
same "loads" "$(readelf -p .note.dlopen "$program" | grep -o 'lib[a-z]*\.so\.[0-9]*' | words)" \
    "libcurl.so.4 libpq.so.5 libsystemd.so.0"
echo "$dynamic" | grep -qE '\((RUNPATH|RPATH)\)' && stop "has a RUNPATH"
echo "$dynamic" | grep -q 'BIND_NOW' || stop "binds symbols late"
echo "$dynamic" | grep -q 'FLAGS_1.*PIE' || stop "is loaded at a fixed address"
segments=$(readelf -lW "$program")
echo "$segments" | grep -q GNU_RELRO || stop "has no RELRO"
echo "$segments" | grep -q 'GNU_STACK.* RW ' || stop "has a stack that can be executed"
echo "$segments" | grep -q 'LOAD.*RWE' && stop "has memory to write and execute"
sections=$(readelf -SW "$program")
echo "$sections" | grep -qE '\.(symtab|debug_info|swift_modhash)' && stop "is not stripped"
readelf -nW "$program" | grep -q 'Build ID' || stop "has no build ID"
# glibc 2.35 is that of Ubuntu 22.04 and older than that of Debian 12.
versions=$(readelf -VW "$program")
newest() { echo "$versions" | grep -oE "$1_[0-9.]+[0-9]" | sort -uV | tail -n 1; }
limit() {
    [ "$(printf '%s\n%s\n' "$(newest "$1")" "$1_$2" | sort -V | tail -n 1)" = "$1_$2" ] ||
        stop "needs $(newest "$1"); the newest allowed is $2"
}
limit GLIBC 2.35
limit GLIBCXX 3.4.30
limit OPENSSL 3.0.0
# Paths of the machine that built it would differ from build to build.
grep -qaE '/build/|/work/' "$program" && stop "names a folder of the build"
echo "$program: 7 libraries, $(newest GLIBC), RELRO, BIND_NOW, no RUNPATH"
