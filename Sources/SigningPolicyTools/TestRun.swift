// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// A test of a policy file with its request.
package struct TestCase: Sendable {
    package let test: PolicyTest
    package let request: JudgedRequest

    package init(_ test: PolicyTest, _ request: JudgedRequest) {
        self.test = test
        self.request = request
    }
}

/// The results of a policy's tests.
package struct TestRun: Sendable {
    /// One test whose result is not the expected one.
    package struct FailedTest: Sendable {
        package let test: PolicyTest
        /// The problem in words.
        package let text: String
    }

    package private(set) var failures: [FailedTest] = []
    /// The rules that decided at least one test.
    package private(set) var coveredRules: Set<String> = []

    package init(_ policy: TOMLPolicy, _ cases: [TestCase]) {
        for item in cases {
            guard let judgement = Self.judgement(of: policy, item, &coveredRules) else {
                failures.append(FailedTest(test: item.test, text: "could not be evaluated"))
                continue
            }
            if let text = Self.mistake(judgement, item.test) {
                failures.append(FailedTest(test: item.test, text: text))
            }
        }
    }

    /// The judgement of the last repetition; an allowed request is counted before the next.
    private static func judgement(
        of policy: TOMLPolicy, _ item: TestCase, _ covered: inout Set<String>
    ) -> Judgement? {
        var usage = TestUsage(of: item)
        var last: Judgement?
        for _ in 0..<item.test.count {
            guard let judgement = try? policy.judge(item.request, usage: usage) else { return nil }
            covered.formUnion(judgement.verdict.reasons.compactMap(\.rule))
            if case .allow = judgement.verdict {
                usage.add(judgement, at: item.request.time)
            }
            last = judgement
        }
        return last
    }

    private static func mistake(_ judgement: Judgement, _ test: PolicyTest) -> String? {
        let rules = judgement.verdict.reasons.compactMap(\.rule)
        guard judgement.verdict.effect == test.verdict, judgement.delay == test.delay else {
            let by = rules.first.map { " by the rule \"\($0)\"" } ?? " by the default"
            return "expected \(Judgement.words(test.verdict.rawValue, after: test.delay)), "
                + "got \(judgement.words)\(by)"
        }
        guard let rule = test.rule, !rules.contains(rule) else { return nil }
        let found = rules.first.map { "\"\($0)\"" } ?? "the default"
        return "expected the rule \"\(rule)\", decided by \(found)"
    }
}

/// The uses by earlier repetitions of a test, and what the test says was used before.
private struct TestUsage: LimitUsage {
    private var uses: [String: Int128] = [:]
    private var met: [Counterparty: Timestamp] = [:]
    private let known: Set<String>
    private let knownSince: Timestamp

    init(of item: TestCase) {
        known = Set(item.test.known)
        let now = Int128(item.request.time.seconds)
        knownSince = Timestamp(
            seconds: item.test.knownSeconds.map { Int64(clamping: now - Int128($0)) } ?? .min)
    }

    mutating func add(_ judgement: Judgement, at time: Timestamp) {
        for party in judgement.newCounterparties { met[party] = time }
        var counted: Set<String> = []
        for claim in judgement.claims where counted.insert(claim.counter).inserted {
            uses[claim.counter, default: 0] += claim.amount
        }
    }

    /// All repetitions happen at one moment, so every window contains all of them.
    func used(_ claim: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 {
        uses[claim.counter] ?? 0
    }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func firstUse(of counterparty: Counterparty) throws(LedgerError) -> FirstUse {
        if known.contains(counterparty.value) { return .at(knownSince) }
        return met[counterparty].map { .at($0) } ?? .never
    }
}
