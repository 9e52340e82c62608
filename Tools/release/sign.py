#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Signs files with one Ed25519 key, in the formats of OpenSSH (.sig) and of minisign (.minisig).

usage: sign.py KEY FILE...
KEY is a private key of ssh-keygen -t ed25519 without a passphrase. The public key for minisign is
written to minisign.pub beside the first file.
"""
import base64
import hashlib
import os
import struct
import subprocess
import sys
import tempfile

# RFC 8410: a private key of Ed25519 before its 32 bytes.
PKCS8 = bytes.fromhex("302e020100300506032b657004220420")
NAMESPACE = "countersign-release"


def stop(problem, hint):
    sys.exit(f"error: {problem}\nhint: {hint}")


def read(data):
    """Returns the first string (RFC 4251) and the rest."""
    count = struct.unpack(">I", data[:4])[0]
    return data[4:4 + count], data[4 + count:]


def seed_of(path):
    """Returns the seed and the public key of an OpenSSH key (PROTOCOL.key)."""
    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read().strip().split("\n")
    if lines[0] != "-----BEGIN OPENSSH PRIVATE KEY-----":
        stop(f"{path} is no private key of OpenSSH", "ssh-keygen -t ed25519 -f FILE -N ''")
    data = base64.b64decode("".join(lines[1:-1]))
    magic = b"openssh-key-v1\0"
    cipher, rest = read(data[len(magic):])
    if not data.startswith(magic) or cipher != b"none":
        stop(f"{path} has a passphrase", "sign with a copy without one in memory (a tmpfs)")
    rest = read(read(rest)[1])[1][4:]
    secret, _ = read(read(rest)[1])
    kind, rest = read(secret[8:])
    if kind != b"ssh-ed25519":
        stop(f"{path} is a key of the kind {kind.decode()}", "ssh-keygen -t ed25519")
    public, rest = read(rest)
    return read(rest)[0][:32], public


def ed25519(seed, message):
    """Signs a message with OpenSSL; key and message are files of a private folder in memory."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=base) as folder:
        key, text = f"{folder}/key", f"{folder}/message"
        for path, content in ((key, PKCS8 + seed), (text, message)):
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
                file.write(content)
        return subprocess.run(
            ["openssl", "pkeyutl", "-sign", "-rawin", "-keyform", "DER", "-inkey", key, "-in", text],
            check=True, capture_output=True).stdout


def minisign(seed, public, path):
    """Returns a signature and the public key, each as a file of minisign."""
    number = hashlib.blake2b(public, digest_size=8).digest()
    with open(path, "rb") as file:
        digest = hashlib.blake2b(file.read()).digest()
    signature = ed25519(seed, digest)
    comment = f"file:{os.path.basename(path)}"
    both = ed25519(seed, signature + comment.encode())
    lines = ["untrusted comment: signature of a release of Countersign",
             base64.b64encode(b"ED" + number + signature).decode(),
             f"trusted comment: {comment}", base64.b64encode(both).decode()]
    key = ["untrusted comment: public key of Countersign",
           base64.b64encode(b"Ed" + number + public).decode()]
    return "\n".join(lines) + "\n", "\n".join(key) + "\n"


def main():
    if len(sys.argv) < 3 or not sys.argv[1]:
        stop("no key or no file is named", "make sign-release KEY=FILE")
    seed, public = seed_of(sys.argv[1])
    for path in sys.argv[2:]:
        if os.path.exists(path + ".sig"):
            os.unlink(path + ".sig")
        subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", NAMESPACE, "-f", sys.argv[1], path],
                       check=True)
        signature, key = minisign(seed, public, path)
        with open(path + ".minisig", "w", encoding="ascii") as file:
            file.write(signature)
        with open(os.path.join(os.path.dirname(sys.argv[2]), "minisign.pub"), "w",
                  encoding="ascii") as file:
            file.write(key)
        print(f"signed {path}: {path}.sig, {path}.minisig")


main()
