// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles
package import SigningVault

/// A difference between vault and ledger, or an invalid chain.
package enum CheckpointError: Error, Hashable, Sendable {
    /// The audit chain is not valid, or lacks the entry of the last checkpoint.
    case brokenChain(String)
    /// The ledger contains proof of a newer state of the vault: the vault was rolled back.
    case olderVault
    /// The policy in the vault is not the one that was attested last.
    case olderPolicy
}

/// Compares vault and ledger to notice a rollback of either, and signs checkpoints of the audit
/// chain regularly and at exit.
package struct Checkpointer: Sendable {
    /// The number of entries after which a new checkpoint is due.
    package static let entriesMax: Int64 = 64

    private let vault: Vault
    private let ledger: SQLiteLedger
    private let environment: any HubEnvironment

    /// Creates a checkpointer for a vault and its ledger.
    package init(vault: Vault, ledger: SQLiteLedger, environment: any HubEnvironment) {
        self.vault = vault
        self.ledger = ledger
        self.environment = environment
    }

    /// Throws if vault or ledger was rolled back to an older state.
    ///
    /// An older state would lack uses of limits, removals of keys, or a stricter policy. Call this
    /// method after unlocking, before a key is used. It checks the entries after the last
    /// checkpoint, not the whole chain.
    package func check() throws {
        // This hub's copy of a shared record may be older than its vault. If the shared log cannot
        // be reached, the copy is used unchanged.
        _ = try? ledger.catchUp()
        try ledger.checkFormat()
        let isShared = try ledger.isShared()
        let wasShared = try vault.sharesRecord()
        guard isShared || !wasShared else {
            throw LedgerError.unavailable(
                "this home shares its record with other hubs, but this ledger.db is not a copy "
                    + "of that record")
        }
        let (last, _) = try ends()
        let walk = try walk(after: last)
        try checkPolicy(walk.attesting)
    }

    /// Throws if the ledger contains proof of a newer state of the vault; call this method before
    /// the vault is changed.
    package func checkBeforeChange() throws {
        let key = try vault.logPublicKey()
        let known = try ledger.vaultGeneration(signedBy: key)
        let newest = try ledger.newestCheckpoint(signedBy: key)
        let held = try vault.stateNumbers()
        guard known <= held.generation, newest?.sequence ?? 0 <= held.checkpoint else {
            throw CheckpointError.olderVault
        }
    }

    /// Stores the number of the vault's current state in the ledger; call this method after the
    /// vault was changed.
    package func noteVault() throws {
        let (key, current) = (try vault.logPublicKey(), try vault.stateNumbers().generation)
        let known = try ledger.vaultGeneration(signedBy: key)
        guard known < current else { return }
        let (generation, signature) = try vault.signState()
        try ledger.keep(vaultGeneration: generation, signature: signature)
    }

    /// Stores the vault's last checkpoint in the ledger too.
    func keepLast() throws {
        try ledger.keep(try vault.checkedLastCheckpoint())
    }

    /// Makes a checkpoint if one is due; call this method after each request.
    package func afterRequest() throws {
        try checkpoint(minimum: Self.entriesMax)
    }

    /// Makes a checkpoint if the last one does not cover all entries; call this method at exit.
    package func atExit() throws {
        try checkpoint(minimum: 1)
        try noteVault()
    }

    private func checkpoint(minimum: Int64) throws {
        let (last, end) = try ends()
        guard end.sequence - last.sequence >= minimum else { return }
        // Without the check, the signature could cover a chain that was rewritten since the last
        // checkpoint.
        let walk = try walk(after: last)
        let checkpoint = try vault.signCheckpoint(walk.head, at: environment.now())
        try vault.keep(checkpoint, revoking: walk.revoked.mapValues(\.given))
        let until = try vault.revokedUntil()
        try ledger.keep(checkpoint)
        if let until { try ledger.revoke(givenUntil: until, at: environment.now()) }
    }

    /// The vault's last checkpoint, and the last entry of the chain.
    ///
    /// Throws if the chain does not contain the checkpoint's entry.
    private func ends() throws -> (AuditCheckpoint, AuditHead) {
        let last = try vault.checkedLastCheckpoint()
        let end = try ledger.head(holding: last)
        try checkBeforeChange()
        return (last, end)
    }

    private func walk(after last: AuditCheckpoint) throws -> LedgerWalk {
        try ledger.walk(after: last, logPublicKey: try vault.logPublicKey())
    }

    /// Throws unless the newest policy entry is the one that the sealed policy names.
    ///
    /// For entries up to the last checkpoint, the policy mark of the ledger is trusted: the vault's
    /// seal covers both the checkpoint and the policy that was in force when it was made.
    private func checkPolicy(_ attested: AttestingEntry?) throws {
        let policy = try vault.sealedContent().policy
        guard let policy, policy.sequence != 0 else {
            return try bind(policy, to: attested)
        }
        let entry = try attested ?? ledger.attesting(at: policy.sequence)
        let mark = try ledger.policyMarkSequence()
        guard let entry, entry.sequence == policy.sequence, entry.head.hash == policy.entryHash,
            entry.policyHash == policy.hash, mark == policy.sequence
        else { throw CheckpointError.olderPolicy }
    }

    /// Binds the vault's policy to the newest policy entry, which must have the same hash.
    ///
    /// Needed once for a policy from before such entries were signed.
    private func bind(_ policy: AttestedPolicy?, to attested: AttestingEntry?) throws {
        let newest = try attested ?? ledger.newestAttesting()
        guard newest?.policyHash == policy?.hash else { throw CheckpointError.olderPolicy }
        guard let policy, let newest else { return }
        try ledger.mark(newest)
        try vault.bind(policy, to: newest.head)
    }
}
