# SPDX-License-Identifier: Apache-2.0
"""A service worker and a stored page that an earlier server of the agent's port left in Debian's Chromium and Firefox;
the browsers must still show the agent's pages."""
import http.server
import os
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from urllib.parse import urlsplit

from playwright.sync_api import sync_playwright
from selenium import webdriver
from selenium.webdriver.firefox.options import Options
from selenium.webdriver.firefox.service import Service

from agent_peer import Agent
from firefox_peer import FIREFOX, driver
from hub import BINARY, PASSPHRASE, Hub, free_port, pipe
from web import CHROMIUM

PLANT = """<!DOCTYPE html><title>planted</title><body>of another user<script>
navigator.serviceWorker.register("/worker.js", { scope: "/" }).then(() => navigator.serviceWorker.ready)
  .then((ready) => { document.title = ready.active ? "ready" : "none"; }, (error) => { document.title = String(error); });
localStorage.setItem("planted", "yes");
</script>"""
WORKER = """addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => event.respondWith(new Response("<!DOCTYPE html><title>worker</title>of a worker",
  { headers: { "Content-Type": "text/html" } })));"""
STATE = "[document.title, document.body.innerText, document.querySelector('#sign-in:not([hidden])') !== null]"


class Another:
    """A server of another user that has the port while no agent has it; it answers under every name."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            is_worker = self.path == "/worker.js"
            data = (WORKER if is_worker else PLANT).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/javascript" if is_worker else "text/html")
            self.send_header("Cache-Control", "public, max-age=31536000, immutable")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_):
            pass

    def __init__(self, port):
        class Server(http.server.ThreadingHTTPServer):
            address_family = socket.AF_INET6
        self.servers = [http.server.ThreadingHTTPServer(("127.0.0.1", port), self.Handler),
                        Server(("::1", port), self.Handler)]
        for server in self.servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, daemon=True).start()

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()


class Chromium:
    def __init__(self, profile):
        self.driver = sync_playwright().start()
        self.context = self.driver.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        self.page = self.context.new_page()

    def open(self, url):
        self.page.goto(url)

    def run(self, code):
        return self.page.evaluate(code)

    def close(self):
        self.context.close()
        self.driver.stop()


class Firefox:
    def __init__(self, profile):
        options = Options()
        options.binary_location = FIREFOX
        options.add_argument("-headless")
        options.add_argument("-profile")
        options.add_argument(profile)
        os.makedirs(profile, exist_ok=True)
        self.firefox = webdriver.Firefox(options=options, service=Service(driver(), log_output=profile + ".log"))

    def open(self, url):
        self.firefox.get(url)

    def run(self, code):
        return self.firefox.execute_script(f"return {code}")

    def close(self):
        self.firefox.quit()


class Case:
    """Runs each test in each browser; the profile is the same before and after."""

    browser = None

    def setUp(self):
        self.hub = Hub("new_client")
        self.addCleanup(self.hub.folder.cleanup)
        self.port = free_port()
        folder = tempfile.TemporaryDirectory(prefix="countersign-origin-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.profile = os.path.join(folder.name, "profile")

    def agent(self):
        agent = Agent(self.hub, "--web", str(self.port))
        self.addCleanup(agent.kill)
        deadline = time.monotonic() + 30
        while subprocess.run([BINARY, "--home", self.hub.home, "agent", "status"], capture_output=True).returncode:
            self.assertLess(time.monotonic(), deadline)
            self.assertIsNone(agent.process.poll(), agent.first)
            time.sleep(0.05)
        return agent

    def inbox(self):
        return self.hub.command("agent", "web").decode().strip()

    def windows(self):
        return self.hub.windows(self.port)

    def until(self, condition):
        deadline = time.monotonic() + 60
        while not (found := condition()):
            self.assertLess(time.monotonic(), deadline, found)
            time.sleep(0.1)
        return found

    def renewed(self, url, text):
        """Starts the browser repeatedly until a page shows a text. A browser looks for a new worker some seconds after
        it opened a page of that worker; Firefox removes the old one when it ends."""
        deadline = time.monotonic() + 120
        while True:
            browser = self.browser(self.profile)
            try:
                browser.open(url)
                if text in browser.run(STATE)[1]:
                    return
                self.assertLess(time.monotonic(), deadline)
                time.sleep(3)
            finally:
                browser.close()

    def plant(self, *urls):
        """Lets the browser visit another user's server, which has the port now."""
        browser = self.browser(self.profile)
        another = Another(self.port)
        try:
            for url in urls:
                browser.open(url)
                self.until(lambda: browser.run("document.title") == "ready")
                # The browser now has a stored page, and a worker that answers for all pages.
                browser.open(url)
                self.until(lambda: browser.run("document.title") == "worker")
        finally:
            another.close()
            browser.close()

    def opened(self):
        browser = self.browser(self.profile)
        self.addCleanup(browser.close)
        return browser

    def test_a_foreign_service_worker_does_not_hide_the_inbox(self):
        first = self.agent()
        known = self.inbox().split("#")[0]
        first.kill()
        self.plant(known, f"http://127.0.0.1:{self.port}/", f"http://localhost:{self.port}/")
        self.agent()
        browser = self.opened()
        address = self.inbox()
        self.assertNotEqual(urlsplit(address).netloc, urlsplit(known).netloc)
        browser.open(address)
        self.until(lambda: browser.run(STATE)[2])
        title, text, _ = browser.run(STATE)
        self.assertEqual(title, "Countersign (locked)")
        self.assertNotIn("of a", text.replace("of this home", ""))
        self.assertTrue(browser.run("navigator.serviceWorker.controller === null"))
        self.assertTrue(browser.run("localStorage.getItem('planted') === null && isSecureContext"))

    def test_a_foreign_service_worker_does_not_hide_a_window(self):
        first = self.agent()
        known = self.inbox().split("#")[0]
        first.kill()
        self.plant(known, f"http://127.0.0.1:{self.port}/near")
        self.agent()
        browser = self.opened()
        browser.open(self.windows() + "/near")
        self.until(lambda: "No page that can be answered opened this window" in browser.run(STATE)[1])

    def test_a_foreign_service_worker_of_the_window_origin_is_removed(self):
        self.agent().kill()
        self.plant(self.windows() + "/near")
        self.agent()
        self.renewed(self.windows() + f"/near/{os.urandom(16).hex()}", "No page that can be answered opened this window")

    def test_127_0_0_1_serves_no_page_and_clears_foreign_data(self):
        self.plant(f"http://127.0.0.1:{self.port}/")
        self.agent()
        # The data of another server of this machine stays.
        other = Another(free_port())
        self.addCleanup(other.close)
        place = f"http://127.0.0.1:{other.servers[0].server_port}/"
        browser = self.browser(self.profile)
        browser.open(place)
        self.until(lambda: browser.run("document.title") == "ready")
        browser.close()
        self.renewed(f"http://127.0.0.1:{self.port}/other", "countersign agent web")
        browser = self.opened()
        browser.open(place)
        self.assertTrue(browser.run("localStorage.getItem('planted') === 'yes'"))

    def test_an_agent_does_not_start_if_the_ipv6_port_is_taken(self):
        with socket.socket(socket.AF_INET6) as other:
            other.bind(("::1", self.port))
            other.listen()
            reader = pipe(PASSPHRASE)
            done = subprocess.run(
                [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), "agent", "--socket",
                 os.path.join(self.hub.home, "agent.sock"), "--web", str(self.port)],
                pass_fds=[reader], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
            os.close(reader)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"[::1]:{self.port}: Address already in use", done.stderr.decode())
        self.agent()
        with self.assertRaises(OSError):
            socket.create_server(("::1", self.port), family=socket.AF_INET6)


class InChromium(Case, unittest.TestCase):
    browser = Chromium


class InFirefox(Case, unittest.TestCase):
    browser = Firefox


if __name__ == "__main__":
    unittest.main()
