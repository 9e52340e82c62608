# SPDX-License-Identifier: Apache-2.0
"""A relay that stores no events, records its traffic for a test, and misbehaves on request."""
import asyncio
import http
import json
import threading

import nostr_sdk
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed


class SmallRelay:
    def __init__(self, port=0, wants_login=False, tls=None):
        self.port = port
        self.tls = tls
        self.wants_login = wants_login
        self.takes = True
        self.published = []
        self.subscribed = threading.Event()
        self.logins = []
        self.subscriptions = {}
        self.authors = {}
        self.loop = asyncio.new_event_loop()
        self.started = threading.Event()
        self.ended = None
        self.thread = threading.Thread(target=self.loop.run_until_complete, args=(self.serve(),))
        self.thread.start()
        self.started.wait(10)

    @property
    def url(self):
        return f"wss://localhost:{self.port}" if self.tls else f"ws://127.0.0.1:{self.port}"

    async def serve(self):
        self.ended = asyncio.Event()
        async with serve(
                self.talk, "127.0.0.1", self.port, max_size=None, ssl=self.tls,
                process_request=self.tell_of_itself) as server:
            self.port = server.sockets[0].getsockname()[1]
            self.started.set()
            await self.ended.wait()

    def tell_of_itself(self, connection, request):
        """Some clients read the relay's information document by HTTP (NIP-11)."""
        if "Upgrade" not in request.headers:
            return connection.respond(http.HTTPStatus.OK, "{}")
        return None

    def end(self):
        self.loop.call_soon_threadsafe(self.ended.set)
        self.thread.join(30)
        if not self.thread.is_alive():
            self.loop.close()

    async def talk(self, socket):
        self.subscriptions[socket] = {}
        self.authors[socket] = set()
        try:
            if self.wants_login:
                await socket.send(json.dumps(["AUTH", "challenge"]))
            async for message in socket:
                await self.answer(socket, json.loads(message))
        except ConnectionClosed:
            pass
        finally:
            del self.subscriptions[socket]

    async def answer(self, socket, message):
        word = message[0]
        if word == "REQ":
            keys = set(message[2].get("#p", []))
            if self.wants_login and not keys <= self.authors[socket]:
                return await socket.send(
                    json.dumps(["CLOSED", message[1], "auth-required: who is there"]))
            self.subscriptions[socket][message[1]] = message[2]
            await socket.send(json.dumps(["EOSE", message[1]]))
            self.subscribed.set()
        elif word == "CLOSE":
            self.subscriptions[socket].pop(message[1], None)
        elif word == "AUTH":
            event = message[1]
            verified = nostr_sdk.Event.from_json(json.dumps(event)).verify()
            tags = {tag[0]: tag[1] for tag in event["tags"]}
            is_good = verified and event["kind"] == 22242 and tags["challenge"] == "challenge"
            self.logins.append(event)
            if is_good:
                self.authors[socket].add(event["pubkey"])
            await socket.send(json.dumps(["OK", event["id"], is_good, ""]))
        elif word == "EVENT":
            event = message[1]
            self.published.append(event)
            if self.takes:
                await socket.send(json.dumps(["OK", event["id"], True, ""]))
                await self.spread(event)

    async def spread(self, event):
        named = {tag[1] for tag in event["tags"] if tag[0] == "p"}
        for socket, filters in list(self.subscriptions.items()):
            for name, wanted in filters.items():
                if event["kind"] in wanted["kinds"] and named & set(wanted["#p"]):
                    await self.push(socket, json.dumps(["EVENT", name, event]))

    async def push(self, socket, text):
        try:
            await socket.send(text)
        except ConnectionClosed:
            pass

    def say(self, make, count=1):
        """Sends the message that `make` returns for each subscription of the signer."""
        async def tell():
            for socket, filters in list(self.subscriptions.items()):
                for name in [name for name in filters if name != "mine"]:
                    for _ in range(count):
                        await self.push(socket, make(name))
        asyncio.run_coroutine_threadsafe(tell(), self.loop).result(30)
