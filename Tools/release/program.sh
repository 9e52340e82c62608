#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the universal program in this folder and strips it: .build/universal/countersign, with its
# debug file beside it. STATIC names the folder that static.sh made.
# usage: program.sh
set -eu
cd "$(dirname "$0")/../.."
static=$(cd "${STATIC:?}" && pwd)
here=$(pwd)
out=.build/universal
# The build ID names the source: it is the same wherever this commit is built.
build=$(sha1sum < .release-commit | cut -d ' ' -f 1)
export PKG_CONFIG_PATH="$static/pkgconfig"
# The order of flags is that of the linker: the folder of static libraries comes first.
"${SWIFT:-swift}" build -c release --static-swift-stdlib --product countersign \
    --disable-local-rpath -Xswiftc -use-ld=lld \
    -Xlinker -z -Xlinker relro -Xlinker -z -Xlinker now \
    -Xlinker "--build-id=0x$build" -Xlinker --no-export-dynamic \
    -Xlinker "-L$static/lib" -Xlinker -lwebsockets -Xlinker -lssl \
    -Xcc -DCWS_LINKED -Xcc "-I$static/include" \
    -Xswiftc -file-prefix-map -Xswiftc "$here=." -Xcc "-ffile-prefix-map=$here=."
mkdir -p "$out"
program=.build/release/countersign
# The one of LLVM: binutils drops RELRO from programs of lld.
objcopy=${OBJCOPY:-$(dirname "$(command -v "${SWIFT:-swift}")")/llvm-objcopy}
"$objcopy" --only-keep-debug --remove-section=.swift_modhash "$program" "$out/countersign.debug"
# No .gnu_debuglink: debuggers find the debug file by the build ID, and the debug file depends on the
# folder of the build. .swift_modhash differs from build to build and is not used at run time.
"$objcopy" --strip-all --remove-section=.swift_modhash --remove-section=.comment \
    "$program" "$out/countersign"
chmod 755 "$out/countersign"
chmod 644 "$out/countersign.debug"
sh Tools/release/check.sh "$out/countersign"
