# SPDX-License-Identifier: Apache-2.0
"""The owner's inbox as a page, in a real Chromium."""
import time
import unittest

from playwright.sync_api import expect

from agent_peer import signed_event
from web import WebCase


class WebInbox(WebCase):
    def test_a_yes_after_reading_signs(self):
        tab = self.tab()
        expect(tab.locator("#list")).to_contain_text("Nothing waits for you.")
        asked = self.submit("a note for the page")
        self.choose(tab, "a note for the page")
        # The button rests for a second: no person has read the question by then.
        self.assertTrue(tab.locator("#yes").is_disabled())
        expect(tab.locator("#who")).to_contain_text("claimed")
        tab.locator("#yes").click()
        self.assertTrue(signed_event(asked.result(timeout=60)["reply"]).verify())
        expect(tab.locator("#note")).to_contain_text("Answered once")
        self.assertTrue(tab.locator("#question").is_hidden())
        tab.get_by_role("button", name="Ended").click()
        expect(tab.locator("#ended-rows td.yes")).to_have_text("once")
        self.assertEqual(self.errors, [])

    def test_a_no_denies_and_a_withdrawn_question_disappears(self):
        tab = self.tab()
        asked = self.submit("not this")
        self.choose(tab, "not this")
        tab.locator("#no").click()
        self.assertEqual(self.state(asked), "person_denied")
        place = self.post("gone", seconds=0)
        self.choose(tab, "gone")
        self.agent.ask("DELETE", f"/v1/requests/{place['id']}")
        expect(tab.locator("#note")).to_contain_text("no longer waits")
        self.assertTrue(tab.locator("#question").is_hidden())

    def test_a_remembered_yes_has_a_time_and_a_number_of_uses(self):
        tab = self.tab()
        asked = self.submit("remembered")
        self.choose(tab, "remembered")
        tab.get_by_label("for an hour").check()
        tab.get_by_label("at most this many times").fill("2")
        # Enter in a field is not a yes.
        tab.get_by_label("at most this many times").press("Enter")
        time.sleep(1.5)
        self.assertFalse(asked.done())
        tab.get_by_role("button", name="Yes, for an hour").click()
        self.assertEqual(self.state(asked), "done")
        self.assertIn("2 times", self.hub.command("grant", "list").decode())

    def test_a_shortened_text_must_be_shown_whole_before_a_yes(self):
        tab = self.tab()
        asked = self.submit("long " * 2_000)
        self.choose(tab, "long")
        time.sleep(1.5)
        self.assertTrue(tab.locator("#yes").is_disabled())
        expect(tab.locator("#why-not")).not_to_be_empty()
        tab.get_by_role("button", name="Show everything").click()
        time.sleep(1.5)
        expect(tab.locator("#why-not")).to_have_text("Read to the end first.")
        tab.locator("#words").evaluate("(it) => it.scrollTo(0, it.scrollHeight)")
        tab.locator("#yes").click()
        self.assertEqual(self.state(asked), "done")

    def test_the_page_works_by_keyboard_alone(self):
        tab = self.tab()
        asked = self.submit("by keys")
        tab.locator("#list button").first.wait_for()
        tab.locator("#list button").first.focus()
        tab.keyboard.press("Enter")
        expect(tab.locator("#headline")).to_be_focused()
        time.sleep(1.2)
        for _ in range(20):
            tab.keyboard.press("Tab")
            if tab.evaluate("document.activeElement.id") == "yes":
                break
        tab.keyboard.press("Enter")
        self.assertEqual(self.state(asked), "done")

    def test_texts_of_clients_never_become_markup(self):
        tab = self.tab()
        evil = "<img src=x onerror=alert(1)></div><script>document.title='owned'</script>\u202e"
        asked = self.submit(evil)
        self.choose(tab, "<img src=x")
        self.assertEqual(tab.locator("#words img, #words script, #list img").count(), 0)
        self.assertNotIn("owned", tab.title())
        tab.locator("#no").click()
        self.state(asked)

    def test_wrong_passphrases_are_delayed_and_the_lock_ends_a_session(self):
        tab = self.tab(is_open=False)
        self.sign_in(tab, "wrong horse")
        expect(tab.locator("#note")).to_contain_text("the passphrase is wrong (again in 1 s)")
        time.sleep(1.1)
        self.sign_in(tab)
        expect(tab.locator("#waiting")).to_be_visible()
        self.hub.command("agent", "lock")
        expect(tab.locator("#sign-in")).to_be_visible()
        self.sign_in(tab)
        expect(tab.locator("#waiting")).to_be_visible()
        tab.get_by_role("button", name="Lock this page").click()
        expect(tab.locator("#sign-in")).to_be_visible()
        self.assertEqual(tab.locator("#list button").count(), 0)

    def test_an_address_works_once_and_leaves_no_trace(self):
        address = self.address()
        first = self.tab(address)
        self.assertNotIn("#", first.url)
        self.assertEqual(first.context.cookies(), [])
        second = self.tab(address, is_open=False)
        expect(second.locator("#closed")).to_be_visible()
        expect(second.locator("#note")).to_contain_text("used before or is too old")
        # The port without a code and a token of another agent admit no tab.
        third = self.tab(address.split("#")[0], is_open=False)
        expect(third.locator("#closed")).to_be_visible()
        third.evaluate("sessionStorage.setItem('countersign-web', 'ab'.repeat(32))")
        third.reload()
        expect(third.locator("#closed")).to_be_visible()

    def test_other_pages_cannot_read_the_inbox(self):
        tab = self.tab()
        other = self.browser.new_context().new_page()
        self.addCleanup(other.context.close)
        found = []
        for origin in ("http://127.0.0.1:%d" % (self.port + 1), "https://evil.example"):
            other.route(f"{origin}/**", lambda route: route.fulfill(
                content_type="text/html", body="<title>evil</title><iframe></iframe>"))
            other.goto(f"{origin}/")
            found += other.evaluate("""async (place) => {
              const tries = [
                fetch(place + "/v1/questions"), fetch(place + "/web/pair", {
                  method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } }),
                fetch(place + "/", { mode: "no-cors" }).then((it) => it.type + it.status),
              ];
              const frame = document.querySelector("iframe");
              const framed = await new Promise((go) => {
                frame.onload = () => { try { go(frame.contentDocument ? "blank" : "closed"); } catch { go("closed"); } };
                frame.src = place + "/";
                setTimeout(() => go("nothing"), 3000);
              });
              const ends = await Promise.allSettled(tries);
              return [...ends.map((end) => end.status === "rejected" ? "refused" : String(end.value)), framed];
            }""", tab.evaluate("origin"))
        for end in found:
            self.assertIn(end, ("refused", "opaque0", "closed", "nothing"))
        expect(tab.locator("#waiting")).to_be_visible()

    def test_limits_show_as_meters(self):
        for number in range(3):
            self.assertEqual(self.state(self.submit(f"like {number}", kind=7)), "done")
        tab = self.tab()
        tab.get_by_role("button", name="Limits").click()
        meter = tab.get_by_role("meter")
        expect(meter).to_have_attribute("aria-valuenow", "75")
        expect(tab.locator("#limit-rows")).to_contain_text("1 left")
        expect(tab.locator("#limit-rows")).to_contain_text("3 of 4")
        expect(tab.locator("#limit-rows")).to_contain_text("some is free again")

    def test_the_tab_shows_its_state_by_icon_and_title(self):
        tab = self.tab(is_open=False)

        def shows(state, title):
            icon = tab.locator("#icon")
            expect(icon).to_have_attribute("data-state", state)
            expect(tab).to_have_title(title)
            # The browser can draw it, and the content security policy allows it.
            self.assertEqual(32, tab.evaluate("""async () => {
              const picture = new Image(32, 32);
              picture.src = document.querySelector("#icon").href;
              await picture.decode();
              return picture.width;
            }"""))
            pictures.add(icon.get_attribute("href"))

        pictures = set()
        shows("locked", "Countersign (locked)")
        self.sign_in(tab)
        shows("quiet", "Countersign")
        first, second = self.submit("one"), self.submit("two")
        shows("waiting", "(2) Countersign")
        self.agent.ask("POST", "/v1/lock", {})
        shows("locked", "Countersign (locked)")
        self.assertEqual([error for error in self.errors if "401" not in error], [])
        self.sign_in(tab)
        shows("waiting", "(2) Countersign")
        self.assertEqual(len(pictures), 3)
        self.agent.kill()
        shows("away", "Countersign (away)")
        self.assertEqual(len(pictures), 4)
        for asked in (first, second):
            asked.exception(timeout=60)

    def test_nothing_moves(self):
        """No part of the page is animated, so a wish for reduced motion has nothing to change."""
        for motion in ("reduce", "no-preference"):
            tab = self.tab(reduced_motion=motion)
            self.assertEqual([], tab.evaluate("""() => [...document.querySelectorAll("*")].filter((it) => {
              const style = getComputedStyle(it);
              return style.animationName !== "none" || style.transitionDuration !== "0s" || style.scrollBehavior === "smooth";
            }).map((it) => it.tagName)"""))

    def test_the_inbox_is_accessible(self):
        asked = self.submit("to be seen by all")
        for scheme in ("light", "dark"):
            for width in (1600, 1280, 360):
                with self.subTest(scheme=scheme, width=width):
                    tab = self.tab(
                        is_open=False, color_scheme=scheme, viewport={"width": width, "height": 800})
                    self.serious(tab)
                    self.sign_in(tab)
                    self.choose(tab, "to be seen")
                    time.sleep(1.2)
                    self.serious(tab)
                    self.assertLessEqual(
                        tab.evaluate("document.documentElement.scrollWidth"), width)
                    tab.context.close()
                    # The other checks show the content as well.
                    self.assertFalse(asked.done())
        tab = self.tab()
        self.choose(tab, "to be seen")
        tab.locator("#no").click()
        self.assertEqual(self.state(asked), "person_denied")

    def test_the_inbox_loads_within_a_second(self):
        tab = self.tab()
        times = []
        for _ in range(9):
            tab.reload()
            times.append(tab.evaluate(
                "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"))
        median = sorted(times)[4]
        print(f"\ninbox page: loaded in {median:.0f} ms (median of 9)")
        # The promise is 100 ms; other work may run beside this test.
        self.assertLess(median, 1_000)


if __name__ == "__main__":
    unittest.main()
