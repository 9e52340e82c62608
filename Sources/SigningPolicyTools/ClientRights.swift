// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// The rules that can match requests of one client.
package struct ClientRights: Sendable {
    /// A rule, with the requirements that a request still has to meet.
    package struct Rule: Sendable {
        package let rule: PolicyRule
        /// The conditions besides that on the client's name, for people.
        package let conditions: [String]
        /// Other requirements for people: exception, hours, expiry, acknowledged dangers.
        package let terms: [String]
    }

    /// The rules that can match, sorted by effect, then by id.
    ///
    /// A deny rule is listed only if it names the client: others are about requests, not clients.
    package let rules: [Rule]

    /// Finds the rules for a client whose identity is proved in one of these ways.
    package init(of id: String, proofs: [Client.Proof], in policy: TOMLPolicy, at now: Timestamp) {
        rules = policy.document.rules.filter { rule in
            !rule.isExpired(at: now)
                && (rule.effect != .deny || rule.namesAClient)
                && !rule.isExcepted(for: id, proofs)
                && rule.conditionsOfEach.allSatisfy { $0.mayHold(for: id, proofs, rule.effect) }
        }.map { Rule($0) }.sorted { ($0.rule.effect, $0.rule.id) < ($1.rule.effect, $1.rule.id) }
    }

    /// The ways in which a client with this id can be known, if it was never met.
    package static func proofs(of id: String) -> [Client.Proof] {
        if id.hasPrefix(Client.tokenPrefix) { return [.token] }
        let isKey =
            id.utf8.count == 64 && id.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
        let isSite = id.firstRange(of: "://") != nil
        return [.claimed, .callback] + (isKey ? [.key] : [])
            + (isSite ? [.page, .server, .browser(profile: FieldSpace.otherText)] : [])
    }
}

extension ClientRights.Rule {
    fileprivate init(_ rule: PolicyRule) {
        self.rule = rule
        let reading = ListReading(of: rule.effect)
        conditions = rule.conditions.filter { !$0.namesClient }.map {
            "\($0.field.name): \($0.wanted(reading))"
        }
        var terms: [String] = []
        if !rule.acknowledged.isEmpty {
            terms.append("dangers: \(rule.acknowledged.map(\.name).joined(separator: ", "))")
        }
        for condition in rule.batch {
            let words = condition.conditions.map { "\($0.field.name) \($0.wanted(reading))" }
            let subject = condition.quantifier == .all ? "all operations" : "one operation"
            terms.append("\(subject): \(words.joined(separator: " and "))")
        }
        for exception in rule.exceptions {
            let words =
                exception.conditions.map { "\($0.field.name) \($0.wanted(reading.inException))" }
                + (exception.schedule == nil ? [] : ["at certain hours and days"])
            terms.append("unless \(words.joined(separator: " and "))")
        }
        if rule.delay > 0 {
            terms.append("after \(WrittenDuration.text(of: rule.delay)), unless you say no")
        }
        if rule.schedule != nil { terms.append("only at its hours and days") }
        if let expires = rule.expires { terms.append("until \(expires.utcText)") }
        self.terms = terms
    }
}

extension PolicyRule {
    /// True if a condition or an exception is on the client's name.
    fileprivate var namesAClient: Bool {
        (conditionsOfEach + exceptions.flatMap(\.conditions)).contains(where: \.namesClient)
    }

    /// True if an exception holds for each request of the client, at all times.
    fileprivate func isExcepted(for id: String, _ proofs: [Client.Proof]) -> Bool {
        exceptions.contains { exception in
            exception.schedule == nil
                && exception.conditions.allSatisfy { condition in
                    switch EngineFact(rawValue: condition.field.name) {
                    case .client: condition.mayHold(for: id, proofs, effect)
                    case .clientProof:
                        proofs.allSatisfy { condition.mayHold(for: id, [$0], effect) }
                    default: false
                    }
                }
        }
    }
}

extension Condition {
    /// True if the condition is on the client's name.
    fileprivate var namesClient: Bool { field.name == EngineFact.client.rawValue }

    fileprivate func mayHold(
        for id: String, _ proofs: [Client.Proof], _ effect: RuleEffect
    ) -> Bool {
        let reading = ListReading(of: effect)
        let values: [FactValue?]
        switch EngineFact(rawValue: field.name) {
        case .client: values = [.text(id)]
        case .clientProof: values = proofs.map { .text($0.word) }
        // The profile of a page that was never met can be any.
        case .clientProfile:
            if proofs.contains(where: { $0.profile == FieldSpace.otherText }) { return true }
            values = proofs.map { $0.profile.map { .text($0) } }
        default: return true
        }
        return values.contains { value in
            mayHold(for: value, reading, own: []) || effect != .allow && value == nil
        }
    }
}
