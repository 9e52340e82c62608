#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a flat apt repository of the packages in FOLDER: FOLDER/repository, signed with KEY.
# usage: repository.sh FOLDER KEY (a file with a private OpenPGP key without a passphrase)
set -eu
export LC_ALL=C
[ -r "${2:-}" ] || {
    echo "error: no key is named" >&2
    echo "hint: make repository KEY=FILE, a private OpenPGP key as gpg exports it" >&2
    exit 1
}
key=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$1"
rm -rf repository
mkdir repository
cp -- *.deb repository/
cd repository
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
chmod 700 "$home"
sign() { gpg --homedir "$home" --batch --quiet --yes --digest-algo SHA512 "$@"; }
sign --import "$key"
# Names of files in the index have no folder: the repository can lie anywhere.
dpkg-scanpackages --multiversion . /dev/null 2>/dev/null | sed 's|^Filename: \./|Filename: |' > Packages
xz --keep Packages
date=$(date --utc --date "@${SOURCE_DATE_EPOCH:-$(date +%s)}" '+%a, %d %b %Y %H:%M:%S UTC')
{
    printf 'Origin: Countersign\nLabel: Countersign\nSuite: stable\nArchitectures: amd64\n'
    printf 'Description: packages of Countersign\nDate: %s\nSHA256:\n' "$date"
    for file in Packages Packages.xz; do
        printf ' %s %s %s\n' "$(sha256sum < "$file" | cut -d ' ' -f 1)" "$(stat -c %s "$file")" "$file"
    done
} > Release
sign --clearsign --output InRelease Release
sign --armor --detach-sign --output Release.gpg Release
sign --armor --export > countersign-archive.asc
gpgconf --homedir "$home" --kill all 2>/dev/null || true
echo "wrote $1/repository"
