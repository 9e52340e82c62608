# SPDX-License-Identifier: Apache-2.0
"""Examples/Hardware with SoftHSM 2; its keys and signatures are checked with PyNaCl and py-algorand-sdk."""
import base64
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from algosdk import encoding, transaction
from nacl.signing import SigningKey, VerifyKey

from hub import PASSPHRASE, ROOT, pipe
from near_peer import digest
from near_values import base58

PROGRAM = ROOT / ".build/debug/hardware"
EXAMPLE = ROOT / "Examples/Hardware"
PROVIDER = "7c6b5f2e-3d0a-4f57-9d0e-5a1f6f2b8c41"
PIN = b"246810-secret"
WRONG = b"135791-wrong"
SEED = bytes(range(7, 39))
NONCE = bytes(range(32))
# The key of the README: the first test of RFC 8032, section 7.1.
RFC8032 = SigningKey(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))


def login(recipient="example.near", message="Hello NEAR!"):
    """A request for a NEP-413 message."""
    return json.dumps({
        "message": message, "recipient": recipient, "network": "testnet",
        "nonce": base64.b64encode(NONCE).decode()})


def payment(address, amount=1000):
    """A payment and the ARC-27 request to sign it."""
    params = transaction.SuggestedParams(
        fee=1000, flat_fee=True, first=1, last=1000, gen="testnet-v1.0",
        gh="SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=")
    txn = transaction.PaymentTxn(address, params, address, amount)
    return txn, json.dumps({
        "id": "5b90071a-ea26-4a5b-8380-35eadaa5066a", "reference": "arc0027:sign_transactions:request",
        "params": {"providerId": PROVIDER, "txns": [{"txn": encoding.msgpack_encode(txn)}]}})


class Token:
    """A SoftHSM token in a scratch folder, and the program with a home in it."""

    def __init__(self, label="demo"):
        self.scratch = tempfile.TemporaryDirectory(prefix="hardware-")
        self.folder = pathlib.Path(self.scratch.name)
        (self.folder / "tokens").mkdir()
        settings = self.folder / "softhsm2.conf"
        settings.write_text(f"directories.tokendir = {self.folder}/tokens\n")
        self.fault_file = self.folder / "fault"
        self.environment = os.environ | {
            "SOFTHSM2_CONF": str(settings), "TOKEN_FAULT": str(self.fault_file)}
        self.printed = b""
        self.module = []
        self.add(label)

    def add(self, label):
        """Adds a token with the PIN."""
        subprocess.run(
            ["softhsm2-util", "--init-token", "--free", "--label", label, "--so-pin", "12345678",
             "--pin", PIN.decode()], env=self.environment, check=True, capture_output=True)

    def break_with(self, fault):
        """Puts a module with a fault in front of the token."""
        module = self.folder / "faulty.so"
        if not module.exists():
            subprocess.run(
                ["cc", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-o", str(module),
                 str(ROOT / "Tests/Interop/faulty_token.c")], check=True)
        self.module = ["--module", str(module)]
        self.fault_file.write_text(fault)

    def start(self, *words, pin=PIN):
        """Starts the program; the PIN and the passphrase are read from pipes."""
        pipes = [pipe(PASSPHRASE)] + ([pipe(pin)] if pin is not None else [])
        words = [*words, *self.module, "--home", str(self.folder / "home"), "--passphrase-fd", str(pipes[0])]
        words += ["--pin-fd", str(pipes[1])] if pin is not None else []
        process = subprocess.Popen(
            [PROGRAM, *words], env=self.environment, pass_fds=pipes, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for reader in pipes:
            os.close(reader)
        return process

    def run(self, *words, stdin=b"", status=0, pin=PIN):
        """Runs the program and returns its output and its errors."""
        process = self.start(*words, pin=pin)
        out, errors = process.communicate(stdin, timeout=60)
        self.printed += out + errors
        if process.returncode != status:
            raise AssertionError(f"{words}: {process.returncode}: {out.decode()}{errors.decode()}")
        return out.decode(), errors.decode()

    def make(self, name):
        """Makes a key and returns its public key and its address."""
        _, public, address = self.run("make", name)[0].split()
        return bytes.fromhex(public), address

    def answer(self, *requests, **more):
        """Returns the replies to some requests, and the errors."""
        out, errors = self.run("answer", stdin="\n".join(requests).encode() + b"\n", **more)
        return [json.loads(line) for line in out.splitlines()], errors

    def kinds(self):
        """Returns the kinds of the entries in the record."""
        return [line.split()[1] for line in self.run("record")[0].splitlines()]

    def calls(self):
        """Returns the logins and logouts that the module with faults has seen."""
        return (self.folder / "fault.calls").read_text().split("\n")[:-1]

    def pkcs11_tool(self, *words):
        """Runs OpenSC's tool on the token and returns its output."""
        done = subprocess.run(
            ["pkcs11-tool", "--module", "/usr/lib/softhsm/libsofthsm2.so", "--login", "--pin", PIN.decode(), *words],
            env=self.environment, check=True, capture_output=True)
        return (done.stdout + done.stderr).decode()


class HardwarePeer(unittest.TestCase):
    def setUp(self):
        self.token = Token()
        self.addCleanup(self.token.scratch.cleanup)

    def tearDown(self):
        for secret in (PIN, WRONG, PASSPHRASE, SEED, SEED.hex().encode(), base64.b64encode(SEED)):
            self.assertNotIn(secret, self.token.printed)

    def check_login(self, reply, key, message="Hello NEAR!", recipient="example.near"):
        self.assertEqual(reply["publicKey"], "ed25519:" + base58(key))
        signed = digest(message, NONCE, recipient, None)
        VerifyKey(key).verify(signed, base64.b64decode(reply["signature"]))

    def test_a_made_key_signs_a_near_message(self):
        key, address = self.token.make("near/porter")
        self.assertEqual(address, key.hex())
        [reply], errors = self.token.answer(login())
        self.check_login(reply, key)
        self.assertEqual(reply["accountId"], address)
        self.assertEqual(errors, "")
        self.assertEqual(self.token.kinds()[-2:], ["intent", "result"])

    def test_a_made_key_signs_an_algorand_payment(self):
        key, address = self.token.make("algorand/treasury")
        self.assertEqual(address, encoding.encode_address(key))
        txn, request = payment(address)
        [reply], _ = self.token.answer(request)
        [signed] = reply["result"]["stxns"]
        decoded = encoding.msgpack_decode(signed)
        self.assertEqual(decoded.transaction.get_txid(), txn.get_txid())
        body = b"TX" + base64.b64decode(encoding.msgpack_encode(txn))
        VerifyKey(key).verify(body, base64.b64decode(decoded.signature))
        self.assertEqual(self.token.kinds()[-2:], ["intent", "result"])

    def test_an_imported_seed_has_its_public_key_and_signs(self):
        key = bytes(SigningKey(SEED).verify_key)
        out, _ = self.token.run("import", "near/old", stdin=SEED.hex().encode() + b"\n")
        self.assertEqual(out.split()[:2], ["near/old", key.hex()])
        self.assertEqual(self.token.run("keys", pin=None)[0], out)
        [reply], _ = self.token.answer(login())
        # Ed25519 is deterministic: the token signs the same bytes as PyNaCl.
        self.assertEqual(
            base64.b64decode(reply["signature"]),
            SigningKey(SEED).sign(digest("Hello NEAR!", NONCE, "example.near", None)).signature)

    def test_text_that_is_not_a_seed_is_refused(self):
        for text in (b"", b"12", SEED.hex().encode()[:-2], SEED.hex().encode() + b"00", b"x" * 200):
            _, errors = self.token.run("import", "near/old", stdin=text, status=1)
            self.assertEqual(errors, "hardware: error: the seed is not 64 hexadecimal digits\n")
        self.assertEqual(self.token.run("keys")[0], "")

    def test_the_token_does_not_give_secrets_away(self):
        self.token.make("near/porter")
        self.token.run("import", "near/old", stdin=SEED.hex().encode())
        listed = self.token.pkcs11_tool("--list-objects", "--type", "privkey")
        access = re.findall(r"Access: +(.*)", listed)
        self.assertEqual(len(access), 2)
        for words in access:
            self.assertTrue(words.startswith("sensitive"), words)
            self.assertNotIn("extractable", words.replace("never extractable", ""))
        for path in (self.token.folder / "tokens").rglob("*.object"):
            self.assertNotIn(SEED, path.read_bytes())

    def test_what_the_policy_denies_needs_no_pin(self):
        _, address = self.token.make("algorand/treasury")
        self.token.make("near/porter")
        replies, errors = self.token.answer(
            login(recipient="evil.near"), payment(address, 10**6)[1], pin=None, status=3)
        self.assertEqual(replies[0]["error"]["code"], "permission_denied")
        self.assertIn("error", replies[1])
        self.assertEqual(errors.count("policy_denied"), 2)

    def test_a_wrong_pin_is_told_and_nothing_is_signed(self):
        key, _ = self.token.make("near/porter")
        [reply], errors = self.token.answer(login(), pin=WRONG, status=3)
        self.assertEqual(reply["error"]["code"], "unavailable")
        self.assertIn("key_unavailable: the PIN of the token is wrong\n", errors)
        self.assertEqual(self.token.kinds()[-1], "refusal")
        self.assertIn("PIN of the token is wrong", self.token.run("make", "near/b", pin=WRONG, status=1)[1])
        self.check_login(self.token.answer(login())[0][0], key)

    def test_an_algorand_client_gets_the_error_of_its_wire(self):
        _, address = self.token.make("algorand/treasury")
        [reply], errors = self.token.answer(payment(address)[1], pin=WRONG, status=3)
        self.assertEqual(reply["error"]["code"], 4000)
        self.assertEqual(reply["error"]["message"], "the key is locked or cannot be read")
        self.assertNotIn("result", reply)
        self.assertIn("key_unavailable: the PIN of the token is wrong\n", errors)

    def test_the_token_gets_each_pin_once_and_is_left_logged_out(self):
        self.token.make("near/porter")
        self.token.break_with("")
        replies, _ = self.token.answer(login(), login(message="again"))
        self.assertTrue(all("signature" in reply for reply in replies))
        self.assertEqual(self.token.calls(), ["login", "logout"])
        # The second request finds no other PIN.
        _, errors = self.token.answer(login(), login(message="again"), pin=WRONG, status=3)
        self.assertEqual(errors.count("the PIN of the token is wrong"), 1)
        self.assertEqual(errors.count("the PIN of the token was not given"), 1)
        self.assertEqual(self.token.calls(), ["login", "logout", "login"])

    def test_without_a_pin_nothing_is_signed(self):
        self.token.make("near/porter")
        [reply], errors = self.token.answer(login(), pin=None, status=3)
        self.assertIn("error", reply)
        self.assertIn("the PIN of the token was not given", errors)

    def test_a_pin_locks_after_tries(self):
        self.token.make("near/porter")
        self.token.break_with("counts")
        texts = [
            "the PIN of the token is wrong\n", "the PIN of the token is wrong, and one try is left\n",
            "the PIN of the token is locked after too many wrong tries\n",
            "the PIN of the token is locked after too many wrong tries\n"]
        for text in texts:
            [reply], errors = self.token.answer(login(), pin=WRONG, status=3)
            self.assertEqual(reply["error"]["code"], "unavailable")
            self.assertIn(text, errors)
        # The right PIN does not help now, and it is not sent to the token.
        self.assertIn(texts[-1], self.token.answer(login(), status=3)[1])
        self.assertEqual(self.token.calls(), ["login"] * 3)

    def test_a_token_that_reports_a_locked_pin_only_at_the_login(self):
        self.token.make("near/porter")
        self.token.break_with("locked")
        self.assertIn("PIN of the token is locked", self.token.answer(login(), status=3)[1])

    def test_troubles_of_a_token_are_told(self):
        key, _ = self.token.make("near/porter")
        cases = {
            "old": "key_unavailable: the token does not sign with Ed25519 (CKM_EDDSA)\n",
            "broken": "key_failed: the token's signature by near/porter is not valid, so it was discarded\n",
            "pulled": "key_failed: the token was removed\n",
            "readable": "key_unavailable: the token would give away the secret of near/porter\n",
        }
        for fault, text in cases.items():
            self.token.break_with(fault)
            [reply], errors = self.token.answer(login(), status=3)
            self.assertEqual([*reply], ["error"], fault)
            self.assertIn(text, errors)
        self.token.break_with("old")
        self.assertIn("Ed25519", self.token.run("make", "near/b", status=1)[1])
        self.token.break_with("readable")
        self.assertIn("give away", self.token.run("make", "near/b", status=1)[1])
        # No half of the refused key is left.
        self.assertEqual(self.token.pkcs11_tool("--list-objects").count("near/b"), 0)
        self.token.break_with("raw")
        self.check_login(self.token.answer(login())[0][0], key)

    def converse(self, meanwhile):
        """Sends a request, runs `meanwhile`, and sends it again; returns the replies and the errors."""
        process = self.token.start("answer")
        replies = []
        for step in (lambda: None, meanwhile):
            step()
            process.stdin.write(login(message=f"message {len(replies)}").encode() + b"\n")
            process.stdin.flush()
            replies.append(json.loads(process.stdout.readline()))
        out, errors = process.communicate(timeout=60)
        self.token.printed += out + errors
        self.assertEqual(process.returncode, 3)
        return replies, errors.decode()

    def test_a_token_is_removed_or_exchanged_meanwhile(self):
        key, _ = self.token.make("near/porter")
        for fault in ("removed", "exchanged"):
            self.token.break_with("")
            (first, second), errors = self.converse(lambda: self.token.break_with(fault))
            self.check_login(first, key, "message 0")
            self.assertEqual(second["error"]["code"], "unavailable", fault)
            self.assertIn("key_unavailable: the token was removed\n", errors)

    def test_a_key_is_deleted_meanwhile(self):
        key, _ = self.token.make("near/porter")

        def delete(kind):
            self.token.pkcs11_tool("--delete-object", "--type", kind, "--label", "near/porter")

        (first, second), errors = self.converse(lambda: delete("privkey"))
        self.check_login(first, key, "message 0")
        self.assertEqual(second["error"]["code"], "unavailable")
        self.assertIn("key_unavailable: the key near/porter is not on the token\n", errors)
        self.assertNotIn("signature", json.dumps(second))
        delete("pubkey")
        self.assertIn("error", self.token.answer(login(), status=3)[0][0])

    def test_two_tokens_have_the_same_label(self):
        self.token.make("near/porter")
        self.token.add("demo")
        listed = self.token.run("tokens")[0].splitlines()
        serials = sorted(line.split()[0] for line in listed)
        self.assertEqual([line.split()[1] for line in listed], ["demo", "demo"])
        _, errors = self.token.run("keys", "--token", "demo", status=1)
        self.assertIn('several tokens have the label "demo"\n', errors)
        self.assertTrue(all(serial in errors for serial in serials))
        keys = [self.token.run("keys", "--serial", serial)[0] for serial in serials]
        self.assertEqual(sorted(len(text.splitlines()) for text in keys), [0, 1])

    def test_a_missing_token_and_a_taken_name_are_told(self):
        _, errors = self.token.run("keys", "--token", "other", status=1)
        self.assertEqual(errors, 'hardware: error: there is no token "other"\nhardware: hint: there is: demo\n')
        self.token.make("near/porter")
        _, errors = self.token.run("make", "near/porter", status=1)
        self.assertEqual(errors, "hardware: error: the token has a key near/porter already\n")

    def test_a_key_signs_for_the_protocol_of_its_private_half_only(self):
        """Public objects can be changed without the PIN: here the public half changes its protocol."""
        key, _ = self.token.make("near/porter")
        self.token.break_with("relabelled")
        address = encoding.encode_address(key)
        [reply], errors = self.token.answer(payment(address)[1], status=3)
        self.assertNotIn("result", reply)
        self.assertIn("the key algorand/porter is not on the token", errors)

    def test_the_commands_of_the_readme(self):
        text = (EXAMPLE / "README.md").read_text()
        script = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL))
        with tempfile.TemporaryDirectory(prefix="hardware-") as folder:
            for name in (".build", "Examples"):
                os.symlink(ROOT / name, os.path.join(folder, name))
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        replies = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        self.assertEqual(len(replies), 2)
        self.assertIn("signature", replies[0])
        signed = encoding.msgpack_decode(replies[1]["result"]["stxns"][0])
        self.assertEqual(signed.transaction.sender, encoding.encode_address(bytes(RFC8032.verify_key)))
        body = b"TX" + base64.b64decode(encoding.msgpack_encode(signed.transaction))
        RFC8032.verify_key.verify(body, base64.b64decode(signed.signature))
