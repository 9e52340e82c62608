# SPDX-License-Identifier: Apache-2.0
"""Pages in Debian's Chromium that need a person: the choice of a key, and a burst of decryptions."""
import json
import unittest

import nostr_sdk

from browser import SIGN, Case, verified


class PagesAsk(Case):
    @classmethod
    def setUpClass(cls):
        cls.make()
        cls.work = nostr_sdk.Keys.generate()
        cls.hub.import_key("nostr", "work", cls.work.secret_key().to_bech32())
        cls.attest('version = 1\ndefault = "ask"\n')

    def answer(self, word, *more):
        shown, item = self.question()
        self.hub.command("inbox", "answer", item["id"], word, "--seen", shown["digest"], *more)
        return shown

    def test_a_page_keeps_the_key_that_the_person_chose(self):
        page, other = self.page(), self.page(self.others.origin + "/")
        page.evaluate("() => { window.key = nostr.getPublicKey(); }")
        self.waiting(1)
        first = self.answer("use", "--account", "work")
        self.assertEqual([account["name"] for account in first["other_accounts"]], ["work"])
        self.assertEqual(first["keys"], ["alice"])
        self.waiting(1)
        self.assertEqual(self.answer("once")["keys"], ["work"])
        self.assertEqual(page.evaluate("window.key"), self.work.public_key().to_hex())
        page.evaluate(f"() => {{ window.note = ({SIGN})(['hi', 1]); }}")
        self.waiting(1)
        self.assertNotIn("other_accounts", self.answer("once"))
        event = page.evaluate("window.note")
        self.assertEqual(verified(event).author().to_hex(), self.work.public_key().to_hex())
        # Another page is offered the first key, and a setting decides for it.
        self.hub.command("nostr", "client", "--accounts", "work", self.others.origin)
        other.evaluate("() => { window.key = nostr.getPublicKey(); }")
        self.waiting(1)
        self.assertNotIn("other_accounts", self.answer("once"))
        self.assertEqual(other.evaluate("window.key"), self.work.public_key().to_hex())
        self.hub.command("nostr", "client", "--forget", self.others.origin)

    def test_a_thousand_decryptions_at_once_are_one_question(self):
        page = self.page(self.pages.put("/letters", "<!DOCTYPE html><p>letters"))
        senders = [nostr_sdk.Keys.generate() for _ in range(1_000)]
        # Each has a fresh sender, like gift wraps.
        letters = [[keys.public_key().to_hex(), nostr_sdk.nip44_encrypt(
            keys.secret_key(), self.work.public_key(), f"letter {number}", nostr_sdk.Nip44Version.V2)]
            for number, keys in enumerate(senders)]
        self.hub.command("nostr", "client", "--accounts", "work", self.pages.origin)
        page.evaluate("""(letters) => {
          window.burst = Promise.all(letters.map(([key, text]) => nostr.nip44.decrypt(key, text)));
        }""", letters)
        self.waiting(1)
        page.wait_for_timeout(1_000)
        self.waiting(1)
        shown = self.answer("once", "--grant", "1 1h 999")
        self.assertIn("1  nip44_decrypt: texts of anyone", shown["wishes"])
        self.assertEqual(page.evaluate("window.burst"), [f"letter {number}" for number in range(1_000)])
        self.waiting(0)
        # The yes covered only that burst: the next decryption is asked about, and a no covers all that wait.
        page.evaluate("""(letters) => {
          window.more = Promise.allSettled(letters.map(([key, text]) => nostr.nip44.decrypt(key, text)));
        }""", letters[:20])
        self.waiting(1)
        self.answer("no")
        codes = page.evaluate("window.more.then((all) => all.map(({ reason }) => reason.code))")
        self.assertEqual(codes, ["user_rejected"] * 20)
        [grant] = [grant for grant in json.loads(self.hub.command("--json", "grant", "list", "--all"))]
        self.assertEqual(grant["uses_max"], 999, grant)


if __name__ == "__main__":
    unittest.main()
