# SPDX-License-Identifier: Apache-2.0
"""A coturn relay on this machine, and gates that block direct paths."""
import asyncio
import contextlib
import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

from hub import free_port

USER, PASSWORD = "wallet", "s3cret-of-the-relay"
# The relay forwards all packets from this address only.
RELAY = "127.0.0.2"
GATE = "127.0.0.3"


class Relay:
    """coturn with separate ports and files, ended with `close`."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="countersign-")
        place = functools.partial(os.path.join, self.folder.name)
        self.log = place("log")
        self.port = free_port()
        low = 20_000 + os.getpid() % 120 * 100
        words = [
            "--log-file=stdout", "--simple-log", "--verbose", "--no-cli", "--no-dtls", "--no-tls",
            "--listening-ip=127.0.0.1", f"--listening-port={self.port}",
            f"--relay-ip={RELAY}", f"--min-port={low}", f"--max-port={low + 99}",
            "--allow-loopback-peers", "--realm=relay.example", "--lt-cred-mech",
            f"--pidfile={place('pid')}", f"--userdb={place('users')}",
            "-c", place("conf")]
        # The password is not in the list of processes either.
        pathlib.Path(place("conf")).write_text(f"user={USER}:{PASSWORD}\n")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [shutil.which("turnserver"), *words], stdout=log, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, cwd=self.folder.name)

    async def ready(self):
        end = asyncio.get_running_loop().time() + 60
        while asyncio.get_running_loop().time() < end:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.close()
                return self
            if self.process.poll() is not None:
                break
            await asyncio.sleep(0.05)
        raise AssertionError(f"coturn does not start: {self.said()}")

    def said(self):
        return pathlib.Path(self.log).read_text(errors="replace")

    def ice(self, transport=None, password=PASSWORD):
        url = f"turn:127.0.0.1:{self.port}" + (f"?transport={transport}" if transport else "")
        return {"url": url, "user": USER, "password": password}

    def close(self):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()


class _Hole(asyncio.DatagramProtocol):
    def __init__(self, received):
        self.received = received

    def datagram_received(self, data, sender):
        self.received(data, sender)


async def _socket(received, place):
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: _Hole(received), local_addr=place)
    return transport


class Gate:
    """A router: packets of `inside` leave by one port of `outside`, and packets to that port go to `inside`. If
    `allowed` is given, only these senders may use the port."""

    def __init__(self, allowed=None):
        self.allowed, self.inside, self.holes = allowed, None, {}
        self.passed, self.refused = 0, 0

    async def start(self, place="127.0.0.1", inside=None):
        self.inside = inside
        self.outer = await _socket(self._comes, (place, 0))
        self.address = self.outer.get_extra_info("sockname")[:2]
        return self

    def _comes(self, data, sender):
        if self.allowed is not None and sender[0] not in self.allowed:
            self.refused += 1
            return
        asyncio.ensure_future(self._pass(data, sender))

    async def _pass(self, data, sender):
        self.passed += 1
        if sender not in self.holes:
            self.holes[sender] = asyncio.ensure_future(self._hole(sender))
        (await self.holes[sender]).sendto(data, self.inside)

    async def _hole(self, sender):
        """Opens a port that represents an outside sender to the inside."""
        def back(data, source):
            self.inside = source
            self.passed += 1
            self.outer.sendto(data, sender)
        return await _socket(back, ("127.0.0.1", 0))

    async def toward(self, server):
        """Opens a port that represents an outside server to the inside."""
        hole = self.holes[server] = asyncio.ensure_future(self._hole(server))
        return (await hole).get_extra_info("sockname")[:2]

    async def close(self):
        self.outer.close()
        for hole in self.holes.values():
            (await hole).close()
