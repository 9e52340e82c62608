# SPDX-License-Identifier: Apache-2.0
"""Runs the real binary in a scratch home; the peers check what comes out."""
import json
import os
import pathlib
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


class Hub:
    """One home, thrown away at the end."""

    def __init__(self, *acknowledged):
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-")
        self.home = os.path.join(self.folder.name, "home")
        self.command("init")
        text = POLICY % ", ".join(f'"{name}"' for name in acknowledged)
        pathlib.Path(self.home, "policy.toml").write_text(text)
        self.command("policy", "attest")

    def command(self, *words, stdin=b"", status=0):
        """Runs one command; the passphrase comes through a pipe."""
        reader, writer = os.pipe()
        os.write(writer, PASSPHRASE)
        os.close(writer)
        try:
            done = subprocess.run(
                [BINARY, "--home", self.home, "--passphrase-fd", str(reader), *words],
                input=stdin, capture_output=True, pass_fds=[reader], timeout=60)
        finally:
            os.close(reader)
        if done.returncode != status:
            raise AssertionError(f"{words}: {done.returncode}: {done.stderr.decode()}")
        return done.stdout

    def import_key(self, protocol, name, secret, *more):
        """Imports a key and returns its public half."""
        out = self.command(
            "--json", "key", "import", "--protocol", protocol, "--name", name, *more,
            stdin=secret.encode())
        return json.loads(out)

    def handle(self, request, *more, status=0):
        """Answers one request given on standard input."""
        data = request if isinstance(request, bytes) else request.encode()
        return self.command("handle", *more, "-", stdin=data, status=status).decode().rstrip("\n")
