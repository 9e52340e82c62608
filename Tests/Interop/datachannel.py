# SPDX-License-Identifier: Apache-2.0
"""countersign-datachannel with its line protocol, and the page's end of a channel by aiortc."""
import asyncio
import json
import os
import sys

from aiortc import RTCPeerConnection, RTCSessionDescription

from hub import ROOT

PROGRAM = os.environ.get(
    "COUNTERSIGN_DATACHANNEL", str(ROOT / ".build/datachannel/countersign-datachannel"))
PATIENCE = 120


class Program:
    """The program, started with pipes."""

    @classmethod
    async def start(cls, **options):
        self = cls()
        self.process = await asyncio.create_subprocess_exec(
            PROGRAM, **{"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE,
                        "limit": 4 << 20, **options.pop("process", {})})
        self.ready = await self.line("ready")
        if options.pop("starts", True):
            await self.put(type="start", addresses=["127.0.0.1"], **options)
        return self

    async def put(self, **members):
        await self.write(json.dumps(members).encode() + b"\n")

    async def write(self, data):
        self.process.stdin.write(data)
        await self.process.stdin.drain()

    async def line(self, *types):
        """Returns the next line of a type and skips others, except the last line."""
        while True:
            data = await asyncio.wait_for(self.process.stdout.readline(), PATIENCE)
            if not data:
                raise AssertionError(f"it ended before it said {types}")
            found = json.loads(data)
            if found["type"] in types:
                return found
            if found["type"] in ("closed", "error"):
                raise AssertionError(f"{found} instead of {types}")

    async def ended(self):
        return await asyncio.wait_for(self.process.wait(), PATIENCE)


class Page:
    """Answers an offer and keeps the incoming messages."""

    def __init__(self):
        self.peer = RTCPeerConnection()
        self.messages = asyncio.Queue()
        self.channel = asyncio.get_running_loop().create_future()
        self.closed = asyncio.Event()
        self.peer.on("datachannel", self.opened)

    def opened(self, channel):
        channel.on("message", self.messages.put_nowait)
        channel.on("close", self.closed.set)
        self.channel.set_result(channel)

    async def answer(self, sdp):
        await self.peer.setRemoteDescription(RTCSessionDescription(sdp, "offer"))
        await self.peer.setLocalDescription(await self.peer.createAnswer())
        return self.peer.localDescription.sdp

    async def next(self):
        """Returns the next message that is no heartbeat."""
        while True:
            message = await asyncio.wait_for(self.messages.get(), PATIENCE)
            if message != "ping":
                return message


async def vanishing():
    """A page in a separate process: it reads an offer, writes an answer, and stays until it is killed."""
    page = Page()
    offer = json.loads(sys.stdin.readline())
    print(json.dumps(await page.answer(offer)), flush=True)
    await page.channel
    print("open", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(vanishing())
