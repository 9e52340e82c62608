# SPDX-License-Identifier: Apache-2.0
"""The owner's inbox as a page in a real Chromium, with a home and its agent."""
import contextlib
import json
import os
import pathlib
import re
import unittest
from concurrent.futures import ThreadPoolExecutor

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from agent_peer import Agent, event_url
from hub import PASSPHRASE, Hub, free_port

CHROMIUM = "/usr/bin/chromium"

POLICY = """
version = 1
default = "ask"
[[rule]]
id = "reactions"
effect = "allow"
protocol = "nostr"
operation = "sign_event"
kind = 7
acknowledge = ["new_client"]
limit = [{ count = 4, per = "1h" }]
"""


class WebCase(unittest.TestCase):
    """A home with a Nostr key, its agent with the page, and a browser."""

    policy = POLICY

    @classmethod
    def setUpClass(cls):
        cls.enterClassContext(contextlib.closing(cls))
        cls.driver = sync_playwright().start()
        cls.browser = cls.driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])

    @classmethod
    def close(cls):
        cls.browser.close()
        cls.driver.stop()

    def setUp(self):
        self.hub = Hub("new_client")
        self.hub.command("key", "new", "--protocol", "nostr", "--name", "alice")
        pathlib.Path(self.hub.home, "policy.toml").write_text(self.policy)
        self.hub.command("policy", "attest")
        self.port = free_port()
        self.agent = Agent(self.hub, "--web", str(self.port))
        self.addCleanup(self.agent.kill)
        self.pool = ThreadPoolExecutor(8)
        self.addCleanup(self.pool.shutdown)
        self.errors = []

    def address(self):
        return self.hub.command("agent", "web").decode().strip()

    def tab(self, address=None, is_open=True, **context):
        """A tab of a fresh profile; it opens an owner session unless `is_open` is false."""
        context = self.browser.new_context(**context)
        self.addCleanup(context.close)
        tab = context.new_page()
        tab.set_default_timeout(15_000)
        tab.on("console", lambda note: note.type == "error" and self.errors.append(note.text))
        tab.on("pageerror", lambda error: self.errors.append(str(error)))
        tab.goto(address or self.address())
        if is_open:
            self.sign_in(tab)
        return tab

    def sign_in(self, tab, passphrase=PASSPHRASE.decode()):
        tab.get_by_label("The passphrase of this home").fill(passphrase)
        tab.get_by_role("button", name="Open the inbox").click()

    def post(self, text, kind=1, seconds=60):
        frame = event_url(text).replace("kind%22%3A%201", f"kind%22%3A%20{kind}")
        return self.agent.ask("POST", "/v1/requests", {
            "wire": "nip155", "frame": frame, "wait_seconds": seconds})[2]

    def submit(self, text, kind=1):
        return self.pool.submit(self.post, text, kind)

    def state(self, future):
        value = future.result(timeout=60)
        return value.get("reason", {}).get("code", value["state"])

    def choose(self, tab, text):
        tab.locator("#list button").filter(has_text=re.compile(".")).first.wait_for()
        tab.locator("#list button").first.click()
        expect(tab.locator("#words")).to_contain_text(text)

    def serious(self, tab):
        found = Axe().run(tab).response["violations"]
        grave = [item["id"] for item in found if item["impact"] in ("serious", "critical")]
        self.assertEqual(grave, [], json.dumps(found)[:2_000])
