# SPDX-License-Identifier: Apache-2.0
"""A server that speaks PostgreSQL's protocol and lies on request of a test."""
import socket
import struct
import threading
import time

from postgres_proxy import take

BYTES, LONG, SHORT, TEXT = 17, 20, 23, 25


def message(kind, body=b""):
    return kind + struct.pack("!I", len(body) + 4) + body


def status(name, value):
    return message(b"S", name.encode() + b"\0" + value.encode() + b"\0")


def columns(types, formats=None):
    fields = b"".join(
        b"c\0" + struct.pack("!IhIhih", 0, 0, kind, -1, -1, 1 if formats is None else formats) for kind in types)
    return message(b"T", struct.pack("!h", len(types)) + fields)


def row(values):
    body = struct.pack("!h", len(values))
    for value in values:
        body += struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value
    return message(b"D", body)


def tag(text):
    return message(b"C", text.encode() + b"\0")


def error(state, text, detail=""):
    fields = {"S": "ERROR", "V": "ERROR", "C": state, "M": text, "D": detail}
    return message(b"E", b"".join(name.encode() + value.encode() + b"\0" for name, value in fields.items()) + b"\0")


def notice(text):
    return message(b"N", b"SWARNING\0VWARNING\0C01000\0M" + text.encode() + b"\0\0")


def rows(types, *found, formats=None):
    return columns(types, formats) + b"".join(map(row, found)) + tag(f"SELECT {len(found)}")


def long(value):
    return struct.pack("!q", value)


def short(value):
    return struct.pack("!i", value)


HEAD = [BYTES, LONG, BYTES]
BATCH = [LONG, SHORT, SHORT, BYTES, BYTES, BYTES, BYTES]
CHECKED = [b"on", b"2s", b"10s", b"1s", b"warning", b"pg_catalog", b"force_custom_plan"]
SESSION = b"7 2026-01-01 00:00:00+00"
SETTINGS = [*CHECKED, SESSION]
SETTING = [LONG] + [TEXT] * len(SETTINGS)


def batch(sequence, **other):
    values = {
        "sequence": long(sequence), "hub": short(1), "version": short(1), "previous": bytes(32), "hash": bytes(32),
        "body": b"", "signature": bytes(64), **other}
    return list(values.values())


class FakePostgres:
    """Answers each statement by its first words; `answers` replaces the right answers.

    An answer is a byte string, or a function that is called with the socket.
    """

    def __init__(self, **answers):
        self.answers = {
            "begin": lambda *_: tag("BEGIN"),
            "setting": lambda *_: rows(SETTING, [long(int(time.time() * 1000)), *SETTINGS]),
            "noticing": lambda *_: rows([TEXT] * 4, [b"0"] * 4),
            "form": lambda *_: rows([SHORT], [short(1)]),
            "unflushed": lambda *_: rows([TEXT], [b"off"]),
            "flush": lambda *_: rows([TEXT] * 4, [b"on", b"warning", b"0/0", SESSION]),
            "durability": lambda *_: rows([TEXT] * 3 + [LONG], [b"", b"on", b"on", long(0)]),
            "head": lambda *_: rows(HEAD, [bytes(16), long(0), bytes(32)]),
            "batches": lambda *_: rows(BATCH),
            "appending": lambda *_: tag("INSERT 0 1"),
            "commit": lambda *_: tag("COMMIT"),
            "rollback": lambda *_: tag("ROLLBACK"),
            "encoding": "UTF8", "greeting": lambda *_: b"", **answers}
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets = []
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def address(self):
        return f"postgresql://hub@127.0.0.1:{self.port}/team?sslmode=disable"

    def serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            self.sockets.append(client)
            threading.Thread(target=self.talk, args=(client,), daemon=True).start()

    def talk(self, client):
        try:
            take(client, struct.unpack("!I", take(client, 4))[0] - 4)
            client.sendall(self.tell("greeting", client) + message(b"R", struct.pack("!I", 0)) + b"".join(
                status(name, value) for name, value in (
                    ("server_version", "15.0"), ("client_encoding", self.answers["encoding"]),
                    ("default_transaction_read_only", "off"), ("in_hot_standby", "off")))
                + message(b"K", bytes(8)) + message(b"Z", b"I"))
            transaction, names = b"I", {}
            while True:
                kind, length = take(client, 1), take(client, 4)
                body = take(client, struct.unpack("!I", length)[0] - 4)
                parts = body.split(b"\0")
                if kind == b"P":
                    names[parts[0]] = self.kind(parts[1].decode())
                    client.sendall(message(b"1"))
                elif kind == b"B":
                    what = names[parts[1]]
                    transaction = {"begin": b"T", "commit": b"I", "rollback": b"I"}.get(what, transaction)
                    client.sendall(message(b"2") + self.tell(what, client))
                elif kind == b"S":
                    client.sendall(message(b"Z", transaction))
                elif kind == b"X":
                    return
        except OSError:
            pass
        finally:
            client.close()

    def tell(self, what, client):
        said = self.answers[what]
        return said(client) if callable(said) else said

    @staticmethod
    def kind(statement):
        for text, what in (
                ("BEGIN", "begin"), ("COMMIT", "commit"), ("ROLLBACK", "rollback"), ("keepalives", "noticing"), ("synchronous_standby_names", "durability"),
                ("'off'", "unflushed"), ("emit_message", "flush"), ("set_config", "setting"),
                (".meta", "form"), ("WITH moved", "appending"), ("sum(", "batches"), (".head", "head")):
            if text in statement:
                return what
        raise OSError(statement)

    def end(self):
        self.listener.close()
        for client in self.sockets:
            client.close()
