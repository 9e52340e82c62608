# SPDX-License-Identifier: Apache-2.0
"""The client of Plugins/NIP155/README.md runs as printed, on a desktop whose xdg-open starts the hub and a browser."""
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest

import nostr_sdk

from hub import BINARY, PASSPHRASE, ROOT, Hub

PAGE = (ROOT / "Plugins/NIP155/README.md").read_text()
OPENER = """#!%s
import os, subprocess, sys, urllib.request
url = sys.argv[1]
if url.startswith("http:"):
    urllib.request.urlopen(url, timeout=20).read()
else:
    reader, writer = os.pipe()
    os.write(writer, %r)
    os.close(writer)
    # The program that asked goes on while the signer works.
    subprocess.Popen([%r, "--home", %r, "--passphrase-fd", str(reader), "open", url], pass_fds=[reader])
"""


class Client(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        self.keys = nostr_sdk.Keys.generate()
        self.hub.import_key("nostr", "alice", self.keys.secret_key().to_bech32())
        folder = tempfile.TemporaryDirectory(prefix="countersign-desktop-")
        self.addCleanup(folder.cleanup)
        opener = pathlib.Path(folder.name, "xdg-open")
        opener.write_text(OPENER % (sys.executable, PASSPHRASE, BINARY, self.hub.home))
        opener.chmod(opener.stat().st_mode | stat.S_IXUSR)
        self.path = folder.name + os.pathsep + os.environ["PATH"]

    def run_client(self):
        [code] = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=90,
                              env=os.environ | {"PATH": self.path})
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode().split()

    def test_the_client_receives_the_key_at_a_local_port(self):
        self.assertIn(self.keys.public_key().to_hex(), self.run_client())
        # Any program can listen there, so the callback proves no client.
        self.assertIn("127.0.0.1", self.hub.command("--json", "audit", "list").decode())

    def test_a_local_callback_does_not_prove_a_client(self):
        text = ('version = 1\ndefault = "deny"\n[[rule]]\nid = "proved"\neffect = "allow"\n'
                '"client.proof" = "callback"\nacknowledge = ["new_client"]\n')
        pathlib.Path(self.hub.home, "policy.toml").write_text(text)
        self.hub.command("policy", "attest")
        url = "nostrsigner://get_public_key?type=get_public_key&id=1&x-success=http://127.0.0.1:9/ok"
        self.hub.command("open", url, status=3)
        out = self.hub.command("policy", "explain", "--proof", "callback", url).decode()
        self.assertNotIn("verdict: allow", out)


if __name__ == "__main__":
    unittest.main()
