# SPDX-License-Identifier: Apache-2.0
"""One tab that sends as many requests as it can, with frames of many sites; other clients are served meanwhile."""
import json
import time
import unittest
import urllib.parse

from agent_peer import event_url
from browser import NEAR, POLICY, SIGN, Case, verified

GOOD, OTHER = "https://good.example", "https://other.example"
PAGE = "<!DOCTYPE html><title>page</title><p>page"

# Calls near-connect repeatedly, which no rate limit slows down, and counts the results of the calls.
FLOOD = """async (count) => {
  window.ends = {};
  const wallet = await new Promise((resolve) => {
    addEventListener("near-wallet-injected", (event) => resolve(event.detail), { once: true });
    dispatchEvent(new CustomEvent("near-selector-ready"));
  });
  const note = (word) => { window.ends[word] = (window.ends[word] ?? 0) + 1; };
  for (let number = 0; number < count; number += 1) {
    wallet.signIn({ network: "mainnet" }).then(() => note("done"), (error) => note(error.code));
  }
}"""


class OneTab(Case):
    @classmethod
    def setUpClass(cls):
        cls.make()
        cls.attest(POLICY % f'"{GOOD}"')
        cls.bot = cls.hub.command("agent", "token", "new", "--name", "bot").decode().strip()
        cls.browser.context.route("https://**/*", cls.serve)

    @staticmethod
    def serve(route):
        """A page of any site, with frames of the sites that its query names."""
        query = urllib.parse.urlsplit(route.request.url).query
        frames = "".join(f'<iframe src="{place}"></iframe>' for place in urllib.parse.parse_qs(query).get("frame", []))
        route.fulfill(content_type="text/html", body=PAGE + frames)

    def tab(self, origin, *frames):
        """A tab with frames; the query of a frame names its frames."""
        page = self.page(f"{origin}/?{urllib.parse.urlencode([('frame', place) for place in frames])}")
        page.wait_for_load_state("networkidle")
        return page

    def flood(self, frames, count):
        for frame in frames:
            frame.evaluate(FLOOD, count)

    def asking(self, page, text):
        page.evaluate(f"void (window.asked = ({SIGN})(['{text}', 1]))")

    def names(self):
        waiting = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
        return [item["client"]["name"] for item in waiting]

    def submit(self, token=None):
        """Returns the state of a program's request, with a token or without."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        status, _, value = self.agent.ask("POST", "/v1/requests", {
            "wire": "nip155", "frame": event_url(f"{time.monotonic()}"), "wait_seconds": 1}, headers)
        if status == 202:
            self.agent.ask("DELETE", f"/v1/requests/{value['id']}", headers=headers)
        return value.get("reason", {}).get("code", value.get("state"))

    def tearDown(self):
        for page in self.browser.context.pages[1:]:
            page.close()
        self.waiting(0)

    def test_frames_of_five_sites_share_the_questions_of_one_site(self):
        page = self.tab("https://evil.example", *(f"https://site{number}.example/" for number in range(5)))
        self.flood(page.frames, 12)
        self.waiting(10)
        # Besides these questions, those of tokens, programs and other sites still wait.
        for token in (self.bot, None):
            self.assertEqual(self.submit(token), "pending")
        other = self.tab(OTHER)
        self.asking(other, "beside it")
        self.waiting(11)
        self.assertEqual(self.names().count(OTHER), 1)
        # A site that was framed there has a full share in its own tab.
        framed = self.tab("https://site0.example")
        self.asking(framed, "in a tab of its own")
        self.waiting(12)

    def test_nested_frames_count_for_the_site_of_the_tab(self):
        own = "https://own.example"
        inner = urllib.parse.urlencode({"frame": f"{own}/inner"})
        page = self.tab(own, *(f"https://middle{number}.example/?{inner}" for number in range(5)))
        self.assertEqual(len(page.frames), 11)
        self.flood([frame for frame in page.frames if "/inner" in frame.url], 12)
        self.waiting(10)

    def test_sites_in_many_tabs_leave_room_for_other_sites_and_tokens(self):
        pages = [self.tab(f"https://many{number}.example") for number in range(5)]
        for page in pages:
            self.flood([page], 12)
        # Ten, five, and one each.
        self.waiting(18)
        other = self.tab(OTHER)
        self.asking(other, "a sixth site")
        self.waiting(19)
        self.assertEqual(self.names().count(OTHER), 1)
        for token in (self.bot, None):
            self.assertEqual(self.submit(token), "pending")

    def test_frames_of_five_subdomains_keep_no_other_site_busy(self):
        page = self.tab("https://evil.example", *(f"https://s{number}.evil.example/" for number in range(5)))
        good = self.tab(GOOD)
        self.flood(page.frames[1:], 64)
        for number in range(3):
            self.assertTrue(verified(good.evaluate(SIGN, [f"beside them {number}", 1])))
        found = good.evaluate(NEAR, [["signIn", {}]])["found"][0]
        self.assertEqual(found[0]["accountId"], "bob.near")

    def test_subdomains_in_many_tabs_keep_no_other_site_busy(self):
        pages = [self.tab(f"https://t{number}.evil.example") for number in range(6)]
        good = self.tab(GOOD)
        for page in pages:
            self.flood([page], 60)
        self.assertTrue(verified(good.evaluate(SIGN, ["beside them", 1])))

    def test_questions_that_wait_slow_down_no_other_site(self):
        # A site that flooded before is refused for a while.
        page, good = self.tab("https://asking.example"), self.tab(GOOD)
        good.evaluate(SIGN, ["first", 1])
        self.flood([page], 10)
        page.wait_for_timeout(300)
        start = time.monotonic()
        self.assertTrue(verified(good.evaluate(SIGN, ["beside ten questions", 1])))
        seconds = time.monotonic() - start
        print(f"\nallowed call beside ten questions: {seconds * 1000:.0f} ms")
        self.waiting(10)
        # It took 8 s when each question occupied a thread.
        self.assertLess(seconds, 4)


if __name__ == "__main__":
    unittest.main()
