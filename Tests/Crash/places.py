# SPDX-License-Identifier: Apache-2.0
"""A home in a folder of its own, and the checks that it has to pass after a crash."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Interop"))
from hub import BINARY, PASSPHRASE, pipe  # noqa: E402

SECRETS = {"alice": "5b1d" * 16, "bob": "3c" * 32}
POLICY = """
version = 1
default = "deny"

[[rule]]
id = "notes"
effect = "allow"
kind = 1
protocol = "nostr"
operation = "sign_event"
acknowledge = ["new_client"]
limit = [{ count = 1000000, per = "1d" }]
"""
SECONDS = 60
# What a person must never see: errors of SQL and of the operating system without words, and traces of a stack.
RAW = re.compile(
    r"no such (table|column)|SQL logic|constraint failed|malformed|Fatal error|Stack dump|Backtrace|Precondition"
    r"|\b[A-Z]\w+Error[.(]|disk I/O error|readonly database|SQLITE_|CRASH")
# The mends that a hint or `doctor` may name, with what confirms them without a terminal.
MENDS = {
    "repair vault": [], "repair ledger": ["--confirm", "ledger"], "repair clock": [], "repair format": [],
    "policy attest": [], "thaw": [],
}
ROUNDS = 6


class Defect(Exception):
    """What is wrong after a crash."""


def note(size):
    """Returns a request to sign a note of this length, by which the record recognises it."""
    event = urllib.parse.quote(json.dumps({"kind": 1, "content": "x" * size, "tags": []}), safe="")
    return f"nostrsigner://sign_event?type=sign_event&event={event}&x-success=peer://ok"


def released(output):
    """Returns the lengths of the notes whose signatures are in the replies."""
    texts = re.findall(rb'content(?:%22%3A%22|\\?":\\?")(x+)(?:%22|\\?").{0,40}?sig', output)
    return {len(text) for text in texts}


class Place:
    """The folder of one run: `home`, and other files that a command writes."""

    def __init__(self, folder, passphrase=PASSPHRASE):
        self.folder, self.home, self.passphrase = str(folder), os.path.join(folder, "home"), passphrase

    def start(self, words, secrets=None, environment=None, stdin=b"", home=None):
        """Starts the program; `secrets` are the lines of its passphrase descriptor."""
        reader = pipe(self.passphrase if secrets is None else secrets)
        try:
            process = subprocess.Popen(
                [BINARY, "--home", home or self.home, "--passphrase-fd", str(reader), *words],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=[reader],
                env=environment, start_new_session=True)
        finally:
            os.close(reader)
        if stdin is not None:
            try:
                process.stdin.write(stdin)
                process.stdin.close()
            except BrokenPipeError:
                pass
            process.stdin = None
        return process

    def run(self, *words, secrets=None, environment=None, stdin=b"", home=None):
        """Runs the program to its end; returns its exit status, output and errors."""
        process = self.start(words, secrets, environment, stdin, home)
        try:
            out, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Defect(f"{' '.join(words)} did not end")
        text = errors.decode(errors="replace")
        if process.returncode < 0 and environment is None:
            raise Defect(f"{' '.join(words)} ended by signal {-process.returncode}: {text[-300:]}")
        return process.returncode, out, text

    def must(self, *words, **options):
        status, out, errors = self.run(*words, **options)
        if status:
            raise Defect(f"{' '.join(words)}: {status}: {errors or out.decode(errors='replace')}")
        return out

    def make(self, policy=POLICY, keys=("alice",)):
        """Makes a home with keys, a policy and a signed request."""
        os.makedirs(self.folder, exist_ok=True)
        self.must("init")
        for name in keys:
            self.import_key(name)
        self.attest(policy)
        self.must("handle", "-", stdin=note(1).encode())

    def import_key(self, name):
        self.must("key", "import", "--protocol", "nostr", "--name", name, stdin=SECRETS[name].encode())

    def attest(self, policy):
        pathlib.Path(self.home, "policy.toml").write_text(policy)
        self.must("policy", "attest")

    def copy(self, folder):
        shutil.copytree(self.folder, folder)
        return Place(folder, self.passphrase)

    def edit(self, file, *statements):
        """Changes a database of the home like another program."""
        base = sqlite3.connect(os.path.join(self.home, file))
        base.create_function("unhex_", 1, bytes.fromhex)
        for statement in statements:
            base.execute(statement)
        base.commit()
        base.close()

    def read(self, file, statement):
        """Reads a database of the home in a copy, so that the files stay as the crash left them."""
        with tempfile.TemporaryDirectory() as folder:
            for suffix in ("", "-wal"):
                if os.path.exists(path := os.path.join(self.home, file + suffix)):
                    shutil.copy(path, os.path.join(folder, file + suffix))
            base = sqlite3.connect(os.path.join(folder, file))
            try:
                return base.execute(statement).fetchall()
            finally:
                base.close()

    def intents(self):
        """Returns the lengths of the notes whose intents are on record, archived ones included."""
        found = set()
        texts = [body for [body] in self.read("ledger.db", "SELECT body FROM audit WHERE kind = 'intent'")]
        texts += [path.read_text() for path in pathlib.Path(self.home).glob("ledger.db.archive-*")]
        for text in texts:
            found.update(int(size) for size in re.findall(r'"content\.bytes",\["integer","(\d+)"\]', text))
        return found

    def processes(self):
        """Returns the processes that still run for this home."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if self.home.encode() in path.read_bytes().split(b"\0"):
                    found.append(int(path.parent.name))
            except OSError:
                pass
        return found

    # Checks

    def check_words(self, text):
        if found := RAW.search(text):
            raise Defect(f"raw words ({found[0]}): {text.strip()[:300]}")

    def refusal(self):
        """Returns None if the record is intact and the next note is signed, or what the commands say."""
        said = ""
        status, out, errors = self.run("audit", "verify")
        self.check_words(errors + out.decode())
        if status:
            said += errors + out.decode()
        status, out, errors = self.run("handle", "-", stdin=note(7_777).encode())
        self.check_words(errors)
        if status == 0 and 7_777 in released(out):
            status, out, errors = self.run("audit", "verify")
            self.check_words(errors + out.decode())
            return said + errors + out.decode() if status or said else None
        if released(out):
            raise Defect("a signature with a failing exit status")
        if "error" not in errors and b"error" not in out and b"rejected" not in out:
            raise Defect(f"no clear refusal: {status} {errors} {out[:200]}")
        return said + errors + out.decode(errors="replace")

    def mend(self, refused, allowed):
        """Follows the hints, until the next note is signed; returns the commands that it took."""
        taken = []
        for _ in range(ROUNDS):
            if refused is None:
                break
            status, out, errors = self.run("doctor")
            self.check_words(errors + re.sub(r"(?m)^ok .*$", "", out.decode()))
            named = re.findall(r"countersign ((?:repair|policy|thaw)(?: [a-z]+)?)", out.decode() + errors + refused)
            found = [name for name in dict.fromkeys(named) if name in MENDS and taken.count(name) < 2]
            if not found:
                raise Defect(f"no mend is named after {taken}: {refused.strip()[:400]} | {out.decode()[-600:]}")
            status, out, errors = self.run(*found[0].split(), *MENDS[found[0]])
            taken.append(found[0])
            self.check_words(errors)
            refused = self.refusal()
        if refused is not None:
            raise Defect(f"not mended by {taken}: {refused.strip()[:400]}")
        if unexpected := set(taken) - set(allowed):
            raise Defect(f"needed {taken}; {unexpected} is not expected here")
        return taken
