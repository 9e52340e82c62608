// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Two policies for the requests of one protocol.
final class Comparison {
    private let old: TOMLPolicy
    private let new: TOMLPolicy
    private let now: Timestamp
    private let model: RequestModel
    private let before: PolicySide
    private let after: PolicySide
    private let preferences: [Literal]
    /// Assumed in questions about requests that get different answers.
    private let isFocused: Literal
    private var circuit: Circuit { model.circuit }

    init(
        _ old: TOMLPolicy, _ new: TOMLPolicy, _ protocolID: ProtocolID, _ times: TimeTable,
        _ now: Timestamp
    ) {
        self.old = old
        self.new = new
        self.now = now
        let schemas = old.vocabulary.schemas
        let rules = (old.document.rules + new.document.rules).filter { rule in
            schemas.contains { schema in
                schema.protocolID == protocolID
                    && schema.methods.contains { rule.mayMatch(protocolID, $0) }
            }
        }
        let model = RequestModel(rules, protocolID: protocolID, schemas: schemas, times)
        let rooms = Rooms(model)
        self.model = model
        before = PolicySide(old, model, room: rooms.room)
        after = PolicySide(new, model, room: rooms.room)
        isFocused = model.circuit.variable()
        preferences =
            model.preferences
            + (before.entries + after.entries).map(\.hasRoom).filter { $0 != model.circuit.yes }
        for preference in preferences { model.circuit.solver.prefer(preference) }
        if old.document.fallback == new.document.fallback {
            // Only a rule that differs can change an answer.
            let changed = changed(before, after) + changed(after, before)
            circuit.demand([!isFocused] + changed)
        }
    }

    /// The matches of the rules that the other policy does not have in the same way.
    private func changed(_ side: PolicySide, _ other: PolicySide) -> [Literal] {
        let others = Dictionary(other.entries.map { ($0.rule.id, $0) }) { first, _ in first }
        return side.entries.filter { entry in
            guard let same = others[entry.rule.id] else { return true }
            return same.fires != entry.fires || same.hasRoom != entry.hasRoom
                || same.rule.effect != entry.rule.effect
                || same.onExceed != entry.onExceed || same.rule.demand != entry.rule.demand
                || same.rule.delay != entry.rule.delay
        }.map(\.fires)
    }

    func finding(_ change: ProvedDifference.Change) -> ProvedDifference.Finding {
        let found = answer(to: question(change), change)
        guard case .proved = found else { return found }
        return batchFinding(change)
    }

    private func question(_ change: ProvedDifference.Change) -> Literal {
        switch change {
        case .newlyAllowed:
            return circuit.any(
                after.delays.map { delay in
                    circuit.all([!before.isAllowed(within: delay), after.isAllowed(within: delay)])
                })
        case .newlyAsked: return circuit.all([!before.isAsked, after.isAsked])
        case .newlyDenied: return circuit.all([!before.isDenied, after.isDenied])
        case .fewerApprovers:
            let demands = Set(before.entries.compactMap(\.rule.demand))
            let missing = demands.map { demand in
                let isDemanded = before.entries.filter { $0.rule.demand == demand }.map(\.fires)
                let isKept = after.entries.filter {
                    $0.rule.demand?.isAsStrict(as: demand) ?? false
                }.map(\.fires)
                return circuit.all([circuit.any(isDemanded), !circuit.any(isKept)])
            }
            return circuit.all([before.isAsked, !after.isDenied, circuit.any(missing)])
        }
    }

    /// Whether a request of several operations can show a change that no single operation shows.
    ///
    /// The strictest answer to an operation is that to the request, so a request that gets a milder
    /// answer has an operation that does. Two things differ: operations of one request share
    /// limits, so it matters which rules the earlier ones charge; and a request may be asked about
    /// because of one operation while another one is newly allowed.
    private func batchFinding(_ change: ProvedDifference.Change) -> ProvedDifference.Finding {
        let limited = (before.entries + after.entries).filter { !$0.rule.limits.isEmpty }
        let owners = Set(limited.map(\.rule.counterOwner)).sorted()
        let differs = circuit.any(
            owners.map { owner in
                circuit.differ(
                    before.charges[owner] ?? circuit.no, after.charges[owner] ?? circuit.no)
            })
        let isCovered =
            change == .newlyAllowed
            ? [before.isAllowed, after.isAllowed] : [!before.isDenied, !after.isDenied]
        guard change != .fewerApprovers,
            circuit.solver.solve(
                assuming: [model.hasOperation, isFocused] + isCovered + [differs])
                == .unsatisfiable
        else {
            return change == .fewerApprovers
                ? .proved : .notProved("limits, where one request has several operations")
        }
        guard change == .newlyAsked, canBe(before.isDenied, after.isAllowed),
            canBe(before.isAsked, after.isAsked)
        else { return .proved }
        return .notProved("requests of several operations")
    }

    private func canBe(_ before: Literal, _ after: Literal) -> Bool {
        circuit.solver.solve(assuming: [model.hasOperation, before, after]) != .unsatisfiable
    }

    private func answer(
        to question: Literal, _ change: ProvedDifference.Change
    ) -> ProvedDifference.Finding {
        let found = WitnessSearch(circuit, preferences).find([question, isFocused]) {
            let attempt = WitnessAttempt(model, before, after, old, new)
            return (attempt.confirmed(change, now: now), attempt.blame)
        }
        return switch found {
        case .none: .proved
        case .found(let witness): .shown(witness)
        case .unknown(let part): .notProved(part)
        }
    }
}
