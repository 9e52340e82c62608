#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds countersign-qr, a C program; packages-datachannel.txt lists its requirements.
# usage: qr.sh PROGRAM
set -eu
program=$1
cd "$(dirname "$0")/.."
# shellcheck disable=SC2046 # one word per flag
set -- $(pkg-config --cflags --libs libpng)
mkdir -p "$(dirname "$program")"
# Nullability annotations of clang mean nothing to other compilers.
# shellcheck disable=SC2086 # one word per flag
"${CC:-cc}" -std=gnu17 -g -Wall -Wextra -Werror ${CFLAGS:--O2 -D_FORTIFY_SOURCE=2} \
    -fstack-protector-strong -fPIE -pie -Wl,-z,relro,-z,now \
    -D_Nonnull= -D_Nullable= -ISources/System/CSandbox/include \
    QR/*.c Sources/System/CSandbox/rules.c Sources/System/CSandbox/filter.c \
    "$@" -l:libzbar.so.0 -o "$program.new"
mv "$program.new" "$program"
