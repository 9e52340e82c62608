# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas, checked by jsonschema, and the parser's view of policies."""
import copy
import datetime
import json
import pathlib
import subprocess
import tempfile
import tomllib
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


FILE = """
version = 2
default = "ask"
[set.mine]
keys = ["@own", "AAAQEAYEAUDAOCAJBIFQYDIOB4IBCEQTCQKRMFYYDENBWHA5DYP7MUPJQE"]
[approvers]
alice = "ed25519:%s"
[governance]
policy = { min = 1, of = "alice", within = "1d" }
[asset.USDC]
protocol = "algorand"
network = "mainnet"
id = 31566704
decimals = 6
[budget.day]
limit = [{ amount = "5 USD", of = "outflow", per = "1d", by = ["key"] }]
unit = "USD"
rate = { ALGO = "0.18", "USDC@algorand" = "1" }
escalate = { approvers = { min = 1, of = ["alice"] } }
[[rule]]
id = "everything"
effect = "allow"
protocol = "algorand"
receiver = { in = ["@mine"], prefix = "A", suffix = ["B"], glob = "*", regex = ".*" }
amount = { min = "1 ALGO", max = "5000000 microAlgo" }
"asset.amount" = { max = "500000000000000000000" }
asset = 5
app_arg.0 = "00ff"
effects = { has = "spends", count = { min = 1, max = 2 } }
rekey_to = { exists = false }
client.process.uid = 1000
"client.process".exe = "/usr/bin/bot"
client = { glob = "https://*.example" }
unless = { key = "alice", time = { min = 2027-01-01T00:00:00Z } }
acknowledge = ["rekey"]
limit = [{ uses = 5 }, { count = 5, per = "day" }]
budget = ["day"]
expires = 2027-01-01T00:00:00+01:00
hours = "09:00-18:00"
days = ["mon"]
tz = "Europe/Berlin"
[[rule]]
id = "nostr"
effect = "deny"
protocol = ["nostr"]
tag.t = { has = "x" }
content.contains = ["a", "b"]
created_at.skew = { max = "5m" }
[[rule]]
id = "people"
effect = "ask"
protocol = "near"
args.number.a.b = { max = 5 }
approvers = { min = 1, of = ["alice"], submitter_may_approve = true }
[[test]]
name = "a test"
request = "x"
expect = "ask"
at = 2027-01-01T00:00:00Z
repeat = 2
[[test_account]]
name = "alice"
protocol = "nostr"
public_key = "00ff"
""" % ("ab" * 32)

# Each line of FILE, or a part of it, with an error in its place.
BAD = (
    ("version = 2", "version = 1"), ("version = 2", "version = '2'"), ("version = 2", ""),
    ('default = "ask"', 'default = "allow"'), ('default = "ask"', 'more = 1'),
    ('keys = ["@own"', 'keys = [5.5'), ('alice = "ed25519:', 'alice = "ed25518:'),
    ("[set.mine]", "[set.MINE]"), ("policy = { min", "police = { min"), ("{ min = 1, of = \"alice\"", "{ of = \"alice\""),
    ("[budget.day]\nlimit", "[budget.day]\nlimits"), ('rate = { ALGO = "0.18"', 'rate = { ALGO = 0.18'),
    ('"USDC@algorand" = "1"', '"USDC@" = "1"'), ('"USDC@algorand" = "1"', '"USDC@algorand" = 1'),
    ('unit = "USD"', 'unit = "usd"'), ("escalate = {", "escalates = {"),
    ('id = "everything"', 'id = "A b"'), ('id = "everything"', ''), ('effect = "allow"', 'effect = "alow"'),
    ('protocol = "algorand"', 'protocol = "algorant"'), ("receiver = {", "recever = {"),
    ('prefix = "A"', 'prefix = 5'), ('prefix = "A"', 'starts = "A"'),
    ('min = "1 ALGO"', 'min = 1'), ('min = "1 ALGO"', 'min = "1 BTC"'), ('min = "1 ALGO"', 'min = "@mine"'),
    ('"500000000000000000000"', '"5  USDT"'), ("asset = 5", "asset = 'five'"), ("asset = 5", "asset.amonut = 5"),
    ('app_arg.0 = "00ff"', 'app_arg.0 = "0"'), ('effects = { has = "spends"', 'effects = { has = "spend"'),
    ("effects = {", "effects = { exists = true,"), ('effects = { has = "spends", count = { min = 1, max = 2 } }', 'effects = "spends"'),
    ("count = { min = 1, max = 2 }", "count = 1"), ("{ exists = false }", "{ exists = 'no' }"),
    ("client.process.uid = 1000", "client.process.uidd = 1000"), ("unless = { key", "unless = { id"),
    ('acknowledge = ["rekey"]', 'acknowledge = ["rekye"]'), ('acknowledge = ["rekey"]', 'acknowledge = "rekey"'),
    ("{ uses = 5 }", "{ uses = 0 }"), ("{ uses = 5 }", '{ uses = 5, per = "1h" }'),
    ('count = 5, per = "day"', 'count = 5, per = "fortnight"'), ('count = 5, per = "day"', 'count = 5'),
    ('amount = "5 USD", of = "outflow"', 'amount = "5 USD"'), ('budget = ["day"]', 'on_exceed = "ask"'),
    ("expires = 2027-01-01T00:00:00+01:00", "expires = 2027-01-01"), ("expires = 2027-01-01T00:00:00+01:00", "expires = 5"),
    ('hours = "09:00-18:00"', 'hours = "9-18"'), ('days = ["mon"]', 'days = ["someday"]'), ('tz = "Europe/Berlin"', ''),
    ('effect = "deny"', 'effect = "deny"\nlimit = [{ uses = 1 }]'), ('effect = "deny"', 'effect = "deny"\nbudget = "day"'),
    ('effect = "deny"', 'effect = "deny"\nacknowledge = ["deletes"]'),
    ('effect = "ask"', 'effect = "deny"'), ('tag.t = { has = "x" }', 'tag.t = "x"'),
    ('content.contains = ["a", "b"]', 'content.contains = { in = ["a"] }'), ('max = "5m"', 'max = "5 minutes"'),
    ('name = "a test"', 'nme = "a test"'), ('expect = "ask"', 'expect = "asks"'), ("repeat = 2", "repeat = 0"),
    ('public_key = "00ff"', 'public_key = "00FF"'), ("[[test_account]]", "[[test_acount]]"), ("[[rule]]", "[rule]"),
)


def file_schema():
    done = subprocess.run([BINARY, "policy", "schema", "--toml"], capture_output=True, check=True)
    return json.loads(done.stdout)


def as_json(text):
    """The TOML file as a language server hands it to a validator: date-times are texts."""
    def plain(value):
        if isinstance(value, dict):
            return {key: plain(member) for key, member in value.items()}
        if isinstance(value, list):
            return [plain(item) for item in value]
        if isinstance(value, (datetime.datetime, datetime.date)):
            return value.isoformat()
        return value
    return plain(tomllib.loads(text))


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

    def test_policy_files_are_valid_as_they_are_written(self):
        schema = file_schema()
        jsonschema.Draft7Validator.check_schema(schema)
        for draft in (jsonschema.Draft7Validator, jsonschema.Draft202012Validator):
            validator = draft(schema)
            for path in POLICIES:
                with self.subTest(path.name):
                    validator.validate(as_json(path.read_text()))
            # A table may be written with dots, with quotes, or both.
            text = FILE.replace('client = {', '"client" = {')
            for whole in (text.replace('"client.process".exe = "/usr/bin/bot"\n', "")
                          .replace("client.process.uid", '"client.process.uid"'),
                          text.replace('"client" = { glob = "https://*.example" }\n', "")
                          .replace("client.process.uid = 1000\n", "")):
                validator.validate(as_json(whole))

    def status(self, text):
        """The exit status of the command for a file."""
        path = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "p.toml")
        path.write_text(text)
        return subprocess.run([BINARY, "policy", "check", path], capture_output=True).returncode

    def test_files_with_errors_are_refused(self):
        schema = file_schema()
        validator = jsonschema.Draft7Validator(schema)
        good = (FILE.replace('"client.process".exe = "/usr/bin/bot"\n', "")
                .replace('client = { glob = "https://*.example" }\n', ""))
        validator.validate(as_json(good))
        self.assertEqual(self.status(good), 0)
        for right, wrong in BAD:
            text = good.replace(right, wrong)
            self.assertNotEqual(text, good, right)
            try:
                document = as_json(text)
            except tomllib.TOMLDecodeError:
                continue
            self.assertFalse(validator.is_valid(document), wrong)
            self.assertEqual(self.status(text), 1, wrong)


if __name__ == "__main__":
    unittest.main()
