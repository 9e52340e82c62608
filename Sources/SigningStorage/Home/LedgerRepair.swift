// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

/// Why a record cannot be gone on with.
package enum LedgerLoss: Hashable, Sendable {
    /// The file is not there.
    case missing
    /// The file is none that can be read.
    case unreadable(String)
    /// The file can be read, and does not hold what was written.
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

/// What came of beginning the record anew.
package struct LedgerRepair: Hashable, Sendable {
    /// The name that the old file has now, beside the new one; nil where there was none.
    package let setAside: String?
    /// What became of the vault, all of which counts as it is.
    package let vault: VaultRepair
}

extension HomeRepair {
    /// Why the record of a home has to be begun anew; nil where it need not be, because it is in
    /// order or `repairVault` makes it so.
    ///
    /// A file that cannot be opened for another reason, a full disk for one, is an error: it may
    /// be as good as ever.
    package static func ledgerLoss(
        of home: Home, _ vault: Vault
    ) throws(CheckpointError) -> LedgerLoss? {
        let (key, last) = try inVault { () throws(VaultError) in
            (try vault.logPublicKey(), try vault.lastCheckpoint())
        }
        do throws(LedgerError) {
            guard try home.hasLedger() else { return .missing }
            let log = try AuditLog.open(home)
            // By itself: a checkpoint of the vault's that does not fit is the vault's to mend.
            let alone = try log.verify(logPublicKey: key, lastKnownCheckpoint: nil).problem
            guard let alone, alone != .lostCheckpoint else { return nil }
            // With it entries count that are from before the owner's were signed.
            let whole = try log.verify(logPublicKey: key, lastKnownCheckpoint: last).problem
            return whole == nil ? nil : .broken(alone)
        } catch .corrupt(let text) {
            return .unreadable(text)
        } catch {
            throw .ledger(error)
        }
    }

    /// Puts the file of the record aside and begins a new one, bound to this vault, whose first
    /// entry says so and why.
    ///
    /// Needs a vault that was unlocked, despite damage or without any. What the vault holds
    /// counts from then on, as after `repairVault`; the new record knows no policy, so that none
    /// judges before it is attested again.
    package static func beginLedgerAnew(
        of home: Home, _ vault: Vault, because loss: LedgerLoss, at time: Timestamp
    ) throws(CheckpointError) -> LedgerRepair {
        guard !home.hasSharedLedger() else {
            throw .ledger(
                .unavailable(
                    "the ledger is shared, and its log has all of it: rebuild this copy"))
        }
        // Before anything is moved: without the log key there is nothing to begin with.
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
        let repair = try HomeRepair(vault: vault, ledger: ledger).makeVaultCount(at: time)
        return LedgerRepair(setAside: setAside, vault: repair)
    }
}

extension Home {
    /// Whether the record is known to be one that other hubs have copies of.
    fileprivate func hasSharedLedger() -> Bool {
        guard let file = try? Database<LedgerError>(path: ledgerPath, schema: .ledger, .asFound),
            let mark = try? file.query({ access throws(LedgerError) in try access.local(.mark) })
        else { return false }
        return !mark.isEmpty
    }
}

extension SQLiteLedger {
    /// Writes that the record begins anew, and how many entries the vault knew of.
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
