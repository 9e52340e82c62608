#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The C and C++ code under AddressSanitizer and UndefinedBehaviorSanitizer.
# usage: native.sh fuzz SECONDS    runs each harness of Tests/Native for this long
#  native.sh sanitize PYTHON runs each harness briefly, and the peers of both programs
set -eu
mode=$1
what=$2
cd "$(dirname "$0")/.."
build=.build/native
mkdir -p "$build/corpus"
packages="gstreamer-1.0 gstreamer-webrtc-1.0 gstreamer-sdp-1.0 gio-2.0 jansson libcrypto"
flags="-g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -D_Nonnull= -D_Nullable="
# libFuzzer is part of clang, which Swift includes.
clang=${CLANG:-$(command -v clang || echo "$(dirname "$(command -v swift)")/clang")}
# GLib keeps allocations for ever, so leaks are not detected.
export ASAN_OPTIONS=detect_leaks=0

# shellcheck disable=SC2046,SC2086 # one word per flag
harness() {
    case $1 in
        toml)
            "$clang++" $flags -std=gnu++17 -ISources/System/CTOML/include Sources/System/CTOML/ctoml.cpp \
                Tests/Native/toml_fuzz.cpp -o "$build/$1"
            ;;
        sdp | pieces)
            "$clang" $flags -std=gnu17 -Wno-nullability-extension -IDataChannel \
                DataChannel/sdp.c DataChannel/pieces.c DataChannel/certificate.c "Tests/Native/$1_fuzz.c" \
                $(pkg-config --cflags --libs $packages) -o "$build/$1"
            ;;
    esac 2> "$build/$1.link" || { cat "$build/$1.link"; exit 1; }
}

seed() {
    mkdir -p "$build/seeds/$1" "$build/corpus/$1"
    case $1 in
        toml) cp Policies/*.toml "$build/seeds/toml" ;;
        sdp)
            printf '1candidate:7 1 udp 1 192.0.2.1 9 typ host' > "$build/seeds/sdp/candidate"
            {
                printf '0v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\n'
                printf 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\n'
                printf 'a=candidate:7 1 udp 1 192.0.2.1 9 typ host\r\n a=candidate:7 1 udp 1 a.local 9 typ host\r\n'
                printf 'a=fingerprint:sha-256 00:11\r\na=setup:active\r\na=mid:0\r\na=sctp-port:5000\r\n'
                printf 'a=max-message-size:65536\r\n'
            } > "$build/seeds/sdp/answer"
            ;;
        pieces)
            # Messages of one chunk, of two chunks, and one with a NUL character.
            head='\0\0\0\0\0\0\0\0\0\0\0\0'
            {
                printf "\0\040$head"'\0\003\0\023\0\0\003\351\0\001\0\001\0\0\0\063abc\0'
                printf "\0\040$head"'\0\002\0\022\0\0\003\352\0\001\0\002\0\0\0\063ab\0\0'
                printf "\0\040$head"'\0\001\0\021\0\0\003\353\0\001\0\002\0\0\0\063c\0\0\0'
                printf "\0\040$head"'\0\003\0\023\0\0\003\354\0\001\0\003\0\0\0\063a\0c\0'
            } > "$build/seeds/pieces/messages"
            ;;
    esac
}

run() {
    echo "== $1"
    harness "$1"
    seed "$1"
    if ! "$build/$1" "$2" -max_len=65536 -timeout=10 -verbosity=0 "$build/corpus/$1" "$build/seeds/$1" \
        > "$build/$1.log" 2>&1; then
        tail -n 40 "$build/$1.log"
        exit 1
    fi
}

if [ "$mode" = fuzz ]; then
    for name in toml sdp pieces; do run "$name" "-max_total_time=$what"; done
    exit
fi
for name in toml sdp pieces; do run "$name" -runs=20000; done
# These builds have no memory limit: the sanitizer needs far more.
export CFLAGS="-O1 -fsanitize=address,undefined -fno-sanitize-recover=all Tests/Native/options.c"
unset ASAN_OPTIONS
sh Tools/datachannel.sh "$build/countersign-datachannel"
sh Tools/qr.sh "$build/countersign-qr"
folder=$PWD
cd Tests/Interop
COUNTERSIGN_DATACHANNEL=$folder/$build/countersign-datachannel COUNTERSIGN_QR=$folder/$build/countersign-qr \
    "$folder/$what" -m unittest datachannel_peer datachannel_attack_peer liquid_picture_peer
