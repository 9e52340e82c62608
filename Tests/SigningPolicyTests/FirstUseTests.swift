// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("First uses of counterparties")
struct FirstUseTests {
    private static let now: Int64 = 1_000_000

    private static func rule(_ condition: String, _ effect: String = "allow") -> String {
        SharedBudgetTests.rule("r", condition, effect: effect)
    }

    private static func payment(_ receivers: [FactValue?], _ more: [Fact] = []) -> FakeRequest {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: receivers.map { receiver in
                .fake((receiver.map { [Fact("receiver", $0)] } ?? []) + more)
            })
    }

    /// The verdict where `bob` was first used an hour ago, `eve` in this second, and `zed` in the
    /// future, as the clock was set back since.
    private static func judge(_ rules: String, _ request: FakeRequest) throws -> Judgement {
        try policy(rules, version: 2).judge(
            request.judged(at: now),
            usage: FakeUsage(firstUses: [
                "receiver bob": Timestamp(seconds: now - 3_600),
                "receiver eve": Timestamp(seconds: now),
                "receiver zed": Timestamp(seconds: now + 7_200),
                "delegate.receiver bob": Timestamp(seconds: now - 3_600),
            ]))
    }

    private static let old = "first_use.receiver = { min = \"1h\" }"
    private static let new = "first_use.receiver = { max = \"30m\" }"

    /// A condition, the receivers of the operations, and whether it allows, and denies.
    private static let rows: [(condition: String, [String?], allows: Bool, denies: Bool)] = [
        (old, ["bob"], true, true), (old, ["eve"], false, false), (old, ["ann"], false, false),
        (old, ["zed"], false, false), (old, [nil], false, true),
        ("first_use.receiver = { min = 3601 }", ["bob"], false, false),
        ("first_use.receiver = { min = \"1s\" }", ["eve"], true, true),
        ("first_use.receiver = { min = \"1s\" }", ["zed"], true, true),
        ("first_use.receiver = { min = \"1s\" }", ["ann"], false, false),
        (new, ["bob"], false, false), (new, ["eve"], true, true), (new, ["ann"], true, true),
        (new, ["zed"], true, true), (new, [nil], false, true),
        ("first_use.receiver = { max = \"0s\" }", ["ann"], true, true),
        ("first_use.receiver = { max = \"0s\" }", ["eve"], false, false),
        // Every receiver must be known; one new receiver is enough to deny.
        (old, ["bob", "bob"], true, true), (old, ["bob", "ann"], false, true),
        (new, ["bob", "ann"], false, true),
        ("all = { \(old) }", ["bob", "ann"], false, false),
        ("any = { \(new) }", ["bob", "ann"], true, true),
        ("any = { \(new) }", ["bob", "bob"], false, false),
        // Another spelling is another receiver.
        (old, ["BOB"], false, false), (old, ["bob "], false, false),
        ("unless = { \(new) }", ["bob"], true, true),
        ("unless = { \(new) }", ["ann"], false, false),
        ("unless = { \(new) }", [nil], false, true),
        ("first_use = { receiver = { min = \"10m\", max = \"2h\" } }", ["bob"], true, true),
        // A request without operations has no receiver.
        (old, [], false, true), (new, [], false, true),
    ]

    @Test("count from the first signature, per value", arguments: rows.indices)
    func counted(row: Int) throws {
        let (condition, receivers, allows, denies) = Self.rows[row]
        let request = Self.payment(receivers.map { $0.map { .text($0) } })
        for (effect, applies) in [("allow", allows), ("deny", denies)] {
            let verdict = try Self.judge(Self.rule(condition, effect), request).verdict.name
            #expect((verdict == effect) == applies, "\(effect) \(condition) \(receivers)")
        }
    }

    @Test("of a list hold for each of its values in an allow rule, for one in a deny rule")
    func lists() throws {
        let rows: [([FactValue], knows: Bool, deniesNew: Bool)] = [
            ([.text("bob")], true, false), ([.text("bob"), .text("ann")], false, true),
            ([.text("ann")], false, true), ([], false, true),
            ([.text("bob"), .integer(1)], false, true), ([.text("")], false, true),
        ]
        for (values, knows, deniesNew) in rows {
            let request = FakeRequest(
                protocolID: ProtocolID("near"), method: "sign_message",
                operations: [.fake([Fact("delegate.receiver", .list(values))])])
            for (effect, condition, applies) in [
                ("allow", "min = \"30m\"", knows), ("deny", "max = \"30m\"", deniesNew),
            ] {
                let rule = SharedBudgetTests.rule(
                    "r", "first_use.delegate.receiver = { \(condition) }", protocolName: "near",
                    effect: effect)
                let verdict = try Self.judge(rule, request).verdict.name
                #expect((verdict == effect) == applies, "\(effect) \(values)")
            }
        }
    }

    @Test("are unknown for doubled, mistyped and endless values and networks")
    func unknown() throws {
        let long = String(repeating: "b", count: Counterparty.valueBytesMax + 1)
        let bob = Fact("receiver", .text("bob"))
        let requests: [[Fact]] = [
            [bob, bob], [Fact("receiver", .bytes([1]))], [Fact("receiver", .list([.text("bob")]))],
            [Fact("receiver", .text(""))], [Fact("receiver", .text(long))],
            [bob, Fact("network", .integer(1))], [bob, Fact("network", .text("a/b"))],
            [bob, Fact("network", .text("mainnet")), Fact("network", .text("mainnet"))],
        ]
        for facts in requests {
            let request = Self.payment([nil], facts)
            for (effect, condition) in [("allow", Self.old), ("deny", Self.new)] {
                let judged = try Self.judge(Self.rule(condition, effect), request)
                #expect(judged.verdict.name == (effect == "deny" ? "deny" : "ask"), "\(facts)")
                #expect(judged.newCounterparties.isEmpty)
            }
        }
    }

    @Test("name the new counterparties once each, up to a limit, and only where a rule asks")
    func new() throws {
        let facts = [Fact("network", .text("testnet"))]
        let request = Self.payment(
            [.text("ann"), .text("bob"), .text("cid"), .text("ann")], facts)
        let key = Account.named("alice").id
        let wanted = ["ann", "cid"].map { Counterparty(key, on: "testnet", in: "receiver", $0) }
        for effect in ["allow", "ask"] {
            let judged = try Self.judge(
                Self.rule("first_use.receiver = { min = 0 }", effect), request)
            #expect(judged.verdict.name == effect)
            #expect(judged.newCounterparties == wanted)
        }
        #expect(try Self.judge(Self.rule(""), request).newCounterparties.isEmpty)
        let many = Self.payment((0..<100).map { .text("r\($0)") })
        #expect(
            try Self.judge(Self.rule(Self.new), many).newCounterparties.count
                == Counterparty.newMax)
        // Networks, keys and fields keep apart what they know.
        let names = [
            Counterparty(key, on: "testnet", in: "receiver", "ann"),
            Counterparty(key, on: "mainnet", in: "receiver", "ann"),
            Counterparty(key, on: "", in: "receiver", "ann"),
            Counterparty(key, on: "testnet", in: "close_to", "ann"),
            Counterparty(key, on: "testnet", in: "receiver", "x/ann"),
        ].map { $0?.noteName }
        #expect(Set(names).count == names.count)
    }

    @Test("that cannot be read stop the request")
    func broken() throws {
        #expect(throws: LedgerError.self) {
            try policy(Self.rule(Self.new), version: 2).judge(
                Self.payment([.text("ann")]).judged(), usage: BrokenUsage())
        }
    }

    @Test("are told by explain")
    func explained() throws {
        let explained = try policy(Self.rule(Self.old), version: 2).explain(
            Self.payment([.text("ann")]).judged(), usage: FakeUsage())
        #expect(
            explained.text.contains("no match: first_use.receiver is never, wanted at least 1h"))
        let unknown = try policy(Self.rule(Self.old), version: 2).explain(
            Self.payment([nil]).judged(), usage: FakeUsage())
        #expect(unknown.text.contains("unknown first_use.receiver"))
    }

    @Test("take a bound in rules, and are fields of counterparties only")
    func refused() {
        let rows: [(condition: String, error: String)] = [
            ("first_use.receiver = \"24h\"", "takes { max = \"24h\" }"),
            ("first_use.receiver = [1]", "takes { max = \"24h\" }"),
            ("first_use.receiver = { in = [\"24h\"] }", "takes { max = \"24h\" }"),
            ("first_use.receiver = { exists = true }", "takes { max = \"24h\" }"),
            ("first_use.receiver = { max = \"-1h\" }", "takes { max = \"24h\" }"),
            ("first_use.receiver = { max = \"soon\" }", "takes seconds or text"),
            ("first_use.receiver = { min = \"2h\", max = \"1h\" }", "min is larger than max"),
            ("first_use.receiver = {}", "the table is empty"),
            ("first_use.recever = { max = 1 }", "unknown field \"first_use.recever\""),
            ("first_use.amount = { max = 1 }", "unknown field \"first_use.amount\""),
            ("first_use = { max = 1 }", "unknown field \"first_use.max\""),
            (
                "limit = [{ uses = 5, by = [\"first_use.receiver\"] }]",
                "unknown field \"first_use.receiver\""
            ),
        ]
        for row in rows {
            let found = #expect(throws: PolicyLoadError.self) {
                try policy(Self.rule(row.condition), version: 2)
            }
            #expect(
                found?.diagnostics.contains { $0.message.contains(row.error) } == true,
                "\(row.condition): \(found?.diagnostics.map(\.message) ?? [])")
        }
        #expect(
            headlines(
                "version = 2\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"ask\"\n"
                    + "first_use.receiver = { max = 1 }\n"
            ).contains { $0.contains("is a field of algorand") })
    }

    @Test("a test knows only values of the fields that rules name", arguments: ["peer", ""])
    func known(_ field: String) throws {
        let rule =
            field.isEmpty
            ? Self.rule("amount = { max = \"1 ALGO\" }")
            : "[[rule]]\nid = \"r\"\neffect = \"allow\"\nprotocol = \"nostr\"\n"
                + "first_use.peer = { min = \"1h\" }\n"
        let test =
            "[[test]]\nname = \"t\"\nrequest = \"r\"\nexpect = \"ask\"\nknown = \"ann\"\n"
        guard !field.isEmpty else {
            #expect(throws: PolicyLoadError.self) { try policy(rule + test, version: 2) }
            return
        }
        #expect(try policy(rule + test, version: 2).document.tests.map(\.known) == [["ann"]])
    }
}
