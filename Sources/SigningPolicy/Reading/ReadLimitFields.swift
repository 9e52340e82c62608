// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// Refuses limits without effect: limits by a field whose values the client chooses.
    ///
    /// Each new value has a fresh counter. Files of version 1 may have such a limit beside a limit
    /// that bounds all values together.
    mutating func checkFields(
        of limits: some Sequence<(PolicyLimit, SourcePosition)>, _ context: LimitContext
    ) {
        guard version == 1 else {
            for (limit, position) in limits {
                guard let field = openField(of: limit, context) else { continue }
                report.error(
                    .openBudget,
                    "the limit bounds nothing: a client can use any number of values of "
                        + "\"\(field.name)\", and each has its own counter; list its values in the "
                        + "rule, or count without it", at: position)
            }
            return
        }
        let bounding = limits.map { $0.0 }.filter { openField(of: $0, context) == nil }
        for (limit, position) in limits {
            guard let field = openField(of: limit, context),
                !bounding.contains(where: { $0.bounds(limit) })
            else { continue }
            let message =
                "the limit bounds nothing: a client can use any number of values of "
                + "\"\(field.name)\", and each value has its own budget; "
                + context.remedy(for: field, countsSums: limit.measure != .operations)
            if isInForce {
                report.warn(.chosenBudget, message, at: position)
            } else {
                report.error(.openBudget, message, at: position)
            }
        }
    }

    /// A field of `by` for which clients can choose any number of values; nil if absent.
    func openField(of limit: PolicyLimit, _ context: LimitContext) -> PolicyField? {
        // A rule with a table is about the values in it only.
        guard limit.table == nil else { return nil }
        return limit.scope.first { field in
            !context.conditions.contains { $0.field == field && $0.listsValues }
                && !isClosed(field, context)
        }
    }

    /// Whether the owner or the engine decides the number of a field's values.
    private func isClosed(_ field: PolicyField, _ context: LimitContext) -> Bool {
        guard let fact = EngineFact(rawValue: field.name) else {
            guard case .declared(let known) = vocabulary.lookUp(field.name, in: context.scope)
            else { return false }
            return field.type == .bool || known.form?.isClosed ?? false
        }
        return switch fact {
        case .protocolID, .operation, .key, .channel, .decoded, .hub, .clientProof, .clientProfile:
            true
        case .client: context.conditions.contains { $0.demandsProof(among: ["token", "key"]) }
        case .clientParty: context.boundsParties
        case .effects, .danger, .size, .time, .keyTags, .clientName, .clientCallback,
            .clientTopOrigin, .processUID, .processExecutable, .processUnit, .processHash,
            .processParents, .requestOperations:
            false
        }
    }
}

extension PolicyReader.LimitContext {
    /// True if a party is listed, known already, or more than a name that a program makes up: a
    /// domain, a paired browser's page, a token or a key that the owner connected.
    fileprivate var boundsParties: Bool {
        conditions.contains {
            ($0.field == EngineFact.client.field && $0.listsValues)
                || $0.demandsProof(among: ["token", "key", "browser", "server"])
                || ($0.demandsProof && !acknowledged.contains(.newClient))
        }
    }

    /// The change that gives a limit an effect.
    fileprivate func remedy(for field: PolicyField, countsSums: Bool) -> String {
        let hasProof = conditions.contains { $0.demandsProof }
        switch EngineFact(rawValue: field.name) {
        case .client where hasProof:
            return "count by \"client.party\", or list the clients in the rule"
        case .client, .clientParty:
            return "list the clients in the rule, or add \"client.proof\" = \"token\""
        default:
            let other = countsSums ? "of the same sum" : "such as { count = 60, per = \"1h\" }"
            return "list its values in the rule, or add a limit without it, \(other)"
        }
    }
}

extension PolicyLimit {
    /// Whether a limit without an open field also bounds the quantity that the other limit counts.
    fileprivate func bounds(_ other: PolicyLimit) -> Bool {
        measure == .operations || measure == other.measure
    }
}

extension Condition {
    /// True if the rule applies only to listed values of the field.
    var listsValues: Bool {
        matchers.contains { if case .isIn = $0 { true } else { false } }
    }

    /// True if the condition does not hold for clients whose identity is only claimed.
    package var demandsProof: Bool {
        demandsProof(among: Client.Proof.words.filter { $0 != Client.Proof.claimed.word })
    }

    /// True if the condition holds only for clients with one of these proofs.
    func demandsProof(among words: [String]) -> Bool {
        guard field.name == EngineFact.clientProof.rawValue else { return false }
        return matchers.contains { matcher in
            guard case .isIn(let values) = matcher, !values.known.isEmpty else { return false }
            return values.known.allSatisfy { value in words.contains { value == .text($0) } }
        }
    }
}
