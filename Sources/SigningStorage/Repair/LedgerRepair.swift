// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
package import SigningFiles
package import SigningVault

/// The reason that a record cannot be continued.
package enum LedgerLoss: Hashable, Sendable {
    /// The file is missing.
    case missing
    /// The file cannot be read.
    case unreadable(String)
    /// The file can be read, but its content is not valid; some files of archived entries may be
    /// missing or altered.
    case broken(AuditProblem, missing: [UnverifiedSegment] = [])

    /// The loss in plain words.
    package var text: String {
        switch self {
        case .missing: "\(Schema.ledger.file) is missing"
        case .unreadable(let text): "\(Schema.ledger.file) cannot be read: \(text)"
        case .broken(let problem, _): problem.text
        }
    }

    /// The file of archived entries without which the tables cannot be made again; nil if tables
    /// do not differ, or no file is missing.
    package var missingFile: String? {
        guard case .broken(let problem, let missing) = self, problem.isInTables else { return nil }
        return missing.first?.segment.fileName
    }
}

/// The result of starting a new record.
package struct LedgerRepair: Hashable, Sendable {
    /// The new name of the old ledger file in the same folder; nil if there was no file.
    package let setAside: String?
    /// The result of the repair of the vault.
    package let vault: VaultRepair
}

extension HomeRepair {
    /// The reason that the record of a home must be started anew; nil if it is valid or
    /// `repairVault` can repair it.
    ///
    /// Throws if the file cannot be opened for another reason, such as a full disk: the record may
    /// still be intact.
    package static func ledgerLoss(of home: Home, _ vault: Vault) throws -> LedgerLoss? {
        let (key, last) = (try vault.logPublicKey(), try vault.lastCheckpoint())
        do throws(LedgerError) {
            guard try home.hasLedger() else { return .missing }
            let log = try AuditLog.open(home)
            // Verifies first without the vault's checkpoint. If only the checkpoint does not match,
            // the vault needs the repair, not the record.
            let alone = try log.verify(logPublicKey: key, lastKnownCheckpoint: nil).problem
            guard let alone, alone != .lostCheckpoint else {
                try log.checkHub()
                return nil
            }
            // The checkpoint also vouches for old policy entries, which have no signature.
            let whole = try log.verify(logPublicKey: key, lastKnownCheckpoint: last)
            if whole.problem == nil { return nil }
            return .broken(alone, missing: whole.unverified)
        } catch .corrupt(let text) {
            return .unreadable(text)
        }
    }

    /// Renames the file of the record and starts a new record; the first entry gives the reason.
    ///
    /// The vault must be unlocked and may be damaged. Its content is accepted as in `repairVault`.
    /// The new record contains no policy entry until the owner attests a policy.
    package static func beginLedgerAnew(
        of home: Home, _ vault: Vault, because loss: LedgerLoss, at time: Timestamp
    ) throws -> LedgerRepair {
        guard !home.hasSharedLedger() else {
            throw LedgerError.unavailable(
                "the ledger is shared, and the log contains all of it: rebuild this copy")
        }
        // Opens the log key before any file is moved, as the new record cannot start without it.
        let key = try vault.openLogKeyOfAnyVersion()
        let last = try vault.lastCheckpoint()
        let setAside = try home.setLedgerAside()
        try SQLiteLedger.create(in: home)
        let ledger = try SQLiteLedger.open(home)
        try ledger.recordBeginning(
            because: loss.text, losing: last?.sequence ?? 0, at: time, signedBy: key)
        let repair = try HomeRepair(vault: vault, ledger: ledger).acceptVault(at: time)
        return LedgerRepair(setAside: setAside, vault: repair)
    }
}

extension Home {
    /// Whether the ledger file says that the record is shared with other hubs; false if the file
    /// cannot be read.
    fileprivate func hasSharedLedger() -> Bool {
        guard let file = try? Database<LedgerError>(path: ledgerPath, schema: .ledger, .asFound),
            let mark = try? file.query({ access throws(LedgerError) in try access.local(.mark) })
        else { return false }
        return !mark.isEmpty
    }
}

extension SQLiteLedger {
    /// Appends the first entry of a new record.
    ///
    /// `known` is the number of entries in the old record according to the vault's checkpoint.
    fileprivate func recordBeginning(
        because reason: String, losing known: Int64, at time: Timestamp,
        signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            let statement = LogStatement.repair(
                what: RepairEntry.ledger, time: time, after: try access.auditHead())
            let repair = RepairEntry(
                part: RepairEntry.ledger, signature: try statement.signed(by: key),
                beginning: RepairEntry.Beginning(reason: Entry.clipped(reason), lost: known))
            _ = try access.append(EntryDraft(.repair(repair), at: time), at: time)
        }
    }
}
