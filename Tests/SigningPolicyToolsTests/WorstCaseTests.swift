// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("The worst case of a policy")
struct WorstCaseTests {
    static let keys = ["alice", "bob", "carol"].flatMap { name in
        ["algorand", "near"].map { protocolName in
            WorstCase.Key(
                Account(
                    id: KeyID(name), name: name, protocolID: ProtocolID(protocolName),
                    algorithm: .ed25519, publicKey: [], address: "", network: nil))
        }
    }

    static func worstCase(
        _ policy: TOMLPolicy, keys: [WorstCase.Key]? = keys,
        remembered: [WorstCase.Remembered] = [], at seconds: Int64 = 1_000
    ) -> WorstCase {
        WorstCase(
            of: policy, keys: keys, remembered: remembered, at: Timestamp(seconds: seconds))
    }

    /// The most that a stream used in a period of so many seconds.
    static func most(
        _ uses: [(time: Int64, amount: Int128)], in seconds: Int64
    ) -> Int128 {
        uses.map { first in
            uses.filter { $0.time >= first.time && $0.time < first.time + seconds }
                .reduce(0) { $0 + $1.amount }
        }.max() ?? 0
    }

    @Test("no stream of requests ever gets more than the worst case says", arguments: 0..<8)
    func streams(_ part: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        print("worst case: seed \(seed)")
        var streams = WorstCaseStreams(generator: SeededGenerator(state: seed))
        var bounded = 0
        for _ in 0..<60 {
            let file = streams.file()
            // Two limits that count the same in the same window are an error.
            guard let policy = try? WorstCaseStreams.load(file) else { continue }
            // A clock change of each zone is within the days after each of these moments.
            let start: Int64 = streams.pick([1_000, 1_774_738_800, 1_792_000_000, 1_793_500_000])
            let keys = streams.pick([nil, Self.keys])
            let found = Self.worstCase(policy, keys: keys, at: start)
            let allowed = try streams.allowed(by: policy, from: start, count: 80)
            for row in found.assets {
                for (period, most) in zip(WorstCase.periods, row.most) {
                    guard let most = most.number else { continue }
                    bounded += 1
                    for uses in Self.uses(allowed, of: row, in: found) {
                        let left = Self.most(uses, in: period.seconds)
                        #expect(
                            left <= most,
                            "\(left) of \(row.asset) in a \(period.name)\n\(file)\n\(found.text)"
                        )
                    }
                }
            }
            Self.checkBudgets(found, allowed, policy, file)
            Self.checkActs(found, allowed, file)
        }
        #expect(bounded > 100)
    }

    /// The uses of the assets that a row is about, each asset apart.
    static func uses(
        _ allowed: [WorstCaseStreams.Allowed], of row: WorstCase.Row, in found: WorstCase
    ) -> [[(time: Int64, amount: Int128)]] {
        let labels = Set(found.assets.map(\.asset))
        let own = allowed.filter { use in
            guard let key = row.key else { return true }
            let named = Set(found.assets.filter { $0.asset == row.asset }.compactMap(\.key))
            return key == use.key || (key == "each other key" && !named.contains(use.key))
        }.filter { use in
            if row.asset.hasSuffix(" on \(use.network)") { return true }
            if row.asset.hasSuffix(" on other networks") {
                return !labels.contains { $0.hasSuffix(" on \(use.network)") }
            }
            return !row.asset.contains(" on ")
        }
        // "each other key" is about each of the keys.
        let keys: [String?] = row.key == "each other key" ? ["alice", "bob", "carol"] : [nil]
        return ["ALGO", "NEAR", "1", "2", "3"].flatMap {
            asset -> [[(time: Int64, amount: Int128)]] in
            let label = Int(asset) == nil ? asset : "asset \(asset)"
            let isListed = labels.contains { $0 == label || $0.hasPrefix(label + " ") }
            let isOther =
                row.asset.hasPrefix("every other token of algorand") && Int(asset) != nil
                && !isListed
            guard row.asset == label || row.asset.hasPrefix(label + " ") || isOther else {
                return []
            }
            return keys.map { key in
                own.filter { key == nil || $0.key == key }
                    .compactMap { use in use.left[asset].map { (use.time, $0) } }
            }
        }
    }

    static func checkBudgets(
        _ found: WorstCase, _ allowed: [WorstCaseStreams.Allowed], _ policy: TOMLPolicy,
        _ file: String
    ) {
        for row in found.budgets {
            let limit = policy.document.budgets.first { $0.name == row.budget }?.limits.first
            let uses = allowed.compactMap { use -> (time: Int64, amount: Int128)? in
                let rule = policy.document.rules.first { $0.id == use.rule }
                guard let rule, rule.budgets.contains(where: { $0.name == row.budget }) else {
                    return nil
                }
                let (name, amount) =
                    use.left["NEAR"].map { ("near", $0) } ?? ("algorand", use.left["ALGO"] ?? 0)
                // What closing or rekeying takes is not what the budget counts.
                guard amount != WorstCaseStreams.balance else { return nil }
                let tokens = use.left.filter { Int($0.key) != nil }.compactMap {
                    id, amount -> Int128? in
                    let token = Asset(
                        id: "algorand/\(use.network)/asset/\(id)", network: "", name: "", unit: nil)
                    let rate = limit?.rate(of: token, in: name)
                    #expect(rate != nil, "\(id) on \(use.network) has no rate\n\(file)")
                    return rate?.converted(amount)
                }
                return limit?.rates[name].map {
                    (use.time, tokens.reduce($0.converted(amount), +))
                }
            }
            for (period, most) in zip(WorstCase.periods, row.most) {
                guard let most = most.number else { continue }
                #expect(Self.most(uses, in: period.seconds) <= most, "\(file)\n\(found.text)")
            }
        }
    }

    static func checkActs(
        _ found: WorstCase, _ allowed: [WorstCaseStreams.Allowed], _ file: String
    ) {
        for use in allowed {
            guard let rule = use.rule else { continue }
            #expect(found.acts.contains { $0.rule == rule }, "\(file)\n\(found.text)")
        }
        for act in found.acts {
            let uses = allowed.filter { $0.rule == act.rule }.map {
                (time: $0.time, amount: Int128(1))
            }
            for (period, most) in zip(WorstCase.periods, act.most) {
                guard let most else { continue }
                #expect(Self.most(uses, in: period.seconds) <= most, "\(file)\n\(found.text)")
            }
        }
    }
}
