#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the packages of FOLDER in a minimal Debian and uses them as a person would: the demo of
# the README, the library of relays, an agent that removal stops, a home that purge leaves.
# usage: try.sh SUITE FOLDER (root)
set -eu
cd "$(dirname "$0")/../.."
suite=$1
folder=$(cd "$2" && pwd)
root=$(pwd)/.build/try-$suite
sh Tools/release/debian.sh "$suite" "$root"
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/try"
cp "$folder"/countersign_*.deb "$folder"/countersign-hub_*.deb "$root/try/"
cp -R Examples Tools/release/try-inside.sh "$root/try/"
sh Tools/release/enter.sh "$root" sh /try/try-inside.sh
echo "$suite: installed, used, removed"
