# SPDX-License-Identifier: Apache-2.0
"""The commands that the crash matrix stops at each of their calls, and what has to be true afterwards."""
import concurrent.futures
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import sqlite3
import time

from places import PASSPHRASE, POLICY, SECONDS, Defect, note, released

NEW_PASSPHRASE = b"another battery staple"
OTHER_POLICY = POLICY + """
[[rule]]
id = "reactions"
effect = "allow"
kind = 7
protocol = "nostr"
operation = "sign_event"
acknowledge = ["new_client"]
"""


class Scenario:
    """One command in one home.

    `state` returns "old" or "new", or raises a defect if the home is between the two. A command that said that
    it is done must be "new".
    """

    words, stdin, secrets = (), b"", None
    # The mends that a state needs by its nature, and others that a crash may make necessary.
    needs, mends = {}, ()
    # Whether images of power cuts are checked, and whether calls count from the start.
    cuts_power, is_armed = True, True

    def prepare(self, place):
        place.make()

    def victim(self, place, environment, calls):
        """Runs the command under the faults; returns its exit status, output and errors."""
        return place.run(*self.arguments(place), stdin=self.stdin, secrets=self.secrets, environment=environment)

    def arguments(self, place):
        return self.words

    def examine(self, place, replies):
        """Checks the home; returns the state before any mend and the mends that were needed."""
        state = self.state(place)
        taken = self.mend(place, state)
        missing = replies - place.intents()
        if missing:
            raise Defect(f"{len(missing)} released replies without an intent")
        return state, taken

    def mend(self, place, state, *more):
        """Mends the home; returns the mends that its state does not need by its nature."""
        needed = self.needs.get(state, ())
        return [name for name in place.mend(place.refusal(), (*needed, *self.mends, *more)) if name not in needed]

    def state(self, place):
        raise NotImplementedError


class Request(Scenario):
    """A cold request: reserve, sign, settle, answer."""

    name, words, stdin = "a request", ("handle", "-"), note(2).encode()

    def state(self, place):
        return "new" if 2 in place.intents() else "old"


class Group(Scenario):
    """An agent with four clients, whose requests share commits."""

    name = "an agent with four clients"
    clients, requests, is_armed = 4, 3, False

    def victim(self, place, environment, calls):
        path = os.path.join(place.folder, "sock", "agent.sock")
        os.makedirs(os.path.dirname(path), mode=0o700)
        process = place.start(["agent", "--socket", path], environment=environment)
        try:
            deadline = time.monotonic() + SECONDS
            while not os.path.exists(path) and process.poll() is None and time.monotonic() < deadline:
                time.sleep(0.01)
            calls.arm()
            with concurrent.futures.ThreadPoolExecutor(self.clients) as pool:
                out = b"".join(pool.map(lambda number: self.client(path, number), range(self.clients)))
            calls_made = calls.count
            if process.poll() is None:
                process.kill()
            _, errors = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
        if not calls_made:
            raise Defect(f"the agent did nothing: {errors.decode()[-300:]}")
        # The agent has no exit status of its own here: it is killed in any case.
        return -9, out, errors.decode(errors="replace")

    def client(self, path, number):
        """Sends requests one after the other on one connection; returns the replies."""
        out = b""
        connection = http.client.HTTPConnection("localhost", timeout=SECONDS)
        connection.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.sock.connect(path)
            for turn in range(self.requests):
                body = json.dumps({"frame": note(10 + number * self.requests + turn)})
                connection.request("POST", "/v1/requests", body, {"Content-Type": "application/json"})
                out += connection.getresponse().read() + b"\n"
        except (OSError, http.client.HTTPException):
            pass
        finally:
            connection.close()
        return out

    def state(self, place):
        sizes = {size for size in place.intents() if size >= 10}
        return "new" if len(sizes) == self.clients * self.requests else "old"


class Migration(Scenario):
    """An upgrade of a ledger of format 14."""

    name, words = "an upgrade of an older ledger", ("repair", "format")
    texts = {}
    older = (
        "DROP TABLE blobs", "DROP TABLE policies",
        "CREATE TABLE policy_text (id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL,"
        " source BLOB NOT NULL) STRICT",
        "CREATE TABLE intents (id BLOB NOT NULL PRIMARY KEY, sequence INTEGER NOT NULL UNIQUE REFERENCES audit)"
        " STRICT, WITHOUT ROWID",
        "CREATE TABLE results (intent_id BLOB NOT NULL PRIMARY KEY REFERENCES intents, sequence INTEGER NOT NULL,"
        " outcome TEXT NOT NULL) STRICT, WITHOUT ROWID",
        "CREATE TABLE older_uses (counter TEXT NOT NULL, time INTEGER NOT NULL, sequence INTEGER NOT NULL,"
        " position INTEGER NOT NULL, intent_id BLOB NOT NULL REFERENCES intents, amount TEXT NOT NULL,"
        " total BLOB NOT NULL, PRIMARY KEY (counter, time, sequence, position)) STRICT, WITHOUT ROWID",
        "INSERT INTO older_uses SELECT * FROM uses", "DROP TABLE uses",
        "ALTER TABLE older_uses RENAME TO uses",
        "CREATE INDEX uses_by_intent ON uses (intent_id, position)",
        "CREATE TABLE older_serial_uses (series TEXT NOT NULL, number INTEGER NOT NULL,"
        " intent_id BLOB NOT NULL REFERENCES intents, PRIMARY KEY (series, number)) STRICT, WITHOUT ROWID",
        "INSERT INTO older_serial_uses SELECT * FROM serial_uses", "DROP TABLE serial_uses",
        "ALTER TABLE older_serial_uses RENAME TO serial_uses",
        "CREATE INDEX serial_uses_by_intent ON serial_uses (intent_id)",
        "DROP TABLE open_intents", "DELETE FROM meta WHERE name = 'floor'",
        "INSERT INTO intents SELECT unhex_(json_extract(body, '$.id')), sequence FROM audit WHERE kind = 'intent'",
        "INSERT INTO results SELECT unhex_(json_extract(body, '$.id')), sequence, json_extract(body, '$.outcome')"
        " FROM audit WHERE kind = 'result'",
        "PRAGMA user_version = 14")

    def prepare(self, place):
        place.make()
        for size in range(2, 6):
            place.must("handle", "-", stdin=note(size).encode())
        for table in ("blobs", "policies"):
            self.texts[table] = place.read("ledger.db", f"SELECT * FROM {table}")
        place.edit("ledger.db", *self.older)

    def examine(self, place, replies):
        state = self.state(place)
        place.must("repair", "format")
        if not os.path.exists(os.path.join(place.home, "ledger.db.format-14")):
            raise Defect("there is no copy of the older ledger")
        # An older program's entries name no texts of policies; these do.
        base = sqlite3.connect(os.path.join(place.home, "ledger.db"))
        for table, rows in self.texts.items():
            base.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", rows)
        base.commit()
        base.close()
        return state, self.mend(place, state)

    def state(self, place):
        [[version]] = place.read("ledger.db", "PRAGMA user_version")
        return "old" if version == 14 else "new"


class Archive(Scenario):
    """Old entries go into a file beside the ledger."""

    name, words = "audit archive", ("audit", "archive", "--keep", "0")

    def prepare(self, place):
        place.make()
        for size in range(2, 6):
            place.must("handle", "-", stdin=note(size).encode())

    def state(self, place):
        missing = set(range(1, 6)) - place.intents()
        if missing:
            raise Defect(f"the entries of {missing} are in neither file")
        return "new" if place.read("ledger.db", "SELECT count(*) FROM segments")[0][0] else "old"


class Tables(Scenario):
    """The tables of an intact record are made again."""

    name, words = "repair ledger (tables)", ("repair", "ledger", "--confirm", "ledger")
    needs = {"old": ("repair ledger",)}

    def prepare(self, place):
        place.make()
        place.edit("ledger.db", "UPDATE uses SET amount = '5'")

    def state(self, place):
        return "old" if place.run("audit", "verify")[0] else "new"


class LostChain(Tables):
    """A record whose chain is broken is begun anew."""

    name = "repair ledger (a broken chain)"
    needs = {"old": ("repair ledger", "policy attest"), "new": ("policy attest",)}
    mends = ("repair vault",)

    def prepare(self, place):
        place.make()
        place.edit("ledger.db", "UPDATE audit SET body = replace(body, 'nip155', 'nip156') WHERE kind = 'intent'")


class VaultRepair(Scenario):
    """A vault with a damaged seal is accepted as it is."""

    name, words = "repair vault", ("repair", "vault")
    needs = {"old": ("repair vault",)}
    mends = ("policy attest",)

    def prepare(self, place):
        place.make(keys=("alice", "bob"))
        place.edit("vault.db", "UPDATE keys SET tags = 'forged' WHERE name = 'bob'")

    def state(self, place):
        return "old" if place.run("doctor")[0] else "new"


class BackupCreate(Scenario):
    """A backup is written and rehearsed."""

    name, cuts_power = "backup create", False

    def arguments(self, place):
        return ("backup", "create", os.path.join(place.folder, "copy.backup"))

    def state(self, place):
        copy = os.path.join(place.folder, "copy.backup")
        if os.path.exists(copy):
            place.must("backup", "verify", copy)
            return "new"
        place.must(*self.arguments(place))
        place.must("backup", "verify", copy)
        return "old"


class BackupRestore(Scenario):
    """A home is made from a backup."""

    name, cuts_power = "backup restore", False

    def prepare(self, place):
        place.make()
        place.must("backup", "create", os.path.join(place.folder, "copy.backup"))
        os.rename(place.home, place.home + ".lost")

    def arguments(self, place):
        return ("backup", "restore", os.path.join(place.folder, "copy.backup"))

    def examine(self, place, replies):
        # What a stopped restore leaves is no home yet: the restore is tried again.
        is_there = os.path.exists(os.path.join(place.home, "vault.db"))
        if not is_there:
            status, _, errors = place.run(*self.arguments(place))
            # A home that was almost finished is completed instead, which the command says.
            if status and "it is complete now" not in errors:
                raise Defect(f"not restored: {errors}")
        return ("new" if is_there else "old"), self.mend(place, "", "policy attest")


class Attest(Scenario):
    """Another policy is put in force."""

    name, words, mends = "policy attest", ("policy", "attest"), ("policy attest",)
    reaction = note(3).replace("%22kind%22%3A%201", "%22kind%22%3A%207")

    def prepare(self, place):
        place.make()
        pathlib.Path(place.home, "policy.toml").write_text(OTHER_POLICY)

    def state(self, place):
        status, out, errors = place.run("handle", "-", stdin=self.reaction.encode())
        place.check_words(errors)
        return "new" if status == 0 else "old"


class PolicyUse(Scenario):
    """A policy that comes with the program replaces the file and is put in force."""

    name, words = "policy use", ("policy", "use", "login-only")

    def examine(self, place, replies):
        status, out, errors = place.run("handle", "-", stdin=note(3).encode())
        place.check_words(errors)
        text = pathlib.Path(place.home, "policy.toml").read_text()
        if text != POLICY and "login" not in text:
            raise Defect("policy.toml is neither the old nor the new one")
        if status:
            if released(out) or "error" not in errors and b"rejected" not in out and b"error" not in out:
                raise Defect(f"no clear refusal: {status} {errors} {out[:200]}")
            place.must("audit", "verify")
        # Both ways back work: the old text can be attested again.
        place.attest(POLICY)
        return ("new" if status else "old"), self.mend(place, "")


class KeyImport(Scenario):
    """A key is added."""

    name, words, stdin = "key import", ("key", "import", "--protocol", "nostr", "--name", "bob"), b"3c" * 32

    def examine(self, place, replies):
        state, taken = super().examine(place, replies)
        status, out, errors = place.run("doctor")
        if status:
            raise Defect(f"doctor: {out.decode()}")
        return state, taken

    def state(self, place):
        return "new" if b"bob" in place.must("key", "list") else "old"


class KeyRemove(KeyImport):
    """A key is deleted."""

    name, words, stdin = "key remove", ("key", "remove", "--confirm", "bob", "bob"), b""

    def prepare(self, place):
        place.make(keys=("alice", "bob"))

    def state(self, place):
        return "old" if b"bob" in place.must("key", "list") else "new"


class Passphrase(KeyImport):
    """The passphrase changes: exactly one of the two opens the vault."""

    name, words, stdin = "passphrase", ("passphrase",), b""
    secrets = PASSPHRASE + b"\n" + NEW_PASSPHRASE + b"\n"

    def state(self, place):
        opened = [
            secret for secret in (PASSPHRASE, NEW_PASSPHRASE)
            if place.run("backup", "create", os.path.join(place.folder, secret.decode()[:4]), secrets=secret)[0] == 0]
        if len(opened) != 1:
            raise Defect(f"{len(opened)} of the two passphrases open the vault")
        place.passphrase = opened[0]
        return "old" if opened[0] == PASSPHRASE else "new"


class Freeze(Scenario):
    """All signing is stopped."""

    name, words, secrets = "freeze", ("freeze", "lost my laptop"), b""
    needs = {"new": ("thaw",)}

    def state(self, place):
        status, out, errors = place.run("handle", "-", stdin=note(3).encode())
        place.check_words(errors)
        return "new" if status and "frozen" in errors + out.decode() else "old"


class Thaw(Freeze):
    """Signing is allowed again."""

    name, words, secrets = "thaw", ("thaw",), None
    needs = {"old": ("thaw",)}

    def prepare(self, place):
        place.make()
        place.must("freeze")

    def state(self, place):
        return "old" if super().state(place) == "new" else "new"


class Setup(Scenario):
    """A home is set up; run again, setup completes what is missing."""

    name, cuts_power = "setup", False
    words = ("setup", "--key", "nostr", "--name", "alice", "--policy", "social-basics")

    def prepare(self, place):
        os.makedirs(place.folder)

    def victim(self, place, environment, calls):
        """Setup ends by starting an agent, which is ended here, also where setup was killed meanwhile."""
        socket_folder = os.path.join(place.folder, "run")
        os.makedirs(socket_folder, mode=0o700, exist_ok=True)
        try:
            return place.run(
                *self.words, secrets=self.secrets, environment={**environment, "XDG_RUNTIME_DIR": socket_folder})
        finally:
            while agents := place.processes():
                for process in agents:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)
                time.sleep(0.02)

    def examine(self, place, replies):
        was_there = os.path.exists(os.path.join(place.home, "vault.db"))
        for _ in range(2):
            status, _, errors = self.victim(place, os.environ, None)
            if status:
                raise Defect(f"setup does not complete: {errors[-400:]}")
        if b"alice" not in place.must("key", "list"):
            raise Defect("setup made no key")
        place.must("audit", "verify")
        place.attest(POLICY)
        return ("new" if was_there else "old"), self.mend(place, "")


ALL = [
    Request(), Group(), Migration(), Archive(), Tables(), LostChain(), VaultRepair(), BackupCreate(), BackupRestore(),
    Attest(), PolicyUse(), KeyImport(), KeyRemove(), Passphrase(), Freeze(), Thaw(), Setup()]
