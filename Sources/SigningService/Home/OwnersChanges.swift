// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
public import SigningCrypto
internal import SigningFiles
public import SigningPolicy
package import SigningStorage
package import SigningVault

extension OpenHome {
    /// Returns the checkpointer of the vault and its ledger.
    func checkpointer(of ledger: SQLiteLedger) -> Checkpointer {
        Checkpointer(vault: vault, ledger: ledger, environment: SystemEnvironment())
    }

    /// Changes the vault, after the passphrase.
    ///
    /// It refuses an outdated vault, and the ledger records the change. `record` writes entries
    /// that must precede the change.
    package func change<R: ~Copyable>(
        with passphrase: borrowing SecretBytes,
        onceOnRecord record: () throws -> Void = {},
        _ body: (Vault) throws -> R
    ) throws -> R {
        let checkpointer = checkpointer(of: try openLedger())
        try vault.unlock(passphrase: passphrase)
        try checkpointer.checkBeforeChange()
        try record()
        let result = try body(vault)
        try checkpointer.noteVault()
        return result
    }

    /// Retires an approver key, after the passphrase.
    ///
    /// A key of this home is deleted once its retirement is on record, so that a deleted key never
    /// counts. After an interruption the key may remain without counting; call this again.
    package func retireApprover(
        _ publicKey: [UInt8], _ own: ApproverKey?, _ passphrase: borrowing SecretBytes,
        in ledger: SQLiteLedger
    ) async throws {
        let checkpointer = checkpointer(of: ledger)
        try vault.unlock(passphrase: passphrase)
        try checkpointer.checkBeforeChange()
        try await ledger.retireApprover(publicKey, at: SystemEnvironment().now())
        guard let own else { return }
        try vault.remove(own)
        try checkpointer.noteVault()
    }

    /// Refuses if vault and record are of different states; needs an unlocked vault.
    package func checkBeforeChange(_ ledger: SQLiteLedger) throws {
        try checkpointer(of: ledger).checkBeforeChange()
    }

    /// Signs a checkpoint of the audit chain if the vault was unlocked in this run.
    ///
    /// Without it the entries remain on record, and the next checkpoint covers them.
    package func checkpointAtExit(_ ledger: SQLiteLedger) throws {
        try ledger.flush()
        guard vault.isUnlocked else { return }
        try checkpointer(of: ledger).atExit()
    }

    /// Unlocks the vault key for its owner, even if other parts of the home are damaged.
    public func unlock(_ passphrase: borrowing SecretBytes) throws(ServiceError) {
        do {
            try vault.unlockDespiteDamage(passphrase: passphrase)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Unlocks the vault and puts a policy in force.
    public func attest(
        _ policy: TOMLPolicy, _ source: [UInt8], _ passphrase: borrowing SecretBytes
    ) throws(ServiceError) {
        do {
            try unlock(passphrase)
            let ledger = try openLedger()
            try ledger.catchUp()
            let act = try ledger.act(puttingInForce: policy.hash, demanding: policy.governance)
            let service = try governance(over: act, in: ledger)
            try putInForce(policy, source, service.alone, in: ledger)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Refuses a policy that could not be put in force, before any person is asked about it.
    package func checkMayPutInForce(
        _ policy: TOMLPolicy, _ source: [UInt8], in ledger: SQLiteLedger
    ) throws {
        try checkMayAttest(source, in: ledger)
        try checkCanBeChanged(policy, in: ledger)
    }

    /// Records a policy and puts it in force, with the consent of the owner or of several people;
    /// needs an unlocked vault.
    package func putInForce(
        _ policy: TOMLPolicy, _ source: [UInt8], _ consent: ActConsent, in ledger: SQLiteLedger
    ) throws {
        let now = SystemEnvironment().now()
        try checkMayPutInForce(policy, source, in: ledger)
        try vault.attest(
            policy: source, hash: policy.hash, demanding: policy.governance, at: now, consent,
            in: ledger)
        try checkpointAtExit(ledger)
    }
}
