// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage
import SigningVault

/// The texts that describe an owner's act to its approvers.
enum GovernanceText {
    /// The text for a new policy with its changes and all changed parts; nil if the changes cannot
    /// be shown.
    static func policy(
        from old: TOMLPolicy?, to new: TOMLPolicy, own: [String]
    ) -> String? {
        var rows = ["put another policy in force"]
        rows.append("  in force  \(old.map { Hex.encode($0.hash.span) } ?? "not readable here")")
        rows.append("  new       \(Hex.encode(new.hash.span))")
        guard let old else {
            rows += ["", "all parts of the new policy:"]
            return (rows + new.document.canonicalParts).joined(separator: "\n")
        }
        let difference = PolicyDifference(
            from: old, to: new, own: own, at: SystemEnvironment().now(),
            pointsMax: Workspace.triedMax)
        rows += ["", "changes:", difference.text, ""]
        rows.append("every part that changes, - before and + after:")
        let parts = difference.changedParts
        guard !parts.isEmpty || old.hash == new.hash else { return nil }
        rows += parts.isEmpty ? ["none"] : parts
        return rows.joined(separator: "\n")
    }

    /// The text for the export of a key's secret.
    static func export(of account: Account, as form: String) -> String {
        var rows = [
            "reveal the secret of a key",
            "  key       \(account.name)", "  protocol  \(account.protocolID)",
            "  account   \(account.address)",
        ]
        if let network = account.network { rows.append("  network   \(network)") }
        if !account.tags.isEmpty {
            rows.append("  tags      \(account.tags.joined(separator: ", "))")
        }
        rows.append(
            "  as        \(form), to the person who runs the command and has the passphrase")
        if form == ExportForm.words.name {
            rows.append(
                "these words reveal EVERY key that was made from them, here or elsewhere, not only "
                    + "this key")
        }
        rows.append(
            "anyone who has the secret can sign anything for this account, without any policy")
        return rows.joined(separator: "\n")
    }

    /// The text for the end of a freeze.
    static func thaw(_ freezes: [Freeze]) -> String {
        var rows = ["allow signing again"]
        for freeze in freezes.prefix(shownFreezesMax) {
            let hub = freeze.hub.map { ", by hub \($0)" } ?? ""
            let why = VisibleText.escaped(freeze.reason)
            rows.append("  frozen    \(freeze.time.utcText)\(hub): \(why)")
        }
        if freezes.count > shownFreezesMax {
            let rest = freezes.count - shownFreezesMax
            let more = freezes.count == Freeze.countMax ? " or more" : ""
            rows.append("  frozen    and \(rest)\(more) times before: countersign audit list")
        }
        return rows.joined(separator: "\n")
    }

    /// The maximum number of freezes shown, the newest first; a reason has at most 512 bytes.
    private static let shownFreezesMax = 20
}

extension Workspace {
    /// Asks the approvers whom the policy in force demands for an act, if any; the vault is
    /// unlocked.
    func consent(
        to act: GovernedAct, in ledger: SQLiteLedger, _ console: Console,
        _ words: (ActDemands) throws -> String
    ) async throws -> (GovernanceQuestions, ActConsent) {
        let questions = try open.governance(over: act, in: ledger)
        guard !questions.wanted.demands.isEmpty else { return (questions, questions.alone) }
        // An act that would fail anyway is refused before a question.
        try open.checkBeforeChange(ledger)
        let text = try words(questions.wanted)
        let reporter = ApproverText.reporter(console)
        let consent = try await StopSignals.run {
            try await questions.ask(text, onWaiting: reporter)
        }
        return (questions, consent)
    }

    /// Puts a policy in force after the approvers agreed whom the old policy demands; runs `before`
    /// just before.
    func putInForce(
        _ policy: TOMLPolicy, _ source: [UInt8], _ console: Console,
        _ before: () throws -> Void = {}
    ) async throws {
        let ledger = try openLedger()
        try open.checkMayPutInForce(policy, source, in: ledger)
        try ledger.catchUp()
        let act = try ledger.act(puttingInForce: policy.hash, demanding: policy.governance)
        let (questions, consent) = try await consent(to: act, in: ledger, console) {
            (wanted) throws in try change(to: policy, from: wanted.policyHash)
        }
        do {
            // The approvers have agreed to exactly this change.
            try before()
            try open.putInForce(policy, source, consent, in: ledger)
        } catch {
            await questions.withdraw(consent)
            throw error
        }
    }

    /// The changes of a policy compared with the policy in force.
    private func change(to policy: TOMLPolicy, from policyHash: [UInt8]) throws -> String {
        let old = try? attestedPolicy()
        guard old == nil || old?.hash == policyHash else {
            throw CLIError(
                "the policy in force in the record is not the policy in force in this vault",
                hint: "run countersign policy sync, then this command again")
        }
        let own = (try? vault.accounts())?.ownAddresses ?? []
        guard let text = GovernanceText.policy(from: old, to: policy, own: own) else {
            throw CLIError(
                "the two policies differ in a way that cannot be shown",
                hint: "also change a rule or a name, so that approvers can see a difference")
        }
        return text
    }

    /// Ends a freeze after the approvers agreed whom the policy in force demands.
    ///
    /// Returns false if no freeze was in force.
    func thaw(_ ledger: SQLiteLedger, _ console: Console) async throws -> Bool {
        try ledger.catchUp()
        let (freezes, isFrozen) = (try ledger.freezes(), try ledger.freezeReason() != nil)
        guard isFrozen else { return false }
        let (questions, consent) = try await consent(
            to: .thaw(freeze: freezes.first?.entryHash ?? []), in: ledger, console
        ) { _ in
            guard !freezes.isEmpty else {
                throw CLIError(
                    "the record no longer contains the entry of this freeze",
                    hint: "run countersign freeze REASON, then countersign thaw")
            }
            return GovernanceText.thaw(freezes)
        }
        do throws(LedgerError) {
            let isThawed = try ledger.thaw(at: SystemEnvironment().now(), consent)
            if !isThawed { await questions.withdraw(consent) }
            return isThawed
        } catch {
            await questions.withdraw(consent)
            throw error
        }
    }
}
