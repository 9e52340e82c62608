#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the container image of FOLDER with podman as Docs/Install.md says: without capabilities and
# network, with a root that cannot be written.
# usage: try-image.sh FOLDER (root)
set -eu
if [ -z "${ENTERED:-}" ]; then
    command -v podman >/dev/null || {
        echo "error: podman is missing" >&2
        echo "hint: apt-get install --no-install-recommends podman crun" >&2
        exit 1
    }
    exec env ENTERED=1 unshare --mount sh "$0" "$@"
fi
# crun refuses a machine with the first version of control groups.
if [ ! -e /sys/fs/cgroup/cgroup.controllers ]; then
    umount -R /sys/fs/cgroup 2>/dev/null || true
    mount -t cgroup2 none /sys/fs/cgroup
fi
image=$(ls "$1"/countersign-*-oci.tar)
work=$(mktemp -d)
pods() {
    podman --root "$work/root" --runroot "$work/run" --storage-driver vfs --cgroup-manager cgroupfs "$@"
}
trap 'pods rm --force --all >/dev/null 2>&1; rm -rf "$work"' EXIT
stop() {
    echo "error: $1" >&2
    cat "$work/log" >&2
    exit 1
}
name=$(pods load --quiet --input "$image" | sed -n 's/^Loaded image: //p')
echo 'a long passphrase' | pods secret create countersign-passphrase - >/dev/null
open=$(ulimit -Hn)
# start WORD... -- WORD...: options of podman, then words of the command
start() {
    pods run --cgroups disabled --network none --ulimit "nofile=$open:$open" --ulimit nproc=1000:1000 \
        --read-only --cap-drop all --security-opt no-new-privileges \
        --tmpfs /run/countersign:mode=0700,U "$@"
}
secret=--secret=countersign-passphrase,uid=65532,mode=0400
volume=--volume=countersign:/var/lib/countersign

start --rm "$volume" "$name" init > "$work/log" 2>&1 && stop "a home was made without a secret"
grep -q 'hint:.*--secret' "$work/log" || stop "the hint about the secret is missing"
start --rm "$volume" --secret=countersign-passphrase "$name" init > "$work/log" 2>&1 &&
    stop "a secret that all can read was taken"
grep -q 'hint:.*uid=65532,mode=0400' "$work/log" || stop "the hint about the mode is missing"
start --rm "$secret" "$name" > "$work/log" 2>&1 && stop "an agent runs without a home"
grep -q 'hint:.*init' "$work/log" || stop "the hint about the home is missing"

start --rm "$volume" "$secret" "$name" init > "$work/log" 2>&1 || stop "no home was made"
start --rm "$volume" "$secret" "$name" key new --protocol nostr --name alice > "$work/log" 2>&1 ||
    stop "no key was made"
start --detach --name hub "$volume" "$secret" "$name" > "$work/log" 2>&1 || stop "the agent does not start"
for _ in $(seq 100); do pods exec hub countersign agent ready > "$work/log" 2>&1 && break; sleep 0.2; done
pods exec hub countersign agent ready > "$work/log" 2>&1 || stop "the agent is not ready"
pods exec hub countersign --json agent status > "$work/log" 2>&1
grep -q '"whole":true' "$work/log" || stop "the agent has no sandbox of its own"
pods exec hub countersign agent lock > "$work/log" 2>&1 || stop "the agent does not lock"
pods exec hub countersign agent ready > "$work/log" 2>&1 && stop "a locked agent is called ready"
pods stop hub > "$work/log" 2>&1
[ "$(pods inspect hub --format '{{.State.ExitCode}}')" = 0 ] || stop "the agent does not end on SIGTERM"
echo "$image: run without rights, ready, stopped"
