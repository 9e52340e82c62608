// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage
import SigningVault
import SigningWires
import Socket

extension Workspace {
    /// The grants that count in this login, or every grant on record, oldest first.
    func grants(includingEnded: Bool) throws -> [GrantReport] {
        let login = Login.of(process: getpid()) ?? ""
        return try perform(
            OwnerActs.grantList, GrantListing(includesEnded: includingEnded, login: login))
    }

    /// The grant whose id begins with a text.
    func grant(named name: String) throws -> GrantReport {
        let found = try grants(includingEnded: true).filter {
            $0.grant.idText.hasPrefix(name.lowercased())
        }
        guard let first = found.first, found.count == 1, !name.isEmpty else {
            throw CLIError(
                found.isEmpty
                    ? "unknown grant \"\(VisibleText.quotable(name))\""
                    : "several grants begin with \"\(VisibleText.quotable(name))\"",
                hint: "see \"countersign grant list --all\"")
        }
        return first
    }

    func keyName(_ key: KeyID) -> String {
        let accounts = (try? vault.accounts()) ?? []
        return accounts.first { $0.id == key }?.name ?? "(removed)"
    }

    /// The total outflow that a grant allows, and the remainder.
    func left(of grant: Grant) throws -> [(Outflow, Int128)] {
        let ledger = try openLedger()
        return try grant.totals.map { total in
            let claim = LimitClaim(
                counter: total.counter, window: grant.window, maximum: total.outflow.amount,
                amount: 0)
            let used = try ledger.used(claim, at: SystemEnvironment().now())
            return (total.outflow, max(0, total.outflow.amount - used))
        }
    }

    /// The rule that allows no more than what is left of a grant, with its test.
    func rule(for report: GrantReport, among all: [GrantReport]) throws -> String {
        let grant = report.grant
        let schema = adapters.schemas.first { $0.protocolID == grant.scope.protocolID }
        guard let schema else {
            throw CLIError("no adapter supports \(grant.scope.protocolID)", hint: nil)
        }
        guard let account = try accounts().first(where: { $0.id == grant.scope.key }) else {
            throw CLIError("the key of grant \(grant.idText) was removed", hint: nil)
        }
        let counters = Set(grant.totals.map(\.counter))
        let left = GrantRemainder(
            uses: grant.usesMax.map {
                max(0, $0 - Int64(clamping: grant.per == nil ? report.uses : 0))
            },
            totals: try left(of: grant).map(\.1),
            isShared: all.contains { other in
                other.grant.id != grant.id
                    && other.grant.totals.contains { counters.contains($0.counter) }
            },
            time: SystemEnvironment().now())
        do throws(GrantRuleError) {
            return try GrantRule(grant, keyName: account.name, schema: schema, left: left).text
        } catch {
            throw CLIError(
                "grant \(grant.idText) cannot be a rule: \(error.text)",
                hint: "see \"countersign grant show \(grant.idText)\"")
        }
    }
}

extension GrantReport {
    func json(_ workspace: Workspace) -> JSON {
        json(
            keyName: workspace.keyName(grant.scope.key),
            called: workspace.open.clientNames.name(of: grant.scope.client, by: grant.scope.proof),
            GrantText(schemas: workspace.adapters.schemas))
    }
}
