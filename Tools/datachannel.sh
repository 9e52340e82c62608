#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds countersign-datachannel, a C program; packages-datachannel.txt lists its requirements.
# usage: datachannel.sh PROGRAM
set -eu
program=$1
cd "$(dirname "$0")/.."
plugins=$(pkg-config --variable=pluginsdir gstreamer-1.0)
# shellcheck disable=SC2046 # one word per flag
set -- $(pkg-config --cflags --libs \
    gstreamer-1.0 gstreamer-webrtc-1.0 gstreamer-sdp-1.0 gio-2.0 jansson libcrypto)
mkdir -p "$(dirname "$program")"
# Nullability annotations of clang mean nothing to other compilers.
# shellcheck disable=SC2086 # one word per flag
"${CC:-cc}" -std=gnu17 -g -Wall -Wextra -Werror ${CFLAGS:--O2 -D_FORTIFY_SOURCE=2} \
    -fstack-protector-strong -fPIE -pie -Wl,-z,relro,-z,now \
    -D_Nonnull= -D_Nullable= -DPLUGINS_DIR="\"$plugins\"" -ISources/System/CSandbox/include \
    DataChannel/*.c Sources/System/CSandbox/rules.c Sources/System/CSandbox/filter.c \
    -Wl,--export-dynamic-symbol=RSA_generate_key_ex -Wl,--export-dynamic-symbol=pthread_create "$@" -o "$program.new"
mv "$program.new" "$program"
