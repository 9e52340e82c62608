# SPDX-License-Identifier: Apache-2.0
"""The agent as a NIP-46 signer on .onion relays, behind a small SOCKS5 proxy in place of Tor."""
import json
import os
import socket
import socketserver
import subprocess
import threading
import time
import unittest

from bunker_rig import BunkerRig, Client
from hub import BINARY, PASSPHRASE, pipe

ONION = "a" * 55 + "d.onion"


class SmallProxy:
    """A SOCKS5 proxy that connects every name to one relay of this machine, and notes the names."""

    def __init__(self, relay, replies=None):
        self.names = []
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                outer.serve(self.request, relay, replies)

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"socks5h://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()

    def serve(self, client, relay, replies):
        assert client.recv(3) == b"\x05\x01\x00"
        client.sendall(b"\x05\x00")
        head = client.recv(5)
        assert head[:4] == b"\x05\x01\x00\x03", head
        name, port = client.recv(head[4]).decode(), int.from_bytes(client.recv(2), "big")
        self.names.append(f"{name}:{port}")
        if replies:
            return client.sendall(replies)
        client.sendall(b"\x05\x00\x00\x01" + bytes(6))
        server = socket.create_connection(("127.0.0.1", relay.port))
        threading.Thread(target=self.carry, args=(server, client), daemon=True).start()
        self.carry(client, server)

    def carry(self, source, target):
        try:
            while piece := source.recv(65536):
                target.sendall(piece)
        except OSError:
            pass
        for each in (source, target):
            try:
                each.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Tor(BunkerRig):
    def proxy(self, relay, replies=None):
        proxy = SmallProxy(relay, replies)
        self.addCleanup(proxy.end)
        return proxy

    def refused(self, *words):
        reader = pipe(PASSPHRASE)
        self.addCleanup(os.close, reader)
        done = subprocess.run(
            [BINARY, "--home", self.hub.home, "--passphrase-fd", str(reader), *words],
            pass_fds=[reader], capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        return done.stderr

    def state(self, url, wanted, seconds=20):
        deadline = time.time() + seconds
        while True:
            states = {each["relay"]: each
                      for each in self.agent.ask("GET", "/v1/status")[2]["relays"]}
            found = states.get(url, {})
            if wanted(found) or time.time() > deadline:
                return found
            time.sleep(0.2)

    def offered(self, url, name):
        return json.loads(self.hub.command(
            "--json", "bunker", "new", "--name", name, "--relays", url))

    def test_an_onion_relay_is_reached_through_the_proxy_alone(self):
        relay, direct = self.relay(), self.relay()
        onion = f"ws://{ONION}"
        text = self.refused("bunker", "new", "--relays", onion)
        self.assertIn("is reached only over Tor, and no proxy is set", text)
        self.assertIn("countersign bunker proxy socks5h://127.0.0.1:9050", text)
        proxy = self.proxy(relay)
        self.hub.command("bunker", "proxy", proxy.url)
        self.assertEqual(
            json.loads(self.hub.command("--json", "bunker", "proxy")),
            {"all": False, "url": proxy.url})
        made = self.offered(onion, "tor")
        self.offer(direct, name="direct")
        self.start()
        self.assertTrue(relay.subscribed.wait(20))
        self.assertTrue(direct.subscribed.wait(20))
        self.assertEqual(proxy.names, [f"{ONION}:80"])
        client = Client(relay.url, made["signer"])
        secret = self.secret(made["uri"])
        self.assertEqual(client.call("connect", made["signer"], secret)["result"], "ack")
        self.check_event(self.note(client)["result"])
        # A proxy for all relays does not carry those of this machine.
        self.hub.command("bunker", "proxy", proxy.url, "--all")
        self.offered("wss://relay.example", "far")
        self.state("wss://relay.example", lambda found: found.get("problem"))
        self.assertIn("relay.example:443", proxy.names)
        self.assertFalse([name for name in proxy.names if "127.0.0.1" in name])
        # Without the proxy, the open relay is left and not reached in another way.
        self.hub.command("bunker", "proxy", "none")
        reason = "only a proxy of Tor reaches .onion relays, and none is set"
        found = self.state(onion, lambda found: found.get("problem") == reason)
        self.assertEqual(found["problem"], reason)
        self.assertIsNone(client.call("ping", seconds=3))

    def test_a_proxy_that_refuses_is_named(self):
        relay = self.relay()
        proxy = self.proxy(relay, b"\x05\x05\x00\x01" + bytes(6))
        self.hub.command("bunker", "proxy", proxy.url)
        self.offered(f"ws://{ONION}", "tor")
        self.start()
        found = self.state(f"ws://{ONION}", lambda found: found.get("problem"))
        self.assertEqual(found["problem"], "the proxy says: the relay refused the connection")
        self.assertFalse(relay.subscribed.is_set())


if __name__ == "__main__":
    unittest.main()
