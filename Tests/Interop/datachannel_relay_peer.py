# SPDX-License-Identifier: Apache-2.0
"""countersign-datachannel and coturn: outside addresses, relays, and wrong passwords."""
import asyncio
import pathlib
import unittest

from datachannel import PATIENCE, Page, Program
from turn import GATE, PASSWORD, RELAY, Gate, Relay


def candidates(sdp, kind=None):
    return [line for line in sdp.split("\r\n") if line.startswith("a=candidate:")
            and (kind is None or f" typ {kind}" in line)]


def only(sdp, kind):
    """Returns a description that keeps candidates of one kind."""
    own = candidates(sdp, kind)
    return "\r\n".join(
        line for line in sdp.split("\r\n") if not line.startswith("a=candidate:") or line in own)


class Relays(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.programs, self.gates = [], []
        self.page = Page()
        self.relay = Relay()
        await self.relay.ready()

    async def asyncTearDown(self):
        for program in self.programs:
            if program.process.returncode is None:
                program.process.kill()
            await program.ended()
        await self.page.peer.close()
        for gate in self.gates:
            await gate.close()
        self.relay.close()

    async def start(self, *ice):
        program = await Program.start(ice=list(ice))
        self.programs.append(program)
        return program, (await program.line("offer"))["sdp"]

    async def gate(self, *words, **more):
        gate = await Gate(**more).start(*words)
        self.gates.append(gate)
        return gate

    async def answered(self, program, sdp, gate=None):
        """Lets the page answer; it reaches the program through a gate only, or not at all."""
        answer = await self.page.answer(sdp)
        if gate:
            host = candidates(answer, "host")[0].split(" ")
            gate.inside = (host[4], int(host[5]))
        lines = only(answer, "none").split("\r\n")
        if gate:
            way = f"a=candidate:1 1 udp 2130706431 {gate.address[0]} {gate.address[1]} typ host"
            lines.insert(next(n for n, one in enumerate(lines) if one.startswith("a=setup:")), way)
        await program.put(type="answer", sdp="\r\n".join(lines))

    async def speak(self, program):
        channel = await asyncio.wait_for(self.page.channel, PATIENCE)
        channel.send("there")
        self.assertEqual((await program.line("message"))["text"], "there")
        await program.put(type="send", text="back" * 10_000)
        self.assertEqual(await self.page.next(), "back" * 10_000)

    async def test_a_channel_opens_by_the_address_that_a_stun_server_reports(self):
        router = await self.gate()
        server = await router.toward(("127.0.0.1", self.relay.port))
        program, sdp = await self.start({"url": f"stun:127.0.0.1:{server[1]}"})
        found = candidates(sdp, "srflx")
        self.assertEqual([line.split(" ")[5] for line in found], [str(router.address[1])], sdp)
        # The program and the page find each other only through the router.
        await self.answered(program, only(sdp, "srflx"))
        await program.line("open")
        before = router.passed
        await self.speak(program)
        self.assertGreater(router.passed, before)

    async def relayed(self, ice):
        program, sdp = await self.start(ice)
        found = candidates(sdp, "relay")
        self.assertTrue(found, self.relay.said())
        self.assertEqual({line.split(" ")[4] for line in found}, {RELAY})
        # Only packets of the relay reach the page.
        gate = await self.gate(GATE, allowed=[RELAY])
        await self.answered(program, only(sdp, "relay"), gate)
        await program.line("open")
        before = gate.passed
        await self.speak(program)
        self.assertGreater(gate.passed, before)
        self.assertGreater(gate.refused, 0, "it tried the way without the relay as well")
        self.assertNotIn(PASSWORD, self.relay.said())

    async def test_a_channel_by_a_relay(self):
        await self.relayed(self.relay.ice())

    async def test_a_channel_by_a_relay_over_tcp(self):
        await self.relayed(self.relay.ice(transport="tcp"))

    async def test_a_turns_relay_is_never_used_without_tls(self):
        program = await Program.start(ice=[self.relay.ice() | {"url": "turns:127.0.0.1:1"}])
        self.programs.append(program)
        with self.assertRaisesRegex(AssertionError, "an ICE server is none"):
            await program.line("offer")

    async def test_a_wrong_password(self):
        for ice in (self.relay.ice(password="wrong"), self.relay.ice(password="w", transport="tcp")):
            with self.subTest(ice["url"]):
                program, sdp = await self.start(ice)
                self.assertEqual(candidates(sdp, "relay"), [])
                await program.line("no-relay")
        gate = await self.gate(GATE, allowed=[RELAY])
        await self.answered(program, only(sdp, "relay"), gate)
        with self.assertRaisesRegex(AssertionError, "no relay took part") as caught:
            await program.line("open")
        self.assertNotIn(ice["password"] + "'", str(caught.exception))
        self.assertEqual(gate.passed, 0)

    async def test_a_relay_that_is_not_there(self):
        self.relay.process.kill()
        self.relay.process.wait()
        program, sdp = await self.start(self.relay.ice(transport="tcp"))
        self.assertEqual(candidates(sdp, "relay"), [])
        await program.line("no-relay")

    async def test_a_channel_opens_although_one_of_two_relays_fails(self):
        program, sdp = await self.start(self.relay.ice(password="wrong"), self.relay.ice())
        self.assertTrue(candidates(sdp, "relay"))
        await program.put(type="close")
        with self.assertRaisesRegex(AssertionError, "closed"):
            await program.line("no-relay")

    async def test_the_password_is_not_in_the_list_of_processes(self):
        program, _ = await self.start(self.relay.ice())
        for place in (f"/proc/{program.process.pid}", f"/proc/{self.relay.process.pid}"):
            for name in ("cmdline", "environ"):
                try:
                    data = pathlib.Path(place, name).read_bytes()
                except PermissionError:
                    continue
                self.assertNotIn(PASSWORD.encode(), data, (place, name))


if __name__ == "__main__":
    unittest.main()
