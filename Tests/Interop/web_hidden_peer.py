# SPDX-License-Identifier: Apache-2.0
"""Names and texts with hidden characters, on every page of the owner and every page that links open, in a real
Chromium: each such character is escaped, as on the terminal."""
import json
import time
import unittest
import urllib.parse
import uuid

from playwright.sync_api import expect

from hub import ROOT
from web import POLICY, WebCase

# Right-to-left override, isolate, zero width space, soft hyphen, a tag, a Braille cell without dots.
HIDDEN = "\u202e\u2066\u200b\u00ad\U000e0041\u2800"
SHOWN = "\\u{202E}\\u{2066}\\u{200B}\\u{AD}\\u{E0041}\\u{2800}"
NAME = f"good{HIDDEN}live"
LIMIT = POLICY.replace(
    'limit = [{ count = 4, per = "1h" }]',
    'limit = [{ count = 4, per = "1h", by = ["client"] }, { count = 40, per = "1h" }]')

# Texts, attributes and fields: all content that a person or a screen reader receives.
FOUND = r"""() => {
  const texts = [document.title, document.documentElement.outerHTML];
  for (const field of document.querySelectorAll("input, select")) texts.push(field.value);
  return texts.join("\n").match(/[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\ufeff\u{e0000}-\u{e007f}]/gu);
}"""


class Hidden(WebCase):
    policy = LIMIT

    def post(self, text, kind=1, seconds=60):
        """Sends a request of a client with such a name."""
        event = {"kind": kind, "content": text, "tags": [], "created_at": int(time.time())}
        return self.agent.ask("POST", "/v1/requests", {
            "wire": "nip07", "frame": json.dumps({"nip07": "signEvent", "params": [event]}), "client": NAME,
            "wait_seconds": seconds})[2]

    def check(self, tab, place):
        """Checks that a place shows the escaped name, and that the page has no hidden character."""
        expect(tab.locator(place)).to_contain_text(f"good{SHOWN}live")
        self.assertIsNone(tab.evaluate(FOUND), place)

    def go(self, tab, name):
        tab.get_by_role("navigation").get_by_role("button", name=name).click()

    def test_every_page_of_the_owner_escapes_hidden_characters(self):
        # The name is in the list, the question, the ended requests, and the text of the note.
        tab = self.tab()
        asked = self.submit("a note")
        self.choose(tab, "a note")
        self.check(tab, "#list")
        self.check(tab, "#who")
        self.check(tab, "#words")
        tab.get_by_role("button", name="Show everything").click()
        expect(tab.locator("#all")).to_be_hidden()
        self.check(tab, "#words")
        tab.locator("#words").evaluate("(it) => it.scrollTo(0, it.scrollHeight)")
        tab.get_by_label("for an hour").check()
        tab.get_by_role("button", name="Yes, for an hour").click()
        self.assertEqual(self.state(asked), "done")
        self.go(tab, "Ended")
        self.check(tab, "#ended-rows")
        self.assertEqual(self.state(self.submit("a reaction", kind=7)), "done")
        self.go(tab, "Activity")
        self.check(tab, "#client-rows")
        self.go(tab, "Limits")
        # The name of the counter escapes it in another way.
        expect(tab.locator("#limit-rows")).to_contain_text("client=good%e2%80%ae")
        self.assertIsNone(tab.evaluate(FOUND))
        self.go(tab, "Remembered")
        self.check(tab, "#grant-rows")
        tab.get_by_role("button", name="Take back...").click()
        self.check(tab, "#sure")
        tab.keyboard.press("Escape")
        self.connect(tab)
        self.go(tab, "Connections")
        self.check(tab, "#connection-rows")
        tab.get_by_role("button", name="End it...").click()
        self.check(tab, "#sure")
        tab.keyboard.press("Escape")
        self.go(tab, "Record")
        self.check(tab, "#audit-rows")
        for row in tab.locator("#audit-rows td > details > summary").all():
            row.click()
        self.check(tab, "#audit-rows pre >> nth=0")
        # Entries are found by the unescaped name, too.
        tab.locator("#audit-client").fill(NAME)
        tab.get_by_role("button", name="Search").click()
        expect(tab.locator("#audit-count")).to_contain_text("entries")
        tab.locator("#audit-client").fill("")
        self.check(tab, "#audit-rows")
        self.assertEqual(self.errors, [])

    def connect(self, tab):
        self.hub.command("key", "new", "--protocol", "algorand", "--name", "carol")
        provider = self.agent.ask("GET", "/v1/status")[2]["provider_id"]
        frame = json.dumps({"id": str(uuid.uuid4()), "reference": "arc0027:enable:request",
                            "params": {"providerId": provider}})
        asked = self.pool.submit(lambda: self.agent.ask("POST", "/v1/requests", {
            "wire": "arc27", "frame": frame, "client": NAME, "wait_seconds": 60})[2])
        self.go(tab, "Waiting")
        self.choose(tab, "good")
        tab.locator("#yes").click()
        self.assertEqual(self.state(asked), "done")

    def test_pages_of_links_escape_hidden_characters(self):
        windows = self.hub.windows(self.port)
        tab = self.browser.new_context().new_page()
        self.addCleanup(tab.context.close)
        good = "https://app.example/"
        for path, query in (
            ("/login", {"success_url": good, "failure_url": good, "contract_id": NAME, "public_key": "ed25519:1",
                        "methodNames": NAME}),
            ("/sign-message", {"message": NAME, "recipient": NAME, "nonce": "x", "callbackUrl": good}),
            ("/sign-message", {"message": "plain", "recipient": NAME, "nonce": "x", "callbackUrl": good + NAME}),
        ):
            tab.goto(f"{windows}{path}?{urllib.parse.urlencode(query)}")
            expect(tab.locator("#link")).to_be_visible()
            self.check(tab, "#what")

    def test_pages_and_terminal_escape_the_same_characters(self):
        cases = json.loads((ROOT / "Tests/Vectors/visible_text.json").read_text())["cases"]
        tab = self.tab(is_open=False)
        shown = tab.evaluate("""async (texts) => {
          const { visible } = await import("/visible.js");
          return texts.map((text) => visible(text));
        }""", [text for text, _ in cases])
        for (text, wanted), found in zip(cases, shown, strict=True):
            self.assertEqual(found, wanted, ascii(text))
        lines = tab.evaluate("import('/visible.js').then(({ visible }) => visible('a\\n\\tb\\r\\u202e', true))")
        self.assertEqual(lines, "a\n\tb\\r\\u{202E}")


if __name__ == "__main__":
    unittest.main()
