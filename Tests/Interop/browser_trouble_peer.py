# SPDX-License-Identifier: Apache-2.0
"""Failures and hostile extensions in the browser: pages get an error, and nothing is signed by mistake."""
import base64
import hashlib
import json
import os
import pathlib
import tempfile
import time
import unittest

from agent_peer import Agent
from browser import ARC27, EXTENSION, ID, NEAR, OPTIONS, SIGN, Case, verified
from hub import Hub


class Failures(Case):
    """Agent, host or pairing is missing; pages get errors of their wire, and may try again."""

    @classmethod
    def setUpClass(cls):
        cls.make(pair=False)

    def setUp(self):
        self.open = self.page()

    def all(self, code):
        """Calls over each wire, and compares the error codes with one word."""
        self.assertRejected(self.open.evaluate(SIGN, ["x", 1]), code)
        reported = self.open.evaluate(NEAR, [["signIn", {}]])
        self.assertRejected(reported["found"][0], code)

    def arc27(self):
        [answer] = self.open.evaluate(ARC27, ["event", "enable", {"providerId": self.provider()}])
        return answer["error"]["code"]

    def test_1_an_unpaired_browser_says_how_to_pair(self):
        self.all("not_paired")
        self.assertIn("agent token new --browser", self.open.evaluate(SIGN, ["x", 1])["message"])
        self.assertIn("token", self.browser.pair("no-such-token").lower())
        self.all("not_paired")
        # The extension cannot know if the request is for Countersign.
        self.assertEqual(self.open.evaluate(ARC27, ["event", "enable", {"providerId": self.provider()}, 700]), [])

    def test_2_a_stopped_agent_is_reported_and_the_page_tries_again(self):
        provider = self.provider()
        self.assertEqual(self.browser.pair(self.token), "Paired; the agent is unlocked.")
        self.assertTrue(verified(self.open.evaluate(SIGN, ["paired", 1])))
        self.assertEqual(len(self.open.evaluate(NEAR, [["signIn", {}]])["found"][0]), 1)
        self.agent.stop()
        self.all("agent_down")
        [answer] = self.open.evaluate(ARC27, ["event", "enable", {"providerId": provider}])
        self.assertEqual(answer["error"]["code"], 4000)
        self.assertEqual(answer["error"]["providerId"], provider)
        # The error does not log a page out.
        reported = self.open.evaluate(NEAR, [["getAccounts", {}]])
        self.assertEqual(reported["found"][0][0]["accountId"], "bob.near")
        # A page that logs out is logged out, and no call throws.
        reported = self.open.evaluate(NEAR, [["signOut", {}], ["getAccounts", {}]])
        self.assertIsNone(reported["found"][0])
        self.assertRejected(reported["found"][1], "agent_down")
        self.assertNotIn("countersign:", self.open.evaluate("JSON.stringify(localStorage)"))
        type(self).agent = Agent(self.hub)
        self.assertTrue(verified(self.open.evaluate(SIGN, ["again", 1])))

    def test_3_a_locked_agent_is_reported(self):
        self.hub.command("agent", "lock")
        self.assertRejected(self.open.evaluate(SIGN, ["locked", 1]), "locked")
        self.assertEqual(self.arc27(), 4000)
        self.hub.command("agent", "unlock")
        self.assertTrue(verified(self.open.evaluate(SIGN, ["unlocked", 1])))

    def test_4_a_missing_or_foreign_host_is_reported(self):
        kept = self.browser.host.read_text()
        script = pathlib.Path(self.browser.host.parent, "strange.sh")
        manifest = json.loads(kept)
        strange = {"not_installed": None,
                   "not_allowed": {**manifest, "allowed_origins": [f"chrome-extension://{'a' * 32}/"]}}
        bodies = {"prints text": "echo hello", "dies within a message": "printf '\\020\\000\\000\\000{'",
                  "is cut": "head -c 4 > /dev/null", "a message too long": "printf '\\001\\000\\020\\000'; sleep 5"}
        try:
            for code, content in strange.items():
                self.end_host()
                self.browser.host.unlink() if content is None else self.browser.host.write_text(json.dumps(content))
                self.all(code)
            for body in bodies.values():
                self.end_host()
                script.write_text(f"#!/bin/sh\n{body}\n")
                script.chmod(0o700)
                self.browser.host.write_text(json.dumps({**manifest, "path": str(script)}))
                start = time.monotonic()
                self.assertRejected(self.open.evaluate(SIGN, ["x", 1]), "host_failed")
                self.assertLess(time.monotonic() - start, 4)
        finally:
            self.browser.host.write_text(kept)
        self.assertTrue(verified(self.open.evaluate(SIGN, ["mended", 1])))

    def end_host(self):
        """The worker keeps its host for a while; a new worker starts another."""
        options = self.page(OPTIONS)
        session = self.browser.context.new_cdp_session(options)
        session.send("ServiceWorker.enable")
        session.send("ServiceWorker.stopAllWorkers")
        options.wait_for_timeout(300)
        options.close()

    def test_5_a_revoked_token_is_refused(self):
        self.hub.command("agent", "token", "revoke", "test")
        self.all("not_paired")
        self.assertEqual(self.arc27(), 4100)

    def test_6_a_page_that_was_open_during_an_update_says_to_reload(self):
        options = self.page(OPTIONS)
        options.evaluate("setTimeout(() => chrome.runtime.reload(), 50)")
        self.open.wait_for_timeout(1_500)
        self.all("reload_page")


class Strangers(Case):
    """Another extension that also answers pages."""

    @classmethod
    def setUpClass(cls):
        other = tempfile.TemporaryDirectory(prefix="countersign-other-")
        cls.addClassCleanup(other.cleanup)
        place = pathlib.Path(other.name)
        place.joinpath("manifest.json").write_text(json.dumps({
            "manifest_version": 3, "name": "other", "version": "1",
            "background": {"service_worker": "worker.js"},
            "content_scripts": [{"matches": ["http://127.0.0.1/*"], "js": ["page.js"], "world": "MAIN",
                                 "run_at": "document_end"}]}))
        place.joinpath("worker.js").write_text("")
        place.joinpath("page.js").write_text("""
          const first = window.nostr;
          window.nostr = { getPublicKey: async () => "other", first };
          addEventListener("arc0027:discover:request", (event) => {
            dispatchEvent(new CustomEvent("arc0027:discover:response", { detail: JSON.stringify(
              { id: "o", reference: "arc0027:discover:response", requestId: event.detail.id, result: "other" }) }));
          });""")
        cls.make(place)

    def test_the_last_nostr_provider_wins_and_ours_still_answers(self):
        page = self.page()
        self.assertEqual(page.evaluate("nostr.getPublicKey()"), "other")
        self.assertEqual(page.evaluate("nostr.first.getPublicKey()"), self.nostr.public_key().to_hex())
        found = page.evaluate(ARC27, ["event", "discover", {}, 1_500])
        self.assertEqual([answer["result"] == "other" for answer in found], [True, False])

    def test_another_extension_reaches_neither_host_nor_worker(self):
        worker = next(worker for worker in self.browser.context.service_workers if ID not in worker.url)
        answer = worker.evaluate(f"""() => new Promise((resolve) => chrome.runtime.sendMessage("{ID}",
          {{ pair: true }}, () => resolve(chrome.runtime.lastError?.message ?? "answered")))""")
        self.assertIn("Receiving end does not exist", answer)
        answer = worker.evaluate(f"""() => new Promise((resolve) => {{
          const port = chrome.runtime.connect("{ID}", {{ name: "page" }});
          port.onDisconnect.addListener(() => resolve(chrome.runtime.lastError?.message ?? "gone"));
          port.onMessage.addListener(() => resolve("answered"));
          port.postMessage({{ id: "0".repeat(32), wire: "nip07", frame: '{{"nip07":"getPublicKey"}}' }});
        }})""")
        self.assertIn("Receiving end does not exist", answer)


class Files(unittest.TestCase):
    """The installed files, without a browser."""

    def test_installed_files_match_the_tree_and_uninstall_removes_them(self):
        hub = Hub("new_client")
        self.addCleanup(hub.folder.cleanup)
        for browser, leaf, callers in (("chromium", "NativeMessagingHosts", "allowed_origins"),
                                       ("firefox", "native-messaging-hosts", "allowed_extensions")):
            data = os.path.join(hub.folder.name, browser)
            words = ["--browser", browser, "--user-data", data]
            reported = json.loads(hub.command("--json", "browser", "install", *words))
            names = {path.name for path in EXTENSION.iterdir() if path.suffix != ".swift"}
            self.assertEqual(set(os.listdir(reported["extension"])), names)
            for name in names:
                self.assertEqual(pathlib.Path(reported["extension"], name).read_bytes(), (EXTENSION / name).read_bytes())
            manifest = json.loads(pathlib.Path(reported["host"]).read_text())
            self.assertEqual(pathlib.Path(reported["host"]).parent.name, leaf)
            self.assertIn(reported["id"], str(manifest[callers]))
            self.assertTrue(os.access(manifest["path"], os.X_OK))
            self.assertEqual(os.stat(reported["host"]).st_mode & 0o077, 0)
            hub.command("browser", "remove", *words)
            self.assertFalse(os.path.exists(reported["host"]) or os.path.exists(reported["extension"]))

    def test_one_manifest_serves_both_browsers(self):
        manifest = json.loads((EXTENSION / "manifest.json").read_text())
        digits = hashlib.sha256(base64.b64decode(manifest["key"])).hexdigest()[:32]
        self.assertEqual("".join(chr(ord("a") + int(digit, 16)) for digit in digits), ID)
        self.assertEqual(manifest["manifest_version"], 3)
        self.assertEqual(manifest["background"], {"service_worker": "worker.js", "scripts": ["worker.js"]})
        self.assertEqual(manifest["externally_connectable"], {"ids": []})
        self.assertEqual(manifest["permissions"], ["alarms", "nativeMessaging", "scripting", "storage", "webNavigation"])
        self.assertIn("gecko", manifest["browser_specific_settings"])
        # Permissions that would give pages a part of the extension, or run remote code.
        self.assertNotIn("web_accessible_resources", manifest)
        self.assertIn("default-src 'none'", manifest["content_security_policy"]["extension_pages"])
        for path in EXTENSION.glob("*.js"):
            text = path.read_text()
            for word in ("eval(", "innerHTML", "new Function", "import(", "fetch(", "XMLHttpRequest"):
                self.assertNotIn(word, text, path.name)


if __name__ == "__main__":
    unittest.main()
