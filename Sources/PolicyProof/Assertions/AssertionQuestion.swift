// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// The question whether the rules of a policy allow a request of one protocol that matches an
/// assertion.
///
/// One operation is enough: a request with several is allowed only if each of them is allowed by
/// itself.
final class AssertionQuestion {
    private let assertion: PolicyAssertion
    private let policy: TOMLPolicy
    private let now: Timestamp
    private let model: RequestModel
    private let side: PolicySide
    private let isMatched: Literal

    /// Nil if no method of the protocol matches the assertion.
    init?(
        _ assertion: PolicyAssertion, of policy: TOMLPolicy, _ protocolID: ProtocolID,
        _ times: TimeTable, _ now: Timestamp
    ) {
        let schemas = policy.vocabulary.schemas
        let methods = schemas.filter { $0.protocolID == protocolID }.flatMap(\.methods)
            .filter { assertion.rule.mayMatch(protocolID, $0) }
        guard !methods.isEmpty else { return nil }
        var document = policy.document
        document.rules = document.rules.filter { rule in
            methods.contains { rule.mayMatch(protocolID, $0) }
        }.map(\.withoutRates)
        self.assertion = assertion
        self.policy = policy
        self.now = now
        let model = RequestModel(
            document.rules + [assertion.rule], protocolID: protocolID, schemas: schemas, times)
        self.model = model
        // Whether limits have room does not depend on other limits here: it is enough that each
        // may have room.
        side = PolicySide(policy.with(document), model, room: Rooms(model).separateRoom)
        isMatched = PolicySide.matches(assertion.rule, model, isCertain: true)
    }

    /// True if it is proved that no request matches the assertion.
    var matchesNothing: Bool {
        model.circuit.solver.solve(assuming: [isMatched]) == .unsatisfiable
    }

    /// True if a search of so many conflicts proves that the assertion holds.
    func isProved(conflictsMax: Int) -> Bool {
        model.circuit.solver.solve(
            assuming: [isMatched, side.isAllowedByRules], conflictsMax: conflictsMax)
            == .unsatisfiable
    }

    var answer: WitnessSearch.Answer<ProvedAssertion.Witness> {
        let rooms = side.entries.map(\.hasRoom).filter { $0 != model.circuit.yes }
        let preferences = model.preferences + rooms
        for preference in preferences { model.circuit.solver.prefer(preference) }
        return WitnessSearch(model.circuit, preferences).find([isMatched, side.isAllowedByRules]) {
            let drafted = model.drafted
            // The request may lack what a budget with a unit counts.
            let rated = policy.document.budgets.lazy.flatMap(\.limits)
                .compactMap(\.ratedField).first
            let blame = drafted.request == nil ? drafted.blame : rated ?? drafted.blame
            let witness = drafted.request?.spread.lazy.compactMap { self.confirmed($0) }.first
            return (witness, blame)
        }
    }

    /// The witness, if the policy allows the request and the request matches the assertion.
    private func confirmed(_ request: WitnessRequest) -> ProvedAssertion.Witness? {
        let judged = request.judged
        guard
            let judgement = try? policy.judge(judged, usage: WitnessPast(of: request)),
            case .allow(let reasons) = judgement.verdict,
            assertion.isCertain(of: judged, in: policy, usage: WitnessPast(of: request))
        else { return nil }
        return ProvedAssertion.Witness(
            request: request.text(now: now, by: [policy]), rules: reasons.compactMap(\.rule))
    }
}

extension PolicyAssertion {
    /// Whether the policy's engine finds that an operation of the request matches for certain.
    func isCertain(
        of request: JudgedRequest, in policy: TOMLPolicy, usage: WitnessPast = WitnessPast()
    ) -> Bool {
        var document = policy.document
        document.rules = [rule]
        let explained = try? policy.with(document).explain(request, usage: usage)
        return explained?.rules.contains { $0.state == .matched } ?? false
    }
}

extension PolicyRule {
    /// The rule without limits in a common unit, which the encoding does not have: it allows no
    /// less.
    fileprivate var withoutRates: PolicyRule {
        var rule = self
        rule.budgets.removeAll { $0.unit != nil }
        return rule
    }
}
