#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a release of the last commit in a clean Debian 12: packages, archive, debug file, SBOM.
# usage: release.sh FOLDER (root). Variables: MIRROR, SECURITY (of Debian), CHROOT (its folder),
# BUILD_PATH (of the sources in it), SWIFT.
set -eu
cd "$(dirname "$0")/.."
root=${CHROOT:-.build/release-debian}
path=${BUILD_PATH:-/build/countersign}
mkdir -p "$1" "$(dirname "$root")"
out=$(cd "$1" && pwd)
root=$(cd "$(dirname "$root")" && pwd)/$(basename "$root")
[ "$(id -u)" -eq 0 ] || { echo "error: a clean Debian needs root" >&2; exit 1; }
[ -z "$(git status --porcelain)" ] || {
    echo "error: the folder contains changes that are in no commit" >&2
    echo "hint: a release is built from a commit; git stash" >&2
    exit 1
}
swift=$("${SWIFT:-swift}" -print-target-info | sed -n 's|.*"runtimeResourcePath" *: *"\(.*\)/usr/lib/swift".*|\1|p')
[ -x "$swift/usr/bin/swift" ] || { echo "error: Swift was not found" >&2; exit 1; }

if [ ! -e "$root/.ready" ]; then
    sh Tools/release/debian.sh bookworm "$root"
    # Four libraries without static archives in Debian 12 are built from Debian's sources.
    mirror=${MIRROR:-http://deb.debian.org/debian}
    {
        echo "deb-src $mirror bookworm main"
        echo "deb-src ${SECURITY:-http://deb.debian.org/debian-security} bookworm-security main"
        echo "deb-src $mirror trixie main"
    } >> "$root/etc/apt/sources.list"
    sh Tools/release/enter.sh "$root" apt-get update -qq
    # shellcheck disable=SC2046 # one word per package
    sh Tools/release/enter.sh "$root" apt-get install -qq -y --no-install-recommends \
        $(cat Tools/packages.txt Tools/packages-datachannel.txt Tools/packages-release.txt) >/dev/null
    touch "$root/.ready"
fi
rm -rf "$root$path" "$root/build/out"
mkdir -p "$root$path" "$root/build/out"
git archive HEAD | tar -x -C "$root$path"
git rev-parse HEAD > "$root$path/.release-commit"
date=$(git log -1 --format=%ct)
ENTER_READ=$swift ENTER_SET="SWIFT=$swift/usr/bin/swift STATIC=/build/static SOURCE_DATE_EPOCH=$date" \
    sh Tools/release/enter.sh "$root" sh "$path/Tools/release/build.sh" /build/out
rm -rf "${out:?}"/*
cp "$root/build/out"/* "$out/"
ls -l "$out"
