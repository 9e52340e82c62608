// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import PolicyReference
import SigningCore
import SigningPolicy

/// Compares what is said to be proved about pairs of random policies with the judgements of random
/// requests by both.
package struct ProofAgreement {
    /// A request that shows a change which was said to be impossible.
    package struct Contradiction: Sendable, CustomStringConvertible {
        package let description: String
    }

    package private(set) var counts: [String: Int] = [:]
    package private(set) var contradictions: [Contradiction] = []
    private var random: RandomPolicies

    package init(seed: UInt64) {
        random = RandomPolicies(generator: SeededGenerator(state: seed))
    }

    /// Compares pairs of policies, each pair for a number of requests.
    package mutating func run(pairs: Int, requestsPerPair: Int) {
        for _ in 0..<pairs {
            let (oldText, newText) = pair()
            guard let old = try? loaded(oldText, at: Self.start),
                let new = try? loaded(newText, at: Self.start)
            else {
                counts["not loaded", default: 0] += 1
                continue
            }
            let found = ProvedDifference(
                from: old, to: new, at: Timestamp(seconds: Self.start))
            for change in ProvedDifference.Change.allCases {
                switch found[change] {
                case .proved: counts["proved", default: 0] += 1
                case .shown: counts["shown", default: 0] += 1
                case .notProved(let reason): counts["not proved: \(reason)", default: 0] += 1
                }
            }
            for _ in 0..<requestsPerPair {
                check(found, old, new) { "\(oldText)\n--- and ---\n\(newText)" }
            }
        }
    }

    /// Before all times of random requests.
    private static let start: Int64 = 100

    private mutating func check(
        _ found: ProvedDifference, _ old: TOMLPolicy, _ new: TOMLPolicy, _ texts: () -> String
    ) {
        let request = random.request()
        let isDeclared = old.vocabulary.schemas.contains {
            $0.protocolID == request.protocolID && $0.methods.contains(request.method)
        }
        guard isDeclared else { return }
        let past = past(old, new)
        let schemas = old.vocabulary.schemas
        guard let before = try? old.judge(request, usage: past).answer(to: request, schemas),
            let after = try? new.judge(request, usage: past).answer(to: request, schemas)
        else { return }
        counts["judged", default: 0] += 1
        for change in ProvedDifference.Change.allCases where change.isShown(by: before, after) {
            counts["changed", default: 0] += 1
            guard case .proved = found[change] else { continue }
            contradictions.append(
                Contradiction(
                    description: "\(change.name) is not impossible:\n\(texts())\n\(request)\n"
                        + "\(past)\n\(before)\n\(after)"))
        }
    }

    /// A random policy and one that differs from it in a rule or two, or in the default.
    private mutating func pair() -> (String, String) {
        // Chooses the version and the budgets of both files.
        _ = random.file()
        let count = Int.random(in: 0...4, using: &random.generator)
        let rules = (0..<count).map { random.rule("r\($0)") }
        var others = rules
        let fallback = random.pick(["ask", "deny"])
        var otherFallback = fallback
        for _ in 0..<Int.random(in: 1...2, using: &random.generator) {
            let place =
                others.isEmpty ? 0 : Int.random(in: others.indices, using: &random.generator)
            switch Int.random(in: 0..<8, using: &random.generator) {
            case 0: otherFallback = random.pick(["ask", "deny"])
            case 1 where !others.isEmpty: others.remove(at: place)
            case 2 where !others.isEmpty:
                others[place] = others[place].replacing("count = 2", with: "count = 3")
                    .replacing("\"5 ALGO\"", with: "\"4 ALGO\"")
                    .replacing("{ aa = \"6", with: "{ aa = \"7")
                    .replacing("bb = \"0.000004 ALGO\"", with: "bb = \"6 ALGO\"")
                    .replacing("per = \"1h\"", with: "per = \"2h\"")
                    .replacing("delay = \"2h\"", with: "delay = \"1h\"")
            case 3 where !others.isEmpty:
                others[place] = others[place].replacing("\"aa\"", with: "\"bb\"")
                    .replacing("kind = 1\n", with: "kind = 4\n")
            case 4 where !others.isEmpty:
                // A condition less.
                let lines = others[place].split(separator: "\n", omittingEmptySubsequences: false)
                let kept = lines.enumerated().filter { $0.offset != 4 }.map(\.element)
                others[place] = kept.joined(separator: "\n")
            case 5, 6: others.append(random.rule("r\(random.pick([7, 8, 9]))"))
            default:
                if !others.isEmpty { others[place] = random.rule("r\(place)") }
            }
        }
        return (
            random.file(rules, fallback: fallback), random.file(others, fallback: otherFallback)
        )
    }

    /// Uses of the limits of both policies, near the maximum.
    private mutating func past(_ old: TOMLPolicy, _ new: TOMLPolicy) -> PastUses {
        var uses: [String: PastUses.Use] = [:]
        for (rule, limit) in old.limits + new.limits {
            let maximum = limit.limit.maximum
            _ = rule
            uses[limit.base] = PastUses.Use(
                amount: random.pick(
                    [0, 0, 1, 2, maximum - 1, maximum]
                        + (limit.limit.table?.entries.map(\.maximum) ?? [])),
                secondsAgo: random.pick([0, 10, 3_599, 3_600, 5_000, 7_200, 90_000, 3_000_000]))
        }
        return PastUses(uses: uses, firstUses: random.firstUses())
    }
}

/// Uses of counters, each once.
private struct PastUses: LimitUsage {
    struct Use {
        let amount: Int128
        let secondsAgo: Int64
    }

    let uses: [String: Use]
    let firstUses: [String: Timestamp]

    func firstUse(of party: Counterparty) throws(LedgerError) -> FirstUse {
        firstUses["\(party.field) \(party.value)"].map { .at($0) } ?? .never
    }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        guard let use = uses[String(claim.counter.prefix { $0 != "[" })] else { return 0 }
        return now.seconds - use.secondsAgo > claim.window.lastUncounted(before: now)
            ? use.amount : 0
    }
}
