# SPDX-License-Identifier: Apache-2.0
"""The published JSON Schema, checked by jsonschema, and the parser's view of policies."""
import copy
import json
import pathlib
import subprocess
import tempfile
import unittest

import jsonschema

from hub import BINARY

ROOT = pathlib.Path(__file__).resolve().parents[2]
POLICIES = sorted(ROOT.glob("Policies/*.toml")) + sorted(ROOT.glob("Policies/Cookbook/*.toml"))
MANY = """
version = 1
default = "ask"
[set.mine]
keys = ["@own", "AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYP7MUPJQE"]
[[rule]]
id = "everything"
effect = "allow"
protocol = "algorand"
receiver = { in = ["@mine"], not_in = ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAY5HFKQ"], prefix = "A", suffix = ["B"], glob = "*", regex = ".*" }
amount = { min = "1 ALGO", max = "5 ALGO" }
effects = { has = "spends", count = { min = 1, max = 2 } }
rekey_to = { exists = false }
unless = { key = "alice", time = { min = 2027-01-01T00:00:00Z } }
acknowledge = ["rekey"]
limit = [{ uses = 5 }, { amount = "5 ALGO", of = "amount", per = "day", by = ["key"] }]
on_exceed = "ask"
expires = 2027-01-01T00:00:00Z
hours = "09:00-18:00"
days = ["mon"]
tz = "Europe/Berlin"
[[rule]]
id = "nostr"
effect = "deny"
protocol = "nostr"
tag.t = { has = "x" }
pubkey_mismatch = true
"""


def canonical(path):
    done = subprocess.run([BINARY, "policy", "canonical", path], capture_output=True, check=True)
    return json.loads(done.stdout)


def broken(document):
    """Documents with one error each."""
    for change in (
            lambda d: d.update(version=1), lambda d: d.update(default="allow"),
            lambda d: d.pop("rules"), lambda d: d.update(more=1),
            lambda d: d["rules"][0].pop("effect"), lambda d: d["rules"][0].update(id="A b"),
            lambda d: d["rules"][0].update(effect="permit"),
            lambda d: d["rules"][0].update(expires=5),
            lambda d: d["rules"][0]["conditions"].update(recever={"in": ["x"]}),
            lambda d: d["rules"][0]["conditions"].update(receiver={}),
            lambda d: d["rules"][0]["conditions"].update(receiver={"min": "5"}),
            lambda d: d["rules"][0]["conditions"].update(amount={"max": "5.5"}),
            lambda d: d["rules"][0]["conditions"].update(amount={"regex": ["x"]}),
            lambda d: d["rules"][0].update(acknowledge=["rekye"]),
            lambda d: d["rules"][0]["limits"][0].update(per="fortnight"),
            lambda d: d["rules"][0]["limits"][0].pop("maximum"),
            lambda d: d["rules"][0]["schedule"].update(days=["someday"])):
        copied = copy.deepcopy(document)
        change(copied)
        yield copied


class PolicyPeer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads((ROOT / "Docs/policy.schema.json").read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def test_policies_that_the_parser_reads_are_valid(self):
        self.assertGreater(len(POLICIES), 12)
        for path in POLICIES:
            with self.subTest(path.name):
                self.validator.validate(canonical(path))

    def test_every_construct_is_valid_and_every_error_is_refused(self):
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "p.toml")
        path.write_text(MANY)
        document = canonical(path)
        self.validator.validate(document)
        for wrong in broken(document):
            self.assertFalse(self.validator.is_valid(wrong), wrong)


if __name__ == "__main__":
    unittest.main()
