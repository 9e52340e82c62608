# SPDX-License-Identifier: Apache-2.0
"""Takes Docs/inbox.png, Docs/question.png, Docs/activity.png, and the other pages in Docs/Pages: the owner's page of
a real agent in Chromium.

Requests are made by clients of a scratch home, whose record is then spread over two days: that alone is set.

usage: inbox_pictures.py (in the environment of Tests/Interop, after make build)"""
import contextlib
import json
import pathlib
import random
import sqlite3
import subprocess
import sys
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Tests/Interop"), str(ROOT / "Tools")]

from agent_peer import Agent, event_url  # noqa: E402
from picture import KEY, REQUEST  # noqa: E402
from small_png import shrink  # noqa: E402
from web import WebCase  # noqa: E402

POLICY = """
version = 1
default = "ask"

[[rule]]
id = "notes-of-the-bot"
effect = "allow"
protocol = "nostr"
operation = "sign_event"
client = "token:notes-bot"
kind = 1
limit = [{ count = 120, per = "1d" }]

[[rule]]
id = "reactions"
effect = "allow"
protocol = "nostr"
operation = "sign_event"
kind = 7
acknowledge = ["new_client"]
limit = [{ count = 60, per = "1h" }]

[[rule]]
id = "nothing-is-deleted"
effect = "deny"
protocol = "nostr"
operation = "sign_event"
kind = 5
"""
SIZE = {"width": 1040, "height": 700}


class Pictures(WebCase):
    policy = POLICY

    def runTest(self):
        self.hub.command(
            "key", "import", "--protocol", "near", "--name", "round-toad", "--account", "round-toad.testnet",
            "--network", "testnet", stdin=KEY.read_bytes())
        self.hub.command("key", "new", "--protocol", "algorand", "--name", "treasury")
        tokens = {name: self.hub.command("agent", "token", "new", "--name", name, *more).decode().strip()
                  for name, more in (("notes-bot", ()), ("firefox", ("--browser",)))}
        self.headers = {name: {"Authorization": f"Bearer {token}"} for name, token in tokens.items()}
        tab = self.tab(viewport=SIZE)
        self.fill(tab)
        tab.context.close()
        self.spread()
        self.agent = Agent(self.hub, "--web", str(self.port))
        self.addCleanup(self.agent.kill)
        self.take_question()
        tab = self.tab(viewport=SIZE)
        tea = self.page("https://tea.example", "nep413", json.dumps(REQUEST))
        tab.locator("#list button").wait_for()
        chat = self.page("https://chat.example", "nip07", self.note("See you at the station at six.", 4))
        self.choose(tab, "tea-shop.testnet")
        tab.wait_for_timeout(1_200)
        self.take(tab, "inbox")
        tab.get_by_role("button", name="Activity").click()
        tab.wait_for_timeout(500)
        tab.mouse.move(0, 0)
        self.take(tab, "activity")
        self.remember(tab)
        for name in ("Ended", "Limits", "Remembered", "Connections", "Record"):
            tab.get_by_role("navigation").get_by_role("button", name=name).click()
            if name == "Record":
                tab.get_by_label("key").select_option(label="alice")
                tab.get_by_label("outcome").select_option("denied")
                tab.get_by_role("button", name="Search").click()
            tab.wait_for_timeout(500)
            tab.evaluate("scrollTo(0, 0)")
            tab.mouse.move(0, 0)
            self.take(tab, f"Pages/{name.lower()}")
        self.agent.kill()
        for asked in (tea, chat):
            with contextlib.suppress(OSError, EOFError):
                asked.exception()

    def remember(self, tab):
        """Answers for longer than once, and connects a page, in the page."""
        tab.get_by_role("button", name="Waiting").click()
        for number in range(2):
            asked = self.page(f"https://notes-{number}.example", "nip07", self.note("Good evening", 30_023))
            tab.locator("#list button").filter(has_text=f"{30_023}").first.click()
            tab.get_by_label("for an hour" if number else "for a day").check()
            tab.locator("#words").evaluate("(it) => it.scrollTo(0, it.scrollHeight)")
            tab.locator("#yes:enabled").click()
            self.assertEqual(asked.result(timeout=60)[2]["state"], "done")
        provider = self.agent.ask("GET", "/v1/status")[2]["provider_id"]
        asked = self.page("https://swap.example", "arc27", json.dumps({
            "id": str(uuid.uuid4()), "reference": "arc0027:enable:request", "params": {"providerId": provider}}))
        tab.locator("#list button").filter(has_text="treasury").first.click()
        tab.locator("#words").evaluate("(it) => it.scrollTo(0, it.scrollHeight)")
        tab.locator("#yes:enabled").click()
        self.assertEqual(asked.result(timeout=60)[2]["state"], "done")

    def take_question(self):
        """Takes the picture of one question with its buttons, for README.md."""
        origin = "https://notes-app.example"
        body = pathlib.Path(self.hub.home, "question.json")
        body.write_text(json.dumps({
            "wire": "nip07", "frame": self.note("Good morning! The kettle is on.", 1), "origin": origin,
            "top_origin": origin, "document": "1", "wait_seconds": 60}))
        # Its parents have ended, so the question names no program of this machine but curl.
        subprocess.run(
            ["sh", "-c", 'curl -s -o "$0.reply" --unix-socket "$1" -H "$2" --json "@$0" $3 &', str(body),
             self.agent.socket, "Authorization: " + self.headers["firefox"]["Authorization"],
             "http://localhost/v1/requests"], check=True)
        tab = self.tab(viewport={"width": 940, "height": 1100})
        self.choose(tab, "Good morning!")
        tab.locator("#yes:enabled").wait_for()
        [whole, last] = [tab.locator(name).bounding_box() for name in ("#question", "#yes")]
        left, top = whole["x"] - 12, whole["y"] - 8
        picture = tab.screenshot(full_page=True, clip={
            "x": left, "y": top, "width": whole["width"] + 24, "height": last["y"] + last["height"] + 12 - top})
        (ROOT / "Docs/question.png").write_bytes(shrink(picture, 48))
        tab.locator("#no").click()
        tab.context.close()

    def note(self, content, kind):
        return json.dumps({"nip07": "signEvent", "params": [
            {"kind": kind, "content": content, "tags": [], "created_at": int(time.time())}]})

    def page(self, origin, wire, frame, seconds=100):
        """Sends a request as a page of a paired browser."""
        return self.pool.submit(self.agent.ask, "POST", "/v1/requests", {
            "wire": wire, "frame": frame, "origin": origin, "top_origin": origin, "document": "1",
            "wait_seconds": seconds}, self.headers["firefox"])

    def fill(self, tab):
        """Sends requests of several clients in some order; a few are answered in the page."""
        for number in range(4):
            asked = self.page("https://chat.example", "nip07", self.note(f"hello {number}", 1984))
            self.choose(tab, f"hello {number}")
            tab.locator("#yes" if number else "#no").click()
            asked.result(timeout=60)
        order = ["bot"] * 70 + ["like"] * 45 + ["delete"] * 9
        random.Random(7).shuffle(order)
        for what in order:
            kind = {"bot": 1, "like": 7, "delete": 5}[what]
            if what == "like":
                self.page("https://notes.example", "nip07", self.note("+", kind)).result(timeout=60)
            else:
                frame = event_url(what).replace("kind%22%3A%201", f"kind%22%3A%20{kind}")
                headers = self.headers["notes-bot"] if what == "bot" else {}
                self.agent.ask("POST", "/v1/requests", {"wire": "nip155", "frame": frame}, headers)

    def spread(self):
        """Spreads the requests over two days, with more in daytime."""
        self.agent.stop()
        now = int(time.time())
        with contextlib.closing(sqlite3.connect(pathlib.Path(self.hub.home, "ledger.db"))) as ledger:
            asked = [row[0] for row in ledger.execute(
                "SELECT sequence FROM audit WHERE kind IN ('intent', 'refusal') ORDER BY sequence")]
            chance = random.Random(11)
            hours = chance.choices(range(46), [1 + 9 * (8 <= (hour + 10) % 24 < 21) for hour in range(46)], k=len(asked))
            for sequence, hour in zip(asked, sorted(hours, reverse=True)):
                ledger.execute("UPDATE audit SET time = ? WHERE sequence >= ?", (now - 3_600 * hour - 60, sequence))
            ledger.commit()

    def take(self, tab, name):
        (ROOT / f"Docs/{name}.png").write_bytes(shrink(tab.screenshot(), 48))


if __name__ == "__main__":
    Pictures.setUpClass()
    try:
        Pictures().debug()
    finally:
        Pictures.doClassCleanups()
