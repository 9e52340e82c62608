// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
public import SigningCrypto
public import SigningPolicy
package import SigningStorage

extension OpenHome {
    /// Makes a change to the vault, after the passphrase: only to the newest there is, and the
    /// ledger knows of it.
    ///
    /// `record` puts on record what has to stand there before.
    package func change<R: ~Copyable>(
        with passphrase: borrowing SecretBytes,
        onceOnRecord record: () throws(ServiceError) -> Void = {},
        _ body: (Vault) throws(VaultError) -> R
    ) throws(ServiceError) -> R {
        let checkpointer = Checkpointer(
            vault: vault, ledger: try openLedger(), environment: SystemEnvironment())
        try ServiceError.wrapping { () throws(VaultError) in
            try vault.unlock(passphrase: passphrase)
        }
        try ServiceError.wrapping { () throws(CheckpointError) in
            try checkpointer.checkBeforeChange()
        }
        try record()
        let result = try ServiceError.wrapping { () throws(VaultError) in try body(vault) }
        try ServiceError.wrapping { () throws(CheckpointError) in try checkpointer.noteVault() }
        return result
    }

    /// Lets an approver key count for nothing, after the passphrase; one that lies here is deleted
    /// once that is on record, so that no key is gone that still counts.
    ///
    /// What was cut off in between leaves a key that counts for nothing: do it again.
    package func retireApprover(
        _ publicKey: [UInt8], _ own: ApproverKey?, _ passphrase: borrowing SecretBytes,
        in ledger: SQLiteLedger
    ) async throws(ServiceError) {
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        try ServiceError.wrapping { () throws(VaultError) in
            try vault.unlock(passphrase: passphrase)
        }
        try ServiceError.wrapping { () throws(CheckpointError) in
            try checkpointer.checkBeforeChange()
        }
        do throws(LedgerError) {
            try await ledger.retireApprover(publicKey, at: SystemEnvironment().now())
        } catch {
            throw error.explained
        }
        guard let own else { return }
        try ServiceError.wrapping { () throws(VaultError) in try vault.remove(own) }
        try ServiceError.wrapping { () throws(CheckpointError) in try checkpointer.noteVault() }
    }

    /// Refuses where vault and record are not of one time; the vault is unlocked.
    package func checkBeforeChange(_ ledger: SQLiteLedger) throws(ServiceError) {
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        try ServiceError.wrapping { () throws(CheckpointError) in
            try checkpointer.checkBeforeChange()
        }
    }

    /// Signs where the audit chain stands, if the vault was unlocked in this run.
    ///
    /// Without it the entries are on record all the same, and the next checkpoint covers them.
    package func checkpointAtExit(_ ledger: SQLiteLedger) throws(ServiceError) {
        try ServiceError.wrapping { () throws(LedgerError) in try ledger.flush() }
        guard vault.isUnlocked else { return }
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        try ServiceError.wrapping { () throws(CheckpointError) in try checkpointer.atExit() }
    }

    /// Opens the vault key for its owner, whatever became of the rest.
    public func unlock(_ passphrase: borrowing SecretBytes) throws(ServiceError) {
        do throws(VaultError) {
            try vault.unlockDespiteDamage(passphrase: passphrase)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Unlocks the vault and puts a policy in force.
    public func attest(
        _ policy: TOMLPolicy, _ source: [UInt8], _ passphrase: borrowing SecretBytes
    ) throws(ServiceError) {
        try unlock(passphrase)
        let ledger = try openLedger()
        let act = try ServiceError.wrapping { () throws(LedgerError) in
            try ledger.catchUp()
            return try ledger.act(puttingInForce: policy.hash, demanding: policy.governance)
        }
        let service = try governance(over: act, in: ledger)
        try putInForce(policy, source, service.alone, in: ledger)
    }

    /// Refuses a policy that could not be put in force, before anybody is asked about it.
    package func checkMayPutInForce(
        _ policy: TOMLPolicy, _ source: [UInt8], in ledger: SQLiteLedger
    ) throws(ServiceError) {
        try checkMayAttest(source, in: ledger)
        try checkCanBeChanged(policy, in: ledger)
    }

    /// Puts a policy in force, on record first, by the owner's word or that of several people; the
    /// vault is unlocked.
    package func putInForce(
        _ policy: TOMLPolicy, _ source: [UInt8], _ consent: ActConsent, in ledger: SQLiteLedger
    ) throws(ServiceError) {
        let now = SystemEnvironment().now()
        try checkMayPutInForce(policy, source, in: ledger)
        do throws(AttestingError) {
            try vault.attest(
                policy: source, hash: policy.hash, demanding: policy.governance, at: now, consent,
                in: ledger)
        } catch {
            throw ServiceError(error)
        }
        try checkpointAtExit(ledger)
    }
}
