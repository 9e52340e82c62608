// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto

/// The owner's way back, with the passphrase and on record: for a vault that was damaged or put
/// back from a backup, and for a clock that once ran ahead.
package struct HomeRepair: Sendable {
    private let vault: Vault
    private let ledger: SQLiteLedger

    /// Repairs a vault that was unlocked, despite damage or without any, and its ledger.
    package init(vault: Vault, ledger: SQLiteLedger) {
        self.vault = vault
        self.ledger = ledger
    }

    /// Makes what the vault holds now, and where the record ends now, what counts.
    ///
    /// The record itself must hang together; nobody can vouch for one that does not.
    package func repairVault(at time: Timestamp) throws(CheckpointError) -> VaultRepair {
        let publicKey = try Self.inVault { () throws(VaultError) in try vault.logPublicKey() }
        try Self.inLedger { () throws(LedgerError) in try ledger.checkHangsTogether(publicKey) }
        let key = try Self.inVault { () throws(VaultError) in
            try vault.openLogKeyOfAnyVersion()
        }
        try Self.inLedger { () throws(LedgerError) in
            try ledger.recordRepair(of: "vault", at: time, signedBy: key)
        }
        return try makeVaultCount(at: time)
    }

    /// Seals the vault as it is, at the place where the record ends.
    func makeVaultCount(at time: Timestamp) throws(CheckpointError) -> VaultRepair {
        let publicKey = try Self.inVault { () throws(VaultError) in try vault.logPublicKey() }
        let (walk, known) = try Self.inLedger { () throws(LedgerError) in
            var walk = try ledger.walk(after: nil, logPublicKey: nil)
            try ledger.takeBackAgain(walk.revoked.mapValues(\.time))
            // The entries of some are archived.
            for grant in try ledger.allGrants() {
                guard let time = grant.revoked else { continue }
                let answer = grant.sealed.grant
                walk.revoked[answer.id] = Revocation(at: time, of: answer)
            }
            return (walk, (try? ledger.vaultGeneration(signedBy: publicKey)) ?? 0)
        }
        let repair = try Self.inVault { () throws(VaultError) in
            try vault.repair(
                to: walk.head, at: time, revoked: walk.revoked.mapValues(\.given), above: known)
        }
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        try checkpointer.keepLast()
        try checkpointer.noteVault()
        return repair
    }

    /// Puts the latest time that counts back to `now`; false where it is not ahead of it.
    ///
    /// What was used of limits counts as used now, and remembered answers that were given in the
    /// future are taken back.
    package func repairClock(to now: Timestamp) throws(CheckpointError) -> Bool {
        let key = try Self.inVault { () throws(VaultError) in try vault.openLogKey() }
        return try Self.inLedger { () throws(LedgerError) in
            try ledger.repairClock(to: now, signedBy: key)
        }
    }

    static func inVault<R: ~Copyable>(
        _ body: () throws(VaultError) -> R
    ) throws(CheckpointError) -> R {
        do throws(VaultError) { return try body() } catch { throw .vault(error) }
    }

    static func inLedger<R>(_ body: () throws(LedgerError) -> R) throws(CheckpointError) -> R {
        do throws(LedgerError) { return try body() } catch { throw .ledger(error) }
    }
}

extension SQLiteLedger {
    /// Refuses a record whose entries do not follow from one another, or that does not hold
    /// what its own newest checkpoint covers.
    func checkHangsTogether(_ logPublicKey: [UInt8]) throws(LedgerError) {
        _ = try walk(after: nil, logPublicKey: nil)
        if let newest = try newestCheckpoint(signedBy: logPublicKey) {
            _ = try head(holding: newest)
        }
    }

    /// Takes back what the chain says was taken back, whatever the table says by now.
    func takeBackAgain(_ revoked: [[UInt8]: Timestamp]) throws(LedgerError) {
        guard !revoked.isEmpty else { return }
        try database.write { access throws(LedgerError) in
            for (id, time) in revoked {
                try access.run(
                    "UPDATE grants SET revoked = ? WHERE id = ?", .integer(time.seconds),
                    .bytes(id))
            }
        }
    }

    /// Writes that the owner repairs something.
    func recordRepair(
        of what: String, at now: Timestamp, signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            let time = max(now, try access.timeFloor())
            let statement = LogStatement.repair(
                what: what, time: time, after: try access.auditHead())
            let record = AuditRecord(
                repairing: what, at: now, signature: try statement.signed(by: key))
            _ = try access.append(record, at: time)
        }
    }
}
