// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// Warns of parts of a rule that are probably mistakes.
    mutating func warn(of rule: PolicyRule, hasLimit: Bool) {
        if rule.isExpired(at: now) {
            report.warn(
                .expired, "the rule \"\(rule.id)\" has expired and never matches",
                at: rule.position)
        }
        let names = rule.conditions.map(\.field.name)
        if rule.effect == .allow, !hasLimit, !names.contains(EngineFact.key.rawValue),
            !names.contains(EngineFact.client.rawValue)
        {
            report.warn(
                .overWide, "the rule \"\(rule.id)\" allows any client and any key without a limit",
                at: rule.position)
        }
        let described = rule.conditionsOfEach.first {
            EngineFact.describing.contains($0.field.name)
        }
        if rule.effect == .allow, let described, !rule.demandsProof, !rule.namesTokens {
            report.warn(
                .describedOnly,
                "\"\(described.field.name)\" does not stop a hostile program, which can run any "
                    + "of your programs: give your program an access token, and name it in client",
                at: described.position)
        }
        let reading = ListReading(of: rule.effect)
        for condition in rule.conditions + rule.batch.flatMap(\.conditions) {
            warn(of: condition, reading, in: rule)
        }
        for condition in rule.exceptions.flatMap(\.conditions) {
            warn(of: condition, reading.inException, in: rule)
        }
    }

    /// Warns if a condition on a list reads as "every" where readers may expect "some", or the
    /// reverse.
    private mutating func warn(
        of condition: Condition, _ reading: ListReading, in rule: PolicyRule
    ) {
        guard condition.field.isList, !condition.field.isSetByOwner else { return }
        let isDoubtful = condition.matchers.contains { matcher in
            switch (matcher, reading) {
            case (.exists, _), (.count, _), (.has, .some): false
            case (.has, .every), (_, .some): true
            default: false
            }
        }
        guard isDoubtful else { return }
        let place = reading == ListReading(of: rule.effect) ? "" : "unless of "
        let meaning =
            reading == .every ? "holds only if all its values match" : "holds if any value matches"
        report.warn(
            .listReading,
            "\"\(condition.field.name)\" in \(place)\(rule.effect.rawValue) rules \(meaning)",
            at: condition.position)
    }
}

extension PolicyRule {
    /// True if the rule lists access tokens.
    fileprivate var namesTokens: Bool {
        conditionsOfEach.contains { condition in
            guard condition.field.name == EngineFact.client.rawValue else { return false }
            return condition.matchers.contains { matcher in
                guard case .isIn(let values) = matcher else { return false }
                return values.known.allSatisfy {
                    if case .text(let text) = $0 { Client.isReserved(text) } else { false }
                }
            }
        }
    }

    /// True if the rule excludes clients whose identity is only claimed.
    fileprivate var demandsProof: Bool { conditionsOfEach.contains { $0.demandsProof } }
}
