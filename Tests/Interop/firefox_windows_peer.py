# SPDX-License-Identifier: Apache-2.0
"""The windows of `near manifest` in Debian's Firefox: they open, ask, answer and close as in Chromium."""
import base64
import json
import os
import pathlib
import tempfile
import time
import unittest

import nacl.signing
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.firefox.options import Options
from selenium.webdriver.firefox.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from agent_peer import Agent
from browser import Pages
from firefox_peer import FIREFOX, driver
from hub import Hub, free_port
from near_page_peer import DAPP, POLICY, SANDBOX
from near_peer import digest
from near_values import base58


class FirefoxWindows(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.near = nacl.signing.SigningKey.generate()
        secret = "ed25519:" + base58(bytes(cls.near) + bytes(cls.near.verify_key))
        cls.hub.import_key("near", "bob", secret, "--account", "bob.near", "--network", "mainnet")
        cls.port = free_port()
        cls.allowed, cls.asked = Pages(), Pages()
        for pages in (cls.allowed, cls.asked):
            cls.addClassCleanup(pages.close)
            pages.put("/", DAPP)
            pages.put("/sandbox.js", SANDBOX.read_text(), Content_Type="text/javascript")
            pages.put("/manifest.json", cls.hub.command("near", "manifest", "--web", str(cls.port)).decode(),
                      Content_Type="application/json")
        pathlib.Path(cls.hub.home, "policy.toml").write_text(POLICY % f'"{cls.allowed.origin}"')
        cls.hub.command("policy", "attest")
        cls.agent = Agent(cls.hub, "--web", str(cls.port))
        cls.addClassCleanup(cls.agent.kill)
        folder = tempfile.TemporaryDirectory(prefix="countersign-firefox-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        options = Options()
        options.binary_location = FIREFOX
        options.add_argument("-headless")
        cls.firefox = webdriver.Firefox(
            options=options, service=Service(driver(), log_output=os.path.join(folder.name, "log")))
        cls.addClassCleanup(cls.firefox.quit)

    def until(self, condition):
        return WebDriverWait(self.firefox, 60).until(lambda _: condition())

    def app(self, pages):
        self.firefox.get(pages.origin + "/")
        self.until(lambda: self.firefox.execute_script("return window.wallet !== undefined"))
        return self.firefox.current_window_handle

    def begin(self, method, **params):
        """Calls the wallet with a click on the page; returns the windows that were open before."""
        before = set(self.firefox.window_handles)
        self.firefox.execute_script(
            "window.next = arguments[0]; results.one = undefined", ["one", method, {"network": "mainnet", **params}])
        self.firefox.find_element(By.ID, "go").click()
        return before

    def window(self, before):
        [window] = self.until(lambda: set(self.firefox.window_handles) - before)
        return window

    def end(self):
        self.until(lambda: self.firefox.execute_script("return results.one != null"))
        return self.firefox.execute_script("return results.one")

    def message(self, text):
        return {"message": text, "recipient": "app.near", "nonce": list(os.urandom(32))}

    def check(self, asked, signed):
        self.assertEqual(signed["accountId"], "bob.near")
        self.near.verify_key.verify(
            digest(asked["message"], bytes(asked["nonce"]), asked["recipient"], None),
            base64.b64decode(signed["signature"]))

    def waiting(self, count):
        deadline = time.monotonic() + 60
        while (found := self.agent.ask("GET", "/v1/status")[2]["waiting"]) != count:
            self.assertLess(time.monotonic(), deadline, f"{found} wait, not {count}")
            time.sleep(0.05)

    def test_an_allowed_call_is_answered_and_its_window_closes(self):
        page = self.app(self.allowed)
        self.begin("signIn")
        self.assertEqual(self.end()["value"][0]["accountId"], "bob.near")
        asked = self.message("for Firefox")
        self.begin("signMessage", **asked)
        self.check(asked, self.end()["value"])
        self.until(lambda: self.firefox.window_handles == [page])
        # The session is restored without a window.
        self.firefox.refresh()
        self.until(lambda: self.firefox.execute_script("return window.wallet !== undefined"))
        reported = self.firefox.execute_async_script(
            "wallet.call('getAccounts', {network: 'mainnet'}).then(arguments[0])")
        self.assertEqual(reported[0]["accountId"], "bob.near")
        self.assertEqual(self.firefox.window_handles, [page])

    def test_a_person_answers_in_the_inbox_not_in_the_window(self):
        page = self.app(self.asked)
        asked = self.message("for a person")
        window = self.window(self.begin("signMessage", **asked))
        self.firefox.switch_to.window(window)
        state = self.until(lambda: self.firefox.find_element(By.ID, "state"))
        self.until(lambda: state.text == "The request waits for your answer.")
        self.assertEqual(self.firefox.find_element(By.ID, "client").text, self.asked.origin)
        self.assertEqual(self.firefox.find_elements(By.CSS_SELECTOR, "input, button"), [])
        [item] = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
        shown = json.loads(self.hub.command("--json", "inbox", "show", item["id"]))
        self.assertIn(f"{self.asked.origin} (a page, says a browser that is not paired)", shown["text"])
        self.hub.command("inbox", "answer", item["id"], "once", "--seen", shown["digest"])
        self.firefox.switch_to.window(page)
        self.check(asked, self.end()["value"])
        self.until(lambda: self.firefox.window_handles == [page])

    def test_closing_a_window_withdraws_its_question(self):
        page = self.app(self.asked)
        window = self.window(self.begin("signMessage", **self.message("not this")))
        self.waiting(1)
        self.firefox.switch_to.window(window)
        self.firefox.close()
        self.firefox.switch_to.window(page)
        self.assertIn("error", self.end())
        self.waiting(0)


if __name__ == "__main__":
    unittest.main()
