# SPDX-License-Identifier: Apache-2.0
"""The bridge of near-connect-ios in Debian's Chromium: the test calls its functions like a web view, and reads the
messages to its handler."""
import base64
import json
import os
import time
import unittest

from playwright.sync_api import expect

import near_links_peer
from near_links_peer import ACCOUNT
from near_peer import digest

HANDLER = """window.heard = [];
window.webkit = { messageHandlers: { nearConnect: { postMessage: (message) => heard.push(message) } } };"""
TRANSFER = json.dumps([{"type": "Transfer", "params": {"deposit": "7"}}])


class Bridge(near_links_peer.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        text = near_links_peer.POLICY % ("phone", "tablet", ', "control_characters", "delegates"')
        with open(os.path.join(cls.hub.home, "policy.toml"), "w") as file:
            file.write(text)
        cls.hub.command("policy", "attest")

    def view(self, app="phone", network="testnet"):
        page = self.context.new_page()
        page.add_init_script(HANDLER)
        page.goto(f"{self.wallet}/near/bridge?network={network}&app={app}")
        self.heard(page, 1)
        return page

    def heard(self, page, count):
        """Returns the messages to the handler, once there are that many; the page's policy forbids waiting inside it."""
        deadline = time.monotonic() + 60
        while page.evaluate("heard.length") < count:
            self.assertLess(time.monotonic(), deadline)
            page.wait_for_timeout(50)
        return page.evaluate("heard")

    def call(self, page, code):
        """Returns the message to the handler: one for each call."""
        before = page.evaluate("heard.length")
        page.evaluate(code)
        found = self.heard(page, before + 1)[before:]
        self.assertEqual(len(found), 1, found)
        return found[0]

    def connected(self):
        page = self.view()
        self.call(page, "nearConnect()")
        return page

    def test_the_bridge_reports_that_it_is_ready(self):
        self.assertEqual(self.view().evaluate("heard"), [{"type": "ready"}])
        [found] = self.view(network="othernet").evaluate("heard")
        self.assertEqual(found["type"], "error")

    def test_signing_in_and_out(self):
        page = self.view()
        account = {"type": "signIn", "accountId": ACCOUNT, "publicKey": self.public, "walletId": "countersign"}
        self.assertEqual(self.call(page, "nearConnect()"), account)
        self.assertEqual(self.call(page, "nearConnectWallet('countersign')"), account)
        self.assertEqual(self.call(page, "nearConnectWallet('my-near-wallet')")["type"], "error")
        self.assertEqual(self.call(page, "nearDisconnect()"), {"type": "signOut"})
        found = self.call(page, f"nearSignAndSendTransaction('bob.testnet', {json.dumps(TRANSFER)})")
        self.assertEqual(found, {"type": "transactionError", "message": "not_signed_in: no wallet is connected"})

    def test_an_app_is_signed_out_even_if_the_agent_does_not_answer(self):
        page = self.connected()
        page.route("**/near/requests", lambda route: route.abort())
        self.assertEqual(self.call(page, "nearDisconnect()"), {"type": "signOut"})
        found = self.call(page, f"nearSignAndSendTransaction('bob.testnet', {json.dumps(TRANSFER)})")
        self.assertEqual(found["message"], "not_signed_in: no wallet is connected")

    def test_signing_out_needs_no_rule(self):
        page, asked = self.view("stranger"), time.monotonic()
        self.assertEqual(self.call(page, "nearDisconnect()"), {"type": "signOut"})
        self.assertLess(time.monotonic() - asked, 20)

    def test_a_message_keeps_its_signature(self):
        page, nonce = self.connected(), os.urandom(32)
        # Characters that break scripts if a text is pasted into another.
        text = "it's \\ \u2028 </script> `${x}` \U0001F600"
        encoded = base64.b64encode(nonce).decode()
        found = self.call(page, f"nearSignMessage({json.dumps(text)}, 'app.near', '{encoded}')")
        self.assertEqual([found["type"], found["accountId"], found["publicKey"]],
                         ["messageResult", ACCOUNT, self.public])
        payload = json.loads(found["signedMessage"])
        self.assertEqual([payload["message"], payload["recipient"], payload["nonce"]], [text, "app.near", encoded])
        self.key.verify_key.verify(digest(text, nonce, "app.near", None), base64.b64decode(payload["signature"]))
        for bad in ("'AA=='", "'no base64!'", "undefined"):
            found = self.call(page, f"nearSignMessage('m', 'r', {bad})")
            self.assertEqual(found["type"], "messageError")

    def test_signing_in_with_a_message(self):
        page, nonce = self.view(), os.urandom(32)
        encoded = base64.b64encode(nonce).decode()
        found = self.call(page, f"nearConnectWithSignMessage('hi', 'app.near', '{encoded}')")
        self.assertEqual([found[name] for name in ("type", "accountId", "publicKey", "walletId")],
                         ["signInAndSignMessage", ACCOUNT, self.public, "countersign"])
        signed = found["signedMessage"]
        # A back end needs these members, as the app may not have made the nonce itself.
        self.assertEqual(set(signed), {"accountId", "publicKey", "signature", "message", "recipient", "nonce"})
        self.assertEqual([signed["message"], signed["recipient"], signed["nonce"]], ["hi", "app.near", encoded])
        reported = self.hub.command("near", "verify-message", "--recipient", "app.near", "-",
                                    stdin=json.dumps(signed).encode(), status=4)
        self.assertIn(b"holds: " + self.public.encode(), reported)
        self.key.verify_key.verify(digest("hi", nonce, "app.near", None), base64.b64decode(signed["signature"]))

    def test_transactions_are_sent(self):
        page = self.connected()
        found = self.call(page, f"nearSignAndSendTransaction('bob.testnet', {json.dumps(TRANSFER)})")
        self.assertEqual(found["type"], "transactionResult")
        self.assertEqual(json.loads(found["result"]), self.node.taken[found["transactionHash"]])
        several = json.dumps([{"receiverId": f"{name}.testnet", "actions": json.loads(TRANSFER)} for name in "ab"])
        found = self.call(page, f"nearSignAndSendTransactions({json.dumps(several)})")
        self.assertEqual(found["type"], "transactionsResult")
        self.assertEqual([one["status"] for one in json.loads(found["results"])], [{"SuccessValue": ""}] * 2)
        self.assertEqual(self.call(page, "nearSignAndSendTransaction('bob.testnet', '[')")["type"], "transactionError")

    def test_a_failure_on_the_chain_is_an_error_with_all_hashes(self):
        page = self.connected()
        found = self.call(page, f"nearSignAndSendTransaction('failing.testnet', {json.dumps(TRANSFER)})")
        self.assertEqual([found["type"], [one["state"] for one in found["transactions"]]],
                         ["transactionError", ["failed"]])
        self.assertTrue(found["message"].startswith("transaction_failed: "), found)
        several = json.dumps([{"receiverId": f"{name}.testnet", "actions": json.loads(TRANSFER)}
                              for name in ("a", "failing", "b")])
        found = self.call(page, f"nearSignAndSendTransactions({json.dumps(several)})")
        self.assertEqual([one["state"] for one in found["transactions"]], ["carried_out", "failed", "not_sent"])
        self.assertTrue(found["message"].startswith("transaction_failed: 1 carried out, 1 failed, 1 not sent"), found)
        self.assertTrue(all(one["hash"] in found["message"] for one in found["transactions"]))

    def test_arguments_of_calls_are_unchanged(self):
        page = self.connected()
        call = [{"type": "FunctionCall", "params": {
            "methodName": "hi", "args": {"text": "a"}, "gas": "30000000000000", "deposit": "0"}}]
        self.call(page, f"nearSignAndSendTransaction('app.testnet', {json.dumps(json.dumps(call))})")
        self.assertIn(b'{"text":"a"}', self.node.sent[-1])

    def test_delegate_actions_come_in_base64(self):
        page = self.connected()
        delegates = json.dumps([{"receiverId": "bob.testnet", "actions": json.loads(TRANSFER)}])
        found = self.call(page, f"nearSignDelegateActions({json.dumps(delegates)})")
        self.assertEqual(found["type"], "delegateActionResult", found)
        [signed] = found["signedDelegateActions"]
        self.assertIn(b"bob.testnet", base64.b64decode(signed))
        self.assertEqual(self.call(page, "nearSignDelegateActions('[]')")["type"], "delegateActionError")

    def test_a_restarted_app_is_still_connected_and_apps_are_separate(self):
        page = self.connected()
        page.reload()
        self.heard(page, 1)
        nonce = base64.b64encode(os.urandom(32)).decode()
        self.assertEqual(self.call(page, f"nearSignMessage('m', 'r', '{nonce}')")["type"], "messageResult")
        other = self.view("tablet")
        found = self.call(other, f"nearSignMessage('m', 'r', '{nonce}')")
        self.assertEqual(found["message"], "not_signed_in: no wallet is connected")

    def test_a_no_is_an_error_and_two_calls_at_once_are_answered(self):
        page = self.view("stranger")
        page.evaluate("void nearConnect()")
        expect(page.locator("#state")).to_have_text("The request waits for your answer.")
        text = self.answer("no")
        self.assertIn("claims to be", text)
        self.assertIn("stranger", text)
        found = self.heard(page, 2)[1]
        self.assertEqual(found["type"], "error")
        self.assertTrue(found["message"].startswith("user_rejected"))
        page = self.connected()
        nonces = [os.urandom(32) for _ in range(2)]
        for number, nonce in enumerate(nonces):
            page.evaluate(f"void nearSignMessage('m{number}', 'r', '{base64.b64encode(nonce).decode()}')")
        payloads = [json.loads(one["signedMessage"]) for one in self.heard(page, 4)[2:]]
        self.assertEqual({one["message"] for one in payloads}, {"m0", "m1"})

    def test_no_page_can_open_the_bridge(self):
        page = self.follow("/near/bridge", "network=testnet&app=phone")
        expect(page.locator("body")).to_contain_text("other_site")

if __name__ == "__main__":
    unittest.main()
