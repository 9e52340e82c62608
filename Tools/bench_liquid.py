#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a Liquid Auth page on this machine: the time until the channel is open, 1,000 frames, and the memory of both
sides.

The page is Chromium, with the server of the peers. The time until the channel is open has three parts, by the
server's clock. The first is the server's work on its answers and the page's until its answer is read. The second is
connecting, on both sides. The rest is ours, including the transfer between them. The processor time of our two
processes is counted over all parts. Frames are ARC-27 messages of 1 kB that a rule allows, 16 in flight, over the
channel of an agent and over that agent's socket.

usage: bench_liquid.py BINARY DATACHANNEL
"""
import asyncio
import concurrent.futures
import contextlib
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
import uuid

BINARY, PROGRAM = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
os.environ |= {"COUNTERSIGN_BINARY": BINARY, "COUNTERSIGN_DATACHANNEL": PROGRAM}
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Tests/Interop"))

from playwright.async_api import async_playwright  # noqa: E402

from agent_peer import Agent, UnixConnection  # noqa: E402
from datachannel_browser_peer import CHROMIUM  # noqa: E402
from hub import Hub  # noqa: E402
from liquid_agent_peer import Owner, children  # noqa: E402
from liquid_browser_peer import PAGE  # noqa: E402
from liquid_peer import WORDS, made_certificate  # noqa: E402
from liquid_server import Server  # noqa: E402

OPENINGS = 9
# Processor time is counted in ticks of 10 ms, so the mean is taken.
MIDDLES = [statistics.median] * 4 + [statistics.mean] * 2
FRAMES = 1_000
IN_FLIGHT = 16
BYTES = 1_000
# Sends frames, a number of them in flight, and returns the time until all are answered, in milliseconds.
SEND = """([frames, most]) => new Promise((resolve) => {
  let next = 0, answered = 0;
  const start = performance.now();
  channel.onmessage = () => {
    answered += 1;
    if (answered === frames.length) resolve(performance.now() - start);
    else if (next < frames.length) channel.send(frames[next++]);
  };
  while (next < most) channel.send(frames[next++]);
})"""


def frames(address, provider):
    """Returns different messages of one size."""
    made = []
    for _ in range(FRAMES):
        call = {"id": str(uuid.uuid4()), "reference": "arc0027:sign_message:request",
                "params": {"providerId": provider, "signer": address, "message": ""}}
        text = str(uuid.uuid4())
        room = BYTES - len(json.dumps(call)) - len(text)
        call["params"]["message"] = text + "x" * room
        made.append(json.dumps(call))
    return made


def over_socket(agent, texts):
    """Returns the seconds until all are answered, with one connection for each frame in flight."""
    def some(texts):
        with contextlib.closing(UnixConnection(agent.socket)) as connection:
            for text in texts:
                status, _, value = agent.ask(
                    "POST", "/v1/requests", {"wire": "arc27", "frame": text},
                    connection=connection)
                assert status == 201 and '"result"' in value["reply"], value
    with concurrent.futures.ThreadPoolExecutor(IN_FLIGHT) as pool:
        start = time.monotonic()
        list(pool.map(some, [texts[place::IN_FLIGHT] for place in range(IN_FLIGHT)]))
        return time.monotonic() - start


class TimedServer(Server):
    """Records when it works, and when offers and answers pass."""

    def __init__(self, **more):
        self.spans, self.marks = [], {}
        super().__init__(**more)

    async def _timed(self, work):
        start = time.monotonic()
        try:
            return await work
        finally:
            self.spans.append(time.monotonic() - start)

    async def _options(self, request, make):
        return await self._timed(super()._options(request, make))

    async def _finish(self, request, check):
        return await self._timed(super()._finish(request, check))

    def _relay(self):
        super()._relay()
        handlers = self.socket.handlers["/"]
        for name in ("offer-description", "answer-description"):
            async def timed(sid, data, name=name, relay=handlers[name]):
                self.marks.setdefault(name, time.monotonic())
                await relay(sid, data)
            handlers[name] = timed


def computed(*processes):
    """Returns the processor time of processes in milliseconds, with that of ended threads."""
    fields = [pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
              for process in processes]
    ticks = sum(int(field[11]) + int(field[12]) for field in fields)
    return 1_000 * ticks / os.sysconf("SC_CLK_TCK")


def own_bytes(process):
    """Returns the memory that only this process uses, in MiB."""
    lines = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    private = [int(line.split()[1]) for line in lines if line.startswith("Private_")]
    return sum(private) / 1024


class Bench:
    def __init__(self, page, hub, agent, server, address, certificate):
        self.page, self.hub, self.agent, self.server = page, hub, agent, server
        self.address = address
        self.authorities = pathlib.Path(certificate[0]).read_text()

    async def open(self):
        """Returns the id of a connection, and times in milliseconds until it was open: total, ours, others',
        connecting, and the processor time of our two processes."""
        request_id = str(uuid.uuid4())
        await self.page.goto(self.server.origin)
        await self.page.evaluate(PAGE, request_id)
        owner = Owner(self.agent)
        self.server.spans.clear()
        self.server.marks.clear()
        before = computed(self.agent.process.pid)
        start = time.monotonic()
        status, report = await asyncio.to_thread(owner.ask, "POST", "/v1/liquid", {
            "uri": self.server.uri(request_id), "key": "treasury", "addresses": ["127.0.0.1"],
            "authorities": self.authorities})
        assert status == 201, report
        while report["state"] != "open":
            assert report["state"] != "ended", report
            path = f"/v1/liquid/{report['id']}?after={report['revision']}&wait_seconds=60"
            status, report = await asyncio.to_thread(owner.ask, "GET", path)
        end = time.monotonic()
        keeper = [one for child in children(self.agent.process.pid) for one in children(child)]
        offered, answered = (
            self.server.marks[f"{name}-description"] for name in ("offer", "answer"))
        theirs = sum(self.server.spans) + answered - offered
        connecting = end - answered
        spent = [1_000 * part for part in (
            end - start, end - start - theirs - connecting, theirs, connecting)]
        spent += [computed(self.agent.process.pid) - before, computed(*keeper[-1:])]
        await self.page.wait_for_function("window.channel?.readyState === 'open'")
        return owner, report["id"], spent

    async def run(self):
        spent = []
        for _ in range(OPENINGS):
            owner, identity, parts = await self.open()
            spent.append(parts)
            await asyncio.to_thread(owner.ask, "DELETE", f"/v1/liquid/{identity}")
        whole, ours, theirs, connecting, agent, program = (
            middle(column) for middle, column in zip(MIDDLES, zip(*spent)))
        print(f"URI to open channel: median {whole:.0f} ms of {OPENINGS}; ours {ours:.0f} ms, "
              f"server and page {theirs:.0f} ms, both sides connecting {connecting:.0f} ms; "
              f"computed by the agent {agent:.0f} ms, by the program {program:.0f} ms")
        before = own_bytes(self.agent.process.pid)
        await self.open()
        keeper = [one for child in children(self.agent.process.pid) for one in children(child)]
        more = own_bytes(self.agent.process.pid) - before
        print(f"idle connection: program {own_bytes(keeper[-1]):.1f} MiB, "
              f"agent {more:.1f} MiB more than its {before:.1f}")
        provider = json.loads(self.hub.command("--json", "agent", "status"))["provider_id"]
        channel, plain = [], []
        for _ in range(3):
            channel.append(await self.page.evaluate(
                SEND, [frames(self.address, provider), IN_FLIGHT]) / 1_000)
            texts = frames(self.address, provider)
            plain.append(await asyncio.to_thread(over_socket, self.agent, texts))
        by_channel, by_socket = min(channel), min(plain)
        print(f"{FRAMES} frames: channel {by_channel:.2f} s, socket {by_socket:.2f} s, "
              f"ratio {by_socket / by_channel:.2f}")


async def main():
    hub = Hub("liquid_challenge", "new_client", "identity_proof", "foreign_sender", "raw_message")
    address = hub.import_key("algorand", "treasury", WORDS.read_text().strip())["address"]
    with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
        certificate = made_certificate(folder)
        server, agent = TimedServer(certificate=certificate), Agent(hub, "--liquid")
        try:
            async with async_playwright() as playwright:
                browser = await playwright.chromium.launch(
                    executable_path=CHROMIUM, args=["--no-sandbox"])
                context = await browser.new_context(ignore_https_errors=True)
                page = await context.new_page()
                await Bench(page, hub, agent, server, address, certificate).run()
                await browser.close()
        finally:
            agent.stop()
            server.close()


asyncio.run(main())
