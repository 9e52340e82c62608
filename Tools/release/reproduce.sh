#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a release again, in another Debian and at another path, and compares it with FOLDER.
# usage: reproduce.sh FOLDER (root)
set -eu
cd "$(dirname "$0")/../.."
again=.build/release-again
CHROOT=.build/release-debian-again BUILD_PATH=/build/elsewhere/signer sh Tools/release.sh "$again"
different=
for file in "$1"/*.deb "$1"/*.tar* "$1"/*.json; do
    cmp "$file" "$again/$(basename "$file")" || different="$different $(basename "$file")"
done
[ -z "$different" ] || { echo "error: these differ:$different" >&2; exit 1; }
echo "the packages, the archives and the SBOM are the same, byte by byte"
