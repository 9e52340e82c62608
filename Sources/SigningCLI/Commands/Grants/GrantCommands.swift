// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningService
import SigningStorage
import SigningWires

extension CommandLineTool {
    static let grantCommands = [grantList, grantShow, grantRevoke, grantExport]

    private static let grantList = Command(
        of: OwnerActs.grantList, operands: 0...0,
        usage: """
            usage: countersign grant list [--all]

            Lists the remembered answers that are still valid. With --all it also lists expired and
            revoked answers.

            example: countersign grant list --json
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let grants = try workspace.grants(includingEnded: invocation.arguments.has("--all"))
        if invocation.console.isJSON {
            invocation.console.put(JSON.array(grants.map { $0.json(workspace) }).write())
            return .done
        }
        let words = GrantText(schemas: workspace.adapters.schemas)
        let clients = workspace.open.clientNames
        for report in grants {
            let scope = report.grant.scope
            let called = clients.name(of: scope.client, by: scope.proof).map { "\($0), " } ?? ""
            let facts = scope.facts.map { "\($0.name)=\(words.shown($0, in: scope.protocolID))" }
            let parts =
                [
                    report.grant.idText, report.grant.answer.rawValue,
                    GrantText.span(report.grant),
                    "\(called)\(VisibleText.listed(scope.client)) (\(scope.proof.known))",
                    workspace.keyName(scope.key), VisibleText.escaped(scope.method),
                ] + facts
            let ending = report.state == "active" ? [] : ["(\(report.state))"]
            invocation.console.put((parts + ending).joined(separator: "  "))
        }
        if grants.isEmpty { invocation.console.note("no answers are remembered") }
        return .done
    }

    private static let grantShow = Command(
        name: "grant show", options: [], operands: 1...1,
        operandOffers: [.grants],
        summary: "show a remembered answer",
        usage: """
            usage: countersign grant show ID

            Shows one remembered answer: the requests that it applies to, the dangers that it
            covers, how long it is valid, and how often it was used.

            example: countersign grant show 5d0c6ae1b2f39e47
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let found = try workspace.grant(named: try invocation.operand(0))
        guard !invocation.console.isJSON else {
            invocation.console.put(found.json(workspace).write())
            return .done
        }
        let grant = found.grant
        invocation.console.put("answer  \(grant.answer.rawValue)")
        let clients = workspace.open.clientNames
        if let called = clients.name(of: grant.scope.client, by: grant.scope.proof) {
            invocation.console.put("called  \(called)")
        }
        let words = GrantText(schemas: workspace.adapters.schemas)
        for line in words.lines(
            grant.scope, keyName: workspace.keyName(grant.scope.key), bounds: grant.bounds)
        {
            invocation.console.put(line)
        }
        let dangers = grant.dangers.map(\.name).joined(separator: ", ")
        if grant.answer == .yes {
            invocation.console.put("dangers \(dangers.isEmpty ? "none" : dangers)")
        }
        for (total, left) in try workspace.left(of: grant) {
            let asset = total.asset
            invocation.console.put(
                "total   \(asset.text(of: total.amount))\(grant.per?.words ?? "")"
                    + " on \(asset.network), "
                    + "\(asset.text(of: left)) left")
        }
        invocation.console.put("given   \(grant.created.utcText)")
        invocation.console.put("counts  \(GrantText.span(grant))")
        if grant.answer == .yes {
            let latest = grant.per.map { " in the latest \($0.rawValue)" } ?? ""
            invocation.console.put(
                "used    \(found.uses) \(found.uses == 1 ? "time" : "times")\(latest)")
        }
        invocation.console.put("state   \(found.state)")
        return .done
    }

    private static let grantRevoke = Command(
        of: OwnerActs.grantRevoke, options: [Option(name: "--all", value: nil)], operands: 0...32,
        usage: """
            usage: countersign grant revoke [--all] [ID...]

            Revokes remembered answers at once, for every process. Needs no passphrase. After a no
            is revoked, you are asked again.

            example: countersign grant revoke --all
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let names = invocation.arguments.operands
        guard invocation.arguments.has("--all") != !names.isEmpty else {
            throw CLIError.usage(
                "name the grants, or give --all", hint: "see \"countersign grant list\"")
        }
        var chosen = try workspace.grants(includingEnded: true)
        if !names.isEmpty {
            chosen = try names.map { name in
                try workspace.grant(named: name)
            }
        }
        let ids = chosen.filter { $0.recorded.revoked == nil }.map(\.grant.id)
        let revoked = try workspace.perform(OwnerActs.grantRevoke, ids)
        invocation.console.done(
            ["revoked": .array(revoked.map { .string($0.sealed.grant.idText) })],
            "revoked: \(revoked.count)")
        return .done
    }

    private static let grantExport = Command(
        name: "grant export", options: [], operands: 0...1,
        operandOffers: [.grants],
        summary: "write remembered answers as rules",
        usage: """
            usage: countersign grant export [ID]

            Writes the remembered answers without an end date, or the answer ID, as rules for
            policy.toml, each with a test. There you can read, test and attest them. A rule allows
            no more than what is left of its answer; an answer for which no rule can say that is
            named and left out. The answers stay: revoke them once the rules are in force.

            example: countersign grant export >> ~/.countersign/policy.toml
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let active = try workspace.grants(includingEnded: false)
        var chosen = active.filter { $0.grant.expires == nil && $0.grant.login == nil }
        if let name = invocation.arguments.operands.first {
            let named = try workspace.grant(named: name)
            guard named.state == "active", named.grant.login == nil else {
                throw CLIError(
                    "grant \(named.grant.idText) cannot be a rule: "
                        + (named.grant.login == nil ? named.state : "it is for one login"),
                    hint: "see \"countersign grant show \(named.grant.idText)\"")
            }
            chosen = [named]
        }
        var rules: [String] = []
        for report in chosen {
            do {
                rules.append(try workspace.rule(for: report, among: active))
            } catch  where invocation.arguments.operands.isEmpty {
                let error = CLIError(error)
                invocation.console.warn(error.message, hint: error.hint ?? "countersign grant list")
            }
        }
        if invocation.console.isJSON {
            invocation.console.put(JSON.array(rules.map { .string($0) }).write())
        } else {
            for rule in rules { invocation.console.put(rule) }
        }
        return .done
    }
}
