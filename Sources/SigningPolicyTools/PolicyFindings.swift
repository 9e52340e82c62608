// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// The requests by which an account logs in at a server, as rules name them.
package struct ServerLogin: Sendable {
    let protocolID: ProtocolID
    let methods: [String]
    let danger: Danger

    /// Creates the login of a chain; `danger` is the danger of its signature.
    package init(_ protocolID: ProtocolID, _ methods: [String], _ danger: Danger) {
        self.protocolID = protocolID
        self.methods = methods
        self.danger = danger
    }
}

/// Warnings about rules that load but are probably mistakes.
package enum PolicyFindings {
    /// The most rules that are compared with each other.
    static let comparedMax = 2_000

    /// The warnings for a policy, in the order of the file.
    ///
    /// - Rules that never match.
    /// - Allow rules that a deny rule always overrules.
    /// - Allow rules without a limit.
    /// - Allow rules with a name that any program can claim, or a login to a server that is not
    ///   verified.
    /// - Allow rules that take away the effect of another rule's budget.
    /// - Allow rules about tokens that allow other actions in the same transaction.
    /// - Allow rules about the total of a token that hold on other networks too.
    /// - Deny and ask rules that leave out an operation which an allow rule covers.
    /// - Rules on fields that also apply to methods without these fields.
    ///
    /// `held` are the names of the keys that rules may name; nil if there is no home. `logins` are
    /// the logins of the chains.
    package static func find(
        in policy: TOMLPolicy, held: [String]? = nil, logins: [ServerLogin] = []
    ) -> [Diagnostic] {
        let rules = policy.document.rules
        var found =
            held.map { policy.unheldKeys(among: $0) }?.map { unheld in
                finding("P0210", unheld.text, unheld.rule, policy, meant: unheld.meant)
            } ?? []
        let dead = Dictionary(grouping: rules, by: deadText)
        for (text, rules) in dead {
            if let text { found += rules.map { finding("P0204", text, $0, policy) } }
        }
        // For these rules P0203 already says that they are unlimited.
        let wide = Set(policy.findings.filter { $0.code == "P0203" }.map(\.line))
        let live = dead[nil] ?? []
        found += methodFindings(of: live, policy)
        let denying = live.filter { $0.effect == .deny && isAlways($0) }
        for rule in live where rule.effect == .allow {
            if denying.count * live.count <= comparedMax * comparedMax,
                let stronger = denying.first(where: { overrules($0, rule) })
            {
                found.append(
                    finding(
                        "P0205",
                        "the rule \"\(rule.id)\" allows nothing: the rule \"\(stronger.id)\" "
                            + "denies everything that it matches",
                        rule, policy))
            } else if rule.limits.isEmpty, !wide.contains(rule.position.line) {
                found.append(
                    finding("P0206", "the rule \"\(rule.id)\" has no limit", rule, policy))
            }
            if live.count <= comparedMax, let (budget, other) = evaded(rule, beside: live) {
                found.append(
                    finding(
                        "P0218",
                        "the budget \"\(budget)\" does not bound the rule \"\(rule.id)\": the rule "
                            + "\"\(other)\" allows the same without it; add the budget there, or "
                            + "final = true to the budget", rule, policy))
            }
            found += [rule.actionsBesides(in: policy.vocabulary)].compactMap(\.self)
                .map { finding("P0221", $0, rule, policy) }
            found += rule.totalsElsewhere.map { finding("P0222", $0, rule, policy) }
            if let name = claimableName(in: rule, beside: denying) {
                found.append(finding("P0215", claimText(rule, name), rule, policy))
            }
            if logins.contains(where: { coversUnproven($0, rule) }) {
                found.append(
                    finding(
                        "P0214",
                        "by the rule \"\(rule.id)\", any program of yours can log in through an "
                            + "agent as a server that it only claims to be: add "
                            + "\"client.proof\" = \"server\"",
                        rule, policy))
            }
        }
        return found.sorted { ($0.line, $0.code) < ($1.line, $1.code) }
    }

    /// The warnings about methods to which deny and ask rules apply, or do not, by mistake.
    private static func methodFindings(
        of rules: [PolicyRule], _ policy: TOMLPolicy
    ) -> [Diagnostic] {
        let allowing = rules.filter { $0.effect == .allow }
        return rules.flatMap { rule in
            let leftOut =
                allowing.count <= comparedMax
                ? rule.methodsLeftOut(in: policy.vocabulary, beside: allowing) : nil
            return [
                rule.methodsBesides(in: policy.vocabulary).map {
                    finding("P0216", $0, rule, policy)
                }, leftOut.map { finding("P0224", $0, rule, policy) },
            ].compactMap(\.self)
        }
    }

    static func finding(
        _ code: String, _ text: String, _ rule: PolicyRule, _ policy: TOMLPolicy,
        meant: String? = nil
    ) -> Diagnostic {
        Diagnostic(
            severity: .warning, code: code, message: text, file: policy.fileName,
            line: rule.position.line, column: rule.position.column, suggestion: meant)
    }

    /// True if a rule is in force at all times, for single operations, and has no exception.
    private static func isAlways(_ rule: PolicyRule) -> Bool {
        rule.exceptions.isEmpty && rule.batch.isEmpty && rule.expires == nil && rule.schedule == nil
    }

    /// The warning about a rule that never applies; nil if it may apply.
    private static func deadText(_ rule: PolicyRule) -> String? {
        let text = "the rule \"\(rule.id)\" can never match"
        guard canMatch(rule) else { return text }
        guard rule.isAlwaysExcepted else { return nil }
        return text + ": unless holds for all requests that it matches"
    }

    /// Whether each condition can hold, alone and with others on its field that list values;
    /// patterns are assumed to match some text.
    private static func canMatch(_ rule: PolicyRule) -> Bool {
        let reading = ListReading(of: rule.effect)
        let canHoldAlone = (rule.conditions + rule.batch.flatMap(\.conditions)).allSatisfy {
            condition in
            guard !condition.hasRegex else { return true }
            let values = FieldSpace(condition.field, conditions: [condition], own: ["(own)"]).values
            return values.contains { condition.mayHold(for: $0, reading) }
        }
        let listing = rule.conditionsOfEach.filter { $0.singles != nil }
        return canHoldAlone
            && Dictionary(grouping: listing, by: \.field.name).values.allSatisfy { conditions in
                let values = [nil] + (conditions.first?.singles ?? [])
                return values.contains { value in
                    conditions.allSatisfy { $0.hasRegex || $0.mayHold(for: value, reading) }
                }
            }
    }

    /// A client name that any program can claim to use the rule; nil if absent.
    ///
    /// Only the name of an access token cannot be claimed: programs may claim the site for which
    /// they ask.
    private static func claimableName(
        in rule: PolicyRule, beside denying: [PolicyRule]
    ) -> String? {
        guard !rule.conditionsOfEach.contains(where: { $0.demandsProof }) else { return nil }
        let clients = rule.conditionsOfEach.filter { $0.field == EngineFact.client.field }
        return clients.flatMap { client in
            FieldSpace(client.field, conditions: [client], own: []).values.filter { value in
                clients.allSatisfy { $0.mayHold(for: value, .every) }
            }
        }.lazy.compactMap { value -> String? in
            guard case .text(let name)? = value, name != FieldSpace.otherText,
                !Client.isReserved(name), !denying.contains(where: { $0.denies(claimOf: name) })
            else { return nil }
            return name
        }.first
    }

    private static func claimText(_ rule: PolicyRule, _ name: String) -> String {
        let remedy =
            isSite(name)
            ? "add \"client.proof\" = [\"browser\", \"callback\", \"server\"], or for a program "
                + "of yours write client = \"token:NAME\""
            : "give your program an access token and write client = \"token:NAME\", or add "
                + "\"client.proof\""
        return "the rule \"\(rule.id)\" allows any program that claims to be "
            + "\"\(VisibleText.quotable(name))\": \(remedy)"
    }

    /// The findings that the owner sees before a policy is put in force: of P0215, only those about
    /// names that cannot be proved.
    package static func beforeAttesting(_ policy: TOMLPolicy) -> [Diagnostic] {
        let rules = policy.document.rules
        let denying = rules.filter { $0.effect == .deny && isAlways($0) }
        return rules.filter { $0.effect == .allow }.compactMap { rule in
            claimableName(in: rule, beside: denying).flatMap { name in
                isSite(name) ? nil : finding("P0215", claimText(rule, name), rule, policy)
            }
        }
    }

    /// Whether a name is that of a site, which browsers and servers can prove.
    private static func isSite(_ name: String) -> Bool { name.firstRange(of: "://") != nil }

    /// True if the rule covers a login by a client that only claims to be the server.
    private static func coversUnproven(_ login: ServerLogin, _ rule: PolicyRule) -> Bool {
        login.methods.contains { rule.mayMatch(login.protocolID, $0) }
            && rule.covers(login.danger)
            && rule.conditionsOfEach.allSatisfy { condition in
                switch EngineFact(rawValue: condition.field.name) {
                case .clientProof:
                    condition.mayHold(for: .text(Client.Proof.claimed.word), .every)
                // The name of an access token cannot be claimed.
                case .client:
                    FieldSpace(condition.field, conditions: [condition], own: ["(own)"]).values
                        .contains { value in
                            guard case .text(let name)? = value else { return false }
                            return !Client.isReserved(name) && condition.mayHold(for: value, .every)
                        }
                default: true
                }
            }
    }

    /// A budget of an allow rule, and another rule that allows all requests of the rule without it.
    ///
    /// A final budget counts these requests anyway.
    private static func evaded(
        _ rule: PolicyRule, beside others: [PolicyRule]
    ) -> (budget: String, other: String)? {
        for budget in rule.budgets where !budget.isFinal {
            let other = others.first { other in
                other.effect == .allow && other.id != rule.id && isAlways(other)
                    && !other.budgets.contains { $0.name == budget.name }
                    && rule.acknowledged.allSatisfy(other.covers) && overrules(other, rule)
            }
            if let other { return (budget.name, other.id) }
        }
        return nil
    }

    /// Whether the first rule matches every request that the allow rule allows.
    private static func overrules(_ first: PolicyRule, _ allow: PolicyRule) -> Bool {
        let reading = ListReading(of: first.effect)
        return first.conditions.allSatisfy { condition in
            let given = allow.conditions.filter { $0.field == condition.field }
            guard !(given + [condition]).contains(where: \.hasRegex) else { return false }
            let values = FieldSpace(
                condition.field, conditions: given + [condition], own: ["(own)"]
            ).values
            let admitted = values.filter { value in
                given.allSatisfy { $0.mayHold(for: value, .every) }
            }
            return !admitted.isEmpty && admitted.allSatisfy { condition.mayHold(for: $0, reading) }
        }
    }
}

extension PolicyRule {
    /// Whether the rule denies every request of a client that only claims this name.
    fileprivate func denies(claimOf name: String) -> Bool {
        conditions.allSatisfy { condition in
            switch EngineFact(rawValue: condition.field.name) {
            case .client: condition.mayHold(for: .text(name), .some)
            case .clientProof: condition.mayHold(for: .text(Client.Proof.claimed.word), .some)
            default: false
            }
        }
    }
}

extension Condition {
    /// The values that the condition lists; nil without a list, and for a field with several.
    fileprivate var singles: [FactValue?]? {
        guard !field.isList else { return nil }
        return matchers.lazy.compactMap { matcher in
            guard case .isIn(let list) = matcher, !list.includesOwn else { return nil }
            return list.known
        }.first
    }

    fileprivate var hasRegex: Bool {
        matchers.contains { if case .regex = $0 { true } else { false } }
    }

    fileprivate func mayHold(for value: FactValue?, _ reading: ListReading) -> Bool {
        mayHold(for: value, reading, own: ["(own)"])
    }
}
