# SPDX-License-Identifier: Apache-2.0
"""The extension's button: the number of waiting questions, and the inbox; other pages and extensions cannot use it."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from agent_peer import Agent, event_url
from browser import ID, OPTIONS, SIGN, Case
from hub import PASSPHRASE, ROOT, free_port

# Another extension, with permission for all pages of this machine.
HOSTILE = """async (place) => {
  const answers = {};
  for (const [name, path, options] of [
    ["page", "/", {}], ["questions", "/v1/questions", {}], ["key", "/v1/owner/key", {}],
    ["pair", "/web/pair", { method: "POST", body: '{"code":"x"}', headers: { "Content-Type": "application/json" } }],
    ["plain", "/web/pair", { method: "POST", body: '{"code":"x"}' }],
    ["forged", "/v1/questions", { headers: { "Countersign-Web": "ab".repeat(32) } }],
  ]) answers[name] = await fetch(place + path, options).then((answer) => answer.status, () => "refused");
  return answers;
}"""


class Button(Case):
    @classmethod
    def setUpClass(cls):
        other = tempfile.TemporaryDirectory(prefix="countersign-other-")
        cls.addClassCleanup(other.cleanup)
        place = pathlib.Path(other.name)
        place.joinpath("manifest.json").write_text(json.dumps({
            "manifest_version": 3, "name": "other", "version": "1", "permissions": ["tabs"],
            "host_permissions": ["http://127.0.0.1/*", "http://*.localhost/*"], "background": {"service_worker": "worker.js"}}))
        place.joinpath("worker.js").write_text("")
        place.joinpath("frame.html").write_text("<!DOCTYPE html><title>frame</title><iframe></iframe>")
        cls.port = free_port()
        cls.make(place, agent=("--web", str(cls.port)))

    def worker(self, is_ours=True):
        workers = self.browser.context.service_workers
        return next(worker for worker in workers if (ID in worker.url) == is_ours)

    @property
    def origin(self):
        return self.hub.command("agent", "web").decode().split("/#")[0]

    def inboxes(self):
        # The host name of an ended agent does not resolve any more.
        place = re.compile(rf"http://[0-9a-f]{{32}}\.localhost:{self.port}/")
        return [page for page in self.browser.context.pages if place.match(page.url)]

    def badge(self, text):
        deadline = time.monotonic() + 30
        while (found := self.worker().evaluate("chrome.action.getBadgeText({})")) != text:
            self.assertLess(time.monotonic(), deadline, f"{found!r} stands there, not {text!r}")
            time.sleep(0.1)

    def press(self):
        """Presses the button, and waits for a tab that shows the page."""
        self.assertTrue(self.worker().evaluate("chrome.action.onClicked.hasListeners()"))
        self.assertTrue(self.worker().evaluate("openInbox()"))
        deadline = time.monotonic() + 30
        while not self.inboxes():
            self.assertLess(time.monotonic(), deadline)
            self.browser.context.pages[0].wait_for_timeout(50)
        [page] = self.inboxes()
        return page

    def sign_in(self, page):
        page.get_by_label("The passphrase of this home").fill(PASSPHRASE.decode())
        page.get_by_role("button", name="Open the inbox").click()
        expect(page.locator("#waiting")).to_be_visible()

    def tearDown(self):
        for page in self.inboxes():
            page.close()

    def test_the_button_counts_questions_and_opens_the_inbox(self):
        # This name of the server has no rule.
        page = self.page(self.pages.named + "/")
        page.evaluate(f"() => {{ window.asked = ({SIGN})(['from the page', 1984]); }}")
        self.badge("1")
        inbox = self.press()
        self.sign_in(inbox)
        self.assertNotIn("#", inbox.url)
        # Pages of clients have a provider; the inbox has none.
        self.assertEqual(page.evaluate("typeof window.nostr"), "object")
        self.assertEqual(inbox.evaluate("typeof window.nostr"), "undefined")
        inbox.locator("#list button").first.click()
        expect(inbox.locator("#words")).to_contain_text("from the page")
        inbox.locator("#yes").click()
        self.assertEqual(page.evaluate("window.asked.then(({ content }) => content)"), "from the page")
        self.badge("")

    def test_the_button_shows_a_locked_vault_and_leads_to_unlocking(self):
        page = self.page(self.pages.origin + "/")
        self.assertEqual(page.evaluate(f"({SIGN})(['before', 1])").get("content"), "before")
        self.hub.command("agent", "lock")
        # A rule allows the call; the page gets the usual error of a locked vault.
        error = page.evaluate(f"({SIGN})(['locked', 1])")
        self.assertTrue(error["isError"], error)
        self.assertNotIn("failed", error)
        self.badge("lock")
        title = self.worker().evaluate("chrome.action.getTitle({})")
        self.assertIn("locked and signs nothing", title)
        self.assertIn("click to unlock it in the inbox", title)
        options = self.page(OPTIONS)
        expect(options.locator("#state")).to_contain_text("open the inbox to unlock it")
        inbox = self.press()
        self.sign_in(inbox)
        self.badge("")
        self.assertEqual(page.evaluate(f"({SIGN})(['after', 1])").get("content"), "after")

    def test_the_button_has_icons(self):
        for size in self.worker().evaluate("chrome.runtime.getManifest().icons").items():
            loaded = self.worker().evaluate(
                "(file) => fetch(chrome.runtime.getURL(file)).then((it) => it.blob()).then(createImageBitmap)"
                ".then(({ width, height }) => [width, height])", size[1])
            self.assertEqual(loaded, [int(size[0])] * 2)
        subprocess.run([sys.executable, ROOT / "Tools/browser_icons.py", "--check"], check=True)

    def test_the_button_counts_questions_of_other_programs(self):
        frame = event_url("of a program").replace("kind%22%3A%201", "kind%22%3A%201984")
        place = self.agent.ask("POST", "/v1/requests", {"wire": "nip155", "frame": frame, "wait_seconds": 0})[2]
        alarm = self.worker().evaluate("chrome.alarms.get('look')")
        self.assertEqual(alarm["periodInMinutes"], 0.5)
        self.worker().evaluate("look()")
        self.badge("1")
        self.agent.ask("DELETE", f"/v1/requests/{place['id']}")
        self.worker().evaluate("look()")
        self.badge("")

    def test_a_second_press_returns_to_the_same_tab(self):
        inbox = self.press()
        self.sign_in(inbox)
        token = inbox.evaluate("sessionStorage.getItem('countersign-web')")
        self.assertIs(self.press(), inbox)
        # The new code pairs the tab again; its owner session continues.
        inbox.wait_for_function("(token) => sessionStorage.getItem('countersign-web') !== token", arg=token)
        expect(inbox.locator("#waiting")).to_be_visible()
        inbox.evaluate("sessionStorage.clear()")
        inbox.get_by_role("button", name="Limits").click()
        expect(inbox.locator("#closed")).to_be_visible()
        self.press()
        expect(inbox.locator("#limits")).to_be_visible()

    def test_the_options_say_that_the_agent_serves_no_page(self):
        options = self.page(OPTIONS)
        self.agent.stop()
        cls = type(self)

        def again():
            if cls.agent.process.poll() is None:
                cls.agent.stop()
            cls.agent = Agent(cls.hub, "--web", str(cls.port))
        cls.agent = Agent(cls.hub)
        self.addCleanup(again)
        options.click("#inbox")
        expect(options.locator("#opened")).to_contain_text("start it with --web PORT")
        self.assertFalse(self.worker().evaluate("openInbox()"))
        cls.agent.stop()
        options.click("#inbox")
        expect(options.locator("#opened")).to_contain_text("no agent serves this home")
        self.worker().evaluate("look()")
        self.badge("")

    def test_the_options_open_the_inbox(self):
        options = self.page(OPTIONS)
        with self.browser.context.expect_page() as opened:
            options.click("#inbox")
        expect(opened.value.locator("#sign-in")).to_be_visible()
        self.assertEqual(len(self.inboxes()), 1)

    def test_the_options_are_accessible(self):
        for scheme in ("light", "dark"):
            options = self.page(OPTIONS)
            options.emulate_media(color_scheme=scheme)
            options.set_viewport_size({"width": 360, "height": 800})
            found = [item["id"] for item in Axe().run(options).response["violations"]
                     if item["impact"] in ("serious", "critical")]
            self.assertEqual(found, [])
            self.assertLessEqual(options.evaluate("document.documentElement.scrollWidth"), 360)

    def test_a_page_gets_no_address_of_the_inbox(self):
        # Sent as a script of the extension would, in a page that was taken over.
        answers = self.page(OPTIONS).evaluate("""() => new Promise((resolve) => {
          const port = chrome.runtime.connect({ name: "page" });
          const answers = [];
          port.onMessage.addListener((answer) => answers.push(answer));
          const id = (digit) => digit.repeat(32);
          port.postMessage({ id: id("1"), inbox: true });
          port.postMessage({ id: id("2"), status: true });
          port.postMessage({ id: id("3"), wire: "nip07", frame: "{}", inbox: true, path: "/v1/questions" });
          setTimeout(() => resolve(answers), 1500);
        })""")
        # Additional members of a message are ignored; the document has no origin of a site.
        self.assertEqual([(answer["id"][0], answer["code"]) for answer in answers], [("3", "opaque_origin")])

    def test_another_extension_cannot_read_the_inbox(self):
        self.press()
        worker = self.worker(is_ours=False)
        answers = worker.evaluate(HOSTILE, self.origin)
        self.assertEqual(set(answers.values()) - {"refused"}, {403}, answers)
        frame = self.page(worker.url.replace("worker.js", "frame.html"))
        self.assertEqual(set(frame.evaluate(HOSTILE, self.origin).values()) - {"refused"}, {403})
        self.framed(frame, self.origin + "/")

    def test_no_page_can_frame_the_extension_or_the_inbox(self):
        frame = self.page(self.pages.put("/frame", "<!DOCTYPE html><title>frame</title><iframe></iframe>"))
        self.assertIn("page", self.framed(frame, self.others.origin + "/"))
        self.framed(frame, self.origin + "/")
        self.framed(frame, OPTIONS)
        other = self.page(self.worker(is_ours=False).url.replace("worker.js", "frame.html"))
        self.framed(other, OPTIONS)

    def framed(self, page, url):
        """Loads an address in a frame of a page, where no content of ours may show; returns the frame's content."""
        page.evaluate("(url) => { document.querySelector('iframe').src = url; }", url)
        page.wait_for_timeout(1_000)
        inside = [frame for frame in page.frames if frame != page.main_frame]
        for frame in inside:
            self.assertNotIn("Countersign", frame.content())
            self.assertEqual(frame.locator("#pairing, #passphrase, [data-page]").count(), 0)
        return " ".join(frame.content() for frame in inside)


if __name__ == "__main__":
    unittest.main()
