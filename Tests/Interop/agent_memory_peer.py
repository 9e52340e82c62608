# SPDX-License-Identifier: Apache-2.0
"""The memory of an agent: secrets are in locked pages that no core file contains while it is unlocked, and gone once
it is locked."""
import base64
import json
import os
import pathlib
import re
import unittest

import nacl.signing
import nostr_sdk

from agent_peer import POLICY, Agent, event_url
from hub import PASSPHRASE, Hub
from near_values import base58


class Memory:
    """All readable memory of a process, each range with the flags that the kernel reports for it."""

    def __init__(self, process):
        self.parts = []
        with open(f"/proc/{process}/smaps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
            for block in re.split(r"^(?=[0-9a-f]+-[0-9a-f]+ )", maps.read(), flags=re.MULTILINE)[1:]:
                line, flags = block.splitlines()[0], re.search(r"^VmFlags: (.*)$", block, re.MULTILINE)
                first, last = (int(part, 16) for part in line.split(" ")[0].split("-"))
                if " r" not in line or line.endswith(("[vvar]", "[vsyscall]")):
                    continue
                try:
                    memory.seek(first)
                    self.parts.append((flags.group(1).split(), memory.read(last - first)))
                except OSError:
                    pass

    def find(self, secret):
        """Returns the flags of each range that contains the bytes."""
        return [flags for flags, content in self.parts if secret in content]

    @property
    def bytes(self):
        return sum(len(content) for _, content in self.parts)


@unittest.skipUnless(os.geteuid() == 0, "only root reads the memory of an agent")
class AgentMemory(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        self.nostr = nostr_sdk.Keys.generate()
        self.near = nacl.signing.SigningKey.generate()
        self.hub.import_key("nostr", "alice", self.nostr.secret_key().to_bech32())
        secret = bytes(self.near) + bytes(self.near.verify_key)
        self.hub.import_key("near", "bob", "ed25519:" + base58(secret), "--account", "bob.near")
        pathlib.Path(self.hub.home, "policy.toml").write_text(POLICY)
        self.hub.command("policy", "attest")
        self.agent = Agent(self.hub)
        self.addCleanup(self.agent.stop)

    def use(self):
        self.agent.submit(event_url("hello"), wire="nip155")
        message = {"message": "log in", "recipient": "peer.near",
                   "nonce": base64.b64encode(os.urandom(32)).decode()}
        self.agent.submit(json.dumps(message), wire="nep413")

    def test_secrets_are_in_locked_pages_and_gone_after_the_lock(self):
        keys = {"nostr": bytes.fromhex(self.nostr.secret_key().to_hex()), "near": bytes(self.near)}
        texts = {"nsec": self.nostr.secret_key().to_bech32().encode(),
                 "hex": self.nostr.secret_key().to_hex().encode(), "passphrase": PASSPHRASE}
        for _ in range(20):
            self.use()
        open_memory = Memory(self.agent.process.pid)
        self.assertGreater(open_memory.bytes, 4 << 20)
        for name, secret in keys.items():
            found = open_memory.find(secret)
            # The scan must find the secret, or its later absence would prove nothing.
            self.assertTrue(found, f"the secret of {name} is nowhere while it is in use")
            for flags in found:
                # `dd` keeps a page out of core files, `lo` out of swap.
                self.assertIn("dd", flags, f"{name} stands where a core file has it")
                self.assertIn("lo", flags, f"{name} stands where it may be written out")
        self.assertEqual(self.agent.ask("POST", "/v1/lock")[0], 200)
        self.agent.ask("GET", "/v1/health")
        locked = Memory(self.agent.process.pid)
        for name, secret in {**keys, **texts}.items():
            self.assertEqual(locked.find(secret), [], f"{name} is there after the lock")


if __name__ == "__main__":
    unittest.main()
