# SPDX-License-Identifier: Apache-2.0
"""countersign-datachannel attacked by a page that has the right certificate."""
import asyncio
import itertools
import json
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

from aiortc.rtcsctptransport import InitChunk, serialize_packet

from datachannel import PATIENCE, PROGRAM, Page, Program
from hub import BINARY
from old_kernel import without

CONTROL, TEXT, DATA = 50, 51, 53
ACKNOWLEDGE = b"\x02"
# Loaded into the program; writes each host name that it resolves to standard error.
RESOLVER = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdio.h>

int getaddrinfo(
    const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **found) {
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) =
        (int (*)(const char *, const char *, const struct addrinfo *, struct addrinfo **))
            dlsym(RTLD_NEXT, "getaddrinfo");
    if (!name || (hints && hints->ai_flags & AI_NUMERICHOST)) return real(name, service, hints, found);
    dprintf(2, "asked for %s\n", name);
    return EAI_NONAME;
}
"""


# Starts more threads than a channel may have, before the program's first line.
CROWD = r"""
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static void *stay(void *nothing) {
    pause();
    return nothing;
}

__attribute__((constructor)) static void start(void) {
    pthread_t thread;
    for (int count = 0; count < CROWD; count++) pthread_create(&thread, NULL, stay, NULL);
}
"""


def compiled(case, text, *words):
    """Compiles a library that is loaded into a program."""
    if shutil.which("cc") is None:
        case.skipTest("there is no compiler")
    folder = tempfile.TemporaryDirectory(prefix="countersign-")
    case.addCleanup(folder.cleanup)
    source = pathlib.Path(folder.name, "library.c")
    source.write_text(text)
    library = str(source.with_suffix(".so"))
    subprocess.run(
        ["cc", "-shared", "-fPIC", *words, "-o", library, str(source), "-ldl"], check=True,
        timeout=300)
    return library


def open_message(label):
    """Returns a DATA_CHANNEL_OPEN of RFC 8832."""
    return struct.pack("!BBHLHH", 3, 0, 0, 0, len(label), 0) + label


class AttackCase(unittest.IsolatedAsyncioTestCase):
    program = page = None

    async def asyncTearDown(self):
        if self.program:
            if self.program.process.returncode is None:
                self.program.process.kill()
            await self.program.ended()
        if self.page:
            await self.page.peer.close()

    async def open(self, change=lambda sdp: sdp, **options):
        self.program, self.page = program, page = await Program.start(**options), Page()
        sdp = await page.answer((await program.line("offer"))["sdp"])
        await program.put(type="answer", sdp=change(sdp))
        return program, page

    async def connected(self, **options):
        program, page = await self.open(**options)
        await program.line("open")
        channel = await asyncio.wait_for(page.channel, PATIENCE)
        return program, page.peer.sctp, channel

    async def ended(self, program, words, texts=()):
        """Reads all messages until the end, whose reason must contain these words."""
        found = []
        while True:
            line = await program.line("message", "closed", "error")
            if line["type"] != "message":
                break
            found.append(line.get("text"))
        self.assertEqual(line["type"], "closed", line)
        self.assertIn(words, line["reason"])
        self.assertEqual(await program.ended(), 0)
        # Only complete messages from before the attack, in order and unmixed.
        self.assertEqual(found, list(texts)[:len(found)])


class Names(AttackCase):
    """Host names in an answer are never resolved."""

    def setUp(self):
        self.library = compiled(self, RESOLVER)

    async def asked(self, change, *candidates, ice=()):
        """Returns the names that the program resolves."""
        environment = {"env": os.environ | {"LD_PRELOAD": self.library},
                       "stderr": asyncio.subprocess.PIPE}
        program, page = await self.open(change, process=environment, ice=list(ice))
        for candidate in candidates:
            await program.put(type="candidate", candidate=candidate)
        await program.line("open")
        (await asyncio.wait_for(page.channel, PATIENCE)).send("after all")
        self.assertEqual((await program.line("message"))["text"], "after all")
        await program.put(type="close")
        await program.line("closed")
        await program.ended()
        await page.peer.close()
        said = (await program.process.stderr.read()).decode()
        return [line.split()[-1] for line in said.splitlines() if line.startswith("asked for")]

    async def test_the_name_of_an_ice_server_of_the_owner_is_resolved(self):
        # Proves that the test notices a lookup.
        asked = await self.asked(lambda sdp: sdp, ice=[{"url": "stun:control.invalid"}])
        self.assertIn("control.invalid", asked)

    def forms(self, name, port=9):
        """Returns candidates with a host name that a text filter might miss, as lines of a description."""
        body = f"candidate:7 1 udp 2130706431 {name} {port} typ host"
        return [
            f"a={body}\r\n", f" a={body}\r\n", f"\ta={body}\r\n", f"a= {body}\r\n",
            f"a=\t{body}\r\n", f"  a=  {body}\r\n", f"a={body}\r", f"\ra={body}\r\n",
            f"a=mid:0\ra={body}\r\n", f"a=end-of-candidates\r\ra={body}\n", f"A={body}\r\n",
            f"a=Candidate:{body[10:]}\r\n", f"a=candidate :{body[10:]}\r\n",
            f"a=candidate: {body[10:]}\r\n", f"a={body.replace(' ', '  ')}\r\n",
            f"a={body.replace(' ', chr(9))}\r\n", f"\x0ba={body}\r\n", f"a=x\x0ca={body}\r\n",
            f"a=remote-candidates:1 {name} {port}\r\n", f"a=rtcp:{port} IN IP4 {name}\r\n",
            f"c=IN IP4 {name}\r\n",
            f"a=candidate:7 1 udp 1 192.0.2.1 9 typ srflx raddr {name} rport 9\r\n",
            f"a=candidate:7 1 tcp 1 {name} 9 typ host tcptype passive\r\n",
            f"a=candidate:7 1 udp 1 192.0.2.1%{name} 9 typ host\r\n",
        ]

    async def test_names_in_every_form_together_are_not_resolved(self):
        def change(sdp):
            lines = "".join(self.forms("form.local"))
            head, media = sdp.split("m=application", 1)
            head = head.replace(" IN IP4 ", " IN IP4 form.local ", 1)
            return head + lines + "m=application" + media.rstrip("\r\n") + "\r\n" + lines

        self.assertEqual(await self.asked(change, *(form.strip() for form in self.forms("l.local"))), [])

    async def test_names_in_each_form_alone_are_not_resolved(self):
        for form in self.forms("alone.local"):
            with self.subTest(form):
                def change(sdp, form=form):
                    return sdp.rstrip("\r\n") + "\r\n" + form

                self.assertEqual(await self.asked(change), [])

    async def test_seven_hundred_names_are_not_resolved(self):
        def change(sdp):
            lines = "".join(f" a=candidate:{number} 1 udp 1 n{number}.local 9 typ host\r\n"
                            for number in range(700))
            return sdp.rstrip("\r\n") + "\r\n" + lines

        self.assertEqual(await self.asked(change), [])

    async def test_candidates_beyond_the_limit_are_not_read(self):
        # The page's real candidates come after more candidates than are read.
        def change(sdp):
            lines = sdp.split("\r\n")
            place = next(n for n, line in enumerate(lines) if line.startswith("a=candidate:"))
            others = [f"a=candidate:{number} 1 udp 1 192.0.2.{number % 250 + 1} 9 typ host"
                      for number in range(700)]
            return "\r\n".join(lines[:place] + others + lines[place:])

        program, page = await self.open(change)
        with self.assertRaises(TimeoutError):
            await asyncio.wait_for(program.line("open"), 5)


class Boundaries(AttackCase):
    """Messages keep their bounds and content, or the connection ends."""

    async def test_a_text_with_a_nul_ends_the_connection(self):
        program, _, channel = await self.connected()
        channel.send("before")
        channel.send("abc\0def")
        channel.send("good")
        await self.ended(program, "NUL", ["before"])

    async def test_data_of_another_channel_ends_the_connection(self):
        for kind in TEXT, DATA, CONTROL:
            with self.subTest(kind):
                program, sctp, channel = await self.connected()
                channel.send("before")
                await sctp._send(5, kind, b"stray")
                channel.send("good")
                await self.ended(program, "second channel", ["before"])
                await self.page.peer.close()

    async def test_data_of_another_channel_within_a_message_ends_the_connection(self):
        program, sctp, channel = await self.connected()
        channel.send("before")
        # The largest messages come in pieces.
        channel.send("x" * 200_000)
        await sctp._send(7, TEXT, b"y" * 100_000)
        channel.send("good")
        await self.ended(program, "second channel", ["before", "x" * 200_000])

    async def test_data_before_the_acknowledgement_ends_the_connection(self):
        self.program, self.page = program, page = await Program.start(), Page()
        offer = (await program.line("offer"))["sdp"]
        sdp = await page.answer(offer)
        sctp = page.peer.sctp
        receive = sctp._data_channel_receive

        async def early(stream, kind, data):
            if kind == CONTROL:
                await sctp._send(stream, TEXT, b"abc")
            await receive(stream, kind, data)
            if kind == CONTROL:
                await sctp._send(stream, TEXT, b"d")
                await sctp._send(stream, TEXT, b"ef")

        sctp._data_channel_receive = early
        await program.put(type="answer", sdp=sdp)
        await self.ended(program, "no plain SCTP")

    async def sent_by_hand(self, change):
        """Sends a message that is changed on its way, and another one after it."""
        program, sctp, channel = await self.connected()
        transport = sctp._RTCSctpTransport__transport
        channel.send("before")
        await program.line("message")
        whole = sctp._send_chunk

        async def send_chunk(chunk):
            if getattr(chunk, "user_data", b"").startswith(b"abc"):
                for data in change(sctp, chunk):
                    await transport._send_data(data)
            await whole(chunk)

        sctp._send_chunk = send_chunk
        channel.send("abcdefg")
        channel.send("good")
        await self.ended(program, "no plain SCTP", ["abc"] if change.__name__ == "twice_otherwise" else [])
        await self.page.peer.close()

    async def test_packets_that_two_readers_understand_differently_end_the_connection(self):
        def packet(sctp, chunk, tag=0, port=0):
            return serialize_packet(
                sctp._local_port + port, sctp._remote_port, sctp._remote_verification_tag + tag,
                chunk)

        def wrong_sum(sctp, chunk):
            data = bytearray(packet(sctp, chunk))
            data[-2] ^= 1
            return [bytes(data)]

        def other_tag(sctp, chunk):
            return [packet(sctp, chunk, tag=1)]

        def cut(sctp, chunk):
            data = packet(sctp, chunk)
            return [data[:-4]]

        def other_type(number):
            def body(sctp, chunk):
                chunk.type, kept = number, chunk.type
                data = packet(sctp, chunk)
                chunk.type = kept
                return [data]
            return body

        def again(sctp, chunk):
            init = InitChunk()
            init.initiate_tag, init.advertised_rwnd = 77, 100_000
            init.outbound_streams = init.inbound_streams = 10
            init.initial_tsn = 1_000
            return [serialize_packet(sctp._local_port, sctp._remote_port, 0, init)]

        def out_of_turn(sctp, chunk):
            chunk.stream_seq += 1
            data = packet(sctp, chunk)
            chunk.stream_seq -= 1
            return [data]

        def mixed_kinds(sctp, chunk):
            chunk.flags, chunk.protocol = 2, DATA
            data = packet(sctp, chunk)
            chunk.flags, chunk.protocol, chunk.tsn = 1, TEXT, chunk.tsn + 1
            return [data, packet(sctp, chunk)]

        def twice_otherwise(sctp, chunk):
            whole = packet(sctp, chunk)
            chunk.user_data = b"abc"
            cut = packet(sctp, chunk)
            # The second chunk is sent first: GStreamer hands that one on.
            return [cut, whole]

        def unordered(sctp, chunk):
            chunk.flags |= 4
            return []

        for change in (wrong_sum, other_tag, cut, other_type(64), other_type(192), again,
                       out_of_turn, mixed_kinds, twice_otherwise, unordered):
            with self.subTest(change):
                await self.sent_by_hand(change)


class Places(AttackCase):
    """A page can use only the resources of one channel."""

    def threads(self, program):
        return len(os.listdir(f"/proc/{program.process.pid}/task"))

    async def test_two_thousand_channels_start_few_threads_and_end_the_connection(self):
        program, sctp, _ = await self.connected()
        before = most = self.threads(program)
        for stream in itertools.islice(itertools.count(3, 2), 2_000):
            try:
                await sctp._send(stream, CONTROL, open_message(b"more"))
                most = max(most, self.threads(program))
            except (ConnectionError, FileNotFoundError):
                break
            if stream % 50 == 1:
                await asyncio.sleep(0)
        self.assertLessEqual(most, before + 4)
        await self.ended(program, "second channel")

    async def test_a_second_channel_of_the_page_ends_the_connection(self):
        program, _, channel = await self.connected()
        self.page.peer.createDataChannel("more").on("open", lambda: None)
        channel.send("good")
        await self.ended(program, "second channel", ["good"])

    async def test_the_end_is_reported_while_standard_input_is_busy(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, writer)
        self.program = program = await Program.start(starts=False, process={"stdin": reader})
        os.close(reader)

        async def write(data):
            os.write(writer, data)

        program.write = write
        self.page = page = Page()
        await program.put(type="start", addresses=["127.0.0.1"])
        await program.put(type="answer", sdp=await page.answer((await program.line("offer"))["sdp"]))
        await program.line("open")
        channel = await asyncio.wait_for(page.channel, PATIENCE)
        flood = subprocess.Popen(["yes", '{"type":"candidate","candidate":""}'], stdout=writer)
        self.addCleanup(flood.wait)
        self.addCleanup(flood.kill)
        await asyncio.sleep(0.5)
        channel.close()
        self.assertIn("the peer closed", (await program.line("closed"))["reason"])
        self.assertEqual(await program.ended(), 0)


class Bounds(unittest.IsolatedAsyncioTestCase):
    """Threads, memory, descriptors and sockets of the program are bounded, and it reports that."""

    def check(self, **options):
        return subprocess.run(
            [PROGRAM, "--check"], capture_output=True, text=True, timeout=PATIENCE, **options)

    async def test_threads_memory_and_descriptors_are_limited(self):
        program = await Program.start(starts=False)
        limits = pathlib.Path(f"/proc/{program.process.pid}/limits").read_text()
        said = program.ready["limits"]
        self.assertEqual(
            said, {"threads": 64, "memory": 256 << 20, "descriptors": 256, "sockets": ["udp", "tcp"]})
        self.assertRegex(limits, rf"Max open files +{said['descriptors']} +{said['descriptors']} ")
        self.assertRegex(limits, r"Max core file size +0 +0 ")
        if "asan" not in pathlib.Path(f"/proc/{program.process.pid}/maps").read_text():
            self.assertRegex(limits, rf"Max data size +{said['memory']} +{said['memory']} ")
        await program.put(type="close")
        await program.ended()

    def test_threads_of_all_libraries_are_counted(self):
        for count, status in (20, 0), (100, 70):
            library = compiled(self, CROWD, f"-DCROWD={count}")
            done = self.check(env=os.environ | {"LD_PRELOAD": library})
            self.assertEqual(done.returncode, status, done)

    async def test_the_program_does_not_start_without_seccomp(self):
        done = self.check(preexec_fn=without("seccomp"))
        self.assertEqual(done.returncode, 69)
        self.assertIn("the kernel has no seccomp", done.stdout)
        with self.assertRaisesRegex(AssertionError, "the kernel has no seccomp"):
            await Program.start(process={"preexec_fn": without("seccomp")})

    async def test_the_program_reports_a_kernel_without_landlock(self):
        done = self.check(preexec_fn=without("landlock"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("files: not bound (no Landlock here)", done.stdout)
        program = await Program.start(starts=False, process={"preexec_fn": without("landlock")})
        self.assertEqual(program.ready["sandbox"], {"files": None, "calls": "seccomp"})
        await program.put(type="close")
        await program.ended()

    def test_doctor_shows_the_restrictions(self):
        for kernel, words in (
                (None, ["at most 64 threads, 256 MiB, 256 descriptors", "files: Landlock",
                        "sockets: UDP and TCP, none that listens"]),
                (without("landlock"), ["at most 64 threads", "files: not bound (no Landlock here)"]),
                (without("seccomp"), ["the kernel has no seccomp", "fix: a kernel with seccomp"])):
            with tempfile.TemporaryDirectory(prefix="countersign-") as home:
                done = subprocess.run(
                    [BINARY, "--home", home, "doctor"], capture_output=True, text=True,
                    timeout=PATIENCE, preexec_fn=kernel,
                    env=os.environ | {"COUNTERSIGN_DATACHANNEL": PROGRAM})
            for word in words:
                self.assertIn(word, done.stdout)


if __name__ == "__main__":
    unittest.main()
