# SPDX-License-Identifier: Apache-2.0
"""A small Algorand node with the interface of algod: its network and its accounts."""
import http.server
import json
import threading
import time

TESTNET = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="


def account(address, auth_address=None):
    """Returns an account in the form of algod with `exclude=all`."""
    found = {
        "address": address, "amount": 0, "amount-without-pending-rewards": 0,
        "apps-local-state": [], "apps-total-schema": {"num-byte-slice": 0, "num-uint": 0},
        "assets": [], "created-apps": [], "created-assets": [], "min-balance": 100000,
        "pending-rewards": 0, "reward-base": 0, "rewards": 0, "round": 50331732,
        "status": "Offline", "total-apps-opted-in": 0, "total-assets-opted-in": 0,
        "total-created-apps": 0, "total-created-assets": 0}
    return found | ({"auth-addr": auth_address} if auth_address else {})


class Algod:
    """`keys` maps an account to the key that signs for it; `answer` can replace the answer about it."""

    def __init__(self, answer=None, network=TESTNET, genesis_id="x"):
        self.keys, self.asked, self.answer, self.network = {}, [], answer, network
        node = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                node.asked.append(self.path)
                path = self.path.partition("?")[0]
                if path == "/v2/transactions/params":
                    self.write({"consensus-version": "x", "fee": 0, "genesis-hash": node.network,
                                "genesis-id": genesis_id, "last-round": 50331732, "min-fee": 1000})
                elif node.answer:
                    node.answer(self)
                else:
                    address = path.rpartition("/")[2]
                    self.write(account(address, node.keys.get(address)))

            def write(self, value, status=200, head=()):
                data = value if isinstance(value, bytes) else json.dumps(value).encode()
                self.send_response(status)
                for name, text in head:
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                try:
                    self.wfile.write(data)
                except OSError:
                    pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join(60)


def silent(handler):
    """Gives no answer for longer than a client waits."""
    time.sleep(25)
    handler.close_connection = True


#: Answers of a node that carry no information, each with the words that the owner sees.
NO_WORD = [
    (lambda handler: handler.write(b"<html><body>welcome</body></html>"), "malformed"),
    (lambda handler: handler.write(b'{"x":"' + b"y" * (10 << 20) + b'"}'), "longer than the limit"),
    (lambda handler: handler.write(
        b"", 302, [("Location", "https://evil.example/")]), "HTTP status 302"),
    (lambda handler: handler.write({"message": "internal"}, 500), "HTTP status 500: internal"),
    (lambda handler: handler.write(account("A" * 58)), "about another account"),
    (lambda handler: handler.write(
        account(handler.path.partition("?")[0].rpartition("/")[2], "A" * 58)), "not an address"),
    (silent, "testnet: "),
]
