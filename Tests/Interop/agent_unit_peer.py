# SPDX-License-Identifier: Apache-2.0
"""The installed units under a running user manager of systemd."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from agent_life_peer import POLICY, SECRET, event_url
from hub import BINARY, PASSPHRASE, ROOT, pipe

MANAGER = "/lib/systemd/systemd"
UNIT = "countersign-agent"

# A user manager needs a machine that systemd has booted. These commands simulate one: a `/run` that says so, and
# mounts through which the services are reached.
BOOTED = """
mount --make-rshared / && mount -t tmpfs none /run && mkdir -p /run/systemd/system /run/lock &&
exec "$@"
"""

# An app that logs in by a desktop link.
CLICKS = """
[[rule]]
id = "logins"
effect = "allow"
protocol = "near"
client = "peer"
operation = ["sign_in", "sign_message"]
acknowledge = ["new_client", "by_link"]
"""


@unittest.skipUnless(os.path.exists(MANAGER), "there is no systemd")
class AgentUnits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="cs-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.runtime = self.folder / "run"
        self.units = self.folder / "units"
        for path in (self.runtime, self.units):
            path.mkdir(mode=0o700)
        self.install()
        # The folder of the test's units first, then those of systemd.
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self.runtime), "SYSTEMD_UNIT_PATH": f"{self.units}:",
            "SYSTEMD_LOG_TARGET": "console"}
        self.start_manager()
        self.run_command("init", passphrase=True)
        self.run_command(
            "key", "import", "--protocol", "nostr", "--name", "alice", passphrase=True,
            stdin=SECRET.hex())
        (self.folder / ".countersign/policy.toml").write_text(POLICY)
        self.run_command("policy", "attest", passphrase=True)

    def install(self, program=BINARY):
        """Installs the files like `make install`, with the program at its build path."""
        for kind in ("service", "socket"):
            text = ROOT.joinpath(f"Docs/systemd/{UNIT}.{kind}").read_text()
            text = text.replace("@PREFIX@/bin/countersign", program)
            (self.units / f"{UNIT}.{kind}").write_text(text)

    def start_manager(self):
        log = open(self.folder / "manager.log", "wb")
        self.addCleanup(log.close)
        self.manager = subprocess.Popen(
            ["unshare", "--mount", *([] if os.getuid() == 0 else ["--map-root-user"]),
             "sh", "-c", BOOTED, "sh", MANAGER, "--user", "--unit=timers.target"],
            env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.addCleanup(self.end_manager)
        self.until(self.is_managed, lambda: (self.folder / "manager.log").read_text())

    def is_managed(self):
        if self.manager.poll() is not None:
            log = (self.folder / "manager.log").read_text()
            self.skipTest(f"this machine lets no manager of services run: {log}")
        # `is-system-running` prints "offline" if systemd has not booted the machine.
        return self.property("SystemState", unit=None) == "running"

    def end_manager(self):
        self.systemctl("exit")
        try:
            self.manager.wait(30)
        except subprocess.TimeoutExpired:
            self.manager.kill()
            self.manager.wait()

    def systemctl(self, *words):
        return subprocess.run(
            ["systemctl", "--user", *words], env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60)

    def property(self, name, unit=f"{UNIT}.service"):
        units = [unit] if unit else []
        return self.systemctl("show", "--value", "--property", name, *units).stdout.strip()

    def run_command(self, *words, passphrase=False, stdin="", status=0):
        """Runs a command in the home of a user without settings."""
        pipes = [pipe(PASSPHRASE)] if passphrase else []
        given = ["--passphrase-fd", str(pipes[0])] if pipes else []
        done = subprocess.run(
            [BINARY, *given, *words], input=stdin, env=self.environment, capture_output=True,
            text=True, pass_fds=pipes, timeout=60, start_new_session=True)
        for reader in pipes:
            os.close(reader)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def state(self):
        return json.loads(self.run_command("--json", "agent", "status"))["state"]

    def answers(self):
        """True if the agent answers; looking does not start one."""
        done = subprocess.run(
            [BINARY, "agent", "status"], env=self.environment, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=60)
        return done.returncode == 0

    def until(self, is_so, message=lambda: "it does not come so far"):
        for _ in range(1_200):
            if is_so():
                return
            time.sleep(0.05)
        self.fail(message())

    def sign(self, status=0):
        return self.run_command("handle", event_url(1), status=status)

    def test_a_socket_starts_an_agent_that_a_person_unlocks(self):
        done = self.systemctl("start", f"{UNIT}.socket")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.property("ActiveState"), "inactive")
        self.assertIn("countersign agent unlock", self.run_command("agent", "status", status=1))
        self.assertEqual(self.property("ActiveState"), "inactive", "looking started the agent")
        # The first program that needs the agent starts it.
        self.run_command("agent", "lock")
        self.assertEqual(self.property("ActiveState"), "active")
        self.assertEqual(self.state(), "locked")
        self.sign(status=1)
        self.run_command("agent", "unlock", passphrase=True)
        self.assertIn("peer://ok", self.sign())

    def test_setup_enables_the_agent_at_login(self):
        told = self.run_command("setup", "--agent", "login", "--key", "none", passphrase=True)
        self.assertIn("run: systemctl --user enable --now countersign-agent.socket", told)
        self.assertIn("the vault of the agent is unlocked", told)
        self.assertEqual(self.systemctl("is-enabled", f"{UNIT}.socket").stdout.strip(), "enabled")
        self.assertIn("peer://ok", self.sign())
        # Once more it leaves the agent alone; another home has no units.
        self.assertIn("it runs", self.run_command("setup", "--agent", "login", passphrase=True))
        other = str(self.folder / "other")
        told = self.run_command("--home", other, "setup", "--agent", "login", passphrase=True, status=1)
        self.assertIn("there is no unit", told)
        self.assertFalse(os.path.exists(other))

    def test_requests_of_other_homes_do_not_start_the_agent(self):
        self.systemctl("start", f"{UNIT}.socket")
        other = str(self.folder / "other")
        self.run_command("--home", other, "init", passphrase=True)
        self.assertIn(
            "countersign agent start", self.run_command("--home", other, "agent", "lock", status=1))
        self.assertEqual(self.property("ActiveState"), "inactive")

    def test_a_unit_that_cannot_start_is_reported(self):
        (self.folder / ".countersign/vault.db").rename(self.folder / "vault.db")
        self.systemctl("start", f"{UNIT}.socket")
        said = self.run_command("agent", "unlock", passphrase=True, status=1)
        self.assertIn("no agent serves this home", said)

    def test_a_killed_agent_restarts_locked(self):
        self.systemctl("start", f"{UNIT}.socket")
        self.run_command("agent", "unlock", passphrase=True)
        self.sign()
        first = self.property("MainPID")
        os.kill(int(first), signal.SIGKILL)
        self.until(lambda: self.property("NRestarts") == "1" and self.answers())
        self.assertNotEqual(self.property("MainPID"), first)
        self.assertEqual(self.state(), "locked")
        self.run_command("agent", "unlock", passphrase=True)
        self.sign()

    def test_a_stopped_agent_ends_and_keeps_the_socket(self):
        self.systemctl("start", f"{UNIT}.socket")
        self.run_command("agent", "unlock", passphrase=True)
        self.assertEqual(self.systemctl("stop", f"{UNIT}.service").returncode, 0)
        self.assertEqual(
            (self.property("ActiveState"), self.property("Result")), ("inactive", "success"))
        self.assertTrue((self.runtime / "countersign/agent.sock").exists())
        self.run_command("agent", "lock")
        self.assertEqual(self.state(), "locked")
        # `agent stop` is a wanted end, after which systemd does not restart the agent.
        self.run_command("agent", "stop")
        self.until(lambda: self.property("ActiveState") == "inactive")
        self.assertEqual((self.property("Result"), self.property("NRestarts")), ("success", "0"))
        self.systemctl("stop", f"{UNIT}.socket")
        self.assertFalse((self.runtime / "countersign/agent.sock").exists())

    def test_unit_and_sandbox_restrictions_work_together(self):
        self.systemctl("start", f"{UNIT}.socket")
        self.run_command("agent", "unlock", passphrase=True)
        sandbox = json.loads(self.run_command("--json", "agent", "status"))["sandbox"]
        self.assertTrue(sandbox["whole"], sandbox)
        process = self.property("MainPID")
        facts = dict(
            line.split(":\t", 1)
            for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines())
        self.assertEqual((facts["NoNewPrivs"], facts["Seccomp"]), ("1", "2"))
        limits = pathlib.Path(f"/proc/{process}/limits").read_text()
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        # The edit from the comment in the unit makes the agent unlock automatically.
        (self.folder / ".config/countersign").mkdir(parents=True)
        secret = self.folder / ".config/countersign/passphrase"
        secret.write_bytes(PASSPHRASE)
        secret.chmod(0o600)
        edit = self.units / f"{UNIT}.service.d"
        edit.mkdir()
        (edit / "override.conf").write_text(
            "[Service]\n"
            "LoadCredential=countersign-passphrase:%h/.config/countersign/passphrase\n"
            f"ExecStart=\nExecStart={BINARY} agent --idle 0 --most 0\n")
        self.systemctl("daemon-reload")
        self.assertEqual(self.systemctl("restart", f"{UNIT}.service").returncode, 0)
        # Type=notify: systemctl has waited until the agent answers.
        self.assertEqual(self.state(), "unlocked")
        self.run_command("agent", "ready")
        self.assertIn("peer://ok", self.sign())
        secret.write_bytes(b"another passphrase")
        self.assertNotEqual(self.systemctl("restart", f"{UNIT}.service").returncode, 0)

    def test_a_locked_agent_whose_program_is_replaced_makes_room_for_the_new_one(self):
        program = self.folder / "countersign"
        shutil.copy(BINARY, program)
        self.install(str(program))
        self.systemctl("daemon-reload")
        self.systemctl("start", f"{UNIT}.socket")
        self.run_command("agent", "unlock", passphrase=True)
        first = self.property("MainPID")
        shutil.copy(BINARY, self.folder / "newer")
        os.rename(self.folder / "newer", program)
        # An unlocked agent goes on, even if it looks at its files.
        self.sign()
        time.sleep(2)
        self.assertEqual(self.property("MainPID"), first)
        self.run_command("agent", "lock")
        self.until(lambda: self.property("ActiveState") == "inactive")
        self.assertEqual((self.property("Result"), self.property("NRestarts")), ("success", "0"))
        self.run_command("agent", "unlock", passphrase=True)
        self.assertNotEqual(self.property("MainPID"), first)
        self.assertIn("peer://ok", self.sign())

    def click(self, url, status=0):
        """Opens a link through the installed desktop entry, as the desktop does; there is no person to type a
        passphrase."""
        entry = ROOT.joinpath("Docs/countersign.desktop").read_text()
        words = re.search(r"^Exec=(.+)$", entry, re.MULTILINE)[1].split()
        self.assertEqual((words[0], words[-1]), ("countersign", "%u"))
        return self.run_command(*words[1:-1], url, status=status)

    def test_the_agent_of_the_unit_answers_links_of_the_desktop_entry(self):
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "xdg-open").write_text(f"#!/bin/sh\necho \"$1\" >> {self.folder}/opened\n")
        (tools / "xdg-open").chmod(0o755)
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"
        self.run_command(
            "key", "import", "--protocol", "near", "--name", "toad", "--account", "round-toad.testnet",
            "--network", "testnet", passphrase=True,
            stdin=ROOT.joinpath("Examples/requests/near-secret.txt").read_text())
        (self.folder / ".countersign/policy.toml").write_text(POLICY + CLICKS)
        self.run_command("policy", "attest", passphrase=True)
        self.systemctl("start", f"{UNIT}.socket")
        self.run_command("agent", "unlock", passphrase=True)
        box = "0123456789abcdef"
        event = event_url(1)
        near = "near://testnet/login?success_url=peer://in&failure_url=peer://out"
        for url, answer in ((event, "peer://ok?"), (near, "peer://in?account_id=round-toad.testnet")):
            said = self.click(url)
            self.assertIn(answer, said)
            self.assertNotIn("without the agent", said)
        opened = (self.folder / "opened").read_text().split()
        self.assertEqual([one.split("?")[0] for one in opened], ["peer://ok", "peer://in"])
        # A request that names a drop box needs an agent that accepts drop boxes.
        boxed = re.sub("event=[^&]*", f"pb={box}", event)
        said = self.click(boxed, status=1)
        self.assertIn("not started with the same --drop-box", said)
        edit = self.units / f"{UNIT}.service.d"
        edit.mkdir()
        (edit / "override.conf").write_text(
            f"[Service]\nExecStart=\nExecStart={BINARY} agent --locked --drop-box\n")
        self.systemctl("daemon-reload")
        self.assertEqual(self.systemctl("restart", f"{UNIT}.service").returncode, 0)
        self.run_command("agent", "unlock", passphrase=True)
        place = self.runtime / "countersign/pb" / box
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        place.write_text(json.dumps({"event": json.dumps({"kind": 1, "content": "hi", "tags": []})}))
        place.chmod(0o600)
        said = self.click(boxed)
        self.assertIn(f"peer://ok?result_ref=pb%3A{box}", said)
        self.assertNotIn("without the agent", said)
        self.assertIn("event", json.loads(place.read_text()))


if __name__ == "__main__":
    unittest.main()
