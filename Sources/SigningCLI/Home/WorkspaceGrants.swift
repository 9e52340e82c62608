// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import Glibc
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningPolicyTools
import SigningStorage
import SigningTerminal
import Socket

extension Workspace {
    /// Every grant on record, oldest first.
    func grants() throws(CLIError) -> [GrantReport] {
        let ledger = try openLedger()
        let recorded = try CLIError.wrapping { () throws(LedgerError) in try ledger.allGrants() }
        return try recorded.map { (grant) throws(CLIError) in try GrantReport(grant, in: self) }
    }

    /// The grant whose id begins so.
    func grant(named name: String) throws(CLIError) -> GrantReport {
        let found = try grants().filter { $0.grant.idText.hasPrefix(name.lowercased()) }
        guard let first = found.first, found.count == 1, !name.isEmpty else {
            throw CLIError(
                found.isEmpty
                    ? "there is no grant \"\(VisibleText.escaped(name))\""
                    : "several grants begin with \"\(VisibleText.escaped(name))\"",
                hint: "see \"countersign grant list --all\"")
        }
        return first
    }

    func keyName(_ key: KeyID) -> String {
        let accounts = (try? vault.accounts()) ?? []
        return accounts.first { $0.id == key }?.name ?? "(removed)"
    }

    func uses(of grant: Grant) throws(CLIError) -> Int128 {
        let ledger = try openLedger()
        return try CLIError.wrapping { () throws(LedgerError) in
            try ledger.used(grant.claim(uses: 0), at: SystemEnvironment().now())
        }
    }

    /// What may leave on the word of a grant, and what is left of that.
    func left(of grant: Grant) throws(CLIError) -> [(Outflow, Int128)] {
        let ledger = try openLedger()
        return try grant.totals.map { (total) throws(CLIError) in
            let claim = LimitClaim(
                counter: total.counter, window: .ever, maximum: total.outflow.amount, amount: 0)
            let used = try CLIError.wrapping { () throws(LedgerError) in
                try ledger.used(claim, at: SystemEnvironment().now())
            }
            return (total.outflow, max(0, total.outflow.amount - used))
        }
    }

    /// The rule that says what a grant says.
    func rule(for grant: Grant) throws(CLIError) -> String {
        let schema = adapters.schemas.first { $0.protocolID == grant.scope.protocolID }
        guard let schema else {
            throw CLIError("no adapter speaks \(grant.scope.protocolID)", hint: nil)
        }
        guard let account = try accounts().first(where: { $0.id == grant.scope.key }) else {
            throw CLIError("the key of grant \(grant.idText) was removed", hint: nil)
        }
        return RuleText.rule(for: grant, keyName: account.name, schema: schema)
    }
}

/// A recorded grant as lists and files show it.
struct GrantReport {
    let recorded: RecordedGrant
    let uses: Int128
    /// `active`, `used up`, `ended`, `other session` or `revoked`.
    let state: String

    init(_ recorded: RecordedGrant, in workspace: Workspace) throws(CLIError) {
        self.recorded = recorded
        let grant = recorded.sealed.grant
        uses = try workspace.uses(of: grant)
        state = Self.state(recorded, uses: uses)
    }

    private static func state(_ recorded: RecordedGrant, uses: Int128) -> String {
        let grant = recorded.sealed.grant
        if recorded.revoked != nil { return "revoked" }
        if let expires = grant.expires, expires <= SystemEnvironment().now() { return "ended" }
        if let usesMax = grant.usesMax, uses >= Int128(usesMax) { return "used up" }
        if let session = grant.login, session != Login.of(process: getpid()) {
            return "other session"
        }
        return "active"
    }

    var grant: Grant { recorded.sealed.grant }

    func json(_ workspace: Workspace) -> JSON {
        let words = GrantText(schemas: workspace.adapters.schemas)
        let facts = grant.scope.facts.map { fact -> JSON in
            [
                "name": .string(fact.name),
                "value": .string(words.whole(fact, of: grant.scope)),
            ]
        }
        return [
            "id": .string(grant.idText), "answer": .string(grant.answer.rawValue),
            "state": .string(state), "client": .string(grant.scope.client),
            "proof": .string(grant.scope.proof.rawValue),
            "key": .string(workspace.keyName(grant.scope.key)),
            "protocol": .string(grant.scope.protocolID.name),
            "method": .string(grant.scope.method), "facts": .array(facts),
            "dangers": .array(grant.dangers.map { .string($0.name) }),
            "created": .string(grant.created.utcText),
            "expires": grant.expires.map { .string($0.utcText) } ?? .null,
            "session": .bool(grant.login != nil),
            "uses_max": grant.usesMax.map { .integer($0) } ?? .null,
            "uses": .integer(Int64(clamping: uses)),
            "bounds": .array(
                grant.bounds.map {
                    [
                        "name": .string($0.name),
                        "max": .string(words.whole($0, of: grant.scope)),
                    ]
                }),
            "totals": .array(
                grant.totals.map { total in
                    let asset = total.outflow.asset
                    return [
                        "asset": .string(asset.id), "network": .string(asset.network),
                        "max": .string(asset.text(of: total.outflow.amount)),
                    ]
                }),
        ]
    }
}
