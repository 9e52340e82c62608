// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage

/// What an owner wants to do, as several people are shown it.
enum GovernanceText {
    /// Another policy: what it changes, and every part that is another one, whole.
    static func policy(
        from old: TOMLPolicy?, to new: TOMLPolicy, own: [String]
    ) -> String {
        var rows = ["put another policy in force"]
        rows.append("  in force  \(old.map { Hex.encode($0.hash.span) } ?? "not readable here")")
        rows.append("  new       \(Hex.encode(new.hash.span))")
        guard let old else {
            rows += ["", "all parts of the new one:"]
            return (rows + new.document.canonicalParts).joined(separator: "\n")
        }
        let difference = PolicyDifference(
            from: old, to: new, own: own, at: SystemEnvironment().now(),
            pointsMax: Workspace.triedMax)
        rows += ["", "what it changes:", difference.text, ""]
        rows.append("every part that changes, - as it is and + as it would be:")
        let parts = difference.changedParts
        rows += parts.isEmpty ? ["none"] : parts
        return rows.joined(separator: "\n")
    }

    /// The secret of a key.
    static func export(of account: Account, as form: String) -> String {
        var rows = [
            "write out the secret of a key",
            "  key       \(account.name)", "  protocol  \(account.protocolID)",
            "  account   \(account.address)",
        ]
        if let network = account.network { rows.append("  network   \(network)") }
        if !account.tags.isEmpty {
            rows.append("  tags      \(account.tags.joined(separator: ", "))")
        }
        rows.append("  as        \(form), to whoever runs the command and has the passphrase")
        rows.append("whoever has it can sign anything for this account, and no policy judges that")
        return rows.joined(separator: "\n")
    }

    /// The end of a freeze.
    static func thaw(_ freezes: [Freeze], reason: String) -> String {
        var rows = ["let signing go on"]
        for freeze in freezes {
            let hub = freeze.hub.map { ", by hub \($0)" } ?? ""
            let why = VisibleText.escaped(freeze.reason)
            rows.append("  frozen    \(freeze.time.utcText)\(hub): \(why)")
        }
        if freezes.isEmpty {
            rows.append("  frozen    \(VisibleText.escaped(reason))")
            rows.append("  when      before the record was archived")
        }
        if freezes.count == Freeze.countMax { rows.append("  frozen    and more often before") }
        return rows.joined(separator: "\n")
    }
}

extension Workspace {
    /// Lets the people say yes whom the policy in force demands for an act, if any; the vault is
    /// unlocked.
    func consent(
        to act: GovernedAct, in ledger: SQLiteLedger, _ console: Console,
        _ words: () throws(CLIError) -> String
    ) async throws(CLIError) -> (GovernanceDesk, ActConsent) {
        let desk = try CLIError.wrapping { () throws(ServiceError) in
            try open.governance(over: act, in: ledger)
        }
        guard !desk.wanted.demands.isEmpty else { return (desk, desk.alone) }
        let text = try words()
        let told = ApproverText.told(console)
        do throws(ServiceError) {
            let consent = try await StopSignals.run { () async throws(ServiceError) in
                try await desk.ask(text, told: told)
            }
            return (desk, consent)
        } catch {
            throw CLIError(error)
        }
    }

    /// Puts a policy in force, once those said yes whom the one in force demands; `before` is done
    /// just before it is.
    func putInForce(
        _ policy: TOMLPolicy, _ source: [UInt8], _ console: Console,
        _ before: () throws(CLIError) -> Void = {}
    ) async throws(CLIError) {
        let ledger = try openLedger()
        try CLIError.wrapping { () throws(ServiceError) in
            try open.checkMayPutInForce(policy, source, in: ledger)
        }
        let own = (try? vault.accounts())?.ownAddresses ?? []
        let (desk, consent) = try await consent(
            to: .policy(hash: policy.hash), in: ledger, console
        ) { GovernanceText.policy(from: try? attestedPolicy(), to: policy, own: own) }
        do throws(CLIError) {
            try before()
            try CLIError.wrapping { () throws(ServiceError) in
                try open.putInForce(policy, source, consent, in: ledger)
            }
        } catch {
            await desk.withdraw(consent)
            throw error
        }
    }

    /// Ends a freeze, once those said yes whom the policy in force demands.
    func thaw(_ ledger: SQLiteLedger, _ console: Console) async throws(CLIError) {
        let (freezes, reason) = try CLIError.wrapping { () throws(LedgerError) in
            try ledger.catchUp()
            return (try ledger.freezes(), try ledger.freezeReason())
        }
        guard let reason else { return }
        let (desk, consent) = try await consent(
            to: .thaw(freeze: freezes.first?.entryHash ?? []), in: ledger, console
        ) { GovernanceText.thaw(freezes, reason: reason) }
        do throws(LedgerError) {
            try ledger.thaw(at: SystemEnvironment().now(), consent)
        } catch {
            await desk.withdraw(consent)
            throw CLIError(error)
        }
    }
}
