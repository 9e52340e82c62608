# SPDX-License-Identifier: Apache-2.0
"""Runs the real binary in a scratch home; the peers check its results."""
import contextlib
import hashlib
import json
import os
import pathlib
import socket
import sqlite3
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("COUNTERSIGN_BINARY", str(ROOT / ".build/release/countersign"))
PASSPHRASE = b"correct horse battery"

POLICY = """
version = 1
default = "deny"

[[rule]]
id = "everything-here"
effect = "allow"
acknowledge = [%s]
"""


def pipe(data):
    """A descriptor to read a secret from."""
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    return reader


def free_port():
    """A free port of this machine."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        return place.getsockname()[1]


class Hub:
    """One home, deleted at the end."""

    def __init__(self, *acknowledged):
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-")
        self.home = os.path.join(self.folder.name, "home")
        self.command("init")
        text = POLICY % ", ".join(f'"{name}"' for name in acknowledged)
        pathlib.Path(self.home, "policy.toml").write_text(text)
        self.command("policy", "attest")

    def plant_question(self, digest, body):
        """Puts a question to several people on record, as another program could."""
        expires = json.loads(body)["expires"]
        with contextlib.closing(sqlite3.connect(os.path.join(self.home, "ledger.db"))) as file:
            number, time, head = file.execute(
                "SELECT sequence, time, hash FROM audit ORDER BY sequence DESC LIMIT 1").fetchone()
            text = json.dumps(
                {"clock": time, "expires": expires, "kind": "ask", "question": digest, "time": time},
                separators=(",", ":"))
            hashed = hashlib.sha256(head + (number + 1).to_bytes(8, "big") + text.encode()).digest()
            file.execute("INSERT INTO audit VALUES (?, ?, 'ask', ?, ?, ?)",
                         [number + 1, time, text, head, hashed])
            file.execute("INSERT INTO joint_questions (digest, body, expires) VALUES (?, ?, ?)",
                         [bytes.fromhex(digest), body, expires])
            file.commit()

    def command(self, *words, stdin=b"", status=0, secret=None):
        """Runs one command; the passphrase and a second secret are read from pipes.

        `status` is the expected exit status, or a tuple of allowed ones.
        """
        pipes = [pipe(PASSPHRASE)]
        words = ["--passphrase-fd", str(pipes[0]), *words]
        if secret is not None:
            pipes.append(pipe(secret.encode()))
            words += ["--secret-fd", str(pipes[1])]
        try:
            done = subprocess.run(
                [BINARY, "--home", self.home, *words],
                input=stdin, capture_output=True, pass_fds=pipes, timeout=60)
        finally:
            for reader in pipes:
                os.close(reader)
        if done.returncode not in (status if isinstance(status, tuple) else (status,)):
            raise AssertionError(f"{words}: {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def windows(self, port):
        """The origin at a port of the pages that windows and links open."""
        [origin] = json.loads(self.command("near", "manifest", "--web", str(port)))["permissions"]["allowsOpen"]
        return origin

    def import_key(self, protocol, name, secret, *more, password=None, status=0):
        """Imports a key and returns its public half."""
        out = self.command(
            "--json", "key", "import", "--protocol", protocol, "--name", name, *more,
            stdin=secret.encode(), secret=password, status=status)
        return json.loads(out)

    def handle(self, request, *more, status=0):
        """Answers one request given on standard input."""
        data = request if isinstance(request, bytes) else request.encode()
        return self.command("handle", *more, "-", stdin=data, status=status).decode().rstrip("\n")
