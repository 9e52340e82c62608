// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningCrypto
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
    ///
    /// `failures` are the tests and assertions that fail and that the owner accepts.
    static func policy(
        from old: TOMLPolicy?, to new: TOMLPolicy, despite failures: [String] = [],
        held: [Account] = []
    ) -> String? {
        var rows = ["put another policy in force"]
        rows.append("  in force  \(old.map { Hex.encode($0.hash.span) } ?? "not readable here")")
        rows.append("  new       \(Hex.encode(new.hash.span))")
        if !failures.isEmpty {
            rows += ["", "put in force although these fail:"] + failures.map { "  \($0)" }
        }
        guard let old else {
            rows += ["", "all parts of the new policy:"]
            return (rows + new.document.canonicalParts).joined(separator: "\n")
        }
        let comparison = PolicyComparison(from: old, to: new, held: held)
        rows += ["", "changes:", comparison.text, ""]
        rows.append("every part that changes, - before and + after:")
        let parts = comparison.changes.changedParts
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
}

extension Workspace {
    /// Returns the consent to an act; asks the approvers whom the policy in force demands, if any.
    ///
    /// The vault is unlocked.
    func consent(
        to act: GovernedAct, in ledger: SQLiteLedger, _ console: Console,
        _ text: (ActDemands) throws -> String
    ) async throws -> (GovernanceQuestions, ActConsent) {
        try await open.consent(to: act, in: ledger, ApproverText.asking(console), text)
    }

    /// Puts a policy in force, after the passphrase and after the approvers agreed whom the old
    /// policy demands; runs `onceAgreed` just before.
    func putInForce(
        _ policy: TOMLPolicy, _ source: [UInt8], despite failures: [String] = [],
        with passphrase: borrowing SecretBytes,
        _ console: Console, _ onceAgreed: @escaping @Sendable () throws -> Void = {}
    ) async throws {
        let new = NewPolicy(
            policy, source,
            text: { wanted in try change(to: policy, from: wanted.policyHash, despite: failures) },
            onceAgreed: onceAgreed)
        try await perform(OwnerActs.policyAttest, new, with: passphrase, console)
    }

    /// The changes of a policy compared with the policy in force.
    private func change(
        to policy: TOMLPolicy, from policyHash: [UInt8], despite failures: [String]
    ) throws -> String {
        let old = try? attestedPolicy()
        guard old == nil || old?.hash == policyHash else {
            throw ServiceError(
                "the policy in force in the record is not the policy in force in this vault",
                hint: "run countersign policy sync, then this command again")
        }
        let held = try accounts()
        guard
            let text = GovernanceText.policy(
                from: old, to: policy, despite: failures, held: held)
        else {
            throw ServiceError(
                "the two policies differ in a way that cannot be shown",
                hint: "also change a rule or a name, so that approvers can see a difference")
        }
        return text
    }
}
