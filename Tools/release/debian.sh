#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a folder with a minimal Debian: debian.sh SUITE FOLDER (root)
set -eu
mirror=${MIRROR:-http://deb.debian.org/debian}
command -v debootstrap >/dev/null || {
    echo "error: debootstrap is missing" >&2
    echo "hint: apt-get install debootstrap" >&2
    exit 1
}
rm -rf "$2"
debootstrap --variant=minbase "$1" "$2" "$mirror" > "$2.log" || { tail -n 5 "$2.log" >&2; exit 1; }
rm "$2.log"
{
    echo "deb $mirror $1 main"
    echo "deb ${SECURITY:-http://deb.debian.org/debian-security} $1-security main"
} > "$2/etc/apt/sources.list"
echo 'Acquire::Languages "none";' > "$2/etc/apt/apt.conf.d/90release"
