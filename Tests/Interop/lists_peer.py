# SPDX-License-Identifier: Apache-2.0
"""Lists of waiting questions: a payment and a rekey look different in the terminal, in `inbox --list` and in the page."""
import base64
import json
import os
import shlex
import unittest
import uuid

from algosdk import account, mnemonic, transaction
from playwright.sync_api import expect

from algorand_frames import transaction_bytes
from hub import BINARY, PASSPHRASE, pipe
from inbox_peer import Screen
from web import WebCase

POLICY = 'version = 1\ndefault = "ask"\n'
GENESIS = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="


class Lists(WebCase):
    policy = POLICY

    def setUp(self):
        super().setUp()
        secret, self.treasury = account.generate_account()
        self.thief = account.generate_account()[1]
        self.hub.import_key("algorand", "treasury", mnemonic.from_private_key(secret))
        self.provider = self.agent.ask("GET", "/v1/status")[2]["provider_id"]

    def sign(self, **more):
        terms = transaction.SuggestedParams(1_000, 1, 1_000, GENESIS, "testnet-v1.0", flat_fee=True)
        pay = transaction.PaymentTxn(self.treasury, terms, self.thief, 500_000, **more)
        frame = {"id": str(uuid.uuid4()), "reference": "arc0027:sign_transactions:request", "params": {
            "providerId": self.provider, "txns": [{"txn": base64.b64encode(transaction_bytes(pay)).decode()}]}}
        return self.agent.ask("POST", "/v1/requests", {
            "wire": "arc27", "frame": json.dumps(frame), "client": "bot", "wait_seconds": 0})[2]

    def test_lists_distinguish_a_payment_and_a_rekey(self):
        self.assertEqual(self.sign()["state"], "pending")
        self.assertEqual(self.sign(rekey_to=self.thief)["state"], "pending")
        short = f"{self.thief[:10]}..{self.thief[-8:]}"

        text = self.hub.command("inbox", "--list").decode()
        rows = [row for row in text.splitlines() if row.startswith(" ")]
        self.assertTrue(all(len(row) <= 80 for row in rows), text)
        words = " ".join(" ".join(rows).split())
        self.assertIn(f"pays 0.501 ALGO on testnet: a payment of 0.5 ALGO to {self.thief}", words)
        self.assertIn("! You lose this account: anyone with the key of", words)

        screen = Screen(f"{shlex.quote(str(BINARY))} --home {shlex.quote(self.hub.home)} inbox")
        self.addCleanup(screen.close)
        screen.see("passphrase")
        screen.press(PASSPHRASE.decode(), "Enter", rest=0.2)
        shown = screen.see("2 wait")
        self.assertIn("pays 0.501 ALGO on testnet  (treasury)", shown)
        self.assertIn(f"a payment of 0.5 ALGO to {short}; with treasury", shown)
        self.assertIn("! You lose this account", shown)

        tab = self.tab(viewport={"width": 1100, "height": 800})
        rows = tab.locator("#list button")
        expect(rows).to_have_count(2)
        expect(rows.nth(0)).to_contain_text("pays 0.501 ALGO on testnet")
        expect(rows.nth(0)).to_contain_text(f"to {self.thief}")
        expect(rows.nth(0)).to_contain_text("seconds left")
        expect(rows.nth(1).locator(".danger")).to_contain_text("You lose this account")
        before = rows.nth(0).locator("[data-until]").inner_text()
        expect(rows.nth(0).locator("[data-until]")).not_to_have_text(before)
        self.serious(tab)
        self.assertEqual(self.errors, [])
        if picture := os.environ.get("COUNTERSIGN_PICTURES"):
            tab.screenshot(path=f"{picture}/lists.png")
            print(shown)

    def test_the_record_shows_kind_and_amount_and_opens_in_words(self):
        self.assertEqual(self.sign()["state"], "pending")
        tab = self.tab(viewport={"width": 1100, "height": 800})
        tab.locator("#list button").first.click()
        expect(tab.locator("#words")).to_contain_text("a payment of 0.5 ALGO")
        # Each interface has a different way to answer.
        self.assertNotIn("such as", tab.locator("#covers").inner_text())
        tab.get_by_role("button", name="No", exact=True).click()
        expect(tab.locator("#note")).to_contain_text("Answered")
        self.agent.ask("POST", "/v1/requests", {
            "wire": "nip07", "frame": '{"nip07": "getPublicKey", "params": []}', "client": "bot", "wait_seconds": 0})
        tab.get_by_role("navigation").get_by_role("button", name="Record").click()
        row = tab.locator("#audit-rows tr").filter(has_text="sign_transactions")
        expect(row).to_contain_text('type "pay", receiver')
        expect(row).to_contain_text("amount 0.5 ALGO")
        row.locator("summary").first.click()
        words = row.locator("dl")
        expect(words).to_contain_text("treasury")
        expect(words).to_contain_text("denied by a person")
        expect(row.locator("pre")).to_be_hidden()
        if picture := os.environ.get("COUNTERSIGN_PICTURES"):
            tab.screenshot(path=f"{picture}/record.png")
        for page in ("Record", "Ended", "Activity", "Waiting"):
            tab.get_by_role("navigation").get_by_role("button", name=page).click()
            tab.wait_for_timeout(300)
            text = tab.locator("main").inner_text()
            for wrong in ("undefined", "null", "with ,", "with  "):
                self.assertNotIn(wrong, text, page)
        self.assertEqual(self.errors, [])


if __name__ == "__main__":
    unittest.main()
