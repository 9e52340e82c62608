# SPDX-License-Identifier: Apache-2.0
"""A proxy between a hub and its database: it passes messages, holds them back, or cuts the connection."""
import queue
import socket
import struct
import threading
import time

PASS, CUT, HOLD, PART = "pass", "cut", "hold", "part"


def passes(kind, body):
    return PASS


class Proxy:
    """Passes messages of PostgreSQL; `up` and `down` decide what happens to each message.

    They receive its kind and content and return one of these actions: PASS; CUT, which ends both connections; HOLD,
    which blocks this direction until `resume`; PART, which passes half now and the rest later; or a number of bytes
    to pass before both connections end. While a message is held, the other side does not learn of a hang-up.
    """

    def __init__(self, port):
        self.target = port
        self.up = self.down = passes
        self.delay = 0  # seconds that a message takes
        self.resumed = threading.Event()
        self.held = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets = []
        self.pipes = []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self.sockets += [client, server]
            for source, sink, way in ((client, server, "up"), (server, client, "down")):
                pipe = threading.Thread(target=self.run, args=(source, sink, way), daemon=True)
                self.pipes.append(pipe)
                pipe.start()

    def run(self, source, sink, way):
        """Receives messages; another thread sends each one after its delay."""
        messages = queue.Queue()
        carrier = threading.Thread(target=self.carry, args=(sink, messages), daemon=True)
        carrier.start()
        try:
            if way == "up":  # the first message has no kind
                length = take(source, 4)
                messages.put((0, length + take(source, struct.unpack("!I", length)[0] - 4)))
            while True:
                kind = take(source, 1)
                length = take(source, 4)
                message = kind + length + take(source, struct.unpack("!I", length)[0] - 4)
                said = getattr(self, way)(kind, message[5:])
                if said == CUT:
                    return
                if said == PART:
                    half = len(message) // 2
                    messages.put((0, message[:half]))
                    message = message[half:]
                if said in (HOLD, PART):
                    self.held.set()
                    self.resumed.wait()
                count = said if isinstance(said, int) else len(message)
                messages.put((time.monotonic() + self.delay, message[:count]))
                if isinstance(said, int):
                    return
        except OSError:
            pass
        finally:
            if self.held.is_set():
                self.resumed.wait()
            messages.put(None)
            carrier.join()
            for place in (source, sink):
                try:
                    place.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    @staticmethod
    def carry(sink, messages):
        try:
            while (item := messages.get()) is not None:
                time.sleep(max(0, item[0] - time.monotonic()))
                sink.sendall(item[1])
        except OSError:
            pass

    def resume(self):
        """Passes the held messages, and all that follow."""
        self.up = self.down = passes
        self.resumed.set()

    def settle(self):
        """Waits until every message has arrived."""
        for pipe in self.pipes:
            pipe.join(60)

    def end(self):
        self.resume()
        self.listener.close()
        for place in self.sockets:
            place.close()


def take(source, count):
    found = b""
    while len(found) < count:
        piece = source.recv(count - len(found))
        if not piece:
            raise ConnectionResetError
        found += piece
    return found


def once(kind, text, action):
    """Applies an action to the first message of a kind that contains a text; passes all others."""
    left = [action]

    def say(found, body):
        if left and found == kind and text in body:
            return left.pop()
        return PASS
    return say
