// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

/// Amounts go up to 2^128 - 1, and facts to 2^127 - 1, which stands for all larger numbers: no
/// comparison that a policy can name is wrong for one of them.
@Suite("The largest numbers")
struct LargestNumberTests {
    private static let half = UInt128(1) << 127

    private static let amounts: [UInt128] = [
        0, 1, half - 3, half - 2, half - 1, half, half + 1, .max - 1, .max,
    ]
    /// The numbers that a policy can name.
    private static let named: [UInt128] = [1, half - 3, half - 2]
    private static let inexact: [UInt128] = [half - 1, half, .max]

    private static func request(_ amount: UInt128) -> FakeRequest {
        FakeRequest(operations: [.fake([Fact("kind", .integer(Int128(clamping: amount)))])])
    }

    private static func verdict(_ condition: String, _ amount: UInt128) throws -> String {
        try policy(
            "[[rule]]\nid = \"r\"\neffect = \"allow\"\nprotocol = \"nostr\"\n\(condition)\n",
            version: 2
        ).verdict(request(amount))
    }

    @Test("are compared exactly with every number that a policy can name", arguments: named)
    func compared(_ number: UInt128) throws {
        for amount in Self.amounts {
            let rows: [(condition: String, holds: Bool)] = [
                ("kind = { max = \"\(number)\" }", amount <= number),
                ("kind = { min = \"\(number)\" }", amount >= number),
                ("kind = \"\(number)\"", amount == number),
                ("kind = { not_in = [\"\(number)\"] }", amount != number),
                (
                    "limit = [{ amount = \"\(number)\", of = \"kind\", per = \"1d\" }]",
                    amount <= number
                ),
            ]
            for row in rows {
                #expect(
                    try Self.verdict(row.condition, amount) == (row.holds ? "allow" : "ask"),
                    "\(row.condition) for \(amount)")
            }
        }
    }

    @Test("are added up exactly, or above every limit")
    func added() throws {
        let limit = "limit = [{ amount = \"\(Self.half - 2)\", of = \"kind\", per = \"1d\" }]"
        let policy = try policy(
            "[[rule]]\nid = \"r\"\neffect = \"allow\"\nprotocol = \"nostr\"\n\(limit)\n",
            version: 2)
        let most = Int128(Self.half - 2)
        for (used, amount, verdict) in [
            (0, most, "allow"), (1, most, "ask"), (most - 1, 1, "allow"), (most, 1, "ask"),
            (most, .max, "ask"), (.max, .max, "ask"), (.max, 0, "ask"),
        ] as [(Int128, Int128, String)] {
            let request = FakeRequest(operations: [.fake([Fact("kind", .integer(amount))])])
            #expect(try policy.verdict(request, ["r#sum(kind)": used]) == verdict)
        }
        let two = FakeRequest(
            operations: [most, 1].map { .fake([Fact("kind", .integer($0))]) })
        #expect(try policy.verdict(two) == "ask")
    }

    @Test("above those that can be exact are refused in a policy", arguments: inexact)
    func refused(_ number: UInt128) {
        let head = "version = 2\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"allow\"\n"
        for condition in [
            "protocol = \"nostr\"\nkind = \"\(number)\"",
            "protocol = \"nostr\"\nkind = { max = \"\(number)\" }",
            "protocol = \"nostr\"\nkind = { min = \"\(number)\" }",
            "protocol = \"nostr\"\n"
                + "limit = [{ amount = \"\(number)\", of = \"kind\", per = \"1d\" }]",
            "protocol = \"near\"\noutflow = { max = \"\(number) yoctoNEAR\" }",
            "protocol = \"near\"\noutflow = { min = \"\(number) yoctoNEAR\" }",
            "protocol = \"near\"\n"
                + "limit = [{ amount = \"\(number) yoctoNEAR\", of = \"outflow\", per = \"1d\" }]",
        ] {
            let errors = headlines(head + condition)
            #expect(errors.count == 1, "\(condition): \(errors)")
            #expect(errors.first?.contains("2^127 - 2") ?? false, "\(errors)")
        }
        let budget =
            "[budget.b]\nlimit = [{ amount = \"\(number) yoctoNEAR\", of = \"outflow\", "
            + "per = \"1d\" }]\n"
        #expect(!headlines("version = 2\ndefault = \"ask\"\n\(budget)").isEmpty)
    }

    @Test("in a request are never remembered")
    func remembered() throws {
        let schema = FactSchema.nostr
        func scopes(_ facts: [Fact]) -> Int {
            FakeRequest(
                client: Client(id: "c", name: nil, proof: .claimed), operations: [.fake(facts)]
            ).judged().grantScopes(in: schema).count
        }
        #expect(scopes([Fact("kind", .integer(.max - 1))]) == 1)
        #expect(scopes([Fact("kind", .integer(.max))]) == 0)
        #expect(scopes([Fact("tag.p", .list([.integer(.max)]))]) == 0)
        let judged = FakeRequest(
            client: Client(id: "c", name: nil, proof: .claimed),
            operations: [.fake([Fact("kind", .integer(.max))])]
        ).judged()
        #expect(judged.reasonToAskAgain(in: schema)?.contains("too large") ?? false)
    }
}
