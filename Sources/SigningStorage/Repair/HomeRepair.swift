// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles
package import SigningVault

/// Repairs that only the owner can make, with the passphrase, and that are recorded: of a damaged
/// or restored vault, and of a time on record that is in the future.
package struct HomeRepair: Sendable {
    private let vault: Vault
    private let ledger: SQLiteLedger

    /// Creates a repair of a vault and its ledger; the vault must be unlocked and may be damaged.
    package init(vault: Vault, ledger: SQLiteLedger) {
        self.vault = vault
        self.ledger = ledger
    }

    /// Accepts the current content of the vault as valid, together with the current record.
    ///
    /// Throws if the entries of the record are not a valid chain.
    package func repairVault(at time: Timestamp) throws -> VaultRepair {
        let publicKey = try vault.logPublicKey()
        try ledger.checkChain(publicKey)
        let key = try vault.openLogKeyOfAnyVersion()
        try ledger.recordRepair(of: "vault", at: time, signedBy: key)
        return try acceptVault(at: time)
    }

    /// Seals the current content of the vault, with a checkpoint for the last entry of the record.
    func acceptVault(at time: Timestamp) throws -> VaultRepair {
        let publicKey = try vault.logPublicKey()
        var walk = try ledger.walk(after: nil, logPublicKey: nil)
        try ledger.revokeAgain(walk.revoked.mapValues(\.time))
        // The walk reads no archived entries, so the table supplies the revocations in them.
        for grant in try ledger.allGrants() {
            guard let time = grant.revoked else { continue }
            let answer = grant.sealed.grant
            walk.revoked[answer.id] = Revocation(at: time, of: answer)
        }
        let known = (try? ledger.vaultGeneration(signedBy: publicKey)) ?? 0
        let repair = try vault.repair(
            to: walk.head, at: time, revoked: walk.revoked.mapValues(\.given), above: known)
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        try checkpointer.keepLast()
        try checkpointer.noteVault()
        return repair
    }

    /// Sets the time floor of the ledger back to `now`; false if it is not later than `now`.
    ///
    /// Uses of limits with a future time then count from `now` on, and remembered yeses with a
    /// future time are revoked.
    package func repairClock(to now: Timestamp) throws -> Bool {
        let key = try vault.openLogKey()
        return try ledger.repairClock(to: now, signedBy: key)
    }
}

extension SQLiteLedger {
    /// Throws if the entries are not a valid chain, or if the chain does not contain the entry of
    /// the newest checkpoint in the ledger.
    func checkChain(_ logPublicKey: [UInt8]) throws {
        _ = try walk(after: nil, logPublicKey: nil)
        if let newest = try newestCheckpoint(signedBy: logPublicKey) {
            _ = try head(holding: newest)
        }
    }

    /// Marks the grants that entries of the chain revoke as revoked in the table.
    ///
    /// Other hubs have these rows, so they are not told.
    func revokeAgain(_ revoked: [[UInt8]: Timestamp]) throws(LedgerError) {
        guard !revoked.isEmpty else { return }
        try database.writeLocally { access, _ throws(LedgerError) in
            for (id, time) in revoked {
                try Index(of: access).revoke([id], at: time)
            }
        }
    }

    /// Appends the entry of a repair by the owner, signed with the log key.
    func recordRepair(
        of what: String, at now: Timestamp, signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            try access.appendRepair(of: what, at: now, signedBy: key)
        }
    }
}

extension Access<LedgerError> {
    /// Appends the entry of a repair by the owner, signed with the log key.
    ///
    /// `lostTexts` are the SHA-256 of lost policy texts.
    func appendRepair(
        of what: String, losing lostTexts: [[UInt8]] = [], at now: Timestamp,
        signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) {
        let time = max(now, try timeFloor())
        let statement = LogStatement.repair(what: what, time: time, after: try auditHead())
        let repair = RepairEntry(
            part: what, signature: try statement.signed(by: key), lostTexts: lostTexts)
        _ = try append(EntryDraft(.repair(repair), at: now), at: time)
    }
}
