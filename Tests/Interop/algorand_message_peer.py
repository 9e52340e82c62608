# SPDX-License-Identifier: Apache-2.0
"""sign_message of ARC-27, compared with py-algorand-sdk's signed bytes ("MX")."""
import base64
import unittest

from algosdk import encoding, util
from nacl.signing import VerifyKey

from algorand_frames import LIQUID, call
from algorand_values import DANGERS, Signer, Transactions
from hub import Hub
from near_values import CONTROL, ODD, in_parallel

# Without the prefix, these texts would be a transaction, a program or program data.
PREFIXES = ["TX", "TG", "MX", "Program", "Program\x01\x20\x01\x01\x22", "ProgData", "MsigProgram"]


class AlgorandMessagePeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.hub = Hub(*DANGERS)
        cls.addClassCleanup(cls.hub.folder.cleanup)
        cls.signers = [Signer(bytes([place]) * 32) for place in range(1, 4)]
        for place, signer in enumerate(cls.signers):
            cls.hub.import_key("algorand", f"key{place}", signer.words)

    def test_the_peer_verifies_100_signed_texts(self):
        source = Transactions(20261213)
        texts = [*PREFIXES, *(mark + "a" for mark in source.sample(CONTROL + ODD, 20))]
        while len(texts) < 100:
            texts.append("a" + source.text(8000 if len(texts) % 20 == 0 else 300))

        def check(case):
            place, text = case
            source = Transactions(place)
            signer = source.choice(self.signers)
            result = call(self.hub, source, "sign_message", {
                "message": text, "signer": signer.address, "providerId": LIQUID})
            self.assertEqual(set(result), {"providerId", "signature", "signer"})
            self.assertEqual((result["providerId"], result["signer"]), (LIQUID, signer.address))
            signature, data = result["signature"], text.encode()
            self.assertEqual(signature, util.sign_bytes(data, signer.private))
            self.assertTrue(util.verify_bytes(data, signature, signer.address))
            self.assertFalse(util.verify_bytes(source.flipped(data), signature, signer.address))
            other = self.signers[self.signers.index(signer) - 1]
            self.assertFalse(util.verify_bytes(data, signature, other.address))
            # Checks without the SDK.
            VerifyKey(encoding.decode_address(signer.address)).verify(
                b"MX" + data, base64.b64decode(signature, validate=True))

        in_parallel(check, enumerate(texts))

    def test_an_unknown_signer_is_refused(self):
        source = Transactions(20261214)
        found = call(self.hub, source, "sign_message", {
            "message": "a", "signer": source.address(), "providerId": LIQUID}, status=1)
        self.assertEqual(found["code"], 4100, found)


if __name__ == "__main__":
    unittest.main()
