# SPDX-License-Identifier: Apache-2.0
"""An agent that has nothing to do: it sleeps, and still notices what other commands change."""
import pathlib
import subprocess
import time
import unittest

import nostr_sdk

from agent_peer import POLICY, Agent, event_url
from hub import Hub, free_port

PER_SECOND_MAX = 4
SECONDS = 10


def read(path):
    """The text of a file of a thread; empty if the thread has ended."""
    try:
        return path.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def threads(process):
    """The folders of a process's threads; none if the process has ended."""
    try:
        return list(pathlib.Path(f"/proc/{process}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return []


def processes(process):
    """A process and all that it started."""
    found = [process]
    for thread in threads(process):
        for child in read(thread / "children").split():
            found += processes(int(child))
    return found


def wakings(process):
    """How often each thread of a process and of those that it started has gone to sleep so far."""
    found = {}
    for one in processes(process):
        for thread in threads(one):
            facts = dict(line.split(":\t", 1) for line in read(thread / "status").splitlines())
            if facts:
                found[f"{facts['Name']} {thread.name}"] = int(facts["voluntary_ctxt_switches"])
    return found


class IdleAgent(unittest.TestCase):
    def start(self, *options):
        hub = Hub("new_client")
        self.addCleanup(hub.folder.cleanup)
        hub.import_key("nostr", "alice", nostr_sdk.Keys.generate().secret_key().to_bech32())
        pathlib.Path(hub.home, "policy.toml").write_text(POLICY)
        hub.command("policy", "attest")
        agent = Agent(hub, *options)
        self.addCleanup(agent.stop)
        return hub, agent

    def assert_sleeps(self, agent):
        time.sleep(6)
        before = wakings(agent.process.pid)
        time.sleep(SECONDS)
        after = wakings(agent.process.pid)
        counts = {name: count - before.get(name, 0) for name, count in after.items()}
        self.assertLessEqual(sum(counts.values()), PER_SECOND_MAX * SECONDS, counts)

    def test_an_idle_agent_sleeps(self):
        for options in ((), ("--web", str(free_port())), ("--locked",)):
            with self.subTest(options=options):
                _, agent = self.start(*options)
                self.assert_sleeps(agent)

    def test_an_agent_that_was_used_sleeps_again_and_notices_changes(self):
        hub, agent = self.start()
        agent.submit(event_url("hello"), wire="nip155")
        self.assert_sleeps(agent)
        hub.command("freeze")
        status, _, value = agent.ask("POST", "/v1/requests", {"frame": event_url("no"), "wire": "nip155"})
        self.assertEqual((status, value["state"]), (201, "denied"), value)
        self.assert_sleeps(agent)
        pathlib.Path(hub.home, "agent.lock").unlink()
        try:
            agent.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.fail("the agent did not notice that its lock file is gone")


if __name__ == "__main__":
    unittest.main()
