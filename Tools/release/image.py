#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a container image (OCI image layout 1.0 in a tar file) from Debian packages.

usage: image.py FILE VERSION PACKAGE... (the first is that of Countersign; prints the packages used)
The image contains the program, the libraries that it needs or loads, and nothing that runs beside
it: no shell, no package manager. The same packages and SOURCE_DATE_EPOCH give the same bytes.
"""
import gzip
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from datetime import datetime, timezone

TIME = int(os.environ["SOURCE_DATE_EPOCH"])
# A user of its own, as the images of distroless have it.
USER = 65532
# Loaded when they are first used. libsystemd needs a D-Bus that a container has not.
LOADED = ["libcurl.so.4", "libpq.so.5"]
DATA = ["ca-certificates", "publicsuffix", "tzdata"]
MERGED = ("bin", "sbin", "lib", "lib64")
UNUSED = re.compile(r"usr/(share/(man|locale|lintian|bug|info|bash-completion|zsh|fish|applications)|"
                    r"lib/(systemd|[^/]+/gconv))/|usr/share/doc/(?!.*/copyright$|countersign/)")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True).stdout


def place(name):
    """The path of a package's file, in a system whose /lib is in /usr."""
    name = name.removeprefix("./").strip("/")
    return "usr/" + name if name.split("/")[0] in MERGED else name


def files(package):
    """The files of a package by path: a header and the content."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(run("dpkg-deb", "--fsys-tarfile", package))) as tree:
        for member in tree:
            name = place(member.name)
            if not name or UNUSED.match(name + "/" * member.isdir()):
                continue
            if member.islnk():
                member.linkname = place(member.linkname)
            found[name] = (member, tree.extractfile(member).read() if member.isreg() else b"")
    return found


def needed(content):
    """The names of the libraries that a file in the format ELF needs."""
    if not content.startswith(b"\x7fELF"):
        return []
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", file.name).decode())


def chosen(packages):
    """The files of the packages that the program uses, and the names of these packages."""
    trees = {run("dpkg-deb", "-f", path, "Package").decode().strip(): files(path) for path in packages}
    owners = {name.rsplit("/", 1)[-1]: package for package, tree in trees.items()
              for name in tree if re.search(r"\.so[.0-9]*$", name)}
    used, wanted = set(), [next(iter(trees))] + DATA + [owners[name] for name in LOADED]
    while wanted:
        package = wanted.pop()
        if package in used:
            continue
        used.add(package)
        for member, content in trees[package].values():
            wanted += [owners[name] for name in needed(content)]
    return {name: file for package in sorted(used) for name, file in trees[package].items()}, used


def add(tree, name, kind=tarfile.REGTYPE, content=b"", mode=0o644, owner=0, link=""):
    header = tarfile.TarInfo(name)
    header.type, header.size, header.mode, header.linkname = kind, len(content), mode, link
    header.uid = header.gid = owner
    header.mtime = TIME
    tree.addfile(header, io.BytesIO(content))


def layer(found):
    certificates = b"".join(found[name][1] for name in sorted(found)
                            if name.startswith("usr/share/ca-certificates/") and name.endswith(".crt"))
    texts = {
        "etc/passwd": f"root:x:0:0:root:/:/none\ncountersign:x:{USER}:{USER}::/var/lib/countersign:/none\n",
        "etc/group": f"root:x:0:\ncountersign:x:{USER}:\n",
        "etc/nsswitch.conf": "hosts: files dns\n",
    }
    folders = {"tmp": (0o1777, 0), "run/countersign": (0o700, USER), "var/lib/countersign": (0o700, USER)}
    own = {name: ("text", text.encode()) for name, text in texts.items()}
    own["etc/ssl/certs/ca-certificates.crt"] = ("text", certificates)
    own |= {name: ("link", "usr/" + name) for name in MERGED}
    own |= {name: ("folder", place) for name, place in folders.items()}
    names = set(found) | set(own)
    for name in list(names):
        parts = name.split("/")
        names |= {"/".join(parts[:count]) for count in range(1, len(parts))}
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as tree:
        for name in sorted(names):
            kind, value = own.get(name, (None, None))
            if kind == "text":
                add(tree, name, content=value)
            elif kind == "link":
                add(tree, name, tarfile.SYMTYPE, mode=0o777, link=value)
            elif kind == "folder" or name not in found:
                mode, owner = value or (0o755, 0)
                add(tree, name, tarfile.DIRTYPE, mode=mode, owner=owner)
            else:
                member, content = found[name]
                add(tree, name, member.type, content, member.mode, link=member.linkname)
    return data.getvalue()


def main():
    output, version, *packages = sys.argv[1:]
    found, used = chosen(packages)
    plain = layer(found)
    blobs = {}

    def blob(kind, content):
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}",
                "size": len(content)}

    def text(value):
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()

    created = datetime.fromtimestamp(TIME, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    config = blob("config.v1+json", text({
        "created": created, "architecture": "amd64", "os": "linux",
        "config": {
            "User": f"{USER}:{USER}", "WorkingDir": "/var/lib/countersign", "StopSignal": "SIGTERM",
            "Env": ["PATH=/usr/bin", "COUNTERSIGN_HOME=/var/lib/countersign/home",
                    "CREDENTIALS_DIRECTORY=/run/secrets"],
            "Entrypoint": ["/usr/bin/countersign"],
            "Cmd": ["agent", "--socket", "/run/countersign/agent.sock", "--idle", "0", "--most", "0"],
            "Volumes": {"/var/lib/countersign": {}},
            # Docker reads this; podman takes it from --health-cmd.
            "Healthcheck": {"Test": ["CMD", "/usr/bin/countersign", "agent", "ready"],
                            "Interval": 30 * 10 ** 9, "Timeout": 20 * 10 ** 9},
            "Labels": {"org.opencontainers.image.title": "countersign",
                       "org.opencontainers.image.version": version,
                       "org.opencontainers.image.licenses": "Apache-2.0"}},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(plain).hexdigest()}"]},
        "history": [{"created": created, "created_by": "Tools/release/image.py"}]}))
    manifest = blob("manifest.v1+json", text({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": config,
        "layers": [blob("layer.v1.tar+gzip", gzip.compress(plain, mtime=0))]}))
    manifest["annotations"] = {"org.opencontainers.image.ref.name": f"countersign:{version}"}
    with tarfile.open(output, "w", format=tarfile.GNU_FORMAT) as archive:
        for folder in ("blobs", "blobs/sha256"):
            add(archive, folder, tarfile.DIRTYPE, mode=0o755)
        for digest, content in sorted(blobs.items()):
            add(archive, f"blobs/sha256/{digest}", content=content)
        add(archive, "index.json", content=text({"schemaVersion": 2, "manifests": [manifest]}))
        add(archive, "oci-layout", content=b'{"imageLayoutVersion":"1.0.0"}')
    for path in packages:
        name, version = run("dpkg-deb", "-W", "--showformat=${Package} ${Version}", path).decode().split()
        if name in used:
            print(f"image: {name} {version}")


main()
