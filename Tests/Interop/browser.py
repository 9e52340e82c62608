# SPDX-License-Identifier: Apache-2.0
"""A real Chromium with the real extension, a home and its agent, and pages of several origins."""
import contextlib
import http.server
import json
import os
import pathlib
import tempfile
import threading
import time
import unittest

import algosdk
import nacl.signing
import nostr_sdk
from playwright.sync_api import sync_playwright

from agent_peer import Agent
from hub import ROOT, Hub
from near_values import base58

EXTENSION = ROOT / "Browser"
CHROMIUM = "/usr/bin/chromium"
ID = "eogdeaaobaedbhjhlkkkmbmhphibdcnb"
OPTIONS = f"chrome-extension://{ID}/options.html"
# The provider id of the product (ARC-27).
PUBLISHED = "f8d9a346-46e4-4b7a-9919-cea907de29dd"
BLANK = "<!DOCTYPE html><title>page</title><p>page"

POLICY = """
version = 1
default = "ask"

[[rule]]
id = "this-browser"
effect = "allow"
channel = "socket"
"client.proof" = "browser"
"client.profile" = "test"
client = [%s]
acknowledge = ["new_client", "identity_proof", "odd_time", "client_mismatch", "decrypt", "legacy_encryption"]
"""

# Plays near-connect's selector: receives the announcement of the wallet and makes the given calls.
NEAR = """async (steps) => {
  const wallet = await new Promise((resolve) => {
    addEventListener("near-wallet-injected", (event) => resolve(event.detail), { once: true });
    dispatchEvent(new CustomEvent("near-selector-ready"));
  });
  const found = [];
  for (const [method, params] of steps) {
    if (params?.nonce) params.nonce = Uint8Array.from(params.nonce);
    try { found.push(await wallet[method]({ network: "mainnet", ...params })); }
    catch (error) { found.push({ code: error.code, message: error.message, isError: error instanceof Error }); }
  }
  return { manifest: wallet.manifest, found };
}"""

# Sends one ARC-27 request in one of the three forms, and collects every answer to it within a time.
ARC27 = """async ([form, method, params, patience]) => {
  const request = { id: crypto.randomUUID(), reference: `arc0027:${method}:request`, params };
  const answers = [];
  const hear = (answer) => { if (answer?.requestId === request.id) answers.push(answer); };
  if (form === "event") {
    addEventListener(`arc0027:${method}:response`, (event) => hear(JSON.parse(event.detail)));
    dispatchEvent(new CustomEvent(request.reference, { detail: request }));
  } else if (form === "message") {
    addEventListener("message", (event) => { if (event.origin === origin) hear(event.data); });
    postMessage(request, "*");
  } else {
    const channel = new BroadcastChannel("arc0027:channel");
    channel.onmessage = (event) => hear(event.data);
    channel.postMessage(request);
  }
  const end = performance.now() + (patience ?? 10_000);
  while (performance.now() < end && (patience || answers.length === 0)) await new Promise((go) => setTimeout(go, 20));
  return answers;
}"""

SIGN = """([content, kind]) => nostr.signEvent({ kind: kind ?? 1, content, tags: [], created_at: 1700000000 })
  .catch((error) => ({ code: error.code, message: error.message, isError: error instanceof Error }))"""


class Pages:
    """A server on one port; each name that resolves to it is a separate origin."""

    def __init__(self):
        pages = self.pages = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                content, headers = pages.get(self.path.split("?")[0], (BLANK, {}))
                data = content.encode()
                self.send_response(200)
                given = {"Content-Type": "text/html; charset=utf-8", **headers}
                for name, value in given.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.named = f"http://localhost:{self.server.server_port}"

    def put(self, path, content, **headers):
        """Serves a page; `_` in the names of headers stands for `-`."""
        self.pages[path] = (content, {name.replace("_", "-"): value for name, value in headers.items()})
        return self.origin + path

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Browser:
    """One Chromium with a fresh profile, ended with the test."""

    def __init__(self, hub, *more_extensions):
        self.hub = hub
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-browser-")
        self.profile = os.path.join(self.folder.name, "profile")
        self.install()
        self.driver = sync_playwright().start()
        extensions = ",".join(str(path) for path in (EXTENSION, *more_extensions))
        self.context = self.driver.chromium.launch_persistent_context(
            self.profile, executable_path=CHROMIUM, headless=False, args=[
                "--headless=new", f"--load-extension={extensions}",
                f"--disable-extensions-except={extensions}",
                "--disable-features=DisableLoadExtensionCommandLineSwitch",
                *(["--no-sandbox"] if os.geteuid() == 0 else [])])
        self.context.set_default_timeout(30_000)
        # The content scripts, which the worker registers when it is installed.
        options = self.page(OPTIONS)
        options.wait_for_function(
            "async () => (await chrome.scripting.getRegisteredContentScripts()).length === 2")
        options.close()

    def install(self):
        out = self.hub.command(
            "--json", "browser", "install", "--browser", "chromium", "--user-data", self.profile)
        self.host = pathlib.Path(json.loads(out)["host"])

    def pair(self, token):
        """Gives the token to the extension like its owner; returns the text that the options then show."""
        options = self.page(OPTIONS)
        answered = "() => !document.querySelector('#state').textContent.startsWith('Asking')"
        options.wait_for_function(answered)
        options.fill("#token", token)
        options.click("#pairing button:not([type])")
        options.wait_for_function(answered)
        words = options.text_content("#state")
        options.close()
        return words

    def page(self, url):
        page = self.context.new_page()
        page.goto(url)
        return page

    def close(self):
        with contextlib.suppress(Exception):
            self.context.close()
        self.driver.stop()
        self.folder.cleanup()


def verified(event):
    found = nostr_sdk.Event.from_json(json.dumps(event))
    return found.verify() and found


class Case(unittest.TestCase):
    """A home with a key of each chain, its agent, and a browser that is paired with it."""

    @classmethod
    def make(cls, *more_extensions, pair=True, agent=()):
        cls.hub = Hub("new_client")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.nostr = nostr_sdk.Keys.generate()
        cls.hub.import_key("nostr", "alice", cls.nostr.secret_key().to_bech32())
        cls.near = nacl.signing.SigningKey.generate()
        secret = bytes(cls.near) + bytes(cls.near.verify_key)
        cls.hub.import_key("near", "bob", "ed25519:" + base58(secret), "--account", "bob.near")
        private, cls.address = algosdk.account.generate_account()
        cls.hub.import_key("algorand", "carol", algosdk.mnemonic.from_private_key(private))
        cls.pages, cls.others = Pages(), Pages()
        cls.addClassCleanup(cls.pages.close)
        cls.addClassCleanup(cls.others.close)
        cls.attest(POLICY % f'"{cls.pages.origin}", "{cls.others.origin}"')
        cls.token = cls.hub.command("agent", "token", "new", "--browser", "--name", "test").decode().strip()
        cls.agent = Agent(cls.hub, *agent)
        # The lambda reads the attribute late, as some tests start another agent.
        cls.addClassCleanup(lambda: cls.agent.stop())
        cls.browser = Browser(cls.hub, *more_extensions)
        cls.addClassCleanup(cls.browser.close)
        if pair:
            words = cls.browser.pair(cls.token)
            assert words == "Paired; the agent is unlocked.", words

    @classmethod
    def attest(cls, text):
        pathlib.Path(cls.hub.home, "policy.toml").write_text(text)
        cls.hub.command("policy", "attest")

    def page(self, url=None):
        page = self.browser.page(url or self.pages.origin + "/")
        self.addCleanup(page.close)
        return page

    def provider(self):
        return self.agent.ask("GET", "/v1/status")[2]["provider_id"]

    def waiting(self, count):
        """Returns once the given number of questions waits."""
        deadline = time.monotonic() + 20
        while (found := self.agent.ask("GET", "/v1/status")[2]["waiting"]) != count:
            self.assertLess(time.monotonic(), deadline, f"{found} wait, not {count}")
            time.sleep(0.05)

    def question(self):
        """Returns the question that waits, as the inbox shows it."""
        waiting = json.loads(self.hub.command("--json", "inbox", "--list"))["waiting"]
        self.assertEqual(len(waiting), 1, waiting)
        return json.loads(self.hub.command("--json", "inbox", "show", waiting[0]["id"])), waiting[0]

    def approve(self):
        shown, item = self.question()
        self.hub.command("inbox", "answer", item["id"], "once", "--seen", shown["digest"])
        return shown["text"]

    def assertRejected(self, found, code):
        self.assertEqual((found.get("code"), found.get("isError")), (code, True), found)
