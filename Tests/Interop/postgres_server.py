# SPDX-License-Identifier: Apache-2.0
"""Temporary PostgreSQL servers, certificates for them, and the program that uses their shared log."""
import datetime
import json
import os
import pathlib
import pwd
import queue
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from hub import ROOT, free_port

PROBE = os.environ.get("SHARED_LOG_PROBE", str(ROOT / ".build/release/shared-log-probe"))
FOLDER = next(iter(sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), pathlib.Path("/usr/bin"))
ORIGIN = (0, "00" * 32)
SIGNATURE = "5a" * 64


def owner():
    """The user that runs the server, which refuses to run as root."""
    return "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name


def wait(until, seconds=60, what="it"):
    """Returns the first answer that is not empty."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = until()
        if found:
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {seconds} s for {what}")


def runs(process):
    """Returns true if a process exists and is no zombie."""
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Authority:
    """Issues certificates for servers."""

    def __init__(self, folder, name="authority"):
        self.folder = pathlib.Path(folder)
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        self.file = self.folder / f"{name}.pem"
        certificate = self.sign(self.name, self.key.public_key(), x509.BasicConstraints(True, None))
        self.file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        self.file.chmod(0o644)

    def sign(self, subject, key, constraints, names=(), days=(-2, 30)):
        now = datetime.datetime.now(datetime.timezone.utc)
        builder = (
            x509.CertificateBuilder().subject_name(subject).issuer_name(self.name).public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now + datetime.timedelta(days=days[0]))
            .not_valid_after(now + datetime.timedelta(days=days[1]))
            .add_extension(constraints, critical=True))
        if names:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        return builder.sign(self.key, hashes.SHA256())

    def issue(self, *names, days=(-1, 10)):
        """Issues a certificate and its key, in PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
        certificate = self.sign(
            subject, key.public_key(), x509.BasicConstraints(False, None), names, days)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return certificate.public_bytes(serialization.Encoding.PEM), private


class Server:
    """One server with its data in a temporary folder, on a Unix socket and on 127.0.0.1."""

    SETTINGS = {
        "listen_addresses": "'127.0.0.1'", "max_connections": "20", "shared_buffers": "'16MB'",
        "password_encryption": "'scram-sha-256'", "wal_level": "replica", "log_min_messages": "warning",
        "max_wal_senders": "4", "wal_keep_size": "'64MB'",
    }

    def __init__(self, name="one", copy_of=None):
        self.owner = owner()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"pg-{name}-"))
        shutil.chown(self.folder, self.owner)
        self.folder.chmod(0o755)
        self.data = self.folder / "data"
        self.port = free_port()
        self.name = name
        if copy_of:
            self.call("pg_basebackup", "-D", str(self.data), "-R", "-X", "stream", "-c", "fast", "-d",
                      f"host={copy_of.folder} port={copy_of.port} user=root application_name={name}")
        else:
            self.call("initdb", "-D", str(self.data), "-U", "root", "-A", "trust", "-E", "UTF8", "--locale=C",
                      "--no-sync")
        self.set(port=str(self.port), unix_socket_directories=f"'{self.folder}'", **self.SETTINGS)

    def call(self, program, *words, check=True):
        done = subprocess.run(
            [str(FOLDER / program), *words], capture_output=True, text=True, timeout=120, cwd=self.folder,
            **self.user())
        if check and done.returncode:
            log = self.folder / "log"
            said = log.read_text()[-2000:] if log.exists() else ""
            raise AssertionError(f"{program} {words}: {done.stdout} {done.stderr} {said}")
        return done

    def user(self):
        return {"user": self.owner, "group": pwd.getpwnam(self.owner).pw_gid, "extra_groups": []} if os.getuid() == 0 else {}

    def set(self, **settings):
        with open(self.data / "postgresql.auto.conf", "a") as file:
            file.writelines(f"{name} = {value}\n" for name, value in settings.items())

    def access(self, *lines):
        """Writes pg_hba.conf; users on the socket are always trusted."""
        (self.data / "pg_hba.conf").write_text(
            "\n".join(["local all all trust", "local replication all trust", *lines]) + "\n")

    def certify(self, pair):
        for name, content in zip(("server.crt", "server.key"), pair):
            path = self.data / name
            path.write_bytes(content)
            path.chmod(0o600)
            shutil.chown(path, self.owner)
        self.set(ssl="on")

    def start(self):
        self.call("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "-l", str(self.folder / "log"), "start")
        return self

    def reload(self):
        self.call("pg_ctl", "-D", str(self.data), "reload")

    def stop(self, mode="fast"):
        self.call("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "-m", mode, "stop", check=False)

    def promote(self):
        self.call("pg_ctl", "-D", str(self.data), "-w", "-t", "60", "promote")

    def processes(self):
        top = int((self.data / "postmaster.pid").read_text().split()[0])
        children = pathlib.Path(f"/proc/{top}/task/{top}/children").read_text().split()
        return [top, *map(int, children)]

    def signal(self, number):
        """Sends a signal to all its processes, which stops or resumes it."""
        for process in self.processes():
            os.kill(process, number)

    def kill(self):
        """Ends it like a power failure."""
        self.signal(signal.SIGSTOP)
        processes = self.processes()
        for process in processes:
            os.kill(process, signal.SIGKILL)
        wait(lambda: not any(map(runs, processes)), what="the end of the server")
        # Only the parent can distinguish a killed process from a living one.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        (self.folder / f".s.PGSQL.{self.port}.lock").unlink(missing_ok=True)

    def sql(self, text, database="postgres", check=True):
        done = subprocess.run(
            [str(FOLDER / "psql"), "-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-p",
             str(self.port), "-U", "root", "-d", database, "-c", text],
            capture_output=True, text=True, timeout=60)
        if check and done.returncode:
            raise AssertionError(f"{text}: {done.stderr}")
        return done.stdout.strip()

    def end(self):
        if (self.data / "postmaster.pid").exists():
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def address(self, database="team", user="hub", **more):
        options = "".join(f"&{name}={value}" for name, value in more.items())
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}{options}"


class Probe:
    """One hub's use of a shared log: a process that runs the commands of a test."""

    def __init__(self, address, clock=0, **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
        self.process = subprocess.Popen(
            [PROBE, address, str(clock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env={**kept, **environment})
        self.answers = queue.Queue()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.answers.put(json.loads(line))
        self.answers.put(None)

    def send(self, do, **more):
        self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self.process.stdin.flush()

    def take(self, seconds=60):
        answer = self.answers.get(timeout=seconds)
        if answer is None:
            raise AssertionError(f"the probe ended: {self.process.stderr.read()}")
        return answer

    def ask(self, do, **more):
        self.send(do, **more)
        return self.take()

    def news(self, known=ORIGIN):
        return self.ask("news", sequence=known[0], hash=known[1])

    def turn(self, known=ORIGIN):
        return self.ask("turn", sequence=known[0], hash=known[1])

    def append(self, known, body="00", hub=1, **more):
        if "size" not in more:
            more["body"] = body
        return self.ask(
            "append", sequence=known[0], hash=known[1], hub=hub, version=1, signature=SIGNATURE, **more)

    def end(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
