#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a command in a folder that holds a Debian, with mounts of its own that end with it.
# usage: enter.sh FOLDER COMMAND [ARGUMENT...] (root)
set -eu
if [ -z "${ENTERED:-}" ]; then
    # The network stays, for packages.
    exec env ENTERED=1 unshare --mount --pid --fork --kill-child sh "$0" "$@"
fi
root=$1
shift
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/shm" "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
for folder in ${ENTER_READ:-}; do
    mkdir -p "$root$folder"
    mount --bind "$folder" "$root$folder"
    mount -o remount,bind,ro "$root$folder"
done
[ -e "$root/etc/resolv.conf" ] && [ ! -L "$root/etc/resolv.conf" ] || rm -f "$root/etc/resolv.conf"
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
    LC_ALL=C.UTF-8 TZ=UTC DEBIAN_FRONTEND=noninteractive \
    ${ENTER_SET:-} chroot "$root" "$@"
