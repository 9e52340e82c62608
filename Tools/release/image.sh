#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the container image of the package in FOLDER, with libraries of this Debian.
# usage: image.sh FOLDER; prints the packages in the image
set -eu
cd "$(dirname "$0")/../.."
package=$(ls "$1"/countersign_*.deb)
version=$(dpkg-deb -f "$package" Version)
work=.build/image
mkdir -p "$work/partial"
# For apt nothing is installed, so it fetches all that the package needs.
: > "$work/status"
apt() {
    apt-get -qq -y --no-install-recommends -o APT::Sandbox::User=root \
        -o Dir::State::status="$(pwd)/$work/status" -o Dir::Cache::archives="$(pwd)/$work" "$@" >/dev/null
}
apt --download-only install "$package" libcurl4 libpq5
(cd "$work" && apt-get -qq -o APT::Sandbox::User=root download ca-certificates)
python3 Tools/release/image.py "$1/countersign-$version-oci.tar" "$version" "$package" "$work"/*.deb
