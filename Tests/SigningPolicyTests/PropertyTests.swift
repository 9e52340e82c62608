// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Properties of random policies")
struct PropertyTests {
    static let policyCount = 300
    static let requestCount = 25

    /// Policies of a random seed, which is printed so that a failure can be repeated.
    static func random(_ name: String) -> RandomPolicies {
        let seed = UInt64.random(in: .min ... .max)
        print("\(name): seed \(seed)")
        return RandomPolicies(generator: SeededGenerator(state: seed))
    }

    static func strength(_ judgement: Judgement) -> RuleEffect {
        RuleEffect(rawValue: judgement.verdict.name) ?? .deny
    }

    static func rules(_ random: inout RandomPolicies) -> [String] {
        (0..<Int.random(in: 0...8, using: &random.generator)).map { random.rule("r\($0)") }
    }

    @Test("judging agrees with a naive evaluator, and explaining with judging")
    func reference() throws {
        var random = Self.random("reference")
        for _ in 0..<Self.policyCount {
            let file = random.file()
            let policy = try loaded(file)
            for _ in 0..<Self.requestCount {
                let request = random.request()
                let usage = random.usage(policy.document)
                let judgement = try policy.judge(request, usage: usage)
                let expected = ReferenceEvaluator(
                    document: policy.document, request: request, usage: usage
                ).answer()
                #expect(ReferenceEvaluator.Answer(judgement) == expected, "\(file)\n\(request)")
                let explanation = try policy.explain(request, usage: usage)
                #expect(explanation.judgement == judgement)
                Self.checkExplanation(explanation, request)
            }
        }
    }

    @Test("a rule that denies is never outvoted, and an unknown fact is never allowed")
    func denial() throws {
        var random = Self.random("denial")
        for _ in 0..<200 {
            let rules = Self.rules(&random)
            let denial = "[[rule]]\nid = \"zz\"\neffect = \"deny\"\n"
            let policy = try loaded(random.file(rules + [denial], fallback: "ask"))
            let blind = try loaded(
                random.file(rules.filter { !$0.contains("exists") }, fallback: "ask"))
            for _ in 0..<10 {
                let request = random.request()
                let usage = random.usage(policy.document)
                #expect(try policy.judge(request, usage: usage).verdict.name == "deny")
                let explanation = try blind.explain(request, usage: usage)
                for trace in explanation.rules where trace.effect == "allow" {
                    if case .unknown = trace.state { #expect(!trace.fires) }
                }
            }
        }
    }

    /// The deciding rules of the explanation must be those of the verdict.
    static func checkExplanation(_ explanation: PolicyExplanation, _ request: JudgedRequest) {
        let firing = explanation.rules.filter(\.fires)
        for reason in explanation.judgement.verdict.reasons {
            guard let rule = reason.rule else { continue }
            #expect(firing.contains { $0.rule == rule }, "\(explanation.text)")
        }
        let operations = max(1, request.operations.count)
        if explanation.judgement.verdict.name == "allow" {
            let covered = Set(firing.filter { $0.effect == "allow" }.map(\.operation))
            #expect(covered.count == operations, "\(explanation.text)")
            #expect(!firing.contains { $0.effect != "allow" })
        }
        let denying = firing.contains { $0.effect == "deny" }
        if denying { #expect(explanation.judgement.verdict.name == "deny") }
    }

    @Test("the order of rules never matters")
    func permutation() throws {
        var random = Self.random("permutation")
        for _ in 0..<200 {
            let rules = Self.rules(&random)
            let policy = try loaded(random.file(rules, fallback: "ask"))
            let other = try loaded(
                random.file(rules.shuffled(using: &random.generator), fallback: "ask"))
            #expect(policy.hash == other.hash)
            for _ in 0..<10 {
                let request = random.request()
                let usage = random.usage(policy.document)
                #expect(
                    try policy.judge(request, usage: usage) == other.judge(request, usage: usage))
            }
        }
    }

    @Test("one more deny or ask rule never widens", arguments: ["deny", "ask"])
    func monotony(_ effect: String) throws {
        var random = Self.random("one more \(effect)")
        for _ in 0..<200 {
            let rules = Self.rules(&random)
            let more = rules + [random.rule("zz", effect: effect)]
            // With default = "deny", an ask rule may change a denial to a question, but never to
            // allow.
            for fallback in ["ask", "deny"] {
                let policy = try loaded(random.file(rules, fallback: fallback))
                let stricter = try loaded(random.file(more, fallback: fallback))
                for _ in 0..<10 {
                    let request = random.request()
                    let usage = random.usage(policy.document)
                    let before = Self.strength(try policy.judge(request, usage: usage))
                    let after = Self.strength(try stricter.judge(request, usage: usage))
                    let isExempt = effect == "ask" && fallback == "deny" && after == .ask
                    #expect(after >= before || isExempt, "\(more)")
                }
            }
        }
    }

    @Test("one fact less never turns anything but exists = false into allow")
    func missingFacts() throws {
        var random = Self.random("missing facts")
        for _ in 0..<300 {
            let rules = Self.rules(&random).filter { !$0.contains("exists = false") }
            let allowing = rules.filter { $0.contains("effect = \"allow\"") }
            let policy = try loaded(random.file(allowing, fallback: "deny"))
            for _ in 0..<10 {
                let full = random.request()
                let bare = FakeRequest(
                    protocolID: full.protocolID, method: full.method, client: full.client,
                    operations: full.operations.map {
                        RequestedOperation(
                            account: $0.account, operation: $0.operation, facts: [],
                            effects: $0.effects, dangers: $0.dangers, outflows: $0.outflows)
                    }, effects: full.effects, dangers: full.dangers, decoding: full.decoding
                ).judged(
                    at: full.time.seconds, clock: full.clock.seconds, bytes: full.frameBytes)
                let after = try policy.judge(bare, usage: FakeUsage()).verdict.name
                let before = try policy.judge(full, usage: FakeUsage()).verdict.name
                #expect(after != "allow" || before == "allow" || policy.hasExceptions)
            }
        }
    }
}

extension TOMLPolicy {
    /// True if an additional fact can remove an allow, so that fewer facts may restore it.
    fileprivate var hasExceptions: Bool { document.rules.contains { !$0.exceptions.isEmpty } }
}
