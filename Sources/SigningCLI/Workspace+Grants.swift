// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningPolicyTools
import SigningStorage

extension Workspace {
    /// Every grant on record, oldest first.
    func grants() throws(CLIError) -> [RecordedGrant] {
        let ledger = try openLedger()
        return try CLIError.wrapping { () throws(LedgerError) in try ledger.allGrants() }
    }

    /// The grant whose id begins so.
    func grant(named name: String) throws(CLIError) -> RecordedGrant {
        let found = try grants().filter { $0.sealed.grant.idText.hasPrefix(name.lowercased()) }
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

    /// The rule that says what a grant says.
    func rule(for grant: Grant) throws(CLIError) -> String {
        let schema = adapters.schemas.first { $0.protocolID == grant.scope.protocolID }
        guard let schema else {
            throw CLIError("no adapter speaks \(grant.scope.protocolID)", hint: nil)
        }
        return RuleText.rule(for: grant, keyName: keyName(grant.scope.key), schema: schema)
    }
}

extension RecordedGrant {
    /// `active`, `ended` or `revoked`.
    func state(at time: Timestamp) -> String {
        if revoked != nil { return "revoked" }
        let isOver = sealed.grant.expires.map { $0 <= time } ?? false
        return isOver ? "ended" : "active"
    }

    func json(_ workspace: Workspace, at time: Timestamp) throws(CLIError) -> JSON {
        let grant = sealed.grant
        let facts = grant.scope.facts.map { fact -> JSON in
            ["name": .string(fact.name), "value": .string(GrantText.shown(fact.value))]
        }
        return [
            "id": .string(grant.idText), "answer": .string(grant.answer.rawValue),
            "state": .string(state(at: time)), "client": .string(grant.scope.client),
            "proof": .string(grant.scope.proof.rawValue),
            "key": .string(workspace.keyName(grant.scope.key)),
            "protocol": .string(grant.scope.protocolID.name),
            "method": .string(grant.scope.method), "facts": .array(facts),
            "dangers": .array(grant.dangers.map { .string($0.name) }),
            "created": .string(grant.created.utcText),
            "expires": grant.expires.map { .string($0.utcText) } ?? .null,
            "session": .bool(grant.session != nil),
            "uses_max": grant.usesMax.map { .integer($0) } ?? .null,
            "uses": .string(String(try workspace.uses(of: grant))),
        ]
    }
}
