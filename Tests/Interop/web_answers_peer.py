# SPDX-License-Identifier: Apache-2.0
"""The return of a result to a page: the pages of NIP-155 section 14.2 and of NIP-55 in a real Chromium, over https. The
result travels by an address, by a form on a one-time page, or by the clipboard."""
import datetime
import http.client
import http.server
import json
import os
import pathlib
import pty
import select
import ssl
import subprocess
import threading
import time
import unittest
import urllib.parse

import nostr_sdk
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from playwright.sync_api import sync_playwright

from agent_peer import Agent
from browser import CHROMIUM, verified
from hub import BINARY, PASSPHRASE, Hub, pipe

PAGE = """<!DOCTYPE html><title>app</title><a id="sign">sign</a><script>
const callback = location.origin + "/nostr/callback";
document.querySelector("#sign").href = "nostrsigner://get_public_key?type=get_public_key"
  + "&x-success=" + encodeURIComponent(callback)
  + "&x-error=" + encodeURIComponent(location.origin + "/nostr/callback-error")
  + "&permissions=%5B%7B%22type%22%3A%22sign_event%22%7D%5D&x-source=ExampleWeb";
</script>"""


class Site:
    """Pages over https; it keeps incoming requests."""

    def __init__(self, folder):
        taken = self.taken = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def answer(self, body=""):
                taken.append((self.command, self.path, body))
                data = (PAGE if self.path == "/" else "<!DOCTYPE html><title>done</title>").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def do_GET(self):
                self.answer()

            def do_POST(self):
                self.answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.server.socket = self.context(folder).wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"https://localhost:{self.server.server_port}"

    @staticmethod
    def context(folder):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.now(datetime.timezone.utc)
        day = datetime.timedelta(days=1)
        certificate = x509.CertificateBuilder(
            subject, subject, key.public_key(), x509.random_serial_number(), now - day, now + day,
        ).sign(key, hashes.SHA256())
        path = pathlib.Path(folder, "site.pem")
        path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(path)
        return tls

    def came(self, path):
        """Returns the first request to a path."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for found in list(self.taken):
                if found[1].split("?")[0] == path:
                    return found
            time.sleep(0.05)
        raise AssertionError(f"nothing came to {path}: {self.taken}")

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class WebAnswers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub("new_client", "oversize")
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.keys = nostr_sdk.Keys.generate()
        cls.hub.import_key("nostr", "alice", cls.keys.secret_key().to_bech32())
        cls.site = Site(cls.hub.folder.name)
        cls.addClassCleanup(cls.site.close)
        # Programs that the desktop would start write down their arguments.
        cls.tools = pathlib.Path(cls.hub.folder.name, "tools")
        cls.tools.mkdir()
        cls.opened = pathlib.Path(cls.hub.folder.name, "opened")
        cls.copied = pathlib.Path(cls.hub.folder.name, "copied")
        cls.tool("xdg-open", f'printf "%s\\n" "$#" "$@" > {cls.opened}.new && mv {cls.opened}.new {cls.opened}')
        cls.tool("xclip", f"printf '%s\\n' \"$@\" > {cls.copied}.words && cat > {cls.copied}")
        cls.driver = sync_playwright().start()
        cls.addClassCleanup(cls.driver.stop)
        cls.browser = cls.driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else [])
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def tool(cls, name, script):
        path = cls.tools / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def setUp(self):
        self.site.taken.clear()
        self.opened.unlink(missing_ok=True)
        self.copied.unlink(missing_ok=True)
        context = self.browser.new_context(ignore_https_errors=True)
        self.addCleanup(context.close)
        context.set_default_timeout(60_000)
        self.page = context.new_page()

    def environment(self):
        return {**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}", "DISPLAY": ":9", "WAYLAND_DISPLAY": ""}

    def start(self, *words):
        """Starts `countersign open` like the desktop."""
        reader = pipe(PASSPHRASE)
        process = subprocess.Popen(
            [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), "open", *words],
            pass_fds=[reader], env=self.environment(), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        os.close(reader)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()

    def opened_address(self, process):
        """Returns the one address that the desktop was to open."""
        deadline = time.monotonic() + 60
        while not self.opened.exists():
            if process.poll() not in (None, 0):
                raise AssertionError(process.stderr.read())
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)
        count, address = self.opened.read_text().splitlines()
        self.assertEqual(count, "1")
        return address

    def event(self, content):
        return json.dumps({"kind": 1, "content": content, "tags": [], "created_at": 1700000000})

    def asking(self, content, callback):
        return ("nostrsigner://sign_event?type=sign_event&returnType=event&id=7&x-success="
                + urllib.parse.quote(callback, safe="") + "&event=" + urllib.parse.quote(self.event(content), safe=""))

    def landing(self, content="x" * 200_000, *options):
        """A result that waits on its page; returns the process, the page's address and the callback."""
        callback = self.site.origin + "/in?own=1"
        process = self.start(*options or ("--post",), "-")
        process.stdin.write(self.asking(content, callback).encode())
        process.stdin.close()
        return process, urllib.parse.urlsplit(self.opened_address(process))

    def fetch(self, address, **headers):
        """Returns the response that a program gets there."""
        connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=60)
        self.addCleanup(connection.close)
        connection.putrequest("GET", headers.pop("path", address.path), skip_host=True)
        headers = {"Host": address.netloc, **headers}
        for name, value in headers.items():
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def test_the_page_of_the_specification_receives_its_result(self):
        self.page.goto(self.site.origin + "/")
        asked = self.page.locator("#sign").get_attribute("href")
        process = self.start(asked)
        callback = self.opened_address(process)
        self.assertEqual(process.wait(timeout=60), 0)
        self.page.goto(callback)
        method, path, _ = self.site.came("/nostr/callback")
        self.assertEqual(method, "GET")
        answer = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(path).query))
        self.assertEqual(answer["pubkey"], self.keys.public_key().to_hex())
        self.assertEqual(answer["package"], "io.countersign.hub")
        self.assertEqual(json.loads(answer["granted_permissions"]), [{"type": "sign_event"}])

    def test_a_result_too_long_for_an_address_goes_by_a_form(self):
        process, address = self.landing("y" * 200_000, "--quiet")
        self.assertRegex(address.hostname, r"^[0-9a-f]{32}\.localhost$")
        status, page = self.fetch(address)
        self.assertEqual(status, 200)
        self.assertIn(f'action="{self.site.origin}/in?own=1"', page)
        self.assertIn("y" * 200_000, page)
        self.assertEqual(process.wait(timeout=60), 0)

    def test_a_request_too_long_for_the_agent_is_answered_without_it(self):
        agent = Agent(self.hub)
        self.addCleanup(agent.kill)
        process, address = self.landing("z" * 200_000, "--adapter", "nip155")
        self.assertIn("z" * 200_000, self.fetch(address)[1])
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertIn(b"this command works without the agent", process.stderr.read())

    def test_a_result_that_fits_goes_by_an_address(self):
        process, address = self.landing("y" * 20_000, "--quiet")
        self.assertEqual(address.geturl().split("&event=")[0], self.site.origin + "/in?own=1&id=7")
        self.assertEqual(process.wait(timeout=60), 0)

    def test_a_result_too_long_for_an_app_link_is_refused(self):
        process = self.start("-")
        process.stdin.write(self.asking("y" * 200_000, "myapp://in").encode())
        process.stdin.close()
        self.assertEqual(process.wait(timeout=60), 1)
        self.assertFalse(self.opened.exists())

    def test_a_large_result_goes_by_a_form(self):
        content = "a line\r\n<b>\"&'\u263a" + "x" * 200_000
        process, address = self.landing(content)
        # Neither the opened address nor the output contains a part of the result.
        self.assertEqual((address.scheme, address.query), ("http", ""))
        self.assertRegex(address.hostname, r"^[0-9a-f]{32}\.localhost$")
        self.assertEqual(len(address.path), 33)
        self.page.goto(address.geturl(), wait_until="commit")
        method, path, body = self.site.came("/in")
        self.assertEqual((method, path), ("POST", "/in?own=1"))
        fields = dict(urllib.parse.parse_qsl(body, keep_blank_values=True))
        self.assertEqual(set(fields), {"id", "event"})
        self.assertEqual(fields["id"], "7")
        event = verified(json.loads(fields["event"]))
        self.assertEqual((event.content(), event.author().to_hex()), (content, self.keys.public_key().to_hex()))
        self.assertEqual(process.wait(timeout=60), 0)
        self.assertEqual(process.stdout.read().decode(), self.site.origin + "/in\n")
        self.assertNotIn("event", self.page.url)

    def test_the_page_is_served_once_and_to_no_other_origin(self):
        process, address = self.landing()
        path = address.path
        for name in ("localhost", "127.0.0.1", "0" * 32 + ".localhost"):
            self.assertEqual(self.fetch(address, Host="%s:%d" % (name, address.port))[0], 421)
        self.assertEqual(self.fetch(address, **{"Sec-Purpose": "prefetch"})[0], 403)
        self.assertEqual(self.fetch(address, path="/" + "0" * 32)[0], 404)
        self.assertEqual(self.fetch(address, **{"Sec-Fetch-Site": "cross-site"})[0], 403)
        self.assertEqual(self.fetch(address, Origin="https://evil.example")[0], 403)
        # A foreign page that knows the address cannot read the result.
        self.page.goto(self.site.origin + "/other")
        got = self.page.evaluate(
            "(url) => fetch(url, { mode: 'no-cors' }).then((answer) => answer.text(), (error) => 'refused')",
            address.geturl())
        self.assertNotIn("form", got)
        status, first = self.fetch(address, path=path)
        self.assertEqual(status, 200)
        self.assertIn('method="post"', first)
        # A used address: the page says so, or the port is closed.
        try:
            status, again = self.fetch(address, path=path)
            self.assertEqual(status, 410)
            self.assertNotIn("xxx", again)
        except OSError:
            pass
        self.assertEqual(process.wait(timeout=60), 0)
        with self.assertRaises(OSError):
            self.fetch(address, path=path)

    def test_a_page_of_nip55_receives_its_result(self):
        callback = self.site.origin + "/?event="
        base = "nostrsigner:%s?compressionType=none&returnType=%s&type=%s&callbackUrl=" + callback
        note = urllib.parse.quote(self.event("hi"), safe="")
        for kind, payload, returning in [("get_public_key", "", "signature"), ("sign_event", note, "event")]:
            self.opened.unlink(missing_ok=True)
            process = self.start(base % (payload, returning, kind))
            address = self.opened_address(process)
            self.assertEqual(process.wait(timeout=60), 0)
            self.assertTrue(address.startswith(callback))
            self.page.goto(address)
            result = self.page.evaluate("new URL(location.href).searchParams.get('event')")
            if kind == "get_public_key":
                self.assertEqual(result, self.keys.public_key().to_hex())
            else:
                self.assertEqual(verified(json.loads(result)).content(), "hi")
        # A form works too, under the name at the end of the callback, even if forms use that name themselves.
        self.opened.unlink()
        self.site.taken.clear()
        process = self.start("--post", base.replace("/?event=", "/in?submit=") % (note, "event", "sign_event"))
        self.page.goto(self.opened_address(process), wait_until="commit")
        method, path, body = self.site.came("/in")
        self.assertEqual((method, path), ("POST", "/in"))
        self.assertEqual(verified(json.loads(urllib.parse.parse_qs(body)["submit"][0])).content(), "hi")
        self.assertEqual(process.wait(timeout=60), 0)

    def at_terminal(self, url, answer):
        """Returns the output of a terminal on which a person answers the question about the clipboard."""
        reader = pipe(PASSPHRASE)
        words = [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), "open", url]
        environment = self.environment()
        process, terminal = pty.fork()
        if process == 0:
            os.set_inheritable(reader, True)
            os.execve(BINARY, words, environment)
        os.close(reader)
        shown, deadline, is_answered = b"", time.monotonic() + 60, False
        while time.monotonic() < deadline:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                part = os.read(terminal, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
            if b"(y/n): " in shown and not is_answered:
                is_answered = True
                os.write(terminal, answer + b"\n")
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), 0, shown)
        self.assertTrue(is_answered, shown)
        return shown.decode()

    def test_a_request_without_a_callback_asks_about_the_clipboard(self):
        note = urllib.parse.quote(self.event("hi"), safe="")
        url = f"nostrsigner:{note}?compressionType=none&returnType=event&type=sign_event"
        shown = self.at_terminal(url, b"n")
        self.assertIn("every program of this desktop", shown)
        self.assertIn("not on the clipboard", shown)
        self.assertFalse(self.copied.exists())
        shown = self.at_terminal(url, b"y")
        self.assertIn("on the clipboard: ", shown)
        self.assertEqual(verified(json.loads(self.copied.read_text())).content(), "hi")
        self.assertEqual(
            pathlib.Path(f"{self.copied}.words").read_text().split(), ["-selection", "clipboard", "-in"])
        self.assertFalse(self.opened.exists())
        # Without a terminal, the result is only printed.
        self.copied.unlink()
        process = self.start(url)
        out, err = process.communicate(timeout=60)
        self.assertEqual(verified(json.loads(out)).content(), "hi")
        self.assertIn(b"you cannot be asked", err)
        self.assertFalse(self.copied.exists())


if __name__ == "__main__":
    unittest.main()
