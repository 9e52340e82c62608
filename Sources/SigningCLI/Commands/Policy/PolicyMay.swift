// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService

extension CommandLineTool {
    static let policyMay = Command(
        name: "policy may", options: [], operands: 1...1,
        summary: "show what a client may do now",
        usage: """
            usage: countersign policy may CLIENT

            Shows what a client may do now: the rules in force that can match its requests, with
            what is left of their limits, the remembered answers to it, and its connections. CLIENT
            is a name as rules write it (an origin, token:NAME, a public key), or your name for a
            client that is connected over relays.

            A rule is listed if some request of the client can match it. "policy explain" says what
            happens to one request.

            example: countersign policy may https://notes.example
            """
    ) { invocation in
        let rights = try RightsAtHand(try invocation.operand(0), try invocation.workspace())
        if invocation.console.isJSON {
            invocation.console.put(rights.json.write())
        } else {
            for line in rights.lines { invocation.console.put(line) }
        }
        return .done
    }
}

/// The rights of a client, from the policy in force and from the record.
private struct RightsAtHand {
    private let client: String
    private let rules: [ClientRights.Rule]
    private let limits: [LimitRow]
    private let grants: [GrantReport]
    private let connections: [ClientConnection]
    private let fallback: RuleEffect
    private let workspace: Workspace

    init(_ name: String, _ workspace: Workspace) throws {
        let keys = workspace.open.clientNames.keys(named: name)
        guard keys.count < 2 else {
            throw CLIError(
                "several clients are called \"\(VisibleText.quotable(name))\"",
                hint: "write the public key: \(keys.joined(separator: " or "))")
        }
        let id = keys.first ?? name
        guard !id.isEmpty, id.utf8.count <= Self.nameMax else {
            throw CLIError.usage(
                "a client has a name of 1 to \(Self.nameMax) bytes",
                hint: "write it as in \"countersign audit list\"")
        }
        client = id
        self.workspace = workspace
        let policy = try workspace.attestedPolicy()
        fallback = policy.document.fallback
        connections = try workspace.perform(OwnerActs.connectionList, ())
            .filter { $0.client.id == id }
        grants = try workspace.grants(includingEnded: false)
            .filter { $0.grant.scope.client == id }
        let met = connections.map(\.client.proof) + grants.map(\.grant.scope.proof)
        let rights = ClientRights(
            of: id, proofs: ClientRights.proofs(of: id) + met, in: policy,
            at: SystemEnvironment().now())
        rules = rights.rules
        let owners = Set(
            rights.rules.flatMap { [$0.rule.id] + $0.rule.budgets.map { "budget \($0.name)" } })
        let used = try workspace.perform(OwnerActs.limitList, ()).filter { row in
            owners.contains(row.rule) && row.trace.counts(client: id)
        }
        limits = used + Self.unused(in: policy, beside: used).filter { owners.contains($0.rule) }
    }

    /// The limits with "by" of which nothing was counted yet.
    private static func unused(in policy: TOMLPolicy, beside used: [LimitRow]) -> [LimitRow] {
        policy.limits.compactMap { owner, limit in
            let names = limit.limit.scope.map(\.name)
            guard let first = names.first, limit.limit.table == nil,
                !used.contains(where: {
                    $0.trace.counter.hasPrefix("\(limit.base)[\(first)=")
                })
            else { return nil }
            let now = SystemEnvironment().now()
            let claim = LimitClaim(
                counter: "\(limit.base)[each \(names.joined(separator: ", "))]",
                window: limit.window(at: now), maximum: limit.limit.maximum, amount: 0)
            return LimitRow(owner, LimitTrace(limit, claim, used: 0, at: now))
        }
    }

    private static let nameMax = 512

    private func limits(of rule: PolicyRule) -> [LimitRow] {
        let owners = [rule.id] + rule.budgets.map { "budget \($0.name)" }
        return limits.filter { owners.contains($0.rule) }
    }

    var lines: [String] {
        var lines = ["client \(VisibleText.escaped(client))"]
        for effect in RuleEffect.allCases {
            let own = rules.filter { $0.rule.effect == effect }
            if own.isEmpty { continue }
            lines.append("\(Self.heading(effect)):")
            for rule in own {
                lines.append("  \(rule.rule.id)")
                lines += (rule.conditions + rule.terms).map { "    \($0)" }
                lines += limits(of: rule.rule).map { "    left: \($0.text)" }
                if effect == .allow, rule.rule.limits.isEmpty { lines.append("    no limit") }
            }
        }
        if !rules.contains(where: { $0.rule.effect == .allow }) {
            lines.append("no rule allows requests of this client without a question")
        }
        lines.append("everything else: \(fallback == .ask ? "a person is asked" : "denied")")
        lines.append(grants.isEmpty ? "no answers are remembered" : "remembered answers:")
        for report in grants {
            let grant = report.grant
            let left = ((try? workspace.left(of: grant)) ?? []).map { outflow, left in
                "\(outflow.asset.text(of: left)) left on \(outflow.asset.network)"
            }
            let parts =
                [
                    grant.idText, grant.answer.rawValue, VisibleText.escaped(grant.scope.method),
                    "with \(workspace.keyName(grant.scope.key))", GrantText.span(grant),
                ] + left
            lines.append("  " + parts.joined(separator: ", "))
        }
        lines.append(connections.isEmpty ? "no connection is open" : "connections:")
        for connection in connections {
            let parts = [
                Hex.encode(connection.id.span), connection.protocolID.name,
                "to \(workspace.keyName(connection.key))",
                "known by \(connection.client.proof.known)",
                connection.expires.map { "until \($0.utcText)" } ?? "no end date",
            ]
            lines.append("  " + parts.joined(separator: ", "))
        }
        return lines
    }

    private static func heading(_ effect: RuleEffect) -> String {
        switch effect {
        case .allow: "allowed without a question, by rule"
        case .ask: "a person is asked, by rule"
        case .deny: "denied, by rule"
        }
    }

    var json: JSON {
        [
            "client": .string(client), "default": .string(fallback.rawValue),
            "rules": .array(
                rules.map { rule in
                    [
                        "id": .string(rule.rule.id),
                        "effect": .string(rule.rule.effect.rawValue),
                        "conditions": .array(rule.conditions.map { .string($0) }),
                        "terms": .array(rule.terms.map { .string($0) }),
                        "has_limit": .bool(!rule.rule.limits.isEmpty),
                        "limits": .array(limits(of: rule.rule).map(\.json)),
                    ]
                }),
            "remembered": .array(grants.map { $0.json(workspace) }),
            "connections": .array(
                connections.map { connection in
                    [
                        "id": .string(Hex.encode(connection.id.span)),
                        "protocol": .string(connection.protocolID.name),
                        "key": .string(workspace.keyName(connection.key)),
                        "known_by": .string(connection.client.proof.word),
                        "expires": connection.expires.map { .string($0.utcText) } ?? .null,
                    ]
                }),
        ]
    }
}

extension LimitTrace {
    /// True if requests of the client can use the counter.
    fileprivate func counts(client id: String) -> Bool {
        guard let scope = counter.firstIndex(of: "[") else { return true }
        let parts = counter[scope...].dropFirst().dropLast().split(separator: ",")
        let named = parts.filter { $0.hasPrefix("client=") }
        return named.allSatisfy { $0 == "client=\(CompiledLimit.escaped(id))" }
    }
}
