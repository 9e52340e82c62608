# SPDX-License-Identifier: Apache-2.0
"""A small NEAR node with the answers of rpc_fixtures.json: it carries out every transaction."""
import base64
import hashlib
import http.server
import json
import threading

from hub import ROOT
from near_values import base58

FIXTURES = ROOT / "Tests/Vectors/near/rpc_fixtures.json"


class Node:
    def __init__(self, chain="testnet", genesis=None):
        """`genesis` is the hash of the genesis, as newer nodes report it."""
        self.genesis = genesis
        shapes = {item["name"]: item["response"]["result"] for item in json.loads(FIXTURES.read_text())["exchanges"]
                  if "result" in item.get("response", {})}
        taken = self.taken = {}
        #: The transactions that were sent, in Borsh without the signature.
        sent = self.sent = []

        def result(name, params):
            if name == "status":
                found = {**shapes[name], "chain_id": chain}
                return found | ({"genesis_hash": base58(self.genesis)} if self.genesis else {})
            if name == "tx":
                return taken[params["tx_hash"]]
            if name == "send_tx":
                data = base64.b64decode(params["signed_tx_base64"])[:-65]
                count = int.from_bytes(data[:4], "little")
                signer, start = data[4:4 + count].decode(), 4 + count + 33
                found = base58(hashlib.sha256(data).digest())
                sent.append(data)
                # Transactions to this account fail on the chain.
                failed = b"failing.testnet" in data
                taken[found] = {
                    "final_execution_status": "EXECUTED_OPTIMISTIC",
                    "status": {"Failure": {"ActionError": {"index": 0, "kind": {}}}} if failed else {"SuccessValue": ""},
                    "transaction": {"signer_id": signer, "hash": found,
                                    "nonce": int.from_bytes(data[start:start + 8], "little")},
                    "transaction_outcome": {"id": found}, "receipts_outcome": []}
                return taken[found]
            return shapes[name]

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                call = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                params, answer = call["params"], {"jsonrpc": "2.0", "id": call["id"]}
                name = params["request_type"] if call["method"] == "query" else call["method"]
                try:
                    answer["result"] = result(name, params)
                except KeyError:
                    answer["error"] = {"name": "HANDLER_ERROR", "cause": {"name": "UNKNOWN_TRANSACTION"}}
                body = json.dumps(answer).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
