# SPDX-License-Identifier: Apache-2.0
"""countersign-datachannel with aiortc."""
import asyncio
import base64
import json
import os
import pathlib
import subprocess
import sys
import unittest

from datachannel import PATIENCE, PROGRAM, Page, Program

LARGEST = 262_144


async def opened(**options):
    """Returns a program and a page with an open channel between them."""
    program, page = await Program.start(**options), Page()
    offer = await program.line("offer")
    await program.put(type="answer", sdp=await page.answer(offer["sdp"]))
    line = await program.line("open")
    await asyncio.wait_for(page.channel, PATIENCE)
    return program, page, offer, line


class DataChannelPeer(unittest.IsolatedAsyncioTestCase):
    async def asyncTearDown(self):
        if program := getattr(self, "program", None):
            if program.process.returncode is None:
                program.process.kill()
            await program.ended()
        if page := getattr(self, "page", None):
            await page.peer.close()

    async def open(self, **options):
        self.program, self.page, offer, line = await opened(**options)
        return self.program, self.page, offer, line

    async def test_offer(self):
        program, page, offer, line = await self.open()
        self.assertEqual(page.channel.result().label, "liquid")
        self.assertTrue(page.channel.result().ordered)
        self.assertEqual(line["maxMessageSize"], LARGEST)
        lines = offer["sdp"].split("\r\n")
        self.assertIn(f"a=max-message-size:{LARGEST}", lines)
        self.assertEqual(len([one for one in lines if one.startswith("a=fingerprint:")]), 1)
        candidates = [one for one in lines if one.startswith("a=candidate:")]
        self.assertTrue(candidates)
        for one in candidates:
            self.assertEqual(one.split(" ")[4], "127.0.0.1")
        self.assertEqual(set(program.ready["sandbox"]), {"files", "calls"})

    async def test_messages(self):
        program, page, _, _ = await self.open()
        channel = page.channel.result()
        texts = ["{}", "\u00e4\U0001f680\u0001\u001f\"\\", "", "x" * LARGEST]
        for text in texts:
            channel.send(text)
        for text in texts:
            self.assertEqual((await program.line("message"))["text"], text)
        for text in texts:
            await program.put(type="send", text=text)
        for text in filter(None, texts):
            self.assertEqual(await page.next(), text)
        data = bytes(range(256)) * 1024
        channel.send(data)
        line = await program.line("message")
        self.assertEqual((line["binary"], base64.b64decode(line["data"])), (True, data))
        await program.put(type="send", binary=True, data=base64.b64encode(data).decode())
        self.assertEqual(await page.next(), data)

    async def test_sizes_where_sctp_hands_on_pieces(self):
        program, page, _, _ = await self.open()
        channel = page.channel.result()
        sizes = [65_535, 65_536, 65_537, 66_119, 66_120, 66_121, 131_072, 132_240, 200_000]
        for size in sizes:
            channel.send("u" * size)
            channel.send("between")
        for size in sizes:
            self.assertEqual(len((await program.line("message"))["text"]), size)
            self.assertEqual((await program.line("message"))["text"], "between")

    async def test_backpressure(self):
        program, page, _, _ = await self.open()
        count, size = 400, 16_000

        async def send():
            for number in range(count):
                await program.put(type="send", text=f"{number} ".ljust(size, "z"))

        sending = asyncio.create_task(send())
        for number in range(count):
            message = await page.next()
            self.assertEqual((len(message), int(message.split(" ")[0])), (size, number))
        await sending

    async def test_close_by_either_side(self):
        program, page, _, _ = await self.open()
        await program.put(type="send", text="last")
        await program.put(type="close")
        self.assertEqual((await program.line("closed"))["reason"], "it was closed here")
        self.assertEqual(await program.ended(), 0)
        self.assertEqual(await page.next(), "last")
        await asyncio.wait_for(page.closed.wait(), PATIENCE)
        await page.peer.close()
        for ends in (lambda page: page.channel.result().close(), lambda page: page.peer.close()):
            program, page, _, _ = await self.open()
            if ending := ends(page):
                await ending
            self.assertIn("the peer", (await program.line("closed"))["reason"])
            self.assertEqual(await program.ended(), 0)

    async def test_a_message_that_is_too_large(self):
        # A page that ignores the limit of the offer.
        self.program, self.page = program, page = await Program.start(), Page()
        offer = (await program.line("offer"))["sdp"]
        offer = offer.replace(f"max-message-size:{LARGEST}", "max-message-size:1000000")
        await program.put(type="answer", sdp=await page.answer(offer))
        await program.line("open")
        (await asyncio.wait_for(page.channel, PATIENCE)).send("x" * (LARGEST + 1))
        self.assertIn("too large", (await program.line("closed"))["reason"])
        program, page, _, _ = await self.open()
        await program.put(type="send", text="x" * (LARGEST + 1))
        self.assertIn("too large", (await program.line("error"))["message"])
        self.assertEqual(await program.ended(), 65)

    async def test_garbage_on_standard_input(self):
        for data in (
            b"garbage\n", b"[]\n", b'{"type":"start","type":"close"}\n', b'{"type":"dance"}\n',
            b"{}\n", b'{"type":"send","text":"early"}\n', b'{"type":"answer","sdp":"v=0"}\n',
            b'{"type":"start","ice":[{"url":"turn:example.org"}]}\n',
            b'{"type":"start","ice":[{"url":"http://example.org"}]}\n',
            b'{"type":"start","addresses":["example.org"]}\n', b'{"type":"start","addresses":7}\n',
            b"x" * (3 << 20), b'{"type":"start"}\n{"type":"start"}\n',
        ):
            with self.subTest(data[:60]):
                self.program = program = await Program.start(starts=False)
                try:
                    await program.write(data)
                except ConnectionError:
                    pass
                await program.line("error")
                self.assertEqual(await program.ended(), 65)

    async def test_invalid_answers_are_refused(self):
        for sdp in ("", "v=0\r\n", "garbage", "x" * 100_000):
            with self.subTest(sdp[:20]):
                self.program = program = await Program.start()
                await program.line("offer")
                await program.put(type="answer", sdp=sdp)
                self.assertIn("none to the offer", (await program.line("closed"))["reason"])
                self.assertEqual(await program.ended(), 0)

    async def test_an_answer_that_names_another_certificate(self):
        self.program, self.page = program, page = await Program.start(), Page()
        sdp = await page.answer((await program.line("offer"))["sdp"])
        lines = [line for line in sdp.split("\r\n") if not line.startswith("a=fingerprint:")]
        place = next(n for n, line in enumerate(lines) if line.startswith("a=setup:"))
        lines.insert(place, "a=fingerprint:sha-256 " + ":".join(["00"] * 32))
        self.assertEqual(len(lines), len(sdp.split("\r\n")) - 2)
        await program.put(type="answer", sdp="\r\n".join(lines))
        with self.assertRaisesRegex(AssertionError, "another certificate"):
            await program.line("open")

    async def test_candidates_without_number(self):
        self.program, self.page = program, page = await Program.start(), Page()
        sdp = await page.answer((await program.line("offer"))["sdp"])
        lines = sdp.split("\r\n")
        own = [line for line in lines if line.startswith("a=candidate:")]
        await program.put(
            type="answer", sdp="\r\n".join(line for line in lines if line not in own))
        for number in range(100):
            await program.put(
                type="candidate", candidate=f"candidate:{number} 1 udp 1 {number}.local 9 typ host")
        await program.put(type="candidate", candidate="")
        for line in own:
            await program.put(type="candidate", candidate=line.removeprefix("a="))
        await program.line("open")
        for number in range(1_000):
            await program.put(
                type="candidate", candidate=f"candidate:7 1 udp 1 127.0.0.1 {number + 1} typ host")
        (await asyncio.wait_for(page.channel, PATIENCE)).send("still there")
        self.assertEqual((await program.line("message"))["text"], "still there")

    async def test_the_program_ends_with_its_standard_input(self):
        self.program = program = await Program.start(starts=False)
        program.process.stdin.close()
        self.assertIn("has gone", (await program.line("closed"))["reason"])
        self.assertEqual(await program.ended(), 0)
        program, page, _, _ = await self.open()
        program.process.stdin.close()
        self.assertEqual(await program.ended(), 0)

    async def test_the_program_ends_with_its_parent(self):
        # The parent's pipes stay open elsewhere, so that they do not signal its end.
        script = (
            "import os, subprocess, sys\n"
            "child = subprocess.Popen(sys.argv[1:], stdin=0, stdout=subprocess.PIPE)\n"
            "child.stdout.readline(); print(child.pid, flush=True); os.read(3, 1)\n")
        reader, writer = os.pipe()
        stop, stopper = os.pipe()
        parent = subprocess.Popen(
            ["bash", "-c", 'exec "$0" -c "$1" "$2" 3<&' + str(stop), sys.executable, script, PROGRAM],
            stdin=reader, stdout=subprocess.PIPE, pass_fds=[stop])
        try:
            child = int(parent.stdout.readline())
            parent.kill()
            parent.wait(PATIENCE)
            end = asyncio.get_running_loop().time() + PATIENCE
            state = pathlib.Path(f"/proc/{child}/stat")
            while state.exists() and state.read_text().rsplit(")")[1].split()[0] != "Z":
                self.assertLess(asyncio.get_running_loop().time(), end)
                await asyncio.sleep(0.05)
        finally:
            parent.stdout.close()
            for file in (reader, writer, stop, stopper):
                os.close(file)

    async def test_a_page_that_vanishes(self):
        self.program = program = await Program.start()
        page = await asyncio.create_subprocess_exec(
            sys.executable, str(pathlib.Path(__file__).with_name("datachannel.py")),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        offer = (await program.line("offer"))["sdp"]
        page.stdin.write(json.dumps(offer).encode() + b"\n")
        await program.put(type="answer", sdp=json.loads(await page.stdout.readline()))
        await program.line("open")
        await page.stdout.readline()
        page.kill()
        await page.wait()
        self.assertIn("does not answer any more", (await program.line("closed"))["reason"])
        self.assertEqual(await program.ended(), 0)


class Check(unittest.TestCase):
    def run_program(self, *words):
        return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60)

    def test_check(self):
        done = self.run_program("--check")
        self.assertEqual(done.returncode, 0)
        ready, calls, *bounds = done.stdout.splitlines()
        self.assertEqual(ready, "ready")
        self.assertRegex(calls, "^system calls: seccomp, files: ")
        self.assertEqual(bounds, ["at most 64 threads, 256 MiB, 256 descriptors",
                                  "sockets: UDP and TCP, none that listens"])

    def test_words(self):
        self.assertTrue(self.run_program("--help").stdout.startswith("usage:"))
        done = self.run_program("--dance")
        self.assertEqual(done.returncode, 64)
        self.assertTrue(done.stderr.startswith("error:"))


if __name__ == "__main__":
    unittest.main()
