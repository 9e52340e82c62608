# SPDX-License-Identifier: Apache-2.0
"""The owner's page: remembered answers, connections, the record, and pictures."""
import json
import re
import unittest
import uuid

import jsonschema
import yaml
from playwright.sync_api import expect

from agent_peer import event_url
from hub import ROOT
from web import POLICY, WebCase

OPEN = POLICY + """
[[rule]]
id = "reposts"
effect = "allow"
protocol = "nostr"
operation = "sign_event"
kind = 6
acknowledge = ["new_client"]

[[rule]]
id = "no-lists"
effect = "deny"
protocol = "nostr"
operation = "sign_event"
kind = 5
"""

PAYING = OPEN + """
[[rule]]
id = "no-payments"
effect = "deny"
protocol = "near"
"""

PAGES = ("Ended", "Activity", "Limits", "Remembered", "Connections", "Record")


class WebRecord(WebCase):
    policy = OPEN

    def go(self, tab, name):
        tab.get_by_role("navigation").get_by_role("button", name=name).click()

    def remember(self, tab, text="remembered"):
        """Answers yes for an hour on the page."""
        self.go(tab, "Waiting")
        asked = self.submit(text)
        self.choose(tab, text)
        tab.get_by_label("for an hour").check()
        tab.get_by_role("button", name="Yes, for an hour").click()
        self.assertEqual(self.state(asked), "done")

    def connect(self, tab):
        """Lets an Algorand client connect to an account, which is asked about."""
        self.go(tab, "Waiting")
        frame = json.dumps({"id": str(uuid.uuid4()), "reference": "arc0027:enable:request",
                            "params": {"providerId": self.provider()}})
        asked = self.pool.submit(lambda: self.agent.ask("POST", "/v1/requests", {
            "wire": "arc27", "frame": frame, "client": "https://swap.example", "wait_seconds": 60})[2])
        self.choose(tab, "swap.example")
        tab.locator("#yes").click()
        self.assertEqual(self.state(asked), "done")

    def provider(self):
        return self.agent.ask("GET", "/v1/status")[2]["provider_id"]

    def many(self, count, kind=6):
        """Sends requests that a rule answers, over persistent connections."""
        frame = event_url("again").replace("kind%22%3A%201", f"kind%22%3A%20{kind}")

        def some(part):
            for _ in range(part):
                answer = self.agent.ask("POST", "/v1/requests", {"wire": "nip155", "frame": frame})
                self.assertEqual(answer[0], 201, answer)
        list(self.pool.map(some, [count // 8] * 8))

    def described(self, value, name):
        """Checks an answer against Docs/openapi.yaml."""
        description = yaml.safe_load((ROOT / "Docs/openapi.yaml").read_text())
        jsonschema.validate(value, {"$ref": f"#/components/schemas/{name}", **description})

    def timed(self, tab, press, place, text):
        """Returns the milliseconds from a button press until a text shows at a place."""
        return tab.evaluate("""async ([press, place, text]) => {
          const start = performance.now();
          document.querySelector(press).click();
          while (!document.querySelector(place).textContent.includes(text)) {
            if (performance.now() - start > 20_000) return Infinity;
            await new Promise((go) => requestAnimationFrame(go));
          }
          return performance.now() - start;
        }""", [press, place, text])

    def test_taking_back_a_remembered_answer_needs_a_confirmation(self):
        tab = self.tab()
        self.remember(tab)
        self.go(tab, "Remembered")
        row = tab.locator("#grant-rows li")
        expect(row).to_contain_text("peer")
        expect(row).to_contain_text("claimed")
        expect(row).to_contain_text("alice")
        tab.get_by_role("button", name="Take back...").click()
        dialog = tab.get_by_role("dialog")
        # The focus moves to No, and a button that has just appeared does not accept a click.
        expect(tab.locator("#sure-no")).to_be_focused()
        self.assertTrue(tab.locator("#sure-yes").is_disabled())
        tab.keyboard.press("Enter")
        expect(dialog).to_be_hidden()
        tab.get_by_role("button", name="Take back...").click()
        tab.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        self.assertIn("peer", self.hub.command("grant", "list").decode())
        # The focus returns to its place, and the keyboard is enough.
        tab.keyboard.press("Enter")
        expect(tab.locator("#sure-yes")).to_be_enabled()
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        expect(tab.locator("#note")).to_contain_text("taken back")
        expect(row).to_have_count(0)
        self.assertEqual(self.hub.command("grant", "list").decode().count("peer"), 0)
        tab.get_by_label("show ended answers too").check()
        expect(row).to_contain_text("revoked")
        self.assertEqual(tab.get_by_role("button", name="Take back...").count(), 0)
        place = self.post("asked again", seconds=0)
        self.assertEqual(place["state"], "pending")
        self.agent.ask("DELETE", f"/v1/requests/{place['id']}")
        self.assertEqual(self.errors, [])

    def test_an_answer_taken_back_elsewhere_is_no_error(self):
        tab = self.tab()
        self.remember(tab)
        self.go(tab, "Remembered")
        tab.get_by_role("button", name="Take back...").click()
        number = json.loads(self.hub.command("--json", "grant", "list"))[0]["id"]
        self.hub.command("grant", "revoke", number)
        tab.get_by_role("dialog").get_by_role("button", name="Take it back").click()
        expect(tab.locator("#note")).to_contain_text("taken back")
        expect(tab.locator("#grant-rows li")).to_have_count(0)

    def test_ending_a_connection_needs_a_confirmation(self):
        self.hub.command("key", "new", "--protocol", "algorand", "--name", "carol")
        tab = self.tab()
        self.connect(tab)
        self.go(tab, "Connections")
        expect(tab.locator("#connection-rows li")).to_contain_text("https://swap.example")
        tab.get_by_role("button", name="End it...").click()
        tab.get_by_role("dialog").get_by_role("button", name="End it").click()
        expect(tab.locator("#connection-count")).to_have_text("No client is connected.")
        self.assertNotIn("swap.example", self.hub.command("algorand", "connections").decode())
        self.hub.command("audit", "verify")
        self.assertEqual(self.errors, [])

    def test_texts_of_clients_stay_text(self):
        tab = self.tab()
        evil = "<img src=x onerror=document.title='owned'>\u202e"
        for kind in (6, 5):
            frame = event_url("x").replace("kind%22%3A%201", f"kind%22%3A%20{kind}")
            # A scheme is the client's name here.
            self.agent.ask("POST", "/v1/requests", {"wire": "nip155", "frame": frame, "client": evil})
        for name in PAGES:
            self.go(tab, name)
        tab.locator("#audit-rows details").first.click()
        self.assertEqual(tab.locator("main img, main script").count(), 0)
        self.assertNotIn("owned", tab.title())
        self.assertEqual(self.errors, [])

    def test_the_record_of_10_000_is_searched_in_pages(self):
        self.many(5_000)
        self.assertEqual(self.state(self.submit("no", kind=5)), "policy_denied")
        self.many(200)
        tab = self.tab()
        expect(tab.locator("#waiting")).to_be_visible()
        shown = self.timed(tab, "[data-page=record]", "#audit-count", "entries 10404 to 10305")
        rows = tab.locator("#audit-rows > tr")
        # The result of a request is in its row.
        self.assertIn(rows.count(), range(50, 101))
        elements = tab.evaluate("document.querySelectorAll('*').length")
        expect(tab.locator("#audit-newer")).to_be_disabled()
        tab.get_by_role("button", name="Older").click()
        expect(tab.locator("#audit-newer")).to_be_enabled()
        expect(tab.locator("#audit-count")).to_have_text("entries 10304 to 10205")
        tab.get_by_role("button", name="Newer").click()
        expect(tab.locator("#audit-newer")).to_be_disabled()
        expect(tab.locator("#audit-count")).to_have_text("entries 10404 to 10305")
        tab.get_by_label("outcome").select_option("denied")
        # The search covers the whole record and finds one entry.
        searched = self.timed(tab, "#audit-form button", "#audit-count", "entries 10004 to 10004")
        expect(rows).to_have_count(1)
        expect(tab.locator("#audit-stop")).to_be_hidden()
        expect(tab.locator("#audit-older")).to_be_disabled()
        expect(rows.first).to_contain_text("refusal")
        rows.first.locator("summary").click()
        expect(rows.first.locator("pre")).to_contain_text("no-lists")
        tab.get_by_label("text").fill("nowhere to be found")
        tab.get_by_role("button", name="Search").click()
        expect(tab.locator("#audit-count")).to_have_text("Nothing was found.")
        self.stops_looking(tab)
        counted = self.timed(tab, "[data-page=activity]", "#client-rows", "5,201")
        print(f"\nrecord of 10,404 entries: shown in {shown:.0f} ms, searched through in "
              f"{searched:.0f} ms, counted in {counted:.0f} ms; {elements} elements in the page")
        self.assertLess(max(shown, searched, counted), 10_000)
        self.assertLess(elements, 2_000)
        self.assertEqual(self.errors, [])

    def stops_looking(self, tab):
        """A long search shows its progress, and stops on request."""
        tab.evaluate("""() => {
          const real = fetch;
          window.fetch = async (...all) => {
            await new Promise((go) => setTimeout(go, 400));
            return real(...all);
          };
        }""")
        tab.get_by_role("button", name="Search").click()
        expect(tab.locator("#audit-count")).to_contain_text("0 found; searching before entry")
        tab.get_by_role("button", name="Stop the search").click()
        expect(tab.locator("#audit-count")).to_contain_text("Nothing was found back to entry")
        # The search can continue from there.
        expect(tab.locator("#audit-older")).to_be_enabled()

    def test_many_clients_are_summed_up_in_a_few_rows(self):
        frame = event_url("again").replace("kind%22%3A%201", "kind%22%3A%206")
        for number in range(11):
            name = f"app{number}"
            for _ in range(2 if number else 3):
                self.agent.submit(frame.replace("peer://", f"{name}://"), wire="nip155")
        tab = self.tab()
        self.go(tab, "Activity")
        rows = tab.locator("#client-rows tr")
        expect(rows).to_have_count(9)
        expect(rows.first).to_contain_text("app0")
        expect(rows.last).to_contain_text("3 other clients")
        expect(rows.last).to_contain_text("6 allowed by rules")
        expect(tab.locator("#legend")).to_contain_text("23 allowed by rules")

    def test_pictures_have_words_too(self):
        for number in range(3):
            self.assertEqual(self.state(self.submit(f"like {number}", kind=7)), "done")
        self.assertEqual(self.state(self.submit("no", kind=5)), "policy_denied")
        tab = self.tab()
        for page, path, schema in (("Activity", "activity?per=hour", "Activity"), ("Limits", "limits", "Limits"),
                                   ("Activity", "activity?per=hour", "Activity")):
            with tab.expect_response(f"**/v1/{path}") as answer:
                self.go(tab, page)
            self.described(answer.value.json(), schema)
        chart = tab.get_by_role("img")
        expect(chart).to_have_attribute("aria-label", re.compile(
            "^4 requests in 48 hours: 3 allowed by rules, 1 denied by rules"))
        # Each verdict has a pattern, independent of colours.
        fills = {rect.get_attribute("fill") for rect in tab.locator("#chart rect.part").all()}
        self.assertEqual(fills, {"url(#is-allowed)", "url(#is-denied)"})
        expect(tab.locator("#legend")).to_contain_text("3 allowed by rules")
        expect(tab.locator("#client-rows tr")).to_have_count(1)
        tab.get_by_text("The picture as a table").click()
        expect(tab.locator("#span-rows")).to_contain_text("1 denied by rules")
        tab.locator("#per").select_option("day")
        expect(chart).to_have_attribute("aria-label", re.compile("^4 requests in 30 days"))
        # New entries appear automatically as long as a person is active.
        self.assertEqual(self.state(self.submit("like four", kind=7)), "done")
        asked = self.submit("and this")
        self.go(tab, "Waiting")
        self.choose(tab, "and this")
        tab.locator("#no").click()
        self.assertEqual(self.state(asked), "person_denied")
        self.go(tab, "Activity")
        expect(tab.locator("#legend")).to_contain_text("1 declined")
        expect(tab.locator("#legend")).to_contain_text("4 allowed")
        self.assertEqual(self.errors, [])

    def test_the_end_of_the_session_clears_the_page(self):
        self.hub.command("key", "new", "--protocol", "algorand", "--name", "carol")
        tab = self.tab()
        self.remember(tab)
        self.connect(tab)
        for name in PAGES:
            self.go(tab, name)
        expect(tab.locator("#audit-rows > tr").first).to_be_visible()
        self.go(tab, "Remembered")
        tab.get_by_role("button", name="Take back...").click()
        self.hub.command("agent", "lock")
        expect(tab.locator("#sign-in")).to_be_visible()
        expect(tab.get_by_role("dialog")).to_be_hidden()
        left = tab.evaluate("document.documentElement.outerHTML")
        for text in ("swap.example", "alice", "carol", "remembered for", "nip155"):
            self.assertNotIn(text, left)

    def test_every_page_is_accessible(self):
        self.hub.command("key", "new", "--protocol", "algorand", "--name", "carol")
        first = self.tab()
        self.remember(first)
        self.connect(first)
        self.assertEqual(self.state(self.submit("like", kind=7)), "done")
        self.assertEqual(self.state(self.submit("no", kind=5)), "policy_denied")
        first.context.close()
        for scheme in ("light", "dark"):
            for width in (1600, 1280, 360):
                tab = self.tab(color_scheme=scheme, viewport={"width": width, "height": 800})
                for name in PAGES:
                    with self.subTest(scheme=scheme, width=width, page=name):
                        self.go(tab, name)
                        tab.wait_for_timeout(150)
                        self.serious(tab)
                        self.assertLessEqual(
                            tab.evaluate("document.documentElement.scrollWidth"), width)
                self.go(tab, "Remembered")
                tab.get_by_role("button", name="Take back...").click()
                tab.wait_for_timeout(1_100)
                self.serious(tab)
                tab.context.close()

    def test_page_extension_and_pictures_are_small(self):
        tab = self.tab(is_open=False)
        page = tab.evaluate("""async () => {
          const names = ["", ...performance.getEntriesByType("resource").map((it) => new URL(it.name).pathname.slice(1))];
          const files = [...new Set(names)].filter((name) => !name.includes("/"));
          return (await Promise.all(files.map(async (name) => (await (await fetch("/" + name)).arrayBuffer()).byteLength)))
            .reduce((all, size) => all + size, 0);
        }""")
        extension = sum(
            path.stat().st_size for path in (ROOT / "Browser").iterdir() if path.suffix != ".swift")
        pictures = sum(path.stat().st_size for path in (ROOT / "Docs").glob("*.png"))
        print(f"\npage {page / 1024:.1f} KiB, extension {extension / 1024:.1f} KiB, pictures of Docs "
              f"{pictures / 1024:.1f} KiB")
        self.assertLess(page, 100 << 10)
        self.assertLess(extension, 60 << 10)
        self.assertLess(pictures, 150 << 10)


class WebSearch(WebCase):
    """The record, searched by what a person knows of a request."""

    policy = PAYING

    def setUp(self):
        super().setUp()
        self.hub.command("key", "new", "--protocol", "near", "--name", "toad", "--account", "toad.testnet",
                         "--network", "testnet")
        for near in (1, 5, 25):
            answer = self.agent.ask("POST", "/v1/requests", {
                "wire": "nep413", "client": "https://tea.example", "wait_seconds": 30, "frame": json.dumps({
                    "method": "signTransaction", "params": {
                        "network": "testnet", "signerId": "toad.testnet", "receiverId": "tea-shop.testnet",
                        "nonce": str(near), "blockHash": "244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM",
                        "actions": [{"type": "Transfer", "params": {"deposit": str(near * 10**24)}}]}})})[2]
            self.assertEqual(answer["reason"]["code"], "policy_denied", answer)
        self.assertEqual(self.state(self.submit("again", kind=6)), "done")

    def search(self, tab, **fields):
        for name in ("text", "client", "amount", "since", "until"):
            tab.locator(f"#audit-{name}").fill(fields.get(name, ""))
        for name in ("outcome", "key"):
            tab.locator(f"#audit-{name}").select_option(label=fields.get(name, "any"))
        with tab.expect_response(re.compile("/v1/audit")) as answer:
            tab.get_by_role("button", name="Search").click()
        self.assertEqual(answer.value.status, 200)
        return answer.value.json()["entries"]

    def test_requests_are_found_by_key_amount_time_and_outcome(self):
        tab = self.tab()
        tab.get_by_role("navigation").get_by_role("button", name="Record").click()
        rows = tab.locator("#audit-rows > tr")
        count = tab.locator("#audit-count")
        for fields, found in [
                ({"amount": "5"}, 2), ({"amount": "5.0 near"}, 2), ({"amount": "25.000001 NEAR"}, 0),
                ({"amount": "5 ALGO"}, 0), ({"key": "toad"}, 3), ({"key": "alice", "outcome": "done"}, 1),
                ({"key": "toad", "outcome": "done"}, 0), ({"client": "https://tea.example", "amount": "25"}, 1),
                ({"since": "2999-01-01T00:00"}, 0), ({"until": "2020-01-01T00:00"}, 0),
                ({"since": "2020-01-01T00:00", "until": "2999-01-01T00:00", "key": "toad"}, 3)]:
            with self.subTest(**fields):
                self.search(tab, **fields)
                expect(rows).to_have_count(found)
                expect(count).to_contain_text("entries" if found else "Nothing was found")
        self.search(tab, key="alice", outcome="done")
        # The request and its result share a row, which has the outcome and the request in words.
        expect(rows.first).to_contain_text("with alice, allowed by rules")
        expect(rows.first.locator("td").last).to_have_text("done")
        self.search(tab, amount="25 NEAR")
        expect(rows.first).to_contain_text("deposit 25 NEAR")
        expect(rows.first.locator("td").last).to_have_text("denied")
        self.assertEqual(self.errors, [])

    def test_a_malformed_amount_is_not_sent(self):
        tab = self.tab()
        tab.get_by_role("navigation").get_by_role("button", name="Record").click()
        expect(tab.locator("#audit-rows > tr").first).to_be_visible()
        asked = []
        tab.on("request", lambda request: "/v1/audit" in request.url and asked.append(request.url))
        for text in ("about 5", "-1", "5.", "1 NEAR x"):
            tab.locator("#audit-amount").fill(text)
            tab.get_by_role("button", name="Search").click()
            self.assertFalse(tab.locator("#audit-amount").evaluate("(it) => it.checkValidity()"), text)
        self.assertEqual(asked, [])

    def test_the_search_works_by_keyboard_and_is_cleared_with_the_session(self):
        tab = self.tab()
        tab.get_by_role("navigation").get_by_role("button", name="Record").click()
        expect(tab.locator("#audit-key option")).to_have_count(3)
        tab.get_by_label("amount, at least").focus()
        tab.keyboard.type("5 NEAR")
        tab.keyboard.press("Enter")
        expect(tab.locator("#audit-rows > tr")).to_have_count(2)
        tab.get_by_role("button", name="Lock this page").click()
        expect(tab.locator("#sign-in")).to_be_visible()
        self.assertEqual(tab.locator("#audit-amount").input_value(), "")
        self.assertEqual(tab.locator("#audit-key option").count(), 1)


if __name__ == "__main__":
    unittest.main()
