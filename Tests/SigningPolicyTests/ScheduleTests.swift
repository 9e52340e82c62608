// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Hours and days")
struct ScheduleTests {
    /// 2026-11-21T00:00:00Z, a Saturday.
    static let saturday: Int64 = 1_795_219_200

    static func verdict(_ schedule: String, day: Int64 = 0, minute: Int64) throws -> String {
        let policy = try policy(
            "[[rule]]\nid = \"r\"\neffect = \"allow\"\nkey = \"alice\"\n\(schedule)\n")
        let time = saturday + day * 86_400 + minute * 60
        let request = FakeRequest(operations: [.fake()]).judged(at: time)
        return try policy.judge(request, usage: FakeUsage()).verdict.name
    }

    @Test("hours begin and end to the minute")
    func hours() throws {
        let office = "hours = \"09:00-18:00\"\ntz = \"UTC\""
        for (minute, verdict) in [(539, "ask"), (540, "allow"), (1_079, "allow"), (1_080, "ask")] {
            #expect(try Self.verdict(office, minute: Int64(minute)) == verdict)
        }
        let split = "hours = [\"09:00-12:00\", \"13:00-24:00\"]\ntz = \"UTC\""
        #expect(try Self.verdict(split, minute: 750) == "ask")
        #expect(try Self.verdict(split, minute: 1_439) == "allow")
    }

    @Test("hours past midnight belong to the day they began on")
    func night() throws {
        let night = "hours = \"22:00-06:00\"\ndays = [\"fri\"]\ntz = \"UTC\""
        #expect(try Self.verdict(night, day: -1, minute: 1_320) == "allow")
        #expect(try Self.verdict(night, minute: 359) == "allow")
        #expect(try Self.verdict(night, minute: 360) == "ask")
        #expect(try Self.verdict(night, minute: 1_320) == "ask")
        #expect(try Self.verdict(night, day: -1, minute: 100) == "ask")
    }

    @Test("hours of an exception are those at which the rule does not apply")
    func exceptedHours() throws {
        let rows: [(unless: String, minute: Int64, isAllowed: Bool)] = [
            ("{ hours = \"09:00-18:00\", tz = \"UTC\" }", 539, true),
            ("{ hours = \"09:00-18:00\", tz = \"UTC\" }", 540, false),
            ("{ hours = \"09:00-18:00\", tz = \"UTC\" }", 1_080, true),
            ("{ days = [\"sat\"], tz = \"UTC\" }", 600, false),
            ("{ days = [\"sun\"], tz = \"UTC\" }", 600, true),
            // All parts of one table must hold; one table of several is enough.
            ("{ days = [\"sat\"], tz = \"UTC\", client = \"c\" }", 600, true),
            ("[{ days = [\"sat\"], tz = \"UTC\" }, { key = \"bob\" }]", 600, false),
            ("[{ days = [\"sun\"], tz = \"UTC\" }, { key = \"bob\" }]", 600, true),
            ("[{ days = [\"sun\"], tz = \"UTC\" }, { key = \"alice\" }]", 600, false),
        ]
        for row in rows {
            for effect in [RuleEffect.allow, .deny] {
                let verdict = try Self.judge(
                    "client = { not_in = \"x\" }\nunless = \(row.unless)", effect, row.minute)
                let applies = row.isAllowed
                let name = effect == .allow ? "allow" : "deny"
                #expect(verdict == (applies ? name : "ask"), "\(row) \(effect)")
            }
        }
        // The rule's zone is that of its exceptions too: 08:00 in UTC is 09:00 in Berlin.
        let berlin = "unless = { hours = \"09:00-18:00\" }\ntz = \"Europe/Berlin\""
        #expect(try Self.judge(berlin, .allow, 480) == "ask")
        #expect(try Self.judge(berlin, .allow, 479) == "allow")
    }

    @Test("a clock behind the record leaves the hours of an exception unknown")
    func exceptedClock() throws {
        let hours = "unless = { hours = \"09:00-18:00\", tz = \"UTC\" }"
        #expect(try Self.judge(hours, .allow, 100, clock: 50) == "ask")
        #expect(try Self.judge(hours, .deny, 600, clock: 590) == "deny")
    }

    private static func judge(
        _ rest: String, _ effect: RuleEffect, _ minute: Int64, clock: Int64? = nil
    ) throws -> String {
        let policy = try policy(
            "[[rule]]\nid = \"r\"\neffect = \"\(effect.rawValue)\"\n\(rest)\n")
        let client = Client(id: "d", name: nil, proof: .claimed)
        let request = FakeRequest(client: client, operations: [.fake()]).judged(
            at: saturday + minute * 60, clock: clock.map { saturday + $0 * 60 })
        let judged = try policy.judge(request, usage: FakeUsage())
        #expect(try policy.explain(request, usage: FakeUsage()).judgement == judged)
        return judged.verdict.name
    }

    /// An `unless`, and the error.
    private static let malformed: [(String, String)] = [
        ("unless = { hours = \"09:00-18:00\" }", "hours need a zone"),
        ("unless = { hours = \"9-18\", tz = \"UTC\" }", "hours takes text such as"),
        ("unless = { tz = \"UTC\" }", "tz needs hours or days"),
        ("unless = { tz = \"UTC\", key = \"a\" }", "tz needs hours or days"),
        ("unless = []", "unless takes 1 to 100 tables"),
        ("unless = [{}]", "a list of such tables"), ("unless = [1]", "a list of such tables"),
        ("unless = { limit = 1 }", "is not a condition"),
        (
            "unless = [\(Array(repeating: "{ key = \"a\" }", count: 101).joined(separator: ", "))]",
            "unless takes 1 to 100 tables"
        ),
        ("tz = \"UTC\"\nunless = { key = \"a\" }", "tz needs hours"),
    ]

    @Test("exceptions of another shape are refused", arguments: malformed)
    func refused(text: String, error: String) {
        let found = #expect(throws: PolicyLoadError.self) { try Self.judge(text, .allow, 0) }
        #expect(found?.diagnostics.contains { $0.message.contains(error) } == true)
    }

    @Test("one table of conditions keeps its hash, and the order of several does not matter")
    func canonical() throws {
        func json(_ unless: String) throws -> String {
            try policy(
                "[[rule]]\nid = \"r\"\neffect = \"allow\"\nkey = \"k\"\nunless = \(unless)\n"
            ).document.canonicalJSON
        }
        let (one, other) = ("{ key = \"a\" }", "{ days = [\"sun\"], tz = \"UTC\" }")
        #expect(try json(one).contains(#""unless":{"key":{"in":["a"]}}"#))
        #expect(try json("[\(one)]") == json(one))
        #expect(try json("[\(one), \(other)]") == json("[\(other), \(one), \(one)]"))
        #expect(try json(other) != json("[\(one), \(other)]"))
    }

    @Test("days are those of the zone")
    func days() throws {
        let tokyo = "days = [\"sun\"]\ntz = \"Asia/Tokyo\""
        // Sunday begins in Tokyo at 15:00Z on Saturday.
        #expect(try Self.verdict(tokyo, minute: 899) == "ask")
        #expect(try Self.verdict(tokyo, minute: 900) == "allow")
    }

    /// Clocks in Brazil went from 24:00 to 01:00 that night.
    @Test("a day without midnight begins when clocks show its first hour")
    func skippedMidnight() throws {
        let zone = try #require(Zone(named: "America/Sao_Paulo"))
        let start = Timestamp(seconds: 1_541_300_400)
        for hours in [1, 12, 23] as [Int64] {
            let before = Timestamp(seconds: start.seconds - hours * 3_600)
            let after = Timestamp(seconds: start.seconds + (hours - 1) * 3_600)
            #expect(CalendarUnit.day.end(at: before, in: zone) == start)
            #expect(CalendarUnit.day.start(at: after, in: zone) == start)
        }
    }

    @Test("a deny rule is in force within its hours only, and explaining says when")
    func explained() throws {
        let policy = try policy(
            """
            [[rule]]
            id = "closed"
            effect = "deny"
            days = ["sat", "sun"]
            tz = "UTC"
            """)
        let monday = FakeRequest().judged(at: Self.saturday + 2 * 86_400)
        #expect(try policy.judge(monday, usage: FakeUsage()).verdict.name == "ask")
        let explanation = try policy.explain(monday, usage: FakeUsage())
        #expect(explanation.text.contains("outside its hours, until 2026-11-28T00:00:00Z"))
        let weekend = FakeRequest().judged(at: Self.saturday)
        #expect(try policy.judge(weekend, usage: FakeUsage()).verdict.name == "deny")
    }
}

@Suite("A clock that went back")
struct ClockTests {
    static let office = "hours = \"09:00-18:00\"\ntz = \"UTC\"\n"
    /// 2026-11-21T10:00:00Z.
    static let record = ScheduleTests.saturday + 36_000

    static func verdict(
        _ effect: String, _ rest: String, record: Int64 = record, clock: Int64,
        fallback: String = "ask"
    ) throws -> String {
        let policy = try policy(
            "[[rule]]\nid = \"r\"\neffect = \"\(effect)\"\nkey = \"alice\"\n\(rest)",
            fallback: fallback)
        let request = FakeRequest(operations: [.fake()]).judged(at: record, clock: clock)
        return try policy.judge(request, usage: FakeUsage()).verdict.name
    }

    @Test("closes an allow by the hour, and opens a deny or ask")
    func hours() throws {
        for clock in [Self.record - 1, Self.record - 3_600, Self.record - 10 * 3_600] {
            #expect(try Self.verdict("allow", Self.office, clock: clock) == "ask")
            #expect(try Self.verdict("deny", Self.office, clock: clock) == "deny")
            #expect(try Self.verdict("ask", Self.office, clock: clock, fallback: "deny") == "ask")
            #expect(try Self.verdict("allow", "", clock: clock) == "allow")
        }
        #expect(try Self.verdict("allow", Self.office, clock: Self.record) == "allow")
    }

    @Test("leaves an expired rule expired, and a deny in force")
    func expiry() throws {
        let end = "expires = 2026-11-21T09:30:00Z"
        let before = Self.record - 3_600
        #expect(try Self.verdict("allow", end, clock: before) == "ask")
        #expect(try Self.verdict("deny", end, clock: before) == "deny")
        #expect(try Self.verdict("deny", end, clock: Self.record) == "ask")
    }

    @Test("makes the time unknown, and explaining says why")
    func explained() throws {
        let early = "time = { max = 2027-01-01T00:00:00Z }"
        #expect(try Self.verdict("allow", early, clock: Self.record - 1) == "ask")
        #expect(try Self.verdict("allow", early, clock: Self.record) == "allow")
        let late = "time = { min = 2027-01-01T00:00:00Z }"
        #expect(try Self.verdict("deny", late, clock: Self.record - 1) == "deny")
        let policy = try policy("[[rule]]\nid = \"r\"\neffect = \"allow\"\n\(Self.office)")
        let request = FakeRequest().judged(at: Self.record, clock: Self.record - 1)
        let text = try policy.explain(request, usage: FakeUsage()).text
        #expect(text.contains("closed: the clock is behind the latest time on record"))
    }
}

@Suite("Patterns")
struct PatternTests {
    @Test(
        "a glob stays within one part of an address",
        arguments: [
            ("https://*.example.com", "https://a.example.com", true),
            ("https://*.example.com", "https://evil.org/.example.com", false),
            ("https://*.example.com", "https://evil.org?.example.com", false),
            ("https://*.example.com", "https://evil.org#.example.com", false),
            ("https://*.example.com", "https://user@evil.example.com", false),
            ("https://*.example.com", "https://aXexample.com", false),
            ("https://a.example/**", "https://a.example/b/c?d", true),
            ("app-?", "app-1", true), ("app-?", "app-12", false), ("app-?", "app-/", false),
            ("a*c", "ac", true), ("a*c", "xac", false), ("a*c", "acx", false),
            ("a\\d", "a5", false), ("a\\d", "a\\d", true), ("**", "a\nb", true),
        ])
    func globs(_ row: (pattern: String, text: String, matches: Bool)) throws {
        #expect(try TextPattern(glob: row.pattern).matches(row.text) == row.matches, "\(row)")
    }

    @Test(
        "a regular expression has to match the whole text",
        arguments: [
            ("[a-z]+\\.near", "bob.near", true), ("[a-z]+\\.near", "bob.near.evil", false),
            ("[a-z]+\\.near", "x bob.near", false), ("a|b", "b", true), ("a|b", "ab", false),
            ("a.c", "a\nc", false), ("(?i)bob", "BOB", true), ("", "", true),
            ("a$", "a\n", false), ("\u{E9}+", "\u{E9}\u{E9}", true),
        ])
    func expressions(_ row: (pattern: String, text: String, matches: Bool)) throws {
        #expect(try TextPattern(regex: row.pattern).matches(row.text) == row.matches, "\(row)")
    }

    @Test("no expression takes more than linear time")
    func linear() throws {
        let pattern = try TextPattern(regex: "(a*)*b")
        #expect(!pattern.matches(String(repeating: "a", count: 200_000)))
    }

    @Test("rules use them on text, accounts and every element of a list")
    func rules() throws {
        let policy = try policy(
            """
            [[rule]]
            id = "r"
            effect = "allow"
            protocol = "nostr"
            client.glob = "https://*.example"
            tag.t = { regex = ["[a-z]+", "[0-9]+"] }
            """)
        func verdict(_ client: String, _ tags: [FactValue]) throws -> String {
            try policy.verdict(
                FakeRequest(
                    client: Client(id: client, name: nil, proof: .claimed),
                    facts: [Fact("tag.t", .list(tags))]))
        }
        #expect(try verdict("https://a.example", [.text("ab"), .text("12")]) == "allow")
        #expect(try verdict("https://a.example", [.text("ab"), .text("A")]) == "ask")
        #expect(try verdict("https://a.b.example/", [.text("ab")]) == "ask")
        #expect(try verdict("https://a.example", []) == "ask")
        #expect(try verdict("https://a.example", [.integer(1)]) == "ask")
    }
}
