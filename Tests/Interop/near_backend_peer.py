# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of Docs/NEP413.md for back ends on messages that the hub signed."""
import base64
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import unittest

import nacl.signing
from playwright.sync_api import sync_playwright

from hub import ROOT, Hub
from near_values import base58

PAGE = (ROOT / "Docs/NEP413.md").read_text()
FOLDER = ROOT / "Examples/BackEnd"
CALL = """import { verify } from "./verify.mjs";
const { signed, recipient, nonce, rpc } = JSON.parse(process.argv[2]);
try { console.log(await verify(signed, recipient, Buffer.from(nonce, "base64"), rpc)); }
catch (error) { console.log("error: " + error.message); }
"""

IMPORT = """async ([signed, recipient, nonce, rpc]) => {
  const { verify } = await import("/verify.mjs");
  return verify(signed, recipient, Uint8Array.from(nonce), rpc).catch((error) => "error: " + error.message);
}"""
CHROMIUM = "/usr/bin/chromium"


class Page(unittest.TestCase):
    def test_the_page_shows_the_files(self):
        for language, name in (("python", "verify.py"), ("js", "verify.mjs")):
            [block] = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.M | re.S)
            self.assertEqual(block, (FOLDER / name).read_text())


class Node:
    """A node that knows the full-access keys of its accounts, and one function-call key."""

    def __init__(self, full, calls):
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                """Serves the example to a browser, which may then ask this node."""
                is_code = self.path == "/verify.mjs"
                body = (FOLDER / "verify.mjs").read_bytes() if is_code else b"<!DOCTYPE html><title>page</title>"
                self.send_response(200)
                self.send_header("Content-Type", "text/javascript" if is_code else "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                params = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["params"]
                asked = (params["account_id"], params["public_key"])
                answer = {"error": {"cause": {"name": "UNKNOWN_ACCESS_KEY"}}}
                if asked in full:
                    answer = {"result": {"permission": "FullAccess", "nonce": 1}}
                if asked in calls:
                    bounds = {"allowance": None, "receiver_id": "a.near", "method_names": []}
                    answer = {"result": {"permission": {"FunctionCall": bounds}, "nonce": 1}}
                body = json.dumps({"jsonrpc": "2.0", "id": 1, **answer}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class BackEnds:
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client", "unknown_network")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        key = nacl.signing.SigningKey.generate()
        cls.public = "ed25519:" + base58(bytes(key.verify_key))
        cls.hub.import_key("near", "bob", "ed25519:" + base58(bytes(key) + bytes(key.verify_key)),
                           "--account", "bob.near")
        cls.node = Node({("bob.near", cls.public)}, {("call.near", cls.public)})
        cls.addClassCleanup(cls.node.close)

    def sign(self, *more):
        nonce = os.urandom(32)
        out = self.hub.command("near", "sign-message", "--recipient", "app.near", "--nonce",
                               base64.b64encode(nonce).decode(), *more, "Log in: \u00e9 \U0001f30d")
        return json.loads(out), nonce

    def holds(self, signed, nonce, recipient="app.near"):
        return self.verify(signed, recipient, nonce, self.node.url) == "bob.near"

    def test_a_back_end_accepts_messages_of_the_hub(self):
        for more in ([], ["--callback-url", "https://app.example/in?x=1"], ["--state", "s"]):
            self.assertTrue(self.holds(*self.sign(*more)), more)

    def test_a_back_end_refuses_changed_messages(self):
        signed, nonce = self.sign()
        other = bytearray(base64.b64decode(signed["signature"]))
        other[3] ^= 1
        for change in ({"message": "Log in"}, {"recipient": "other.near"}, {"callbackUrl": ""},
                       {"callbackUrl": "https://app.example/"}, {"accountId": "alice.near"},
                       {"accountId": "call.near"}, {"signature": base64.b64encode(other).decode()},
                       {"nonce": base64.b64encode(os.urandom(32)).decode()}):
            self.assertFalse(self.holds(signed | change, nonce), change)
        self.assertFalse(self.holds(signed, os.urandom(32)))
        self.assertFalse(self.holds(signed, nonce, "other.near"))
        self.assertTrue(self.holds(signed, nonce))


class Python(BackEnds, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.space = {}
        exec(compile((FOLDER / "verify.py").read_text(), "verify.py", "exec"), cls.space)

    def verify(self, *given):
        try:
            return self.space["verify"](*given)
        except Exception as error:
            return f"error: {error}"


@unittest.skipUnless(shutil.which("node"), "no node is configured")
class JavaScript(BackEnds, unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        folder = tempfile.TemporaryDirectory(prefix="countersign-node-")
        cls.addClassCleanup(folder.cleanup)
        cls.place = pathlib.Path(folder.name)
        shutil.copy(FOLDER / "verify.mjs", cls.place)
        (cls.place / "call.mjs").write_text(CALL)

    def verify(self, signed, recipient, nonce, rpc):
        given = {"signed": signed, "recipient": recipient, "nonce": base64.b64encode(nonce).decode(), "rpc": rpc}
        done = subprocess.run(["node", "call.mjs", json.dumps(given)], cwd=self.place, capture_output=True,
                              timeout=60, check=True)
        return done.stdout.decode().strip()


@unittest.skipUnless(os.path.exists(CHROMIUM), "there is no Chromium")
class Browser(BackEnds, unittest.TestCase):
    """The JavaScript example in Chromium, for machines without Node."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        driver = sync_playwright().start()
        cls.addClassCleanup(driver.stop)
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        cls.addClassCleanup(browser.close)
        cls.page = browser.new_page()
        cls.page.goto(cls.node.url)

    def verify(self, signed, recipient, nonce, rpc):
        return self.page.evaluate(IMPORT, [signed, recipient, list(nonce), rpc])


if __name__ == "__main__":
    unittest.main()
