// SPDX-License-Identifier: Apache-2.0

package import SigningPolicy
package import SigningStorage
internal import SigningVault

/// A policy that another hub put in force.
package struct NewerPolicy: Sendable {
    /// The policy.
    package let policy: TOMLPolicy
    /// The policy text in the record.
    package let text: PolicyText
}

extension OpenHome {
    /// Returns the policy in the record if it differs from the vault's; nil if it is the same.
    package func newerPolicy(in ledger: SQLiteLedger) throws -> NewerPolicy? {
        let (key, attested) = (try vault.logPublicKey(), try vault.attestedPolicy())
        let recorded = try ledger.lastAttestedHash()
        guard recorded != attested?.hash else { return nil }
        let text = try ledger.policyText(signedBy: key)
        guard let text else {
            throw ServiceError(
                "the record does not contain the text of the policy that was attested last",
                hint: "check policy.toml, then countersign policy attest")
        }
        let loaded = PolicyLoading(
            text.source, fileName: "policy.toml", adapters: adapters, isInForce: true)
        guard let policy = loaded.policy, policy.hash == text.hash else {
            throw ServiceError(
                "this version cannot read the policy that was attested last: \(loaded.mistakes)",
                hint: "update countersign on this hub to the version of the hub that attested it")
        }
        // If record and policy demand different people, the hub that wrote the record is not
        // trusted.
        guard policy.governance == text.governance else {
            throw ServiceError(
                "the record names other approvers for the policy attested last than the policy "
                    + "itself",
                hint: "do not put it in force; see SECURITY.md, Several people")
        }
        return NewerPolicy(policy: policy, text: text)
    }

    /// Refuses a policy that other hubs could not take over.
    ///
    /// It also refuses to replace another hub's policy that was not taken over here.
    func checkMayAttest(_ source: [UInt8], in ledger: SQLiteLedger) throws {
        let isShared = try ledger.catchUp()
        guard isShared else { return }
        guard source.count <= PolicyText.bytesMax else { throw Self.tooLongToShare }
        guard try newerPolicy(in: ledger) == nil else {
            throw ServiceError(
                "another hub has put a different policy in force",
                hint: "run countersign policy sync, then change that policy")
        }
    }

    /// Puts a policy of another hub in force here; the vault is unlocked.
    package func adopt(_ newer: NewerPolicy, in ledger: SQLiteLedger) throws {
        try vault.adopt(newer.text)
        try checkpointAtExit(ledger)
    }
}
