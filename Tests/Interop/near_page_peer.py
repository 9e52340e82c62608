# SPDX-License-Identifier: Apache-2.0
"""The wallet of `near manifest` in Debian's Chromium: near-connect's sandbox is played as documented, everything else
is real."""
import base64
import json
import os
import pathlib
import subprocess
import time
import unittest

import nacl.signing
from playwright.sync_api import expect, sync_playwright

from agent_peer import Agent
from browser import CHROMIUM, Pages
from hub import BINARY, ROOT, Hub, free_port
from near_peer import digest
from near_values import base58

SANDBOX = ROOT / "Tests/Interop/near_sandbox.js"
DAPP = """<!DOCTYPE html><title>app</title><script src="/sandbox.js"></script><script>
fetch("/manifest.json").then((answer) => answer.json()).then((manifest) => { window.wallet = connector(manifest); });
window.results = {};
window.run = (name, method, params) => {
  if (params?.nonce) params.nonce = Uint8Array.from(params.nonce);
  if (params?.messageParams) params.messageParams.nonce = Uint8Array.from(params.messageParams.nonce);
  results[name] = null;
  wallet.call(method, params).then((value) => { results[name] = { value }; }, (error) => { results[name] = { error }; });
};
</script><button id="go" onclick="run(...next)">go</button>"""

POLICY = """
version = 1
default = "ask"

[[rule]]
id = "connected-pages"
effect = "allow"
channel = "web"
"client.proof" = "page"
client = [%s]
acknowledge = ["new_client"]
"""


class Case(unittest.TestCase):
    FLAGS = []
    ALLOWED = ()

    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.near = {}
        for account, network in (("bob.near", "mainnet"), ("tess.testnet", "testnet")):
            key = cls.near[account] = nacl.signing.SigningKey.generate()
            secret = "ed25519:" + base58(bytes(key) + bytes(key.verify_key))
            cls.hub.import_key("near", account.split(".")[0], secret, "--account", account, "--network", network)
        cls.pages, cls.others = Pages(), Pages()
        cls.addClassCleanup(cls.pages.close)
        cls.addClassCleanup(cls.others.close)
        cls.port = free_port()
        cls.origin = cls.hub.windows(cls.port)
        cls.manifest = cls.hub.command("near", "manifest", "--web", str(cls.port)).decode()
        for pages in (cls.pages, cls.others):
            pages.put("/", DAPP)
            pages.put("/sandbox.js", SANDBOX.read_text(), Content_Type="text/javascript")
            pages.put("/manifest.json", cls.manifest, Content_Type="application/json")
        allowed = {"pages": cls.pages.origin, "others": cls.others.origin}
        cls.attest([allowed[name] for name in cls.ALLOWED])
        cls.agent = Agent(cls.hub, "--web", str(cls.port))
        cls.addClassCleanup(cls.agent.kill)
        cls.driver = sync_playwright().start()
        cls.addClassCleanup(cls.driver.stop)
        flags = [flag % cls.pages.server.server_port for flag in cls.FLAGS]
        cls.browser = cls.driver.chromium.launch(executable_path=CHROMIUM, args=[
            *(["--no-sandbox"] if os.geteuid() == 0 else []), *flags])
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def attest(cls, allowed):
        text = ", ".join(f'"{origin}"' for origin in allowed) or '"https://nobody.example"'
        pathlib.Path(cls.hub.home, "policy.toml").write_text(POLICY % text)
        cls.hub.command("policy", "attest")

    def setUp(self):
        self.context = self.browser.new_context()
        self.addCleanup(self.context.close)
        self.context.set_default_timeout(30_000)

    def app(self, url=None):
        page = self.context.new_page()
        page.goto(url or self.pages.origin + "/")
        page.wait_for_function("window.wallet !== undefined")
        return page

    def begin(self, page, method, params, name="one"):
        """Calls the wallet with a click on the page; returns the window that opens."""
        page.evaluate("(next) => { window.next = next; }", [name, method, params])
        with self.context.expect_page() as opened:
            page.click("#go")
        return opened.value

    def end(self, page, name="one"):
        page.wait_for_function("(name) => results[name] !== null", arg=name)
        return page.evaluate("(name) => results[name]", name)

    def call(self, page, method, **params):
        self.begin(page, method, {"network": "mainnet", **params})
        return self.end(page)

    def message(self, text="log in", recipient="app.near"):
        return {"message": text, "recipient": recipient, "nonce": list(os.urandom(32))}

    def check(self, asked, signed, account="bob.near"):
        self.assertEqual(signed["accountId"], account)
        self.near[account].verify_key.verify(
            digest(asked["message"], bytes(asked["nonce"]), asked["recipient"], None),
            base64.b64decode(signed["signature"]))

    def waiting(self, count):
        deadline = time.monotonic() + 60
        while (found := self.agent.ask("GET", "/v1/status")[2]["waiting"]) != count:
            self.assertLess(time.monotonic(), deadline, f"{found} wait, not {count}")
            time.sleep(0.05)

    def shown(self):
        waiting = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
        self.assertEqual(len(waiting), 1, waiting)
        return json.loads(self.hub.command("--json", "inbox", "show", waiting[0]["id"])), waiting[0]

    def answer(self, word="once"):
        shown, item = self.shown()
        self.hub.command("inbox", "answer", item["id"], word, "--seen", shown["digest"])
        return shown["text"]


class Allowed(Case):
    """Requests that rules allow are answered without a person."""
    ALLOWED = ("pages", "others")

    def test_a_page_signs_in_signs_and_is_restored_without_a_window(self):
        page = self.app()
        key = "ed25519:" + base58(bytes(self.near["bob.near"].verify_key))
        account = [{"accountId": "bob.near", "publicKey": key}]
        self.assertEqual(page.evaluate("wallet.call('getAccounts', {network: 'mainnet'})"), [])
        self.assertEqual(self.call(page, "signIn"), {"value": account})
        asked = self.message()
        self.check(asked, self.call(page, "signMessage", **asked)["value"])
        page.reload()
        page.wait_for_function("window.wallet !== undefined")
        self.assertEqual(page.evaluate("wallet.call('getAccounts', {network: 'mainnet'})"), account)
        self.assertEqual(page.evaluate("wallet.call('getAccounts', {network: 'testnet'})"), [])
        found = json.loads(self.hub.command("--json", "near", "connections"))
        self.assertIn(self.pages.origin, json.dumps(found))
        self.assertEqual(self.call(page, "signOut"), {"value": None})
        self.assertEqual(page.evaluate("wallet.call('getAccounts', {network: 'mainnet'})"), [])
        self.assertNotIn(self.pages.origin, self.hub.command("--json", "near", "connections").decode())

    def test_two_networks_are_two_accounts(self):
        page = self.app()
        first = self.call(page, "signIn")["value"]
        second = self.call(page, "signIn", network="testnet")["value"]
        self.assertEqual([first[0]["accountId"], second[0]["accountId"]], ["bob.near", "tess.testnet"])
        asked = self.message()
        self.check(asked, self.call(page, "signMessage", network="testnet", **asked)["value"], "tess.testnet")
        reported = [page.evaluate("(network) => wallet.call('getAccounts', {network})", name)[0]["accountId"]
                    for name in ("mainnet", "testnet")]
        self.assertEqual(reported, ["bob.near", "tess.testnet"])

    def test_sign_in_with_a_message_is_one_call(self):
        page = self.app()
        asked = self.message()
        [found] = self.call(page, "signInAndSignMessage", messageParams=asked)["value"]
        self.check(asked, found["signedMessage"])
        self.assertEqual(found["accountId"], "bob.near")

    def test_errors_of_the_wire_keep_their_code(self):
        page = self.app()
        found = self.call(page, "signDelegateActions", delegateActions=[])
        self.assertEqual(found["error"]["code"], "invalid_request")
        found = self.call(page, "signMessage", message="x" * (300 << 10), recipient="a", nonce=[0] * 32)
        self.assertEqual(found["error"]["code"], "payload_too_large")

    def test_tabs_and_sites_each_get_their_own_answer(self):
        tabs = [self.app(), self.app(), self.app(self.others.origin + "/")]
        asked = [self.message(f"tab {number}") for number in range(3)]
        for tab in tabs:
            self.call(tab, "signIn")
        for tab, message in zip(tabs, asked):
            self.begin(tab, "signMessage", {"network": "mainnet", "signerId": "bob.near", **message})
        for tab, message in zip(tabs, asked):
            self.check(message, self.end(tab)["value"])

    def test_two_calls_of_one_page_at_once_each_get_their_own_answer(self):
        page = self.app()
        asked = [self.message(f"call {number}") for number in range(2)]
        for name, message in zip("ab", asked):
            self.begin(page, "signMessage", {"network": "mainnet", **message}, name)
        for name, message in zip("ab", asked):
            found = self.end(page, name)
            self.assertIn("value", found, found)
            self.check(message, found["value"])

    def test_an_answer_that_arrives_late_is_not_lost(self):
        page = self.app()
        page.evaluate("window.messageMilliseconds = 1200")
        asked = self.message()
        found = self.call(page, "signMessage", **asked)
        self.assertIn("value", found, found)
        self.check(asked, found["value"])

    def test_an_answer_that_the_browser_lost_is_posted_again(self):
        page = self.app()
        page.evaluate("window.lostAnswers = 3")
        asked = self.message()
        found = self.call(page, "signMessage", **asked)
        self.assertIn("value", found, found)
        self.check(asked, found["value"])
        self.assertLess(page.evaluate("lostAnswers"), 0)

    def test_without_a_click_the_page_asks_for_one(self):
        asked = self.message()
        page = self.context.new_page()
        # Acts like a browser that blocks the window: `open` returns null.
        page.add_init_script("""const real = open; let isFirst = true;
          window.open = (...given) => { if (!isFirst) return real(...given); isFirst = false; return null; };""")
        page.goto(self.pages.origin + "/")
        page.wait_for_function("window.wallet !== undefined")
        page.evaluate("(next) => { run(...next); }", ["one", "signMessage", {"network": "mainnet", **asked}])
        button = page.frame_locator("iframe.sandbox").get_by_role("button")
        expect(button).to_contain_text("Countersign")
        with self.context.expect_page():
            button.click()
        self.check(asked, self.end(page)["value"])

    def test_the_manifest_lists_the_supported_features(self):
        manifest = json.loads(self.manifest)
        self.assertEqual(manifest, json.loads(self.hub.command("near", "manifest")))
        for name in ("id", "name", "icon", "website", "version", "executor", "features", "permissions"):
            self.assertTrue(manifest[name], name)
        self.assertEqual(manifest["type"], "sandbox")
        page = self.app()
        for name, method in (("signMessage", "signMessage"), ("signInAndSignMessage", "signInAndSignMessage"),
                             ("signDelegateActions", "signDelegateActions"),
                             ("signAndSendTransaction", "signAndSendTransaction"),
                             ("signAndSendTransactions", "signAndSendTransactions")):
            self.assertIs(manifest["features"][name], True)
            found = self.call(page, method)
            self.assertNotIn(found["error"]["code"], ("unsupported_method", "no_answer"), method)
        self.assertIs(manifest["features"]["signTransaction"], False)
        other = json.loads(self.hub.command("near", "manifest", "--web", "7155"))
        self.assertNotEqual(manifest["version"], other["version"])
        self.assertIn(b"does not serve the web page", self.refused("near", "manifest"))

    def refused(self, *words):
        hub = Hub("new_client")
        self.addCleanup(hub.folder.cleanup)
        agent = Agent(hub)
        self.addCleanup(agent.kill)
        done = subprocess.run([BINARY, "--home", hub.home, *words], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        return done.stderr


class Asked(Case):
    """Requests that no rule allows are answered in the inbox, never in the window."""

    def test_the_window_points_to_the_inbox_and_the_page_gets_the_answer(self):
        page = self.app()
        asked = self.message("for a person")
        window = self.begin(page, "signMessage", {"network": "mainnet", **asked})
        expect(window.locator("#state")).to_have_text("The request waits for your answer.")
        expect(window.locator("#client")).to_have_text(self.pages.origin)
        self.assertEqual(window.locator("input, button").count(), 0)
        shown, item = self.shown()
        self.assertIn(f"{self.pages.origin} (a page, says a browser that is not paired)", shown["text"])
        self.assertEqual(shown["client"]["page"]["origin"], self.pages.origin)
        self.assertEqual([shown["client"]["channel"], shown["client"]["proved"]["token"]], ["web", None])
        self.answer()
        self.check(asked, self.end(page)["value"])
        deadline = time.monotonic() + 30
        while not window.is_closed():
            self.assertLess(time.monotonic(), deadline)
            page.wait_for_timeout(50)

    def test_a_no_is_an_error_of_the_wire(self):
        page = self.app()
        self.begin(page, "signMessage", {"network": "mainnet", **self.message("no")})
        self.waiting(1)
        self.answer("no")
        self.assertEqual(self.end(page)["error"]["code"], "user_rejected")

    def test_closing_the_window_withdraws_its_question(self):
        page = self.app()
        window = self.begin(page, "signMessage", {"network": "mainnet", **self.message("closed")})
        self.waiting(1)
        with window.expect_event("close"):
            window.evaluate("setTimeout(close)")
        self.assertEqual(self.end(page)["error"]["code"], "window_closed")
        self.waiting(0)

    def test_reloading_the_window_does_not_ask_twice(self):
        page = self.app()
        asked = self.message("again")
        window = self.begin(page, "signMessage", {"network": "mainnet", **asked})
        self.waiting(1)
        first = self.shown()[1]["id"]
        window.reload()
        expect(window.locator("#state")).to_have_text("The request waits for your answer.")
        time.sleep(4)
        self.assertEqual(self.shown()[1]["id"], first)
        self.answer()
        self.check(asked, self.end(page)["value"])

    def test_an_answer_does_not_go_to_another_page_in_the_openers_tab(self):
        page = self.app()
        self.others.put("/listens", "<!DOCTYPE html><script>window.heard = [];"
                        "addEventListener('message', ({ data }) => heard.push(data));</script>")
        self.begin(page, "signMessage", {"network": "mainnet", **self.message("moved")})
        self.waiting(1)
        page.goto(self.others.origin + "/listens")
        self.answer()
        self.waiting(0)
        time.sleep(3)
        self.assertEqual(page.evaluate("heard.filter((data) => data.countersign === 'answer')"), [])

    def test_a_framed_page_is_shown_as_framed(self):
        self.others.put("/around", f'<iframe src="{self.pages.origin}/" width="300" height="300"></iframe>')
        page = self.context.new_page()
        page.goto(self.others.origin + "/around")
        frame = page.frames[1]
        frame.wait_for_function("window.wallet !== undefined")
        frame.evaluate("(next) => { window.next = next; }",
                       ["one", "signMessage", {"network": "mainnet", **self.message("framed")}])
        with self.context.expect_page():
            frame.click("#go")
        self.waiting(1)
        shown, _ = self.shown()
        self.assertIn("framed", shown["text"])
        self.assertIn("a page of another site", shown["text"])
        self.assertEqual(shown["client"]["page"], {
            "origin": self.pages.origin, "top_origin": None, "document": None})
        self.answer("no")
        self.waiting(0)


class Hostile(Case):
    """Attempts of a page besides the calls of near-connect."""
    ALLOWED = ("others",)

    def open(self, page, target="_blank"):
        page.evaluate("([url, target]) => { go.onclick = () => { window.door = open(url, target); }; }",
                      [self.origin + "/near", target])
        with self.context.expect_page() as opened:
            page.click("#go")
        opened.value.wait_for_load_state()
        return opened.value

    def test_a_page_cannot_ask_in_another_pages_name(self):
        page = self.app()
        self.open(page)
        frame = json.dumps({"method": "getAccounts", "params": {}})
        page.evaluate("""([frame, other]) => {
          window.answers = [];
          addEventListener("message", ({ data }) => { if (data?.countersign === "answer") answers.push(data); });
          for (const data of [null, 7, "ask", [], { countersign: "ask" }, { countersign: "answer", id: "x" },
                              { countersign: "ask", id: "AB".repeat(16), frame },
                              { countersign: "ask", id: "cd".repeat(16), frame: {} }]) door.postMessage(data, "*");
          for (const more of [{ origin: other }, { page: other }, { source: other, framed: false }, { link: other }]) {
            door.postMessage({ countersign: "ask", id: "ab".repeat(16), frame, ...more }, "*");
          }
        }""", [frame, self.others.origin])
        page.wait_for_function("answers.length > 0 && door.closed")
        # This page sends no receipt, so the one answer is posted again.
        [answer] = {json.dumps(answer): answer for answer in page.evaluate("answers")}.values()
        self.assertEqual([answer["id"], json.loads(answer["reply"])["error"]["code"]], ["ab" * 16, "not_signed_in"])
        found = self.hub.command("--json", "audit", "list").decode()
        self.assertNotIn(self.others.origin, found)

    def test_a_window_ignores_messages_of_other_pages(self):
        page = self.app()
        window = self.open(page, "known")
        self.others.put("/child", "<!DOCTYPE html><script>addEventListener('message', () => {"
                        "const door = open('', 'known'); door?.postMessage({countersign: 'ask', "
                        "id: 'ef'.repeat(16), frame: '{\"method\":\"signOut\",\"params\":{}}'}, '*');"
                        "parent.postMessage(door === null ? 'none' : 'sent', '*'); });</script>")
        page.evaluate("""(url) => new Promise((resolve) => {
          const frame = document.createElement("iframe");
          frame.src = url;
          frame.onload = () => frame.contentWindow.postMessage("go", "*");
          addEventListener("message", ({ data }) => typeof data === "string" && resolve(data));
          document.body.append(frame);
        })""", self.others.origin + "/child")
        time.sleep(1)
        self.assertTrue(window.locator("#who").is_hidden())

    def test_no_page_can_send_the_requests_of_the_window(self):
        page = self.app()
        found = page.evaluate("""async ([origin, key]) => {
          const body = JSON.stringify({ key, frame: "{}", page: location.origin, framed: false });
          const tried = (init) => fetch(`${origin}/near/requests`, init).then((it) => it.type, () => "blocked");
          const results = [
            await tried({ method: "POST", body, headers: { "Content-Type": "application/json" } }),
            await tried({ method: "POST", body }), await tried({ method: "POST", body, mode: "no-cors" }), await tried(),
          ];
          const frame = document.createElement("iframe");
          frame.src = `${origin}/near`;
          document.body.append(frame);
          await new Promise((resolve) => { frame.onload = resolve; });
          try { results.push(frame.contentWindow.document.title); } catch { results.push("apart"); }
          return results;
        }""", [self.origin, "12" * 16])
        self.assertEqual(found[0], "blocked")
        self.assertEqual(found[1], "blocked")
        self.assertEqual(found[3:], ["blocked", "apart"])
        self.assertEqual(self.agent.ask("GET", "/v1/status")[2]["waiting"], 0)

    def test_a_page_cannot_navigate_its_window_to_the_inbox(self):
        page = self.app()
        for url in (self.origin + "/", self.hub.command("agent", "web").decode().strip()):
            window = self.open(page)
            page.evaluate("(url) => { door.location = url; }", url)
            window.wait_for_url(url)
            expect(window.locator("body")).to_contain_text("other_site")

    def test_a_flood_is_answered_and_bounded(self):
        page = self.app()
        self.open(page)
        answers = page.evaluate("""async () => {
          const answers = [];
          addEventListener("message", ({ data }) => { if (data?.countersign === "answer") answers.push(data); });
          for (let number = 0; number < 200; number += 1) {
            const id = number.toString(16).padStart(32, "0");
            door.postMessage({ countersign: "ask", id, frame: '{"method":"nothing","params":{}}' }, "*");
          }
          const end = performance.now() + 20000;
          while (answers.length < 200 && performance.now() < end) await new Promise((go) => setTimeout(go, 20));
          return answers;
        }""")
        self.assertEqual(len(answers), 200)
        self.assertEqual(len([answer for answer in answers if answer.get("code") == "busy"]), 192)


class OnThePublicWeb(Case):
    """A page on a public address, from which browsers block all other requests to this machine."""
    FLAGS = ["--ip-address-space-overrides=127.0.0.1:%d=public"]
    ALLOWED = ("pages",)

    def test_a_public_page_gets_its_answer_through_a_window(self):
        page = self.app()
        asked = self.message("from far away")
        self.check(asked, self.call(page, "signMessage", **asked)["value"])
        tried = "(url) => fetch(url, { mode: 'no-cors' }).then(() => 'reached', () => 'blocked')"
        self.assertEqual(page.evaluate(tried, self.origin + "/near"), "blocked")

    def test_a_missing_agent_is_reported(self):
        page = self.app()
        nobody = self.hub.command("near", "manifest", "--web", str(free_port())).decode()
        page.evaluate("(manifest) => { wallet = connector(manifest); }", json.loads(nobody))
        self.begin(page, "signMessage", {"network": "mainnet", **self.message()})
        self.assertEqual(self.end(page)["error"]["code"], "agent_down")


if __name__ == "__main__":
    unittest.main()
