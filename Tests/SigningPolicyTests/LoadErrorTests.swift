// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Policy files that are refused")
struct LoadErrorTests {
    @Test("report all their mistakes in one run, with place and suggestion")
    func manyMistakes() {
        #expect(headlines(Self.manyMistakesText) == Self.manyMistakesHeadlines)
    }

    private static let manyMistakesText = """
        version = 1
        defalt = "ask"
        default = "allow"

        [set.loop]
        accounts = ["@loop", "@nobody"]

        [[rule]]
        id = "one"
        effect = "alow"
        protocol = "algorand"
        recever = "X"
        amount = { max = "5.0000001 ALGO", mx = 3 }
        fee = { max = "1 mALGO" }
        asset = "seven"
        danger = { has = "rekye" }

        [[rule]]
        id = "one two"
        effect = "allow"
        protocol = "nostrr"
        kind = 1

        [[rule]]
        id = "three"
        effect = "deny"
        protocol = "nostr"
        operation = "sign_evnt"
        tag.p = "x"
        peer = "@lop"
        content.byts = 3
        limit = [{ count = 0, per = "1 h" }]
        acknowledge = ["decrypt"]
        expires = 2027-01-01

        [[rule]]
        id = "three"
        effect = "ask"
        receiver = "X"
        kind = []
        """

    private static let manyMistakesHeadlines = [
        "policy.toml:2:1: error[P0110]: unknown key \"defalt\"; did you mean \"default\"?",
        "policy.toml:3:11: error[P0103]: default = \"allow\" is refused: "
            + "nothing is allowed without a rule",
        "policy.toml:6:13: error[P0129]: the set \"loop\" contains itself",
        "policy.toml:6:22: error[P0129]: unknown set \"@nobody\"",
        "policy.toml:10:10: error[P0122]: effect must be \"allow\", \"ask\" or \"deny\"; "
            + "did you mean \"allow\"?",
        "policy.toml:12:1: error[P0123]: unknown field \"recever\" for algorand; "
            + "did you mean \"receiver\"?",
        "policy.toml:13:18: error[P0128]: \"amount\" has 6 decimals at most in ALGO",
        "policy.toml:13:36: error[P0126]: unknown matcher \"mx\" for \"amount\"; "
            + "did you mean \"max\"?",
        "policy.toml:14:15: error[P0128]: \"fee\" is written in ALGO or microAlgo, not in mALGO",
        "policy.toml:15:9: error[P0128]: \"asset\" takes an integer, in quotes up to 2^127 - 2",
        "policy.toml:16:18: error[P0125]: unknown danger \"rekye\" for algorand; "
            + "did you mean \"rekey\"?",
        "policy.toml:19:6: error[P0120]: an id is 1 to 64 of a-z, 0-9 and -",
        "policy.toml:21:12: error[P0125]: unknown protocol \"nostrr\"; "
            + "did you mean \"nostr\"?",
        "policy.toml:28:13: error[P0125]: unknown operation \"sign_evnt\" for nostr; "
            + "did you mean \"sign_event\"?",
        "policy.toml:29:9: error[P0127]: \"tag.p\" can have several values: write "
            + "{ in = [...] }",
        "policy.toml:30:8: error[P0129]: unknown set \"@lop\"; did you mean \"@loop\"?",
        "policy.toml:31:9: error[P0123]: unknown field \"content.byts\" for nostr; "
            + "did you mean \"content.bytes\"?",
        "policy.toml:32:1: error[P0131]: \"limit\" is for allow rules only",
        "policy.toml:32:20: error[P0130]: count takes an integer of at least 1",
        "policy.toml:32:29: error[P0130]: per takes a duration such as \"90s\", \"5m\", "
            + "\"1h\" or \"1d\", or a calendar unit: hour, day, week, month, year",
        "policy.toml:33:1: error[P0131]: \"acknowledge\" is for allow rules only",
        "policy.toml:34:11: error[P0128]: expires takes a date-time with its offset, "
            + "such as 2027-01-01T00:00:00Z",
        "policy.toml:36:1: error[P0121]: line 24 has the id \"three\" "
            + "already",
        "policy.toml:39:1: error[P0124]: \"receiver\" is a field of algorand: "
            + "add the protocol of the rule",
        "policy.toml:40:1: error[P0124]: \"kind\" is a field of nostr: "
            + "add the protocol of the rule",
    ]

    static let head = "version = 1\ndefault = \"ask\"\n"

    /// Invalid rules, each with a part of its only error.
    static let broken: [(rule: String, error: String)] = [
        ("protocol = 1", ":5:12: error[P0128]: protocol takes names as text, not an integer"),
        (
            "protocol = \"nostr\"\nkind = { max = \"170141183460469231731687303715884105727\" }",
            ":6:16: error[P0128]: \"kind\" takes an integer, in quotes up to 2^127 - 2"
        ),
        ("protocol = \"nostr\"\nkind = \"-\"", "\"kind\" takes an integer, in quotes"),
        ("protocol = \"nostr\"\nkind = \"+1\"", "\"kind\" takes an integer, in quotes"),
        ("protocol = \"nostr\"\nkind = \"1e3\"", "\"kind\" takes an integer, in quotes"),
        ("protocol = \"nostr\"\nkind = \" 1\"", "\"kind\" takes an integer, in quotes"),
        ("protocol = []", ":5:12: error[P0128]: the list is empty: it never matches"),
        ("protocol = \"@x\"", ":5:12: error[P0125]: unknown protocol \"@x\""),
        ("protocol = { in = \"nostr\" }", ":5:12: error[P0128]: protocol takes names"),
        ("key = 5", "\"key\" takes text, not an integer"),
        ("key = 1.5", "not a floating-point number"),
        ("key = 2020-01-01", "not a date or time without its offset"),
        ("key = \"@\u{301}x\"", "unknown set \"@\u{301}x\""),
        ("key = \"@own\"", "\"@own\" means accounts; \"key\" is not an account"),
        ("key = { has = [] }", "has must not be empty"),
        ("effects = { has = [] }", "the list is empty: it never matches"),
        ("key = {}", "the table is empty: it needs a matcher, such as in or max"),
        ("key.tags = \"bots\"", "can have several values: write { has = ... }"),
        (
            "danger = { exists = true }",
            "every request has \"danger\": say { count = { min = 1 } }"
        ),
        ("operation = { exists = false }", "every request has \"operation\""),
        (
            "unless = { hours = \"09:00-18:00\" }",
            "hours need a zone: tz = \"UTC\""
        ),
        ("unless = { limit = [] }", "\"limit\" is not a condition; write it in the rule itself"),
        ("key = { prefix = \"\" }", "prefix must not be empty"),
        ("key = { prefix = \"@x\" }", "prefix does not take a set"),
        ("key = { min = 5 }", ":5:9: error[P0127]: min is for numbers, amounts and times"),
        ("key = { exists = 1 }", "exists takes true or false"),
        ("key = { count = { min = 1 } }", "count is for fields with several values"),
        ("key = { regex = \"(a\" }", "regex takes a pattern that RE2 accepts"),
        ("key = { regex = '(a)\\1' }", "regex takes a pattern that RE2 accepts"),
        ("key = { regex = 'a(?=b)' }", "invalid perl operator: (?="),
        ("key = { regex = 'a{1000}{1000}' }", "regex takes a pattern"),
        ("size = { regex = \"a\" }", "regex is for text"),
        ("key = { glob = \"\" }", "glob must not be empty"),
        ("key = { glob = \"@x\" }", "glob does not take a set"),
        ("effects = { glob = \"s*\" }", "glob is not for names of a fixed list"),
        (
            "protocol = \"nostr\"\ncontent.contains = { not_in = [\"casino\"] }",
            "\"content.contains\" is searched: write { has = ... }"
        ),
        (
            "protocol = \"nostr\"\ncontent.contains = { in = [\"casino\"] }",
            "\"content.contains\" is searched: write { has = ... }"
        ),
        ("hours = \"9-18\"\ntz = \"UTC\"", "hours takes text such as"),
        ("hours = \"09:00-24:01\"\ntz = \"UTC\"", "hours takes text such as"),
        ("hours = \"09:00-09:00\"\ntz = \"UTC\"", "hours takes text such as"),
        ("hours = \"09:00-18:00\"", "hours need a zone: tz = \"UTC\""),
        ("days = [\"mo\"]\ntz = \"UTC\"", "unknown day \"mo\"; did you mean \"mon\"?"),
        ("days = []\ntz = \"UTC\"", "days takes a list such as"),
        ("days = [\"mon\"]\ntz = \"Europe/Berlon\"", "unknown time zone \"Europe/Berlon\""),
        ("days = [\"mon\"]\ntz = \"../UTC\"", "unknown time zone \"../UTC\""),
        ("days = [\"mon\"]\ntz = \"+01:00\"", "unknown time zone \"+01:00\""),
        ("tz = \"UTC\"", "tz needs hours, days or a calendar limit"),
        ("limit = [{ count = 1, per = \"day\" }]", "a calendar day needs a zone: tz = \"UTC\""),
        ("limit = [{ count = 1, per = \"1h\", tz = \"UTC\" }]", "tz is for calendar units"),
        ("limit = [{ uses = 1, tz = \"UTC\" }]", "tz has no effect without per"),
        ("limit = [{ uses = 1, per = \"1h\" }]", "write count beside per"),
        ("limit = [{ uses = 0 }]", "uses takes an integer of at least 1"),
        ("limit = [{ uses = 1, of = \"size\" }]", "\"of\" is only for limits with \"amount\""),
        ("limit = [{ amount = 1, per = \"1h\" }]", "such as of = \"amount\""),
        ("limit = [{ amount = 0, of = \"size\", per = \"1h\" }]", "must be above 0"),
        ("limit = [{ amount = 1, of = \"key\", per = \"1h\" }]", "\"key\" is not an amount"),
        ("limit = [{ amount = 1, of = \"siz\", per = \"1h\" }]", "did you mean \"size\"?"),
        ("limit = [{ count = 1, per = \"1h\", by = [] }]", "by takes a list of up to 4 fields"),
        (
            "limit = [{ count = 1, per = \"1h\", by = [\"key\", \"key\"] }]",
            "by names a field twice"
        ),
        (
            "limit = [{ count = 1, per = \"1h\", by = [\"danger\"] }]",
            "which can have several values"
        ),
        ("effects = { has = \"spend\" }", "unknown effects \"spend\"; did you mean \"spends\"?"),
        ("effects = { count = { mn = 1 } }", "count takes min and max, not \"mn\""),
        ("effects = { count = { min = 2, max = 1 } }", "min is larger than max"),
        ("effects = { count = { min = -1 } }", "min of count is 0 to"),
        ("decoded = \"fully\"", "unknown decoded \"fully\"; did you mean \"full\"?"),
        ("decoded = { prefix = \"f\" }", "prefix is not for names of a fixed list"),
        ("size = { min = 3, max = 2 }", "min is larger than max"),
        ("size = { prefix = \"1\" }", "prefix is for text and bytes"),
        ("size = { has = 1 }", "has is for fields with several values"),
        ("client.process = 1", "unknown field \"client.process\" in a rule without a protocol"),
        ("clinet = \"x\"", "did you mean \"client\"?"),
        ("unles = { key = \"x\" }", "did you mean \"unless\"?"),
        ("unless = {}", "unless takes a table of conditions"),
        ("unless = { kind = 1 }", "\"kind\" is a field of nostr: add the protocol"),
        ("unless = { id = \"x\" }", "add the protocol"),
        ("content.bytes = 1", ":5:9: error[P0124]: \"content.bytes\" is a field of nostr"),
        (
            "protocol = [\"near\", \"algorand\"]\nreceiver = \"x\"",
            "is not the same in all protocols"
        ),
        ("protocol = \"nostr\"\n\"content.bytes\" = 1\ncontent.bytes = 2", "is here twice"),
        ("protocol = \"nostr\"\ndigest = \"abc\"", "takes pairs of hexadecimal digits"),
        ("protocol = \"nostr\"\ncreated_at.skew = \"5 m\"", "takes seconds or text such as"),
        ("protocol = \"nostr\"\ncreated_at = 2027-01-01T00:00:00.5Z", "a fraction of a second"),
        ("protocol = \"nostr\"\noperation = \"enable\"", "unknown operation \"enable\" for nostr"),
        (
            "protocol = \"nostr\"\ndanger = { has = \"rekey\" }",
            "unknown danger \"rekey\" for nostr"
        ),
        ("acknowledge = \"rekey\"", "acknowledge takes a list of dangers"),
        ("acknowledge = [\"rekeyed\"]", "unknown danger \"rekeyed\"; did you mean \"rekey\"?"),
        ("acknowledge = [5]", "danger takes names as text, not an integer"),
        ("limit = { count = 1, per = \"1h\" }", "limit takes a list"),
        ("limit = []", "limit takes a list"),
        ("limit = [5]", "a limit is a table"),
        ("limit = [{ count = 1 }]", "the limit has no \"per\""),
        (
            "limit = [{ count = 1, per = \"1h\", uses = 3 }]",
            "a limit has either count, amount or uses"
        ),
        ("limit = [{ count = 1, per = \"0s\" }]", "per takes a duration"),
        ("limit = [{ count = 1, per = \"-5m\" }]", "per takes a duration"),
        ("limit = [{ count = 1, per = \"9999999999999999d\" }]", "per takes a duration"),
        ("on_exceed = \"ask\"", "\"on_exceed\" has no effect in a rule without a limit"),
        ("limit = [{ count = 1, per = \"1h\" }]\non_exceed = \"allow\"", "on_exceed must be"),
        ("expires = \"2027\"", "expires takes a date-time with its offset"),
    ]

    @Test("name the one thing that is wrong with a rule", arguments: broken)
    func brokenRule(_ row: (rule: String, error: String)) {
        let rule = "[[rule]]\nid = \"r\"\n\(row.rule)\neffect = \"allow\"\n"
        let found = headlines(Self.head + rule)
        #expect(found.count == 1 && found[0].contains(row.error), "\(found)")
    }

    /// Invalid files, each with a part of the first error.
    static let files: [(text: String, error: String)] = [
        ("", ":1:1: error[P0102]: the file must say version = 2"),
        ("version = 1", ":1:1: error[P0103]: the file must say default ="),
        (
            "version = 3\ndefault = \"ask\"",
            ":1:11: error[P0102]: unknown version; write version = 2"
        ),
        ("version = \"1\"\ndefault = \"ask\"", ":1:11: error[P0102]"),
        ("version = 1\ndefault = \"allow\"", ":2:11: error[P0103]: default = \"allow\" is refused"),
        ("version = 1\ndefault = 5", ":2:11: error[P0103]: default must be"),
        (head + "tests = 1", "unknown key \"tests\"; did you mean \"test\"?"),
        (head + "test = 1", "written as [[test]]"),
        (head + "[[test]]\nname = \"x\"\nexpect = \"ask\"", "request is missing"),
        (head + "[[test]]\nrequest = \"x\"\nexpect = \"ask\"", "name is missing"),
        (head + "[[test]]\nname = \"x\"\nrequest = \"x\"\nexpect = \"no\"", "expect must be"),
        (
            head + "[[test]]\nname = \"x\"\nrequest = \"x\"\nexpect = \"ask\"\nrule = \"y\"",
            "unknown rule \"y\""
        ),
        (head + "[[test_account]]\nname = \"x\"\nprotocol = \"nostr\"", "public_key is missing"),
        (
            head + "[[test_account]]\nname = \"x\"\nprotocol = \"nostr\"\npublic_key = \"0G\"",
            "public_key takes lower-case hexadecimal digits"
        ),
        (head + "rule = 5", "written as [[rule]]"),
        (head + "[rule]\nid = \"x\"", "written as [[rule]]"),
        (head + "rule = [5]", "written as [[rule]]"),
        (head + "[[rule]]\neffect = \"deny\"", ":3:1: error[P0120]: id is missing"),
        (head + "[[rule]]\nid = \"x\"", ":3:1: error[P0122]: effect is missing"),
        (head + "[[rule]]\nid = \"\"\neffect = \"ask\"", "an id is 1 to 64"),
        (head + "set = 5", "sets are written as [set.NAME]"),
        (head + "[set]\nx = 5", "sets are written as [set.NAME]"),
        (head + "[set.own]\nx = [\"a\"]", "\"@own\" is built in"),
        (head + "[set.\"A b\"]\nx = [\"a\"]", "the set name \"A b\" is invalid"),
        (head + "[set.x]\ny = \"a\"", "a set has lists; \"y\" is text"),
        (head + "[set.x]", "the set \"x\" has no members"),
        (
            head + "[set.a]\nx = [\"@b\"]\n[set.b]\nx = [\"@a\"]",
            ":6:6: error[P0129]: the set \"b\""
        ),
        (head + "key = \"a\nb\"", ":3:9: error[P0100]"),
        // toml++ reports no position for these errors.
        (head + "[=]", ":3:2: error[P0100]: malformed input"),
        (head + "key = \"\u{E9}\"\n[\u{E9}]\nx = 1", ":4:2: error[P0100]: malformed input"),
        // toml++ 3.3 assumed that these characters cannot occur in place of white space.
        (head + "key \u{E9} = 1", ":3:5: error[P0100]: Error while parsing key-value pair"),
        (head + "key = [1 \u{FEFE}, 2]", ":3:10: error[P0100]: Error while parsing array"),
        (
            head + "x = 9223372036854775808",
            "'9223372036854775808' is not representable in 64 bits: write it in quotes"
        ),
        (head + "key = 1 \u{3001}", ":3:9: error[P0100]: Error while parsing key-value pair"),
        (head + "default = \"deny\"", ":3:11: error[P0100]"),
        ("version = 1\n\u{0}", "error[P0100]"),
        (
            head + String(repeating: "a.", count: 500_000) + "a = 1",
            ":3:1: error[P0101]: a key has more than 16 parts"
        ),
        (head + "x = " + String(repeating: "[", count: 100_000), "error[P0100]"),
        (String(repeating: "#", count: (4 << 20) + 1), ":1:1: error[P0101]: the file has 4194305"),
    ]

    @Test("name the error in the file", arguments: files.indices)
    func brokenFile(_ index: Int) {
        let row = Self.files[index]
        let found = headlines(row.text)
        #expect(found.first?.contains(row.error) ?? false, "\(found) \(row.error)")
    }

    @Test("are refused where a set's members do not fit the field that uses it")
    func setTypes() {
        let text =
            Self.head + "[set.x]\nvalues = [1, \"a\"]\n[[rule]]\nid = \"r\"\neffect = \"deny\"\n"
            + "protocol = \"nostr\"\nkind = \"@x\"\ntag_count = \"@x\"\n"
        #expect(
            headlines(text) == [
                "policy.toml:4:14: error[P0128]: \"kind\" takes an integer, "
                    + "in quotes up to 2^127 - 2"
            ])
    }

    @Test("never bring the reader down, however broken")
    func mutations() {
        let seed = UInt64.random(in: .min ... .max)
        print("mutations: seed \(seed)")
        var generator = SeededGenerator(state: seed)
        let original = Array(DocumentTests.example.utf8)
        let odd = Array("\"'[]{}=.,#@\n\\\u{0}\u{E9}-1".utf8)
        var loadable = 0
        for _ in 0..<3_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: bytes.indices, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = odd[Int.random(in: odd.indices, using: &generator)]
                case 1: bytes.insert(odd[Int.random(in: odd.indices, using: &generator)], at: place)
                default: bytes.removeSubrange(place..<min(bytes.count, place + 9))
                }
            }
            do throws(PolicyLoadError) {
                _ = try TOMLPolicy.load(
                    bytes.span, fileName: "f", schemas: FactSchema.all, at: Timestamp(seconds: 0),
                    sha256: fakeDigest)
                loadable += 1
            } catch {
                #expect(error.diagnostics.contains { $0.severity == .error })
                for diagnostic in error.diagnostics {
                    #expect(diagnostic.render(source: bytes.span).hasPrefix("f:"))
                }
            }
        }
        #expect(loadable < 3_000)
    }

    @Test("are refused above the limits")
    func limits() {
        let rules = (0...PolicyReader.ruleCountMax).map { "[[rule]]\nid = \"r\($0)\"" }
        let tooMany = headlines(Self.head + rules.joined(separator: "\n"))
        #expect(tooMany[0].contains("at most 10000 are allowed"))
        let members = (0...PolicyReader.setMembersMax).map { "\"a\($0)\"" }.joined(separator: ",")
        let set = "[set.x]\nx = [\(members)]\n"
        #expect(headlines(Self.head + set)[0].contains("more than 10000 members"))
        // Two sets within the limit whose union exceeds it.
        let halves = ["a", "b"].map { name in
            let items = (0..<6_000).map { "\"\(name)\($0)\"" }.joined(separator: ",")
            return "[set.\(name)]\nx = [\(items)]\n"
        }
        let joined = halves.joined() + "[set.c]\nx = [\"@a\", \"@b\"]\n"
        let use = "[[rule]]\nid = \"r\"\neffect = \"deny\"\nkey = \"@c\"\n"
        #expect(headlines(Self.head + joined + use).first?.contains("too large") ?? false)
    }
}
