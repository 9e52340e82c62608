# SPDX-License-Identifier: Apache-2.0
"""Questions to several people in the owner's views: the inbox in a real terminal, and the page in Chromium."""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import time
import unittest

from playwright.sync_api import expect

from agent_peer import Agent, event_url, signed_event
from hub import BINARY, PASSPHRASE, Hub
from inbox_peer import Screen
from web import WebCase

RULE = """
[[rule]]
id = "in-public"
effect = "ask"
protocol = "nostr"
operation = "sign_event"
approvers = { min = 2, of = ["alice", "bob"%s], within = "1h", submitter_may_approve = %s }
"""


def several(hub, other, may_approve=True):
    """Puts a policy in force under which alice, whose key is in this home, and bob elsewhere must approve."""
    people = [hub.command("approver", "new", "--name", "alice").decode(),
              other.command("approver", "new", "--name", "bob").decode()]
    if not may_approve:
        people.append(other.command("approver", "new", "--name", "carol").decode())
    pathlib.Path(hub.home, "policy.toml").write_text(
        'version = 1\ndefault = "deny"\n[approvers]\n' + "".join(people)
        + RULE % (', "carol"' if not may_approve else "", str(may_approve).lower()))
    hub.command("policy", "attest")


def digest(hub):
    deadline = time.monotonic() + 30
    while not (waiting := json.loads(hub.command("approver", "pending", "--json"))["waiting"]):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return waiting[0]["question"]


def say(hub, other, word):
    """Bob answers in his own home, through files."""
    name = digest(hub)
    question = os.path.join(other.folder.name, "question.json")
    pathlib.Path(question).write_bytes(hub.command("approver", "export", name))
    answer = other.command("approver", "answer", question, word, "--seen", name)
    hub.command("approver", "deliver", "-", stdin=answer)


class ApprovalsAtTheTerminal(unittest.TestCase):
    def start(self, may_approve=True):
        self.hub, self.other = Hub("new_client"), Hub("new_client")
        for hub in (self.hub, self.other):
            self.addCleanup(hub.folder.cleanup)
        self.hub.command("key", "new", "--protocol", "nostr", "--name", "shop")
        several(self.hub, self.other, may_approve)
        self.agent = Agent(self.hub)
        self.addCleanup(self.agent.stop)
        self.pool = concurrent.futures.ThreadPoolExecutor(4)
        self.addCleanup(self.pool.shutdown)
        screen = Screen(f"{BINARY} --home {shlex.quote(self.hub.home)} inbox")
        self.addCleanup(screen.close)
        screen.see("passphrase to open the inbox")
        screen.press(PASSPHRASE.decode(), "Enter", rest=0)
        screen.see("nothing waits")
        return screen

    def submit(self, content):
        body = {"frame": event_url(content), "wait_seconds": 60}
        return self.pool.submit(lambda: self.agent.ask("POST", "/v1/requests", body)[2])

    def to_the_end(self, screen):
        """Scrolls through the whole question; the text shows on the way."""
        seen = screen.text()
        for _ in range(20):
            if "Space for more" not in screen.text():
                return seen
            screen.press("Space", rest=0)
            seen += screen.text()
        raise AssertionError(seen)

    def test_a_yes_counts_after_the_whole_question_was_shown(self):
        screen = self.start()
        asked = self.submit("for several")
        screen.see("several people: approve (1)", "0 of 2: Sign", "for several")
        screen.press("a")
        screen.see("their answers are not remembered")
        screen.press("o", rest=0)
        screen.see("before a yes, read all of the question")
        seen = self.to_the_end(screen)
        for text in ("a yes is valid only for:", "in-public: 2 of alice, bob", "0 of 2 said yes, 2 missing",
                     "alice may say yes or no", "until"):
            self.assertIn(text, seen)
        screen.press("o")
        screen.see("1 of 2: Sign")
        self.assertFalse(asked.done())
        screen.press("End")
        screen.see("answered  alice: yes", "no key of this home can answer")
        if folder := os.environ.get("COUNTERSIGN_SCREENS"):
            pathlib.Path(folder, "approvals.txt").write_text(screen.text())
        screen.press("n")
        screen.see("no approver key of this home can answer")
        say(self.hub, self.other, "yes")
        self.assertTrue(signed_event(asked.result(timeout=60)["reply"]).verify())
        screen.see("nothing waits")

    def test_a_key_of_this_home_may_deny_its_request_but_not_approve_it(self):
        screen = self.start(may_approve=False)
        listed = self.submit("not for us")
        screen.see("0 of 2: Sign")
        self.to_the_end(screen)
        screen.press("o")
        screen.see("the home that sent a request cannot approve it")
        self.assertIn("approvers 0 of 2", self.hub.command("inbox", "--list").decode())
        waiting = json.loads(self.hub.command("inbox", "--json"))
        self.assertEqual([item["may_deny"] for item in waiting["approvals"]], [["alice"]])
        screen.press("n")
        self.assertEqual(listed.result(timeout=60)["reason"]["code"], "person_denied")
        screen.see("nothing waits")

    def test_another_approvers_answer_shows_without_a_key_press(self):
        screen = self.start()
        asked = self.submit("seen by both")
        screen.see("0 of 2: Sign")
        say(self.hub, self.other, "yes")
        screen.see("1 of 2: Sign")
        self.to_the_end(screen)
        screen.press("o")
        self.assertEqual(asked.result(timeout=60)["state"], "done")
        shown = self.hub.command("audit", "list", "--entry", "intent").decode().split()[0]
        receipt = self.hub.command("audit", "receipt", shown)
        path = os.path.join(self.hub.folder.name, "receipt.json")
        pathlib.Path(path).write_bytes(receipt)
        checked = self.hub.command(
            "receipt", "verify", path, "--policy", os.path.join(self.hub.home, "policy.toml")).decode()
        self.assertIn("re-run    the same: ask by in-public", checked)
        self.assertIn("approved  alice, bob", checked)


class ApprovalsOnThePage(WebCase):
    def setUp(self):
        super().setUp()
        self.other = Hub("new_client")
        self.addCleanup(self.other.folder.cleanup)
        several(self.hub, self.other)

    def test_a_yes_counts_once_and_only_after_reading(self):
        tab = self.tab()
        expect(tab.locator("#list")).to_contain_text("Nothing waits for you.")
        asked = self.submit("for several on the page")
        self.choose(tab, "for several on the page")
        self.assertTrue(tab.locator("#yes").is_disabled())
        # The names are in the order of their keys.
        expect(tab.locator("#who")).to_contain_text(
            re.compile("in-public: 2 of (alice, bob|bob, alice)"))
        expect(tab.locator("#covers")).to_contain_text("0 of 2 said yes, 2 missing")
        expect(tab.locator("#list")).to_contain_text("0 of 2 said yes")
        for place in ("#never", "#all", "#bounds", "#wishes", "#as-label"):
            self.assertTrue(tab.locator(place).is_hidden(), place)
        self.assertEqual(tab.locator("#spans input").count(), 1)
        self.serious(tab)
        tab.locator("#words").evaluate("element => element.scrollTop = element.scrollHeight")
        expect(tab.locator("#yes")).to_be_enabled()
        if folder := os.environ.get("COUNTERSIGN_SCREENS"):
            tab.screenshot(path=os.path.join(folder, "approvals.png"), full_page=True)
        tab.locator("#yes").click()
        expect(tab.locator("#note")).to_contain_text("Answered yes")
        expect(tab.locator("#list")).to_contain_text("1 of 2 said yes")
        self.assertFalse(asked.done())
        # The owner's key has answered, so no answer is left to give here.
        tab.locator("#list button").first.click()
        expect(tab.locator("#why-not")).to_contain_text("No approver key of this home can answer")
        time.sleep(1.2)
        self.assertTrue(tab.locator("#yes").is_disabled() and tab.locator("#no").is_disabled())
        say(self.hub, self.other, "yes")
        self.assertTrue(signed_event(asked.result(timeout=60)["reply"]).verify())
        expect(tab.locator("#list")).to_contain_text("Nothing waits for you.")
        self.assertEqual(self.errors, [])

    def test_a_no_ends_the_question(self):
        tab = self.tab()
        asked = self.submit("not this")
        self.choose(tab, "not this")
        expect(tab.locator("#no")).to_be_enabled()
        tab.locator("#no").click()
        self.assertEqual(self.state(asked), "person_denied")
        expect(tab.locator("#list")).to_contain_text("Nothing waits for you.")


if __name__ == "__main__":
    unittest.main()
