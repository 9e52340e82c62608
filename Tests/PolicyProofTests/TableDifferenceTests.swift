// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@Suite("Differences of tables of maxima")
struct TableDifferenceTests {
    private static func rule(_ table: String, per: String = "1d", _ rest: String = "") -> String {
        PolicyPair.pay(
            "limit = [{ amount = \(table), of = \"amount\", by = [\"receiver\"], "
                + "per = \"\(per)\" }]\n\(rest)")
    }

    private static let two = rule("{ ann = \"5 ALGO\", bob = \"2 ALGO\" }")

    /// `count` values, of which one has another maximum.
    private static func many(_ count: Int, _ odd: Int? = nil, distinct: Bool = false) -> String {
        let entries = (0..<count).map { place in
            let amount = place == odd ? 900_000 : distinct ? 1_000 + place : 1_000 + place % 3
            return "r\(place) = \"\(amount) microAlgo\""
        }
        return rule("{ \(entries.joined(separator: ", ")) }")
    }

    /// Old and new policy, and the signs of `PolicyPair`.
    private static let pairs: [(old: String, new: String, signs: String)] = [
        (two, two, "...."),
        (two, rule("{ bob = \"2 ALGO\", ann = \"5 ALGO\" }"), "...."),
        // More for one of them.
        (two, rule("{ ann = \"5 ALGO\", bob = \"2.000001 ALGO\" }"), "+??."),
        // Less for one of them.
        (two, rule("{ ann = \"4.999999 ALGO\", bob = \"2 ALGO\" }"), "?+?."),
        // More for one, less for the other.
        (two, rule("{ ann = \"2 ALGO\", bob = \"5 ALGO\" }"), "++?."),
        // One more, one fewer.
        (two, rule("{ ann = \"5 ALGO\", bob = \"2 ALGO\", eve = \"1 ALGO\" }"), "+??."),
        (two, rule("{ ann = \"5 ALGO\" }"), "?+?."),
    ]

    @Test("are shown where one value is treated otherwise", arguments: 0..<pairs.count)
    func signs(_ place: Int) throws {
        let pair = Self.pairs[place]
        let signs = try Self.signs(pair.old, pair.new)
        for (found, wanted) in zip(signs, pair.signs) where wanted != "?" {
            #expect(found == wanted, "\(place): \(signs), not \(pair.signs)")
        }
    }

    private static func signs(_ old: String, _ new: String) throws -> String {
        PolicyPair.signs(
            of: ProvedDifference(
                from: try policy(old, version: 2), to: try policy(new, version: 2),
                at: Timestamp(seconds: 1_795_000_000)))
    }

    @Test("of five thousand values are found too", arguments: [false, true])
    func large(_ distinct: Bool) throws {
        let old = Self.many(5_000, distinct: distinct)
        #expect(try Self.signs(old, old) == "....")
        let signs = try Self.signs(old, Self.many(5_000, 4_321, distinct: distinct))
        #expect(signs.first == "+", "\(signs)")
    }

    @Test("an assertion holds for every value of the table")
    func assertions() throws {
        func finding(_ conditions: String) throws -> Bool {
            let never =
                "[[never]]\nid = \"n\"\nbecause = \"x\"\nprotocol = \"algorand\"\n"
                + "operation = \"sign_transactions\"\n\(conditions)\n"
            let found = ProvedAssertion.all(
                of: try policy(Self.two + never, version: 2),
                at: Timestamp(seconds: 1_795_000_000))
            return found.count == 1 && found[0].finding == .proved
        }
        #expect(try finding("receiver = { not_in = [\"ann\", \"bob\"] }"))
        #expect(try finding("amount = { min = \"5.000001 ALGO\" }"))
        #expect(try finding("receiver = \"bob\"\namount = { min = \"2.000001 ALGO\" }"))
        #expect(try !finding("receiver = \"bob\"\namount = { min = \"2 ALGO\" }"))
        #expect(try !finding("receiver = \"ann\"\namount = { min = \"2.000001 ALGO\" }"))
    }
}
