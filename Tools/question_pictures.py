# SPDX-License-Identifier: Apache-2.0
"""Takes Docs/Questions/NAME.png: eight grave questions in the owner's page, in Chromium with a real agent.

usage: question_pictures.py [--text] (in the environment of Tests/Interop, after make build)

The lines on the program that asks are left out, as they are of the machine that runs this.
With --text, prints each question as the terminal shows it."""
import base64
import json
import pathlib
import sys
import time
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "Tests/Interop"), str(ROOT / "Tools")]

import nostr_sdk  # noqa: E402
from algosdk import account, mnemonic, transaction  # noqa: E402
from playwright.sync_api import expect  # noqa: E402

from algorand_frames import transaction_bytes  # noqa: E402
from picture import KEY  # noqa: E402
from small_png import shrink  # noqa: E402
from web import WebCase  # noqa: E402

SIZE = {"width": 1040, "height": 900}
COLOURS = 24
ORIGIN = "https://app.example"
GENESIS = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="
BLOCK_HASH = "244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM"
OTHER_KEY = "ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy"
GAS = 30 * 10**12
NEAR = 10**24
LEAVE_OUT = """() => {
  let isOut = false;
  for (const line of document.querySelectorAll("#words span")) {
    isOut = /^  (program|started by) /.test(line.textContent) || (isOut && line.textContent.startsWith("    | "));
    if (isOut) { line.nextSibling.remove(); line.remove(); }
  }
  for (const term of document.querySelectorAll("#who dt")) {
    if (term.textContent === "the system says") { term.nextSibling.remove(); term.remove(); }
  }
}"""


class Pictures(WebCase):
    policy = 'version = 1\ndefault = "ask"\n'

    def runTest(self):
        self.hub.command(
            "key", "import", "--protocol", "near", "--name", "round-toad", "--account", "round-toad.testnet",
            "--network", "testnet", stdin=KEY.read_bytes())
        secret, self.treasury = account.generate_account()
        self.hub.import_key("algorand", "treasury", mnemonic.from_private_key(secret))
        self.other = account.generate_account()[1]
        self.provider = self.agent.ask("GET", "/v1/status")[2]["provider_id"]
        self.alice = next(key["public_key"] for key in self.agent.ask("GET", "/v1/keys")[2]["keys"]
                          if key["protocol"] == "nostr")
        token = self.hub.command("agent", "token", "new", "--browser", "--name", "firefox").decode().strip()
        headers = {"Authorization": f"Bearer {token}"}
        tab = self.tab(viewport=SIZE)
        folder = ROOT / "Docs/Questions"
        folder.mkdir(exist_ok=True)
        rows = tab.locator("#list button")

        def ask(wire, frame):
            asked = self.pool.submit(self.agent.ask, "POST", "/v1/requests", {
                "wire": wire, "frame": json.dumps(frame), "origin": ORIGIN, "top_origin": ORIGIN, "document": "1",
                "wait_seconds": 60}, headers)
            expect(rows).to_have_count(1)
            rows.first.click()
            return asked

        # The page has to be connected to the Algorand account.
        asked = ask("arc27", {"id": str(uuid.uuid4()), "reference": "arc0027:enable:request", "params": {
            "providerId": self.provider, "genesisHash": GENESIS}})
        tab.locator("#yes:enabled").click()
        self.assertEqual(asked.result(timeout=60)[2]["state"], "done")
        for name, (wire, frame) in self.questions().items():
            asked = ask(wire, frame)
            expect(tab.locator("#words")).to_contain_text("warning")
            tab.wait_for_timeout(1_200)
            tab.evaluate(LEAVE_OUT)
            picture = tab.locator("#waiting").screenshot()
            (folder / f"{name}.png").write_bytes(shrink(picture, COLOURS))
            if "--text" in sys.argv:
                print(f"---- {name}\n{self.hub.command('inbox', '--list').decode()}")
                print(tab.locator("#words").inner_text())
            tab.locator("#no").click()
            self.assertEqual(asked.result(timeout=60)[2]["reason"]["code"], "person_denied", name)
            expect(rows).to_have_count(0)
        self.assertEqual(self.errors, [])

    def questions(self):
        """The eight requests by name: the wire and the frame."""
        peer = nostr_sdk.Keys.generate()
        text = nostr_sdk.nip44_encrypt(
            peer.secret_key(), nostr_sdk.PublicKey.parse(self.alice), "see you at six", nostr_sdk.Nip44Version.V2)
        login = [["u", "https://media.example/upload"], ["method", "POST"]]
        return {
            "rekey": self.payment(0, rekey_to=self.other),
            "close-out": self.payment(500_000, close_remainder_to=self.other),
            "full-access-key": self.transaction("round-toad.testnet", self.action(
                "AddKey", publicKey=OTHER_KEY, accessKey={"permission": "FullAccess"})),
            "deletion": self.event(5, "", [["e", "ab" * 32], ["k", "1"]]),
            "login": self.event(27235, "", login),
            "decryption": ("nip07", {"nip07": "nip44.decrypt", "params": [peer.public_key().to_hex(), text]}),
            "delegate": ("nep413", {"method": "signDelegateActions", "params": {
                "network": "testnet", "delegateActions": [{
                    "receiverId": "tea-shop.testnet", "nonce": "103595482000007", "maxBlockHeight": "150000000",
                    "actions": [self.action("Transfer", deposit=str(2 * NEAR))]}]}}),
            "unknown-call": self.transaction("tea-shop.testnet", self.action(
                "FunctionCall", methodName="run", args=base64.b64encode(bytes(range(128, 160))).decode(),
                gas=str(GAS), deposit="0")),
        }

    @staticmethod
    def event(kind, content, tags):
        return "nip07", {"nip07": "signEvent", "params": [
            {"kind": kind, "content": content, "tags": tags, "created_at": int(time.time())}]}

    @staticmethod
    def action(kind, **params):
        return {"type": kind, "params": params}

    @staticmethod
    def transaction(receiver, *actions):
        return "nep413", {"method": "signTransaction", "params": {
            "network": "testnet", "receiverId": receiver, "nonce": "103595482000006", "blockHash": BLOCK_HASH,
            "actions": actions}}

    def payment(self, amount, **more):
        terms = transaction.SuggestedParams(1_000, 1, 1_000, GENESIS, "testnet-v1.0", flat_fee=True)
        pay = transaction.PaymentTxn(self.treasury, terms, self.other, amount, **more)
        return "arc27", {"id": str(uuid.uuid4()), "reference": "arc0027:sign_transactions:request", "params": {
            "providerId": self.provider, "txns": [{"txn": base64.b64encode(transaction_bytes(pay)).decode()}]}}


if __name__ == "__main__":
    Pictures.setUpClass()
    try:
        Pictures().debug()
    finally:
        Pictures.doClassCleanups()
