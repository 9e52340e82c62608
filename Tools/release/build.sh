#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the programs and the packages of this folder, in the Debian that release.sh prepared.
# usage: build.sh FOLDER (of the results)
set -eu
cd "$(dirname "$0")/../.."
out=$1
version=$(dpkg-parsechangelog --show-field Version)
sh Tools/static.sh "$STATIC"
sh Tools/release/program.sh
cp "$STATIC/licences.txt" .build/universal/
# Paths and the build ID of the compiler's output would differ in another folder.
CFLAGS="-O2 -D_FORTIFY_SOURCE=2 -ffile-prefix-map=$(pwd)=. -Wl,--build-id=none"
export CFLAGS
sh Tools/datachannel.sh .build/datachannel/countersign-datachannel
sh Tools/qr.sh .build/datachannel/countersign-qr
sh Tools/release/package.sh "$out"
name=countersign-$version
cp .build/universal/countersign.debug "$out/$name.debug"
(cd "$STATIC/sources" && tar --sort=name --owner=0 --group=0 --numeric-owner \
    --mtime="@$SOURCE_DATE_EPOCH" -cf "$out/$name-lgpl-sources.tar" -- *)
python3 Tools/release/sbom.py .build/universal/countersign "$STATIC/components.txt" "$out/$name"
# The packages with which it was built.
dpkg-query -W -f '${Package} ${Version}\n' > "$out/$name.buildinfo"
"${SWIFT:-swift}" --version 2>/dev/null | head -n 1 >> "$out/$name.buildinfo"
sh Tools/release/image.sh "$out" >> "$out/$name.buildinfo"
(cd "$out" && sha256sum -- * > .sums && mv .sums SHA256SUMS)
