# SPDX-License-Identifier: Apache-2.0
"""Arguments of function calls from a page, through the extension and through the window: the signed bytes
are those of call_arguments.json."""
import base64
import contextlib
import json
import pathlib
import struct
import unittest

from browser import Case as ExtensionCase
from hub import ROOT
from near_page_peer import POLICY, Case as PageCase

VECTORS = json.loads(pathlib.Path(ROOT, "Tests/Vectors/near/call_arguments.json").read_text())
DANGERS = ["new_client", "opaque", "offline_nonce", "delegates", "unknown_network"]
# One delegate action with a call for each value; nonce and height are given, so that no node is needed.
PARAMS = """([values, number, form]) => {
  const written = (value) => {
    if (form !== "near-api-js") return value;
    // As near-connect does with actions of near-api-js, whose arguments are bytes.
    const bytes = ArrayBuffer.isView(value) ? value : new TextEncoder().encode(JSON.stringify(value));
    try { return JSON.parse(new TextDecoder().decode(bytes)); } catch { return bytes; }
  };
  const actions = values.map((code) => ({ type: "FunctionCall", params: {
    methodName: "m", args: written(eval(code)), gas: "1", deposit: "0" } }));
  return { network: "mainnet", signerId: "bob.near", delegateActions: [
    { receiverId: "app.near", actions, nonce: String(number), maxBlockHeight: "9000000000" }] };
}"""
CALL = """async (given) => {
  const wallet = await new Promise((resolve) => {
    addEventListener("near-wallet-injected", (event) => resolve(event.detail), { once: true });
    dispatchEvent(new CustomEvent("near-selector-ready"));
  });
  try { return { value: await wallet.signDelegateActions((PARAMS)(given)) }; }
  catch (error) { return { error: { code: error.code, message: error.message } }; }
}""".replace("PARAMS", PARAMS)


def arguments(delegate):
    """Returns the arguments of each call of a signed delegate action in Borsh."""
    data, place = base64.b64decode(delegate, validate=True), 0

    def take(count):
        nonlocal place
        place += count
        return data[place - count:place]

    def sized():
        return take(struct.unpack("<I", take(4))[0])

    assert (sized(), sized()) == (b"bob.near", b"app.near")
    found = []
    for _ in range(struct.unpack("<I", take(4))[0]):
        assert (take(1), sized()) == (b"\2", b"m")
        found.append(sized().hex())
        take(8 + 16)
    return found


class Table:
    """One table, sent over every transport."""
    numbers = iter(range(1, 1000))

    def signed(self, values, form="connector"):
        found = self.sign([values, next(self.numbers), form])
        self.assertIn("value", found, found)
        [delegate] = found["value"]["signedDelegateActions"]
        return arguments(delegate)

    def test_every_value_becomes_its_bytes(self):
        values = VECTORS["pages"]
        found = self.signed([vector["value"] for vector in values])
        for vector, there in zip(values, found, strict=True):
            with self.subTest(vector["id"]):
                self.assertEqual(there, vector["hex"])

    def test_every_value_becomes_its_bytes_through_actions_of_near_api_js(self):
        # near-api-js writes bytes unchanged, and all other accepted values as JSON.
        values = [vector for vector in VECTORS["pages"]
                  if vector["id"] not in ("undefined", "ArrayBuffer", "DataView", "Int8Array")]
        found = self.signed([vector["value"] for vector in values], "near-api-js")
        for vector, there in zip(values, found, strict=True):
            with self.subTest(vector["id"]):
                self.assertEqual(there, vector["hex"])

    def test_values_without_exact_bytes_are_refused(self):
        for vector in VECTORS["refused"]:
            with self.subTest(vector["id"]):
                found = self.sign([[vector["value"]], next(self.numbers), "connector"], opens=False)
                self.assertTrue(found.get("error"), found)


class Extension(Table, ExtensionCase):
    @classmethod
    def setUpClass(cls):
        cls.make()

    @classmethod
    def attest(cls, text):
        known = 'acknowledge = ["new_client",'
        assert known in text
        super().attest(text.replace(known, f"acknowledge = {json.dumps(DANGERS)[:-1]},"))

    def sign(self, given, opens=True):
        return self.page().evaluate(CALL, given)


class Window(Table, PageCase):
    ALLOWED = ("pages",)

    @classmethod
    def attest(cls, allowed):
        text = POLICY % ", ".join(json.dumps(origin) for origin in allowed)
        pathlib.Path(cls.hub.home, "policy.toml").write_text(
            text.replace('["new_client"]', json.dumps(DANGERS)))
        cls.hub.command("policy", "attest")

    def sign(self, given, opens=True):
        page = self.app()
        page.evaluate("(given) => { window.next = ['one', 'signDelegateActions', (PARAMS)(given)]; }"
                      .replace("PARAMS", PARAMS), given)
        # A refused value is refused before a window opens.
        with self.context.expect_page() if opens else contextlib.nullcontext():
            page.click("#go")
        return self.end(page)


if __name__ == "__main__":
    unittest.main()
