# SPDX-License-Identifier: Apache-2.0
"""`liquid connect` with coturn: pages that only a server's help makes reachable."""
import pathlib
import unittest
import uuid

from datachannel_relay_peer import candidates, only
from liquid_connect_peer import App, Connections
from turn import GATE, PASSWORD, RELAY, USER, Gate, Relay


class FarApp(App):
    """A page that receives candidates of one kind only, and whose own candidate is only a gate."""

    def __init__(self, server, request_id, kind, gate=None):
        super().__init__(server, request_id)
        self.kind, self.gate = kind, gate

    async def answer(self, sdp):
        answer = await super().answer(only(sdp, self.kind))
        lines = only(answer, "none").split("\r\n")
        if self.gate:
            host = candidates(answer, "host")[0].split(" ")
            self.gate.inside = (host[4], int(host[5]))
            way = f"a=candidate:1 1 udp 2130706431 {self.gate.address[0]} {self.gate.address[1]} typ host"
            lines.insert(next(n for n, one in enumerate(lines) if one.startswith("a=setup:")), way)
        return "\r\n".join(lines)


class LiquidRelay(Connections):
    async def asyncSetUp(self):
        self.relay = Relay()
        await self.relay.ready()
        self.gates = []

    async def asyncTearDown(self):
        await super().asyncTearDown()
        for gate in self.gates:
            await gate.close()
        self.relay.close()

    async def gate(self, *words, **more):
        gate = await Gate(**more).start(*words)
        self.gates.append(gate)
        return gate

    def ice_file(self, password=PASSWORD, transport=""):
        path = pathlib.Path(self.folder.name, str(uuid.uuid4()))
        path.write_text(f"turn:{USER}@127.0.0.1:{self.relay.port}{transport} {password}\n")
        path.chmod(0o600)
        return str(path)

    async def far(self, kind, gate, *words):
        server, request_id = self.serve(), str(uuid.uuid4())
        app = FarApp(server, request_id, kind, gate)
        self.open.append(app)
        await app.start()
        return await self.connect(server, request_id, *words), app

    async def ask(self, wallet, app):
        await wallet.says("open:")
        await app.ready()
        self.assertIn("result", await app.ask("discover"))

    def seen(self, wallet):
        """Returns all that other programs of the user can read of the wallet and of its channel program."""
        text = b""
        for process in (wallet.process.pid, wallet.keeper()):
            for name in ("cmdline", "environ"):
                try:
                    text += pathlib.Path(f"/proc/{process}/{name}").read_bytes()
                except PermissionError:
                    pass
        return text

    async def test_a_page_connects_by_the_address_that_a_stun_server_reports(self):
        router = await self.gate()
        server = await router.toward(("127.0.0.1", self.relay.port))
        wallet, app = await self.far("srflx", None, "--ice", f"stun:127.0.0.1:{server[1]}")
        before = router.passed
        await self.ask(wallet, app)
        self.assertGreater(router.passed, before)

    async def test_a_page_connects_by_a_relay(self):
        for transport in ("", "?transport=tcp"):
            with self.subTest(transport):
                gate = await self.gate(GATE, allowed=[RELAY])
                wallet, app = await self.far(
                    "relay", gate, "--ice-file", self.ice_file(transport=transport))
                await self.ask(wallet, app)
                self.assertGreater(gate.passed, 0)
                self.assertNotIn(PASSWORD.encode(), self.seen(wallet))
                wallet.process.send_signal(2)
                self.assertNotIn(PASSWORD, await wallet.ends())

    async def test_a_wrong_password_is_reported(self):
        gate = await self.gate(GATE, allowed=[RELAY])
        wallet, _ = await self.far("relay", gate, "--ice-file", self.ice_file("wr0ng-secret"))
        await wallet.says("no turn: server is in use")
        said = await wallet.ends(1)
        self.assertIn("no relay took part", said)
        self.assertNotIn("wr0ng-secret", said)
        self.assertEqual(gate.passed, 0)
        # A direct path is used if there is one.
        wallet, app = await self.meet(None, "--ice-file", self.ice_file("wr0ng-secret"))
        self.assertIn("no turn: server is in use", "".join(wallet.said))
        self.assertIn("result", await app.ask("discover"))

    async def test_a_turns_relay_is_refused(self):
        path = self.ice_file()
        text = pathlib.Path(path).read_text()
        pathlib.Path(path).write_text(text.replace("turn:", "turns:"))
        wallet = await self.connect(self.serve(), str(uuid.uuid4()), "--ice-file", path)
        said = await wallet.ends(64)
        self.assertIn("has no TLS to servers", said)
        self.assertNotIn(PASSWORD, said)


if __name__ == "__main__":
    unittest.main()
