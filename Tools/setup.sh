#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages of a list that are missing; without root it prints the line to run.
# usage: setup.sh [LIST]
set -eu
is_provided() {
    dpkg-query -W -f '${db:Status-Status}, ${Provides},\n' | grep -q "^installed,.* $1[ ,]"
}

missing=
while read -r package; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    # Some libraries have another name on newer systems; the new package provides the old name.
    [ "$state" = installed ] || is_provided "$package" || missing="$missing $package"
done < "${1:-$(dirname "$0")/packages.txt}"
# Since Debian 13 the linker that Swift takes is a package of its own. Without it the program has no
# RELRO.
system=$(sed -n 's/^VERSION_ID="\{0,1\}\([0-9]*\).*/\1/p' /etc/os-release)
if [ "${system:-0}" -ge 13 ] && [ $# -eq 0 ] && ! command -v ld.gold >/dev/null; then
    missing="$missing binutils-gold"
fi
[ -n "$missing" ] || exit 0
if [ "$(id -u)" -ne 0 ]; then
    echo "error: system packages are missing" >&2
    echo "hint: sudo apt-get install --no-install-recommends$missing" >&2
    case "$missing " in *" coturn "*)
        echo "hint: then stop the relay that coturn starts: sudo systemctl disable --now coturn" >&2 ;;
    esac
    exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
# shellcheck disable=SC2086 # one word per package
apt-get install -qq -y --no-install-recommends $missing

# The peers start a private relay on this machine; the relay of the package listens to the network.
case "$missing " in *" coturn "*)
    if [ -d /run/systemd/system ]; then
        systemctl disable --now --quiet coturn
    else
        invoke-rc.d coturn stop >/dev/null 2>&1 || true
    fi ;;
esac
