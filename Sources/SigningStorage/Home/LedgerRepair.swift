// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

/// The reason that a record cannot be continued.
package enum LedgerLoss: Hashable, Sendable {
    /// The file is missing.
    case missing
    /// The file cannot be read.
    case unreadable(String)
    /// The file can be read, but its content is not valid.
    case broken(AuditProblem)

    /// The loss in plain words.
    package var text: String {
        switch self {
        case .missing: "\(Schema.ledger.file) is missing"
        case .unreadable(let text): "\(Schema.ledger.file) cannot be read: \(text)"
        case .broken(let problem): problem.text
        }
    }
}

/// The result of starting a new record.
package struct LedgerRepair: Hashable, Sendable {
    /// The new name of the old file, beside the new one; nil if there was none.
    package let setAside: String?
    /// The result for the vault, whose whole content was accepted.
    package let vault: VaultRepair
}

extension HomeRepair {
    /// The reason that the record of a home must be started anew; nil if it is valid or
    /// `repairVault` can repair it.
    ///
    /// Throws if the file cannot be opened for another reason, such as a full disk: the record may
    /// still be intact.
    package static func ledgerLoss(
        of home: Home, _ vault: Vault
    ) throws(CheckpointError) -> LedgerLoss? {
        let (key, last) = try inVault { () throws(VaultError) in
            (try vault.logPublicKey(), try vault.lastCheckpoint())
        }
        do throws(LedgerError) {
            guard try home.hasLedger() else { return .missing }
            let log = try AuditLog.open(home)
            // First without the vault's checkpoint: if only that does not match, the vault needs
            // the repair.
            let alone = try log.verify(logPublicKey: key, lastKnownCheckpoint: nil).problem
            guard let alone, alone != .lostCheckpoint else { return nil }
            // With the checkpoint, entries from before the log key signed the owner's entries are
            // accepted.
            let whole = try log.verify(logPublicKey: key, lastKnownCheckpoint: last).problem
            return whole == nil ? nil : .broken(alone)
        } catch .corrupt(let text) {
            return .unreadable(text)
        } catch {
            throw .ledger(error)
        }
    }

    /// Renames the file of the record and starts a new record, bound to this vault; its first entry
    /// says so and gives the reason.
    ///
    /// Needs an unlocked vault, damaged or not. The content of the vault is accepted as in
    /// `repairVault`. The new record has no policy, so none applies until one is attested.
    package static func beginLedgerAnew(
        of home: Home, _ vault: Vault, because loss: LedgerLoss, at time: Timestamp
    ) throws(CheckpointError) -> LedgerRepair {
        guard !home.hasSharedLedger() else {
            throw .ledger(
                .unavailable(
                    "the ledger is shared, and the log contains all of it: rebuild this copy"))
        }
        // Checked before anything is moved: a new record needs the log key.
        let key = try inVault { () throws(VaultError) in try vault.openLogKeyOfAnyVersion() }
        let last = try inVault { () throws(VaultError) in try vault.lastCheckpoint() }
        let (setAside, ledger) = try inLedger { () throws(LedgerError) in
            let name = try home.setLedgerAside()
            try SQLiteLedger.create(in: home)
            let ledger = try SQLiteLedger.open(home)
            try ledger.recordBeginning(
                because: loss.text, losing: last?.sequence ?? 0, at: time, signedBy: key)
            return (name, ledger)
        }
        let repair = try HomeRepair(vault: vault, ledger: ledger).acceptVault(at: time)
        return LedgerRepair(setAside: setAside, vault: repair)
    }
}

extension Home {
    /// Whether the record is known to be shared with other hubs.
    fileprivate func hasSharedLedger() -> Bool {
        guard let file = try? Database<LedgerError>(path: ledgerPath, schema: .ledger, .asFound),
            let mark = try? file.query({ access throws(LedgerError) in try access.local(.mark) })
        else { return false }
        return !mark.isEmpty
    }
}

extension SQLiteLedger {
    /// Records that the record starts anew, and the number of entries that the vault knew of.
    fileprivate func recordBeginning(
        because reason: String, losing known: Int64, at time: Timestamp,
        signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            let statement = LogStatement.repair(
                what: AuditRecord.ledgerRepair, time: time, after: try access.auditHead())
            let record = AuditRecord(
                beginningAnew: reason, losing: known, at: time,
                signature: try statement.signed(by: key))
            _ = try access.append(record, at: time)
        }
    }
}
