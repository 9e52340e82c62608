#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The part of try.sh inside the Debian.
set -eu
stop() {
    echo "error: $1" >&2
    exit 1
}
apt-get update -qq
# From the packages alone: nothing that is only recommended. Python checks the demo's signatures.
apt-get install -qq -y --no-install-recommends /try/countersign_*.deb python3 openssl >/try/log 2>&1 ||
    { tail -n 20 /try/log >&2; stop "the package cannot be installed"; }
useradd --create-home person
as_person() { setpriv --reuid person --regid person --init-groups env HOME=/home/person "$@"; }

countersign --version
as_person sh /try/Examples/demo.sh /usr/bin/countersign > /try/demo.log 2>&1 ||
    { tail -n 20 /try/demo.log >&2; stop "the demo fails"; }
as_person countersign completions bash | cmp - /usr/share/bash-completion/completions/countersign

export CREDENTIALS_DIRECTORY=/home/person/secret
as_person sh -c 'umask 077; mkdir ~/secret; echo "a long passphrase" > ~/secret/countersign-passphrase'
as_person countersign init --quiet
as_person countersign key new --quiet --protocol nostr --name alice >/dev/null
as_person countersign doctor > /try/doctor.log || true
grep -q 'libwebsockets: clients over relays' /try/doctor.log ||
    { cat /try/doctor.log >&2; stop "the program does not contain libwebsockets"; }
as_person countersign bunker new --quiet --name laptop --relays wss://relay.example \
    > /try/uri 2> /try/warnings
grep -q '^bunker://' /try/uri || stop "no connection was made"
grep -q 'missing' /try/warnings && stop "a library of relays is missing"

# An agent, started by hand; removing the package stops it, and the home stays.
as_person mkdir -m 700 /home/person/run
as_person sh -c 'countersign agent --socket ~/run/agent.sock >~/agent.log 2>&1 & echo $! > ~/agent.pid'
for _ in $(seq 100); do [ -S /home/person/run/agent.sock ] && break; sleep 0.1; done
pid=$(cat /home/person/agent.pid)
[ -d "/proc/$pid" ] || { cat /home/person/agent.log >&2; stop "the agent does not start"; }
apt-get purge -qq -y countersign >/try/log 2>&1 || { cat /try/log >&2; stop "purge fails"; }
for _ in $(seq 100); do [ -d "/proc/$pid" ] || break; sleep 0.1; done
# A stopped process whose parent has gone stays as a zombie without a first process that waits.
[ ! -d "/proc/$pid" ] || grep -q '^State:.Z' "/proc/$pid/status" || stop "the agent outlives the package"
[ -e /home/person/.countersign/vault.db ] || stop "purge removed a home"
left=$(find /usr /etc /var/lib /lib -name '*countersign*' ! -path '/var/lib/dpkg/*' ! -path '/var/lib/apt/*')
[ -z "$left" ] || stop "purge leaves $left"

# The service of a server: its user exists, its unit can be read, nothing is enabled.
apt-get install -qq -y --no-install-recommends /try/countersign_*.deb /try/countersign-hub_*.deb \
    >/try/log 2>&1 || { tail -n 20 /try/log >&2; stop "the hub cannot be installed"; }
getent passwd countersign >/dev/null || stop "the user of the hub was not made"
find /etc/systemd/system -name 'countersign*' | grep -q . && stop "a unit was enabled"
# A minimal Debian has no "man", by which systemd checks the manual page.
systemd-analyze verify --man=no countersign-hub@club.service 2>&1 | grep -i 'countersign' &&
    stop "the unit has faults"
exposure=$(systemd-analyze security --offline=yes countersign-hub@club.service 2>/dev/null |
    sed -n 's/.*Overall exposure level for .*: \([0-9.]*\) .*/\1/p')
echo "exposure of the hub: ${exposure:-unknown}"
awk -v e="${exposure:-10}" 'BEGIN { exit !(e <= 1.2) }' || stop "the hub is exposed: ${exposure:-unknown}"

# The command of the unit, as its user; commands find the hub by its home.
hub=/var/lib/countersign/club
install -d -m 700 -o countersign -g countersign "$hub" /run/countersign/club /try/credentials
install -m 400 -o countersign /home/person/secret/countersign-passphrase /try/credentials/
as_hub() {
    setpriv --reuid countersign --regid countersign --clear-groups env -C / \
        COUNTERSIGN_HOME="$hub/home" CREDENTIALS_DIRECTORY=/try/credentials "$@"
}
as_hub countersign init --quiet
command=$(sed -n 's/^ExecStart=//p' /usr/lib/systemd/system/countersign-hub@.service | sed 's/%i/club/g')
# shellcheck disable=SC2086 # one word per argument
as_hub sh -c "exec $command" > /try/hub.log 2>&1 &
for _ in $(seq 100); do [ -S /run/countersign/club/agent.sock ] && break; sleep 0.1; done
as_hub countersign agent status > /try/status ||
    { cat /try/hub.log /try/status >&2; stop "the hub does not answer"; }
grep -q 'unlocked' /try/status || { cat /try/status >&2; stop "the hub did not unlock itself"; }
as_hub countersign agent ready >/dev/null || stop "the hub is not ready"
as_hub countersign agent stop
wait
