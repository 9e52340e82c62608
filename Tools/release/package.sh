#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packages the programs that were built: Debian packages and an archive for other systems.
# usage: package.sh FOLDER (of the results)
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "$1"
out=$(cd "$1" && pwd)
name=countersign-$(dpkg-parsechangelog --show-field Version)
umask 022
dpkg-buildpackage --build=binary --no-sign --no-check-builddeps >"$out/packages.log" 2>&1 || {
    tail -n 20 "$out/packages.log" >&2
    exit 1
}
rm "$out/packages.log"
mv ../countersign*.deb "$out/"
rm -f ../countersign_*.buildinfo ../countersign_*.changes
tree=.build/tree/$name
rm -rf .build/tree
make install BINARY=.build/universal/countersign STRIP= PREFIX=/usr/local \
    DESTDIR="$(pwd)/.build/tree/root" >/dev/null
mv .build/tree/root/usr/local "$tree"
install -D -m 644 -t "$tree/share/doc/countersign" README.md LICENSE .build/universal/licences.txt
tar -C .build/tree --sort=name --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
    --mtime="@$SOURCE_DATE_EPOCH" -c "$name" | xz -6 -T 1 > "$out/$name-linux-amd64.tar.xz"
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning --tag-display-limit 0 "$out"/*.deb
fi
