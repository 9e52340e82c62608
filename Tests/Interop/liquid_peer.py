# SPDX-License-Identifier: Apache-2.0
"""Logins at honest and dishonest servers of Liquid Auth, with fido2 and PyNaCl on the server's side."""
import datetime
import ipaddress
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from aiohttp import web
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from hub import BINARY, PASSPHRASE, Hub, pipe
from liquid_server import Server, base64url

WORDS = pathlib.Path(__file__).resolve().parents[2] / "Examples/requests/algorand-words.txt"


def made_certificate(folder):
    """Makes a certificate authority and a certificate for localhost; returns the files."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name)
        .public_key(key.public_key()).serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectAlternativeName([
            x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False)
        .sign(key, hashes.SHA256()))
    paths = [os.path.join(folder, "ca.pem"), os.path.join(folder, "key.pem")]
    pathlib.Path(paths[0]).write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    pathlib.Path(paths[1]).write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))
    return paths


class Logins(unittest.TestCase):
    """A home with a key, and a server that has a certificate."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="countersign-")
        cls.certificate = made_certificate(cls.folder.name)

    def setUp(self):
        self.hub = Hub("liquid_challenge", "new_client")
        self.hub.import_key("algorand", "treasury", WORDS.read_text().strip())
        self.server = None

    def tearDown(self):
        if self.server:
            self.server.close()

    def serve(self, **more):
        self.server = Server(certificate=self.certificate, **more)
        return self.server

    def login(self, *more, uri=None, status=0, authority=None):
        """Logs in; returns the text of both outputs."""
        reader = pipe(PASSPHRASE)
        done = subprocess.run(
            [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), "--json", "liquid",
             "login", "--ca", authority or self.certificate[0], *more, uri or self.server.uri()],
            capture_output=True, pass_fds=[reader], timeout=120, stdin=subprocess.DEVNULL)
        os.close(reader)
        text = done.stdout.decode() + done.stderr.decode()
        self.assertEqual(done.returncode, status, text)
        return text

    def passkeys(self):
        return json.loads(self.hub.command("--json", "liquid", "passkeys", "list"))


class Liquid(Logins):
    def test_a_login_registers_first_and_then_uses_the_passkey(self):
        server = self.serve()
        self.login()
        first = self.passkeys()
        self.assertEqual([one["host"] for one in first], ["localhost"])
        body = server.bodies[0]
        self.assertEqual(body["id"], first[0]["credential"])
        self.assertEqual(server.headers[-1]["User-Agent"].split(" countersign/")[0],
                         "Mozilla/5.0 (X11; Linux x86_64)")
        said = self.login()
        self.assertIn(first[0]["name"], said)
        self.assertEqual(len(server.bodies), 2)
        self.assertIn("authenticatorData", server.bodies[1]["response"])
        self.assertEqual(self.passkeys(), first)

    def test_passkeys_are_renamed_removed_and_not_exported(self):
        self.serve()
        self.login()
        name = self.passkeys()[0]["name"]
        self.hub.command("liquid", "passkeys", "rename", name, "work")
        self.login()
        self.hub.command("key", "export", "work", status=1)
        self.hub.command("liquid", "passkeys", "remove", "work")
        self.assertEqual(self.passkeys(), [])
        self.login()
        self.assertEqual(len(self.server.users.popitem()[1]["credentials"]), 2)

    def test_a_server_that_lost_its_users_gets_a_new_passkey(self):
        server = self.serve()
        port = server.port
        self.login()
        before = self.passkeys()[0]
        server.close()
        self.serve(port=port)
        self.login()
        both = self.passkeys()
        self.assertEqual(both[0], before)
        self.assertEqual([one["name"] for one in both], [before["name"], before["name"] + "-2"])
        # The new passkey logs in, and the old one stays: the command cannot know that the server forgot it.
        self.login()
        self.assertEqual(self.passkeys(), both)

    def test_a_login_uses_the_old_passkey_if_the_server_refused_new_ones(self):
        server = self.serve()
        self.login()
        before = self.passkeys()
        known = dict(server.users)
        server.users.clear()
        server.refuses_passkeys = True
        # No passkey is removed automatically: the server may still know each of them.
        for kept in (2, 3):
            self.assertIn("refuses", self.login(status=1))
            self.assertEqual(len(self.passkeys()), kept)
            self.assertEqual(self.passkeys()[0], before[0])
        refused = self.passkeys()
        # The server knows the first passkey again.
        server.users.update(known)
        self.login()
        self.assertEqual(server.bodies[-1]["id"], before[0]["credential"])
        self.assertEqual(self.passkeys(), refused)

    def test_a_passkey_never_has_the_name_of_a_key(self):
        self.serve()
        self.login()
        name = self.passkeys()[0]["name"]
        self.hub.command("liquid", "passkeys", "rename", name, "treasury", status=1)
        self.assertEqual(self.passkeys()[0]["name"], name)

    def test_a_refused_challenge_is_reported_once(self):
        self.serve(prepare=self.challenge(b"TX" + bytes(30)))
        self.assertEqual(self.login(status=1).count("error:"), 1)

    def test_a_denied_login_makes_no_passkey(self):
        self.serve()
        rule = '[[rule]]\nid = "no"\neffect = "deny"\nprotocol = "algorand"\nhost = "localhost"\n'
        path = pathlib.Path(self.hub.home, "policy.toml")
        path.write_text(path.read_text() + rule)
        self.hub.command("policy", "attest")
        self.assertIn("denied", self.login(status=3))
        self.assertEqual(self.passkeys(), [])
        self.assertEqual(self.server.bodies, [])

    def test_only_a_trusted_authority_proves_a_server_name(self):
        self.serve()
        other = made_certificate(tempfile.mkdtemp(dir=self.folder.name))
        self.assertIn("cannot be reached", self.login(authority=other[0], status=1))
        self.login(authority=os.path.join(self.folder.name, "none.pem"), status=64)
        self.login(authority=self.certificate[1], status=64)
        self.assertEqual(self.server.bodies, [])
        self.assertEqual(self.server.headers, [])

    def test_plain_http_needs_an_option_and_a_local_server(self):
        self.server = Server()
        self.login(status=64)
        self.login("--allow-insecure")
        self.login("--allow-insecure", uri="liquid://http://app.example/?requestId=1", status=64)

    def challenge(self, data):
        def prepare(_request, options):
            return {**options, "challenge": base64url(data)}
        return prepare

    def test_challenges_of_another_kind_are_not_signed(self):
        for data in [b"TX" + bytes(30), b"Program\x01\x20\x01\x01\x22" + bytes(20), bytes(31),
                     bytes(33)]:
            with self.subTest(data=data):
                self.serve(prepare=self.challenge(data))
                self.assertIn("challenge", self.login(status=1))
                # The command asks for one other challenge.
                self.assertEqual(len(self.server.headers), 2)
                self.assertEqual(self.server.bodies, [])
                self.server.close()
        self.server = None
        self.assertEqual(self.passkeys(), [])

    def test_a_second_challenge_is_accepted(self):
        seen = []

        def prepare(_request, options):
            seen.append(1)
            bad = base64url(b"TX" + bytes(30))
            return {**options, "challenge": bad} if len(seen) == 1 else options
        self.serve(prepare=prepare)
        self.login()
        self.assertEqual(len(self.server.bodies), 1)

    def test_a_challenge_is_answered_once(self):
        self.serve(prepare=self.challenge(b"\x07" * 32))
        self.login()
        self.assertIn("replayed", self.login(status=3))
        self.assertEqual(len(self.server.bodies), 1)

    def test_a_passkey_of_another_host_is_not_made(self):
        self.serve(prepare=lambda _, options: {
            **options, "rp": {"name": "x", "id": "evil.example"}})
        self.assertIn("another host", self.login(status=1))
        self.assertEqual(self.server.bodies, [])

    def test_invalid_answers_are_refused(self):
        def huge(_request, _options):
            return web.Response(
                body=b'{"a":"' + b"x" * (10 << 20) + b'"}', content_type="application/json")

        def page(_request, _options):
            return web.Response(text="<html></html>", content_type="text/html")

        def away(_request, _options):
            return web.Response(status=302, headers={"Location": "https://evil.example/"})

        def reason(_request, _options):
            return web.json_response(
                {"reason": "invalid_credential", "error": "no"}, status=401)
        for prepare, said in [(huge, "longer than the limit"), (page, "not with JSON"),
                              (away, "redirects to another address"),
                              (reason, "does not accept the passkey")]:
            with self.subTest(said=said):
                self.serve(prepare=prepare)
                self.assertIn(said, self.login(status=1))
                self.server.close()
        self.server = None
        self.assertEqual(self.passkeys(), [])

    def test_a_cookie_for_another_host_is_not_kept(self):
        def prepare(_request, options):
            return web.json_response(options, status=201, headers={
                "Set-Cookie": "connect.sid=s%3Aevil; Domain=evil.example; Path=/"})
        self.serve(prepare=prepare)
        self.login(status=1)
        self.assertNotIn("Cookie", self.server.headers[-1])

    def test_the_cookie_is_returned_unchanged(self):
        self.serve()
        self.login()
        cookie = self.server.headers[-1]["Cookie"]
        self.assertTrue(cookie.endswith("%2F%2B"), cookie)
        self.assertIn(cookie.removeprefix("connect.sid="), self.server.sessions)


if __name__ == "__main__":
    unittest.main()
