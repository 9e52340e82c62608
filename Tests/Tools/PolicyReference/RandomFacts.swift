// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension RandomPolicies {
    mutating func dangers() -> [Danger] {
        let names = pick([
            [], [], [], [], [], [], ["opaque"], ["decrypt"], ["rekey"], ["opaque", "decrypt"],
        ])
        return names.map { Danger($0) }
    }

    /// A few facts, sometimes of a type that the schema does not promise.
    mutating func facts() -> [Fact] {
        let texts: [FactValue] = [.text("aa"), .text("bb"), .text("own1"), .text("cc")]
        let lists: [FactValue] = [
            .list([]), .list([.text("aa")]), .list([.text("bb"), .text("aa")]),
            .list([.text("cc")]), .list([.integer(1), .text("aa")]), .list([.integer(1)]),
        ]
        let numbers: [FactValue] = [.integer(1), .integer(4), .integer(6), .integer(6_000_000)]
        let domains: [(String, [FactValue])] = [
            ("kind", numbers), ("tag.p", lists), ("peer", texts), ("content.contains", texts),
            ("pubkey_mismatch", [.bool(true), .bool(false)]),
            ("url", [.text("https://a.x/y/z"), .text("ab"), .text("a/"), .text("x")]),
            ("amount", numbers), ("asset", numbers), ("asset.amount", numbers),
            ("network", [.text("mainnet"), .text("mainnet"), .text("testnet")]),
            ("rekey_to", texts), ("receiver", texts),
        ]
        var facts: [Fact] = []
        for (name, values) in domains where Int.random(in: 0..<3, using: &generator) > 0 {
            let isOdd = Int.random(in: 0..<12, using: &generator) == 0
            facts.append(Fact(name, isOdd ? .bytes([1]) : pick(values)))
        }
        return facts
    }
}
