// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles
package import SigningVault

/// An error when vault and ledger are compared, or when a checkpoint is made.
package enum CheckpointError: Error, Hashable, Sendable {
    /// The vault is locked, has lost its last checkpoint, or could not sign or store one.
    case vault(VaultError)
    /// The ledger could not be read, or its chain lacks the entry of the last checkpoint.
    case ledger(LedgerError)
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
    package func check() throws(CheckpointError) {
        // This hub's copy of a shared record may be older than its vault. If the shared log cannot
        // be reached, the copy is used unchanged.
        _ = try? ledger.catchUp()
        let isShared = try inLedger { () throws(LedgerError) in try ledger.isShared() }
        let wasShared = try inVault { () throws(VaultError) in try vault.sharesRecord() }
        guard isShared || !wasShared else {
            throw .ledger(
                .unavailable(
                    "this home shares its record with other hubs, but this ledger.db is not a copy "
                        + "of that record"))
        }
        let (last, _) = try ends()
        let walk = try walk(after: last)
        try checkPolicy(walk.attesting)
    }

    /// Throws if the ledger contains proof of a newer state of the vault; call this method before
    /// the vault is changed.
    package func checkBeforeChange() throws(CheckpointError) {
        let key = try inVault { () throws(VaultError) in try vault.logPublicKey() }
        let (known, newest) = try inLedger { () throws(LedgerError) in
            (
                try ledger.vaultGeneration(signedBy: key),
                try ledger.newestCheckpoint(signedBy: key)
            )
        }
        let held = try inVault { () throws(VaultError) in try vault.stateNumbers() }
        guard known <= held.generation, newest?.sequence ?? 0 <= held.checkpoint else {
            throw .olderVault
        }
    }

    /// Stores the number of the vault's current state in the ledger; call this method after the
    /// vault was changed.
    package func noteVault() throws(CheckpointError) {
        let (key, current) = try inVault { () throws(VaultError) in
            (try vault.logPublicKey(), try vault.stateNumbers().generation)
        }
        let known = try inLedger { () throws(LedgerError) in
            try ledger.vaultGeneration(signedBy: key)
        }
        guard known < current else { return }
        let (generation, signature) = try inVault { () throws(VaultError) in
            try vault.signState()
        }
        try inLedger { () throws(LedgerError) in
            try ledger.keep(vaultGeneration: generation, signature: signature)
        }
    }

    /// Stores the vault's last checkpoint in the ledger too.
    func keepLast() throws(CheckpointError) {
        let last = try inVault { () throws(VaultError) in try vault.checkedLastCheckpoint() }
        try inLedger { () throws(LedgerError) in try ledger.keep(last) }
    }

    /// Makes a checkpoint if one is due; call this method after each request.
    package func afterRequest() throws(CheckpointError) {
        try checkpoint(minimum: Self.entriesMax)
    }

    /// Makes a checkpoint if the last one does not cover all entries; call this method at exit.
    package func atExit() throws(CheckpointError) {
        try checkpoint(minimum: 1)
        try noteVault()
    }

    private func checkpoint(minimum: Int64) throws(CheckpointError) {
        let (last, end) = try ends()
        guard end.sequence - last.sequence >= minimum else { return }
        // Without the check, the signature could cover a chain that was rewritten since the last
        // checkpoint.
        let walk = try walk(after: last)
        let checkpoint = try inVault { () throws(VaultError) in
            try vault.signCheckpoint(walk.head, at: environment.now())
        }
        try inVault { () throws(VaultError) in
            try vault.keep(checkpoint, revoking: walk.revoked.mapValues(\.given))
        }
        let until = try inVault { () throws(VaultError) in try vault.revokedUntil() }
        try inLedger { () throws(LedgerError) in
            try ledger.keep(checkpoint)
            if let until { try ledger.revoke(givenUntil: until, at: environment.now()) }
        }
    }

    /// The vault's last checkpoint, and the last entry of the chain.
    ///
    /// Throws if the chain does not contain the checkpoint's entry.
    private func ends() throws(CheckpointError) -> (AuditCheckpoint, AuditHead) {
        let last = try inVault { () throws(VaultError) in try vault.checkedLastCheckpoint() }
        let end = try inLedger { () throws(LedgerError) in try ledger.head(holding: last) }
        try checkBeforeChange()
        return (last, end)
    }

    private func walk(after last: AuditCheckpoint) throws(CheckpointError) -> LedgerWalk {
        let key = try inVault { () throws(VaultError) in try vault.logPublicKey() }
        return try inLedger { () throws(LedgerError) in
            try ledger.walk(after: last, logPublicKey: key)
        }
    }

    /// Throws unless the newest policy entry is the one that the sealed policy names.
    ///
    /// For entries up to the last checkpoint, the policy mark of the ledger is trusted: the vault's
    /// seal covers both the checkpoint and the policy that was in force when it was made.
    private func checkPolicy(_ attested: AttestingEntry?) throws(CheckpointError) {
        let policy = try inVault { () throws(VaultError) in try vault.sealedContent().policy }
        guard let policy, policy.sequence != 0 else {
            return try bind(policy, to: attested)
        }
        let (entry, mark) = try inLedger {
            () throws(LedgerError) -> (AttestingEntry?, Int64?) in
            let named = try ledger.attesting(at: policy.sequence)
            return (attested ?? named, try ledger.policyMarkSequence())
        }
        guard let entry, entry.sequence == policy.sequence, entry.head.hash == policy.entryHash,
            entry.policyHash == policy.hash, mark == policy.sequence
        else { throw .olderPolicy }
    }

    /// Binds the vault's policy to the newest policy entry, which must have the same hash.
    ///
    /// Needed once for a policy from before such entries were signed.
    private func bind(
        _ policy: AttestedPolicy?, to attested: AttestingEntry?
    ) throws(CheckpointError) {
        let newest = try inLedger { () throws(LedgerError) -> AttestingEntry? in
            if let attested { return attested }
            return try ledger.newestAttesting()
        }
        guard newest?.policyHash == policy?.hash else { throw .olderPolicy }
        guard let policy, let newest else { return }
        try inLedger { () throws(LedgerError) in try ledger.mark(newest) }
        try inVault { () throws(VaultError) in try vault.bind(policy, to: newest.head) }
    }

    private func inVault<R>(_ body: () throws(VaultError) -> R) throws(CheckpointError) -> R {
        do throws(VaultError) { return try body() } catch { throw .vault(error) }
    }

    private func inLedger<R>(_ body: () throws(LedgerError) -> R) throws(CheckpointError) -> R {
        do throws(LedgerError) { return try body() } catch { throw .ledger(error) }
    }
}
