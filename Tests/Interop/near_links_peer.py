# SPDX-License-Identifier: Apache-2.0
"""MyNearWallet's links in Debian's Chromium, in the forms of near-api-js and near-connect, with py-near's
transactions."""
import base64
import json
import os
import pathlib
import time
import unittest
import unittest.mock
from urllib.parse import parse_qsl, urlencode, urlsplit

import nacl.signing
import py_near_primitives as peer
from playwright.sync_api import expect, sync_playwright

from agent_peer import Agent
from browser import CHROMIUM, Pages
from hub import Hub, free_port
from near_node import Node
from near_peer import digest
from near_values import base58

POLICY = """
version = 1
default = "ask"

[[rule]]
id = "everything-of-the-app"
effect = "allow"
client = ["%s", "%s"]
acknowledge = ["new_client"%s]
"""
ACCOUNT = "tess.testnet"


class Case(unittest.TestCase):
    ACKNOWLEDGED = ""

    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.key = nacl.signing.SigningKey.generate()
        cls.public = "ed25519:" + base58(bytes(cls.key.verify_key))
        secret = "ed25519:" + base58(bytes(cls.key) + bytes(cls.key.verify_key))
        cls.hub.import_key("near", "tess", secret, "--account", ACCOUNT, "--network", "testnet")
        cls.pages, cls.others = Pages(), Pages()
        cls.addClassCleanup(cls.pages.close)
        cls.addClassCleanup(cls.others.close)
        text = POLICY % (cls.pages.origin, cls.others.origin, cls.ACKNOWLEDGED)
        pathlib.Path(cls.hub.home, "policy.toml").write_text(text)
        cls.hub.command("policy", "attest")
        cls.node = Node()
        cls.addClassCleanup(cls.node.close)
        cls.port = free_port()
        cls.wallet = cls.hub.windows(cls.port)
        cls.agent = Agent(cls.hub, "--web", str(cls.port), "--rpc", cls.node.url)
        cls.addClassCleanup(cls.agent.kill)
        cls.driver = sync_playwright().start()
        cls.addClassCleanup(cls.driver.stop)
        cls.browser = cls.driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.context = self.browser.new_context()
        self.addCleanup(self.context.close)
        self.context.set_default_timeout(30_000)

    def follow(self, path, query, pages=None):
        """A page opens the link like `location.assign` of near-api-js."""
        page = self.context.new_page()
        page.goto((pages or self.pages).origin + "/app")
        page.evaluate("(url) => { setTimeout(() => location.assign(url)); }",
                      f"{self.wallet}{path}?{query if isinstance(query, str) else urlencode(query, doseq=True)}")
        page.wait_for_url(f"{self.wallet}/**")
        return page

    def press(self, page):
        expect(page.locator("#ask")).to_be_enabled()
        page.click("#ask")

    def back(self, page, pages=None):
        """Returns the query that the page receives, and the fragment."""
        page.wait_for_url((pages or self.pages).origin + "/**")
        url = urlsplit(page.url)
        return dict(parse_qsl(url.query)), dict(parse_qsl(url.fragment))

    def template(self, receiver, action, signer=ACCOUNT):
        made_up = bytes(nacl.signing.SigningKey.generate().verify_key)
        transaction = peer.Transaction(signer, made_up, 0, receiver, bytes(32), [action])
        return base64.b64encode(bytes(transaction.serialize())).decode()

    def sign(self, *templates, **more):
        return {"transactions": ",".join(templates), "callbackUrl": self.pages.origin + "/done?kept=1", **more}

    def waiting(self, count):
        deadline = time.monotonic() + 60
        while (found := self.agent.ask("GET", "/v1/status")[2]["waiting"]) != count:
            self.assertLess(time.monotonic(), deadline, f"{found} wait, not {count}")
            time.sleep(0.05)

    def answer(self, word="once"):
        self.waiting(1)
        [item] = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
        shown = json.loads(self.hub.command("--json", "inbox", "show", item["id"]))
        self.hub.command("inbox", "answer", item["id"], word, "--seen", shown["digest"])
        return shown["text"]


class Redirects(Case):
    """Under a rule that acknowledges the danger."""
    ACKNOWLEDGED = ', "by_link", "adds_key"'

    def login(self, **more):
        place = self.pages.origin + "/in?x=1"
        return {"success_url": place, "failure_url": place, **more}

    def test_wallet_connection_signs_in(self):
        # `walletUrl + "/login/"`, with and without a network in front.
        for path in ("/login/", "/login", "/testnet/login/", "/testnet//login/"):
            page = self.follow(path, self.login())
            expect(page.locator("#client")).to_have_text(self.pages.origin)
            expect(page.locator("#target")).to_have_text(self.pages.origin + "/in?x=1")
            self.press(page)
            self.assertEqual(self.back(page)[0], {"x": "1", "account_id": ACCOUNT, "all_keys": self.public})

    def test_a_key_of_the_app_is_added_on_the_chain(self):
        own = "ed25519:" + base58(bytes(nacl.signing.SigningKey.generate().verify_key))
        page = self.follow("/testnet/login/", self.login(
            contract_id="guest-book.testnet", public_key=own, methodNames=["add", "get"]))
        expect(page.locator("#what")).to_contain_text("guest-book.testnet: add, get")
        self.press(page)
        found, _ = self.back(page)
        self.assertEqual([found["account_id"], found["public_key"]], [ACCOUNT, own])
        self.assertIn(b"guest-book.testnet", self.node.sent[-1])

    def test_transactions_are_completed_and_sent(self):
        before = len(self.node.sent)
        page = self.follow("/sign", self.sign(
            self.template("bob.testnet", peer.TransferAction(7)),
            self.template("carol.testnet", peer.FunctionCallAction("hi", b"{}", 30 * 10**12, 0)), meta="m&1"))
        expect(page.locator("#what")).to_have_text("to sign and send 2 transactions")
        self.press(page)
        found, _ = self.back(page)
        hashes = found["transactionHashes"].split(",")
        self.assertEqual([found["kept"], found["meta"]], ["1", "m&1"])
        self.assertTrue(all(name in self.node.taken for name in hashes) and len(hashes) == 2)
        for data in self.node.sent[before:]:
            start = 4 + len(ACCOUNT) + 1
            self.assertEqual(data[start:start + 32], bytes(self.key.verify_key))

    def test_a_failure_on_the_chain_is_not_reported_as_success(self):
        # The page's own address still holds the hashes of an earlier answer.
        place = self.pages.origin + "/done?transactionHashes=old&kept=1"
        page = self.follow("/sign", self.sign(
            self.template("failing.testnet", peer.TransferAction(1)), callbackUrl=place))
        self.press(page)
        found, _ = self.back(page)
        self.assertEqual([found["errorCode"], found["kept"]], ["transaction_failed", "1"])
        self.assertNotIn("transactionHashes", found)
        [hash_, state] = found["transactionStates"].split(":")
        self.assertEqual([hash_ in self.node.taken, state], [True, "failed"])
        page = self.follow("/sign", self.sign(*(
            self.template(f"{name}.testnet", peer.TransferAction(1)) for name in ("bob", "failing", "carol"))))
        self.press(page)
        found, _ = self.back(page)
        self.assertIn("1 carried out, 1 failed, 1 not sent", found["errorMessage"])
        self.assertEqual([one.split(":")[1] for one in found["transactionStates"].split(",")],
                         ["carried_out", "failed", "not_sent"])

    def test_a_message_comes_back_in_the_fragment(self):
        nonce, place = os.urandom(32), self.pages.origin + "/signed"
        page = self.follow("/sign-message", {
            "message": "log in", "recipient": "app.near", "nonce": base64.b64encode(nonce).decode(),
            "callbackUrl": place, "state": "a b&c"})
        expect(page.locator("#what")).to_contain_text("log in")
        self.press(page)
        _, found = self.back(page)
        self.assertEqual([found["accountId"], found["publicKey"], found["state"]], [ACCOUNT, self.public, "a b&c"])
        # After a redirect, the signed message contains the address.
        self.key.verify_key.verify(digest("log in", nonce, "app.near", place), base64.b64decode(found["signature"]))

    def test_a_window_answers_only_its_opener(self):
        nonce = os.urandom(32)
        query = urlencode({"message": "hi", "recipient": "app.near", "callbackUrl": self.pages.origin + "/app",
                           "nonce": base64.b64encode(nonce).decode()})
        for pages, expected in ((self.pages, 1), (self.others, 0)):
            page = self.context.new_page()
            page.goto(pages.origin + "/app")
            page.evaluate("""(url) => {
              window.heard = [];
              addEventListener("message", ({ data }) => heard.push(data));
              document.body.addEventListener("click", () => open(url, "MyNearWallet", "width=480,height=640"));
            }""", f"{self.wallet}/sign-message?{query}")
            with self.context.expect_page() as opened:
                page.locator("p").click()
            window = opened.value
            with window.expect_event("close"):
                self.press(window)
            found = page.evaluate("heard")
            self.assertEqual(len(found), expected)
            if found:
                self.assertEqual(found[0]["status"], "success")
                signed = found[0]["signedRequest"]
                self.key.verify_key.verify(
                    digest("hi", nonce, "app.near", None), base64.b64decode(signed["signature"]))
            nonce = os.urandom(32)
            query = urlencode({**dict(parse_qsl(query)), "nonce": base64.b64encode(nonce).decode()})

    def test_errors_of_the_wire_return_to_the_page(self):
        page = self.follow("/sign", self.sign(self.template("bob.testnet", peer.TransferAction(1), "eve.testnet")))
        self.press(page)
        found, _ = self.back(page)
        self.assertEqual([found["errorCode"], found["kept"]], ["not_signed_in", "1"])
        page = self.follow("/sign", self.sign("AAAA", "!!"))
        self.press(page)
        self.assertEqual(self.back(page)[0]["errorCode"], "invalid_request")

    def test_a_desktop_link_is_completed_and_sent(self):
        before = len(self.node.sent)
        place = self.pages.origin + "/done"
        query = urlencode(self.sign(self.template("dave.testnet", peer.TransferAction(3)), callbackUrl=place))
        folder = pathlib.Path(self.hub.folder.name, "bin")
        folder.mkdir()
        opener = folder / "xdg-open"
        opener.write_text(f'#!/bin/sh\nprintf "%s\\n" "$1" >> {folder}/opened\n')
        opener.chmod(0o755)
        # Only the agent has a node, so the agent signs; no passphrase is typed.
        with unittest.mock.patch.dict(os.environ, PATH=f"{folder}:{os.environ['PATH']}"):
            words = self.hub.command("open", "near://testnet/sign?" + query).decode().splitlines()
        self.assertEqual((folder / "opened").read_text().splitlines(), words)
        hashes = dict(parse_qsl(urlsplit(words[-1]).query))["transactionHashes"]
        self.assertIn(hashes, self.node.taken)
        self.assertIn(b"dave.testnet", self.node.sent[before])
        # The agent sees a link as well: this rule acknowledges the danger, another rule would not cover it.
        kept = self.hub.command("--json", "audit", "list").decode()
        self.assertIn("by_link", [line for line in kept.splitlines() if '"intent"' in line][-1])


class Asked(Case):
    """Under a rule that allows the app every call but does not acknowledge the danger: a link is asked about."""

    def test_a_link_in_another_sites_name_is_asked_about_with_a_warning(self):
        # Any page can write such a link: this page is not the one that the link names.
        page = self.follow("/sign", self.sign(self.template("eve.testnet", peer.TransferAction(10**24))), self.others)
        self.press(page)
        expect(page.locator("#state")).to_have_text("The request waits for your answer.")
        text = self.answer("no")
        self.assertIn("by_link", text)
        self.assertIn("any page can write such a link in the name of another", text)
        self.assertIn("claims to be", text)
        found, _ = self.back(page)
        self.assertEqual(found["errorCode"], "userRejected")

    def test_a_yes_counts_once(self):
        page = self.follow("/sign", self.sign(self.template("bob.testnet", peer.TransferAction(5))))
        self.press(page)
        self.waiting(1)
        [item] = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
        self.assertEqual(item["remember"]["yes"], [])
        self.answer()
        self.assertIn("transactionHashes", self.back(page)[0])

    def test_no_question_is_asked_before_a_person_presses(self):
        page = self.follow("/sign", self.sign(self.template("bob.testnet", peer.TransferAction(5))))
        time.sleep(1.5)
        self.waiting(0)
        page.click("#refuse")
        self.assertEqual(self.back(page)[0]["errorCode"], "userRejected")

    def test_a_click_just_after_loading_does_not_count(self):
        page = self.context.new_page()
        page.add_init_script("window.setTimeout = () => 0;")
        page.goto(f"{self.wallet}/sign?" + urlencode(self.sign(self.template("bob.testnet", peer.TransferAction(5)))))
        expect(page.locator("#client")).to_have_text(self.pages.origin)
        self.assertTrue(page.locator("#ask").is_disabled())

    def test_leaving_the_page_withdraws_the_question(self):
        page = self.follow("/sign", self.sign(self.template("bob.testnet", peer.TransferAction(5))))
        self.press(page)
        self.waiting(1)
        page.goto(self.others.origin + "/app")
        self.waiting(0)

    def test_invalid_links_are_refused(self):
        good = self.pages.origin + "/done"
        template = self.template("bob.testnet", peer.TransferAction(5))
        for path, query, words in (
                ("/sign", {"transactions": template}, "lacks callbackUrl"),
                ("/sign", {"callbackUrl": good}, "lacks transactions"),
                ("/sign", {"transactions": template, "callbackUrl": "javascript:alert(1)"}, "only go to a web page"),
                ("/sign", {"transactions": template, "callbackUrl": "data:text/html,x"}, "only go to a web page"),
                ("/sign", {"transactions": template, "callbackUrl": "near://x"}, "only go to a web page"),
                ("/sign", {"transactions": template, "callbackUrl": "https://app.example@evil.example/"}, "only go to a web page"),
                ("/sign", {"transactions": template, "callbackUrl": "no address"}, "is malformed"),
                ("/sign", {"transactions": template, "callbackUrl": [good, good]}, "callbackUrl twice"),
                ("/sign", {"transactions": template, "callbackUrl": good + "?" + "x" * 5000}, "too long"),
                ("/login/", {"success_url": good}, "lacks failure_url"),
                ("/login/", {"success_url": good, "failure_url": "https://evil.example/"}, "two sites"),
                ("/login/", {"success_url": good, "failure_url": good, "public_key": self.public}, "full access"),
                ("/sign-message", {"message": "x", "callbackUrl": good}, "lacks recipient")):
            page = self.follow(path, query)
            expect(page.locator("#state")).to_contain_text(words)
            self.assertTrue(page.locator("#link").is_hidden())
            page.close()
        page = self.follow("/sign-message", {
            "message": "<img src=x onerror=alert(1)><script>1</script>", "recipient": "r", "nonce": "n",
            "callbackUrl": good})
        self.assertEqual(page.locator("#what img, #what script").count(), 0)
        expect(page.locator("#what")).to_contain_text("<img")
        self.waiting(0)


if __name__ == "__main__":
    unittest.main()
