// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningStorage

extension CommandLineTool {
    static let grantCommands = [grantList, grantShow, grantRevoke, grantExport]

    private static let grantList = Command(
        name: "grant list", options: [Option(name: "--all", value: nil)], operands: 0...0,
        usage: """
            usage: countersign grant list [--all]

            Lists the answers that people wanted remembered and that still count; with --all also
            those that ended or were revoked.

            example: countersign grant list --json
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let now = SystemEnvironment().now()
        let grants = try workspace.grants().filter {
            invocation.arguments.has("--all") || $0.state(at: now) == "active"
        }
        if invocation.console.isJSON {
            let rows = try grants.map { (grant) throws(CLIError) in
                try grant.json(workspace, at: now)
            }
            invocation.console.put(JSON.array(rows).write())
            return .done
        }
        for grant in grants {
            let scope = grant.sealed.grant.scope
            let facts = scope.facts.map { "\($0.name)=\(GrantText.shown($0.value))" }
            let parts =
                [
                    grant.sealed.grant.idText, grant.sealed.grant.answer.rawValue,
                    GrantText.span(grant.sealed.grant), VisibleText.escaped(scope.client),
                    workspace.keyName(scope.key), VisibleText.escaped(scope.method),
                ] + facts
            let state = grant.state(at: now)
            invocation.console.put(
                (parts + (state == "active" ? [] : ["(\(state))"])).joined(separator: "  "))
        }
        if grants.isEmpty { invocation.console.note("no answers are remembered") }
        return .done
    }

    private static let grantShow = Command(
        name: "grant show", options: [], operands: 1...1,
        usage: """
            usage: countersign grant show ID

            Explains one remembered answer: what requests it is about, which flags it covers, for
            how long it counts, how often it was used.

            example: countersign grant show 5d0c6ae1b2f39e47
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let now = SystemEnvironment().now()
        let found = try workspace.grant(named: try invocation.operand(0))
        guard !invocation.console.isJSON else {
            invocation.console.put(try found.json(workspace, at: now).write())
            return .done
        }
        let grant = found.sealed.grant
        invocation.console.put("answer  \(grant.answer.rawValue)")
        let lines = GrantText.lines(grant.scope, keyName: workspace.keyName(grant.scope.key))
        for line in lines { invocation.console.put(line) }
        let flags = grant.dangers.map(\.name).joined(separator: ", ")
        if grant.answer == .yes {
            invocation.console.put("flags   \(flags.isEmpty ? "none" : flags)")
        }
        invocation.console.put("given   \(grant.created.utcText)")
        invocation.console.put("counts  \(GrantText.span(grant))")
        if grant.answer == .yes {
            let uses = try workspace.uses(of: grant)
            invocation.console.put("used    \(uses) \(uses == 1 ? "time" : "times")")
        }
        invocation.console.put("state   \(found.state(at: now))")
        return .done
    }

    private static let grantRevoke = Command(
        name: "grant revoke", options: [Option(name: "--all", value: nil)], operands: 0...32,
        usage: """
            usage: countersign grant revoke [--all] [ID...]

            Takes remembered answers back, at once and for every process. Needs no passphrase; a
            revoked no is asked about again.

            example: countersign grant revoke --all
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let now = SystemEnvironment().now()
        let names = invocation.arguments.operands
        guard invocation.arguments.has("--all") != !names.isEmpty else {
            throw .usage("name the grants, or give --all", hint: "see \"countersign grant list\"")
        }
        var chosen = try workspace.grants()
        if !names.isEmpty {
            chosen = try names.map { (name) throws(CLIError) in
                try workspace.grant(named: name)
            }
        }
        let open = chosen.filter { $0.revoked == nil }.map(\.sealed.grant.id)
        let ledger = try workspace.openLedger()
        try CLIError.wrapping { () throws(LedgerError) in try ledger.revoke(open, at: now) }
        invocation.console.note("revoked: \(open.count)")
        return .done
    }

    private static let grantExport = Command(
        name: "grant export", options: [], operands: 0...1,
        usage: """
            usage: countersign grant export [ID]

            Writes remembered answers that count for ever, or the named one, as rules for
            policy.toml, where they can be read, tested and attested.

            example: countersign grant export >> ~/.countersign/policy.toml
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        var chosen: [RecordedGrant]
        if let name = invocation.arguments.operands.first {
            chosen = [try workspace.grant(named: name)]
        } else {
            let now = SystemEnvironment().now()
            chosen = try workspace.grants().filter {
                $0.state(at: now) == "active" && $0.sealed.grant.expires == nil
                    && $0.sealed.grant.session == nil
            }
        }
        for grant in chosen {
            invocation.console.put(try workspace.rule(for: grant.sealed.grant))
        }
        return .done
    }
}
