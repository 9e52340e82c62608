# SPDX-License-Identifier: Apache-2.0
"""A server of Liquid Auth on this machine: ceremonies, sessions and the relay of signals.

Like the real one (SimpleWebAuthn 13), it checks with fido2 and PyNaCl; it can be set to misbehave.
`Server(mode=2024)` relays to a room for each account, `mode=2026` to one for each request.
"""
import asyncio
import base64
import hashlib
import json
import os
import ssl
import threading

import nacl.exceptions
import nacl.signing
import socketio
from aiohttp import web
from fido2.cose import CoseKey
from fido2.webauthn import AttestationObject, AuthenticatorData

COOKIE = "connect.sid"
SIGNALS = ["offer-description", "answer-description", "offer-candidate", "answer-candidate"]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_base64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def public_key(address):
    """The key of an Algorand address, whose checksum holds."""
    data = base64.b32decode(address + "======")
    assert hashlib.new("sha512_256", data[:32]).digest()[-4:] == data[32:], "checksum"
    return data[:32]


class Refused(Exception):
    """A failed check, with the server's reason code."""


class Server:
    """Serves in a separate thread until it is closed; `prepare` changes its options' answers.

    `after` restarts an earlier server: the new one has its port, users and sessions.
    """

    def __init__(
            self, mode=2026, certificate=None, prepare=None, users=None, port=0, after=None):
        self.mode, self.prepare = mode, prepare
        self.users = {} if users is None else users
        self.sessions, self.done, self.bodies, self.headers = {}, {}, [], []
        self.refuses_passkeys = False
        #: Maps a rekeyed account to the key that signs for it.
        self.authorities = {}
        if after:
            self.users, self.sessions, port = after.users, after.sessions, after.port
            for request_id, (event, ending) in after.done.items():
                self.done[request_id] = (asyncio.Event(), ending)
                if event.is_set():
                    self.done[request_id][0].set()
        self.rooms, self.linked = {}, asyncio.Event()
        self.certificate = certificate
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        self.thread = threading.Thread(target=self._run, args=(port, ready), daemon=True)
        self.thread.start()
        if not ready.wait(60):
            raise AssertionError("the server did not start")

    # Start and end.

    def _run(self, port, ready):
        asyncio.set_event_loop(self.loop)
        self.loop.run_until_complete(self._start(port))
        ready.set()
        self.loop.run_forever()

    async def _start(self, port):
        self.socket = socketio.AsyncServer(async_mode="aiohttp", cors_allowed_origins="*")
        app = web.Application()
        self.socket.attach(app)
        app.router.add_post("/attestation/request", self._attestation_request)
        app.router.add_post("/attestation/response", self._attestation_response)
        app.router.add_post("/assertion/request/{credential}", self._assertion_request)
        app.router.add_post("/assertion/response", self._assertion_response)
        self._relay()
        self.runner = web.AppRunner(app, shutdown_timeout=1)
        await self.runner.setup()
        context = None
        if self.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.certificate)
        site = web.TCPSite(self.runner, "127.0.0.1", port, ssl_context=context)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        scheme = "https" if self.certificate else "http"
        self.origin = f"{scheme}://localhost:{self.port}"

    def close(self):
        async def end():
            await self.runner.cleanup()
            self.loop.stop()
        asyncio.run_coroutine_threadsafe(end(), self.loop)
        self.thread.join(60)

    def uri(self, request_id="019097ff-bb8c-7514-a0c6-5209d2405a4a"):
        place = self.origin.replace("https://", "")
        return f"liquid://{place}/?requestId={request_id}"

    # Ceremonies.

    def _session(self, request):
        known = request.cookies.get(COOKIE)
        if known in self.sessions:
            return known, self.sessions[known], False
        name = f"s%3A{base64url(os.urandom(18))}.{base64url(os.urandom(18))}%2F%2B"
        self.sessions[name] = {}
        return name, self.sessions[name], True

    def _answer(self, request, status, body, name=None):
        response = web.json_response(body, status=status)
        if name:
            response.headers["Set-Cookie"] = f"{COOKIE}={name}; Path=/; HttpOnly"
        return response

    async def _read(self, request):
        self.headers.append(dict(request.headers))
        agent = request.headers.get("User-Agent", "")
        # The real server's parser does the same.
        if not any(system in agent for system in ["Linux", "Windows", "Mac"]):
            raise Refused("no operating system")
        return await request.json()

    async def _options(self, request, make):
        name, session, is_new = self._session(request)
        try:
            options = make(await self._read(request), session)
        except Refused as error:
            return self._answer(request, 401, {"reason": str(error), "error": "Unauthorized"})
        if self.prepare:
            changed = self.prepare(request, options)
            if asyncio.iscoroutine(changed):
                changed = await changed
            if isinstance(changed, web.StreamResponse):
                return changed
            options = changed if changed is not None else options
            session["challenge"] = options.get("challenge")
        return self._answer(request, 201, options, name if is_new else None)

    async def _attestation_request(self, request):
        def make(body, session):
            if not (body.get("extensions") or {}).get("liquid"):
                raise Refused("missing_extension")
            session["challenge"] = base64url(os.urandom(32))
            session["username"] = body["username"]
            return {
                "challenge": session["challenge"],
                "rp": {"name": "Test server", "id": "localhost"},
                "user": {"id": base64url(os.urandom(16)), "name": body["username"],
                         "displayName": body["displayName"]},
                "pubKeyCredParams": [{"type": "public-key", "alg": -7},
                                     {"type": "public-key", "alg": -257}],
                "timeout": 1800000, "attestation": "none", "excludeCredentials": [],
                "authenticatorSelection": {"userVerification": "required"},
                "extensions": {"liquid": True}}
        return await self._options(request, make)

    async def _assertion_request(self, request):
        credential = request.match_info["credential"]

        def make(_, session):
            if self._owner(credential) is None:
                raise Refused("not_found")
            session["challenge"] = base64url(os.urandom(32))
            return {
                "challenge": session["challenge"], "timeout": 1800000, "rpId": "localhost",
                "allowCredentials": [{"id": credential, "type": "public-key"}],
                "userVerification": "required", "extensions": {"liquid": True}}
        return await self._options(request, make)

    def _owner(self, credential):
        return next((user for user in self.users.values()
                     if any(one["credId"] == credential for one in user["credentials"])), None)

    def _client_data(self, body, kind, session):
        data = from_base64url(body["response"]["clientDataJSON"])
        said = json.loads(data)
        for name, wanted in [("type", kind), ("challenge", session.get("challenge")),
                             ("origin", self.origin)]:
            if said[name] != wanted:
                raise Refused(f"invalid_{name}")
        if body["id"] != body["rawId"] or body["type"] != "public-key":
            raise Refused("invalid_credential")
        return hashlib.sha256(data).digest()

    def _check(self, data):
        if data.rp_id_hash != hashlib.sha256(b"localhost").digest():
            raise Refused("invalid_rp")
        if data.flags & 0x05 != 0x05 or data.flags & 0x18:
            raise Refused("invalid_flags")

    async def _finish(self, request, check):
        _, session, _ = self._session(request)
        try:
            body = await self._read(request)
            self.bodies.append(body)
            user, credential = check(body, session)
        except Refused as error:
            return self._answer(request, 401, {"reason": str(error), "error": "Unauthorized"})
        request_id = body["clientExtensionResults"]["liquid"]["requestId"]
        session.update(wallet=user["wallet"], requestId=request_id, credId=credential)
        ending = {"credId": credential, "requestId": request_id, "wallet": user["wallet"]}
        event, _ = self.done.setdefault(request_id, (asyncio.Event(), {}))
        self.done[request_id] = (event, ending)
        event.set()
        return self._answer(request, 201, user)

    @staticmethod
    def holds(address, challenge, signature):
        try:
            nacl.signing.VerifyKey(public_key(address)).verify(
                from_base64url(challenge), from_base64url(signature))
        except nacl.exceptions.BadSignatureError:
            return False
        return True

    async def _attestation_response(self, request):
        def check(body, session):
            self._client_data(body, "webauthn.create", session)
            liquid = body["clientExtensionResults"]["liquid"]
            if liquid["address"] != session.get("username") or liquid["type"] != "algorand":
                raise Refused("invalid_address")
            # If the account's own key does not match, the key that a node names may.
            keys = [liquid["address"], self.authorities.get(liquid["address"])]
            if not any(self.holds(key, session["challenge"], liquid["signature"])
                       for key in keys if key):
                raise Refused("invalid_signature")
            attested = AttestationObject(from_base64url(body["response"]["attestationObject"]))
            if attested.fmt != "none" or attested.att_stmt:
                raise Refused("invalid_attestation")
            data = attested.auth_data
            self._check(data)
            credential = data.credential_data
            if data.counter != 0 or base64url(credential.credential_id) != body["id"]:
                raise Refused("invalid_credential")
            key = credential.public_key
            if key[3] != -7:
                raise Refused("invalid_algorithm")
            if self.refuses_passkeys:
                raise Refused("unknown")
            user = self.users.setdefault(liquid["address"], {
                "_id": "1", "id": base64url(os.urandom(16)), "wallet": liquid["address"],
                "credentials": [], "__v": 0})
            from fido2 import cbor
            user["credentials"].append({
                "device": body["device"], "credId": body["id"], "prevCounter": 0,
                "publicKey": base64url(cbor.encode(dict(key)))})
            return user, body["id"]
        return await self._finish(request, check)

    async def _assertion_response(self, request):
        def check(body, session):
            hashed = self._client_data(body, "webauthn.get", session)
            user = self._owner(body["id"])
            if user is None:
                raise Refused("not_found")
            data = AuthenticatorData(from_base64url(body["response"]["authenticatorData"]))
            self._check(data)
            from fido2 import cbor
            known = next(one for one in user["credentials"] if one["credId"] == body["id"])
            key = CoseKey.parse(cbor.decode(from_base64url(known["publicKey"])))
            try:
                key.verify(bytes(data) + hashed, from_base64url(body["response"]["signature"]))
            except Exception:
                raise Refused("invalid_signature") from None
            return user, body["id"]
        return await self._finish(request, check)

    # Signals.

    def _relay(self):
        server = self.socket

        async def join(sid, room, request_id):
            await server.save_session(sid, {"room": room, "requestId": request_id})
            await server.enter_room(sid, room)

        @server.event
        async def connect(sid, environ, _auth=None):
            cookies = environ.get("HTTP_COOKIE", "")
            pairs = dict(part.strip().split("=", 1) for part in cookies.split(";") if "=" in part)
            session = self.sessions.get(pairs.get(COOKIE), {})
            await server.save_session(sid, {"session": session})
            if self.mode == 2024 and session.get("wallet"):
                await join(sid, session["wallet"], session.get("requestId"))

        @server.on("link")
        async def link(sid, data):
            request_id = data["requestId"]
            event, _ = self.done.setdefault(request_id, (asyncio.Event(), {}))
            if self.mode == 2026:
                await join(sid, request_id, request_id)
            elif not event.is_set():
                return None
            await event.wait()
            ending = self.done[request_id][1]
            if self.mode == 2024:
                await join(sid, ending["wallet"], request_id)
            return {"data": ending}

        def relay(name):
            async def pass_on(sid, data):
                room = (await server.get_session(sid)).get("room")
                if room:
                    await server.emit(name, data, room=room)
            server.on(name, pass_on)
        for name in SIGNALS:
            relay(name)
