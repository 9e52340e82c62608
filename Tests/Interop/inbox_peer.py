# SPDX-License-Identifier: Apache-2.0
"""The inbox in a real terminal: tmux types keys and reads the screen."""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest

import nostr_sdk

from agent_peer import Agent, event_url, signed_event
from hub import BINARY, PASSPHRASE, Hub, pipe


class Screen:
    """One program in one window of a separate tmux server."""

    def __init__(self, command, columns=80, rows=24, **environment):
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-tmux-")
        self.server = os.path.join(self.folder.name, "tmux")
        words = [word for name, value in environment.items() for word in ("-e", f"{name}={value}")]
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), *words,
                  "/bin/sh")
        self.tmux("send-keys", command, "Enter")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.server, *words], capture_output=True, timeout=30)
        return done.stdout.decode()

    def close(self):
        self.tmux("kill-server")
        self.folder.cleanup()

    def text(self, *words):
        return self.tmux("capture-pane", "-p", *words)

    def see(self, *texts, seconds=30):
        """Waits until all of these texts are on the screen."""
        deadline = time.monotonic() + seconds
        while not all(text in self.text() for text in texts):
            if time.monotonic() > deadline:
                raise AssertionError(f"{texts} not in:\n{self.text()}")
            time.sleep(0.05)
        return self.text()

    def gone(self, text, seconds=30):
        deadline = time.monotonic() + seconds
        while text in self.text():
            if time.monotonic() > deadline:
                raise AssertionError(f"{text} still in:\n{self.text()}")
            time.sleep(0.05)

    def press(self, *keys, rest=1.0):
        """Presses one key after another; a new question accepts a key only after a moment."""
        time.sleep(rest)
        for key in keys:
            self.tmux("send-keys", key)
            time.sleep(0.15)

    def value(self, name):
        return self.tmux("display-message", "-p", "#{" + name + "}").strip()


class InboxPeer(unittest.TestCase):
    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        keys = nostr_sdk.Keys.generate()
        self.hub.import_key("nostr", "alice", keys.secret_key().to_bech32())
        pathlib.Path(self.hub.home, "policy.toml").write_text('version = 1\ndefault = "ask"\n')
        self.hub.command("policy", "attest")
        self.agent = Agent(self.hub)
        self.addCleanup(self.agent.stop)
        self.pool = concurrent.futures.ThreadPoolExecutor(8)
        self.addCleanup(self.pool.shutdown)

    def inbox(self, before="", after="", **options):
        command = f"{BINARY} --home {shlex.quote(self.hub.home)} inbox"
        screen = Screen(f"{before}{command}{after}", **options)
        self.addCleanup(screen.close)
        screen.see("passphrase to open the inbox")
        screen.press(PASSPHRASE.decode(), "Enter", rest=0)
        screen.see("countersign inbox ")
        return screen

    def submit(self, content, **members):
        body = {"frame": event_url(content), "wait_seconds": 60, **members}
        return self.pool.submit(lambda: self.agent.ask("POST", "/v1/requests", body)[2])

    def state(self, future):
        value = future.result(timeout=60)
        return value.get("reason", {}).get("code", value["state"])

    def shown(self):
        """Returns the first question that waits, as scripts receive it."""
        deadline = time.monotonic() + 30
        waiting = []
        while not waiting and time.monotonic() < deadline:
            waiting = json.loads(self.hub.command("inbox", "--json"))["waiting"]
        return json.loads(self.hub.command("inbox", "show", waiting[0]["id"], "--json"))

    def test_one_key_decides_one_question(self):
        screen = self.inbox()
        screen.see("nothing waits")
        first = self.submit("the first note")
        screen.see("the first note", "> ", "program")
        screen.press("o")
        self.assertTrue(signed_event(first.result(timeout=60)["reply"]).verify())
        second = self.submit("the second note")
        screen.see("the second note")
        screen.press("n")
        self.assertEqual(self.state(second), "person_denied")
        screen.press("l")
        screen.see("once", "no ")
        screen.press("m")
        screen.see("no limits")

    def test_pressing_its_key_twice_ends_a_connection(self):
        token = self.hub.command("agent", "token", "new", "--name", "reader").decode().strip()
        screen = self.inbox()
        screen.see("nothing waits")
        wish = {"keys": ["alice"], "seconds": 86400, "scopes": [{"method": "sign_event", "kind": 1}]}
        asked = self.pool.submit(lambda: self.agent.ask(
            "POST", "/v1/requests",
            {"wire": "connect-nostr", "frame": json.dumps(wish), "wait_seconds": 60},
            {"Authorization": f"Bearer {token}"})[2])
        screen.see("token:reader (token)")
        screen.press("Space", "g", "1 1d", "Enter")
        self.assertEqual(self.state(asked), "done")
        screen.see("nothing waits")
        screen.press("c")
        screen.see("token:reader (token)", "e e ends it")
        screen.press("e")
        screen.see("e again ends this connection")
        screen.press("Down", "e")
        screen.see("e again ends this connection")
        self.assertIn(b"token:reader", self.hub.command("agent", "connection", "list"))
        screen.press("e")
        screen.see("the connection has ended", "no client is connected")
        self.assertNotIn(b"token:reader", self.hub.command("agent", "connection", "list"))

    def test_marked_questions_are_answered_together(self):
        screen = self.inbox()
        asked = []
        for number in range(3):
            asked.append(self.submit(f"note {number} of three"))
            screen.see(f"{number + 1} wait")
        for _ in range(2):
            screen.press("x", "Down", rest=1)
        screen.see("2 marked")
        screen.press("o")
        self.assertEqual([self.state(asked[0]), self.state(asked[1])], ["done", "done"])
        screen.see("1 waits")
        screen.press("n")
        self.assertEqual(self.state(asked[2]), "person_denied")

    def test_a_key_press_never_answers_a_question_that_has_just_appeared(self):
        screen = self.inbox()
        harmless = self.agent.ask(
            "POST", "/v1/requests", {"frame": event_url("harmless"), "wait_seconds": 0})[2]
        screen.see("harmless")
        time.sleep(1)
        # The client chooses the moment.
        self.agent.ask("DELETE", f"/v1/requests/{harmless['id']}")
        harmful = self.submit("harmful")
        for _ in range(10):
            screen.press("o", rest=0)
        screen.see("harmful")
        self.assertFalse(harmful.done())
        screen.press("Down")
        screen.press("n")
        self.assertEqual(self.state(harmful), "person_denied")

    def test_the_first_answer_of_two_inboxes_counts(self):
        one, two = self.inbox(), self.inbox()
        asked = self.submit("for both")
        one.see("for both")
        two.see("for both")
        one.press("o")
        self.assertEqual(self.state(asked), "done")
        two.see("nothing waits")

    def test_a_long_question_is_read_before_a_yes(self):
        screen = self.inbox()
        asked = self.submit("long " * 2000 + "END OF IT")
        screen.press("o", rest=2)
        screen.see("before a yes, read")
        screen.press("Enter")
        for _ in range(80):
            if "the end ----" in screen.text():
                break
            screen.press("Space", rest=0)
        screen.see("the end ----")
        screen.press("o")
        self.assertEqual(self.state(asked), "done")

    def test_the_terminal_is_restored_at_every_end(self):
        def quit(screen):
            screen.press("q")

        def interrupt(screen):
            screen.press("C-c")

        def end(screen):
            shell = screen.value("pane_pid")
            children = pathlib.Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
            os.kill(int(children[0]), signal.SIGTERM)

        def lock(screen):
            self.agent.ask("POST", "/v1/lock")

        for way in (quit, interrupt, end, lock):
            with self.subTest(way.__name__):
                before, after = (f"{self.hub.folder.name}/{name}" for name in ("before", "after"))
                screen = self.inbox(before=f"stty -a > {before}; ",
                                    after=f"; stty -a > {after}; echo DO''NE",
                                    HOME=self.hub.folder.name)
                screen.see("nothing waits")
                self.assertEqual(screen.value("alternate_on"), "1")
                way(screen)
                screen.see("DONE", seconds=60)
                self.assertEqual(screen.value("alternate_on"), "0")
                self.assertEqual(screen.value("cursor_flag"), "1")
                screen.press(f"cmp {before} {after} && echo SA''ME", "Enter", rest=0)
                screen.see("SAME")

    def test_ctrl_z_returns_to_the_shell_and_fg_to_the_inbox(self):
        screen = self.inbox()
        screen.see("nothing waits")
        screen.press("C-z")
        deadline = time.monotonic() + 20
        while screen.value("alternate_on") == "1" and time.monotonic() < deadline:
            time.sleep(0.1)
        screen.press("echo IN''SHELL", "Enter")
        screen.see("INSHELL")
        asked = self.submit("while away")
        screen.press("fg", "Enter")
        screen.see("while away")
        screen.press("o", rest=2)
        self.assertEqual(self.state(asked), "done")

    def test_the_inbox_adapts_to_the_window(self):
        screen = self.inbox()
        asked = self.submit("small and large")
        screen.see("small and large")
        screen.tmux("resize-window", "-x", "30", "-y", "8")
        screen.see("too small")
        screen.press("o")
        self.assertFalse(asked.done())
        screen.tmux("resize-window", "-x", "200", "-y", "50")
        screen.see("small and large", "q quit")
        screen.press("o")
        self.assertEqual(self.state(asked), "done")

    def test_no_color_turns_colours_off(self):
        for name, has in (("TERMCOLOR", True), ("NO_COLOR", False)):
            with self.subTest(name):
                screen = self.inbox(**{name: "1"})
                asked = self.submit(f"seen with {name}")
                screen.see(f"seen with {name}")
                # tmux writes the sequence alone, or together with the end of the one before.
                self.assertEqual(bool(re.search("\x1b\\[(0;)?7m", screen.text("-e"))), has)
                screen.press("n")
                self.state(asked)

    def test_escape_sequences_in_names_do_not_reach_the_terminal(self):
        screen = self.inbox()
        evil = "\x1b[2J\x1b[31mevil\u202e\r\n> o 1 s ########## "
        asked = self.submit(evil, client="app\x1b[2J" + "x" * 200)
        text = screen.see("evil", "\\u{1B}")
        self.assertEqual(len(text.rstrip("\n").split("\n")), 24)
        screen.press("n")
        self.assertEqual(self.state(asked), "person_denied")

    def test_scripts_can_list_show_and_answer_questions(self):
        asked = self.submit("for a script")
        shown = self.shown()
        ident = shown["id"]
        self.assertIn(ident, self.hub.command("inbox", "--list").decode())
        self.assertIn("for a script", shown["text"])
        self.hub.command("inbox", "answer", ident, "once", "--seen", "0" * 64, status=1)
        self.hub.command("inbox", "answer", ident, "once", "--seen", shown["digest"])
        self.assertEqual(self.state(asked), "done")
        self.hub.command("inbox", "answer", ident, "no", "--seen", shown["digest"], status=1)

    def test_a_script_sets_the_scope_of_a_yes(self):
        asked = self.submit("as often as twice")
        shown = self.shown()
        more = ["--seen", shown["digest"]]
        for words in (["once", "--uses", "2"], ["1h", "--uses", "many"], ["1h", "--total", "20"],
                      ["1h", "--grant", "1"], ["no", "--uses", "2"]):
            self.hub.command("inbox", "answer", shown["id"], *words, *more, status=1)
        self.hub.command("inbox", "answer", shown["id"], "1h", "--uses", "2", *more)
        self.assertEqual(self.state(asked), "done")
        self.assertIn("2 times", self.hub.command("grant", "list").decode())

    def test_the_inbox_needs_the_passphrase(self):
        reader = pipe(b"wrong horse battery")
        with contextlib.closing(os.fdopen(reader)):
            done = subprocess.run(
                [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), "inbox", "--list"],
                pass_fds=[reader], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 1)
        self.assertIn(b"the passphrase is wrong", done.stderr)


if __name__ == "__main__":
    unittest.main()
