# SPDX-License-Identifier: Apache-2.0
"""Random NEAR values of a seed, and the forms in which clients write them."""
import base64
import concurrent.futures
import random

ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
CONTROL = [chr(code) for code in [*range(0x20), 0x7f]]
ODD = [*"\u2028\u2029\ufeff\u202e\"\\/<>&'\u00e9\u0301\u00df",
       *"\ud7ff\ue000\ufffd\U00010000\U0010ffff",
       "\U0001F468\u200d\U0001F469", "\U0001F30D", "\U0001F1E9\U0001F1EA"]


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = ALPHABET[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def key_text(public):
    return "ed25519:" + base58(public)


def base64_text(data):
    return base64.b64encode(data).decode()


def base64url_text(data):
    return base64.urlsafe_b64encode(data).decode()


def indexed(data):
    """Encodes bytes like JSON.stringify encodes a Uint8Array."""
    return {str(place): byte for place, byte in enumerate(data)}


def buffer(data):
    """Encodes bytes like JSON.stringify encodes a Buffer of Node."""
    return {"type": "Buffer", "data": list(data)}


def in_parallel(check, cases):
    """Runs each case in a separate process, two at a time."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(check, cases))


class Values(random.Random):
    """Random values; edge values are more frequent than others."""

    def text(self, most):
        """Returns a text of at most this many bytes of UTF-8."""
        alphabet = self.choice([CONTROL + ODD, [*"abc \n\t{}[]", *ODD], [*"abcdefgh "]])
        whole = "".join(self.choices(alphabet, k=self.randint(0, most)))
        return whole.encode()[:most].decode(errors="ignore")

    def data(self, most):
        return self.randbytes(self.choice([0, 1, self.randint(0, most)]))

    def number(self, bits):
        edges = [0, 1, 2**53 - 1, 2**53, 2**63, 2**bits - 1]
        return self.choice([
            self.choice(edges), self.getrandbits(bits), self.getrandbits(bits // 2)])

    def distinct(self, bits, count):
        """Returns numbers for values that may be used only once, with the edges among them."""
        found = {0, 1, 2**53, 2**63 - 1, 2**63, 2**bits - 1}
        while len(found) < count:
            found.add(self.getrandbits(self.randint(20, bits)))
        return self.sample(sorted(found), count)

    def account(self):
        """Returns an account id of any kind."""
        kind = self.randrange(8)
        if kind < 4:
            return [self.randbytes(32).hex(), "0x" + self.randbytes(20).hex(),
                    "0s" + self.randbytes(20).hex(), "system"][kind]
        count = self.choice([2, 3, 63, 64, self.randint(2, 64)])
        text = ""
        while len(text) < count:
            # A separator is between two letters or digits, never at an end.
            marks = text and text[-1].isalnum() and len(text) < count - 1
            text += self.choice("-_." if marks and self.random() < 0.2 else "abcxyz0189")
        return text

    def key(self):
        return self.choice([bytes(32), b"\xff" * 32, self.randbytes(32), self.randbytes(32)])

    def flipped(self, data):
        """Returns the bytes with one bit changed."""
        broken = bytearray(data)
        broken[self.randrange(len(broken))] ^= 1 << self.randrange(8)
        return bytes(broken)

    def flipped_text(self, text):
        """Returns the text with one bit of its UTF-8 changed, still in UTF-8."""
        while True:
            try:
                return self.flipped(text.encode()).decode()
            except UnicodeDecodeError:
                pass
