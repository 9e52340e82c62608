// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import ProofAgreement
import SigningCore
import SigningPolicy

// usage: policy-agreement [PAIRS] [SEED]
//        policy-agreement proofs [PAIRS] [SEED]
//
// Compares the compiled policy engine with the naive evaluator on random policies and requests;
// with "proofs", what is proved about pairs of random policies with judgements of both.

@main
struct Main {
    static let requestsPerPolicy = 50

    static func main() async {
        var words = CommandLine.arguments.dropFirst()
        if words.first == "proofs" {
            words.removeFirst()
            let pairs = words.first.flatMap { Int($0) } ?? 10_000
            let seed = words.dropFirst().first.flatMap { UInt64($0) }
            return checkProofs(pairs, seed: seed ?? UInt64.random(in: 0 ... .max))
        }
        let pairs = words.first.flatMap { Int($0) } ?? 1_000_000
        let seed = words.dropFirst().first.flatMap { UInt64($0) } ?? UInt64.random(in: 0 ... .max)
        print("policy-agreement: \(pairs) pairs, seed \(seed)")
        let start = ContinuousClock.now
        let workers = 2
        let counts = await withTaskGroup(of: [String: Int].self) { group in
            for worker in 0..<workers {
                group.addTask {
                    Self.compare(pairs / workers, seed: seed &+ UInt64(worker))
                }
            }
            var sums: [String: Int] = [:]
            for await part in group { sums.merge(part) { $0 + $1 } }
            return sums
        }
        let total = ["allow", "ask", "deny"].reduce(0) { $0 + counts[$1, default: 0] }
        print("agreed on \(total) pairs in \((ContinuousClock.now - start).components.seconds) s")
        for name in counts.keys.sorted() { print("  \(name): \(counts[name, default: 0])") }
        // The run proves little if few policies allow, or if few limits are reached.
        let names = [
            "allow", "ask", "deny", "with claims", "claims if agreed", "remembered could answer",
        ]
        for name in names where counts[name, default: 0] * 100 < total {
            print("too few: \(name)")
            exitWithFailure()
        }
    }

    static func checkProofs(_ pairs: Int, seed: UInt64) {
        print("policy-agreement proofs: \(pairs) pairs, seed \(seed)")
        var agreement = ProofAgreement(seed: seed)
        agreement.run(pairs: pairs, requestsPerPair: requestsPerPolicy)
        for (name, count) in agreement.counts.sorted(by: { $0.key < $1.key }) {
            print("  \(name): \(count)")
        }
        if let contradiction = agreement.contradictions.first {
            print(contradiction)
            exitWithFailure()
        }
    }

    static func compare(_ pairs: Int, seed: UInt64) -> [String: Int] {
        var random = RandomPolicies(generator: SeededGenerator(state: seed))
        var counts: [String: Int] = [:]
        for _ in 0..<max(1, pairs / requestsPerPolicy) {
            let file = random.file()
            guard let policy = try? loaded(file) else {
                print("does not load:\n\(file)")
                exitWithFailure()
            }
            counts["policies", default: 0] += 1
            for number in 0..<requestsPerPolicy {
                let request = random.request()
                let usage = random.usage(policy.document)
                let expected = ReferenceEvaluator(
                    document: policy.document, request: request, usage: usage
                ).answer()
                guard let judgement = try? policy.judge(request, usage: usage),
                    ReferenceEvaluator.Answer(judgement) == expected,
                    number > 0
                        || (try? policy.explain(request, usage: usage).judgement) == judgement
                else {
                    let found = try? policy.judge(request, usage: usage)
                    print("\(file)\n\(request)\n\(usage)")
                    print("judged \(String(describing: found))\nexpected \(expected)")
                    exitWithFailure()
                }
                counts[judgement.verdict.name, default: 0] += 1
                if !judgement.claims.isEmpty { counts["with claims", default: 0] += 1 }
                if judgement.verdict.name == "ask", !judgement.claims.isEmpty {
                    counts["claims if agreed", default: 0] += 1
                }
                if !judgement.demands.isEmpty { counts["approvers", default: 0] += 1 }
                if !judgement.undecided.isEmpty {
                    counts["remembered could answer", default: 0] += 1
                }
            }
        }
        return counts
    }
}
