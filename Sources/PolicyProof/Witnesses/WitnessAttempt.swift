// SPDX-License-Identifier: Apache-2.0
package import SigningCore
import SigningPolicy

/// A request made from the solver's model, which both policies judge.
final class WitnessAttempt {
    /// The part of the request because of which no witness is known.
    let blame: String

    private let request: WitnessRequest?
    private let limits: [(limit: CompiledLimit, hasRoom: Bool)]
    private let old: TOMLPolicy
    private let new: TOMLPolicy

    init(
        _ model: RequestModel, _ before: PolicySide, _ after: PolicySide, _ old: TOMLPolicy,
        _ new: TOMLPolicy
    ) {
        self.old = old
        self.new = new
        let solver = model.circuit.solver
        var limits: [(limit: CompiledLimit, hasRoom: Bool)] = []
        for (policy, side) in [(old, before), (new, after)] {
            for entry in side.entries where !entry.rule.limits.isEmpty {
                guard solver.isTrue(entry.fires) else { continue }
                let hasRoom = solver.isTrue(entry.hasRoom)
                let owners = [entry.rule.id] + entry.rule.budgets.map { "budget \($0.name)" }
                limits += policy.limits.filter { owners.contains($0.owner) }
                    .map { ($0.limit, hasRoom) }
            }
        }
        self.limits = limits
        let drafted = model.drafted
        request = drafted.request
        let rated = limits.lazy.compactMap(\.limit.limit.ratedField).first
        blame =
            request == nil
            ? drafted.blame
            : rated ?? (limits.contains { !$0.hasRoom } ? "limits" : drafted.blame)
    }

    /// The witness, if both policies judge the request as the change says.
    func confirmed(
        _ change: ProvedDifference.Change, now: Timestamp
    ) -> ProvedDifference.Witness? {
        guard let request else { return nil }
        let hasCalendar = limits.contains {
            if case .calendar = $0.limit.limit.window { true } else { false }
        }
        for days in hasCalendar ? Self.laterDays : [0] {
            let later = request.later(byHours: days * 24 + (days > 0 ? 13 : 0))
            let raised = later.raised(above: limits.map(\.limit.limit))
            for request in later.spread + raised.spread {
                if let witness = confirmed(change, request, now) { return witness }
            }
        }
        return nil
    }

    /// The days after which a request is tried again, as two calendar windows may begin together.
    private static let laterDays: [Int64] = [0, 1, 3, 11, 40]

    private func confirmed(
        _ change: ProvedDifference.Change, _ request: WitnessRequest, _ now: Timestamp
    ) -> ProvedDifference.Witness? {
        let judged = request.judged
        for past in WitnessPast.candidates(limits, request) {
            guard let before = try? old.judge(judged, usage: past),
                let after = try? new.judge(judged, usage: past)
            else { continue }
            let answers = [before, after].map { $0.answer(to: judged, old.vocabulary.schemas) }
            guard change.isShown(by: answers[0], answers[1]) else { continue }
            return ProvedDifference.Witness(
                request: request.text(now: now, by: [old, new]), before: answers[0].word,
                after: answers[1].word, past: past.text)
        }
        return nil
    }
}

extension ProvedDifference.Change {
    /// Whether two judgements of one request show this change.
    package func isShown(by before: Judgement, _ after: Judgement) -> Bool {
        switch self {
        case .newlyAllowed:
            after.verdict.name == "allow"
                && (before.verdict.name != "allow" || before.delay > after.delay)
        case .newlyAsked: before.verdict.name != "ask" && after.verdict.name == "ask"
        case .newlyDenied: before.verdict.name != "deny" && after.verdict.name == "deny"
        case .fewerApprovers:
            before.verdict.name == "ask" && after.verdict.name != "deny"
                && before.demands.contains { demand in
                    !after.demands.contains { $0.isAsStrict(as: demand) }
                }
        }
    }
}

extension Judgement {
    /// The judgement as the hub carries it out: a request that ends a connection is answered unless
    /// a rule says otherwise.
    package func answer(to request: JudgedRequest, _ schemas: [FactSchema]) -> Judgement {
        let isEnding = schemas.contains {
            $0.protocolID == request.protocolID && $0.endings.contains(request.method)
        }
        guard isEnding, request.operations.isEmpty, !request.dangers.contains(.byLink),
            verdict.reasons.allSatisfy({ $0.rule == nil })
        else { return self }
        return Judgement(verdict: .allow(verdict.reasons), claims: claims, policyHash: policyHash)
    }

    /// The verdict and the demanded approvers.
    fileprivate var word: String {
        ([words] + demands.map(\.text)).joined(separator: ": ")
    }
}
