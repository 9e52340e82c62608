// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

/// Why nothing was archived.
package enum ArchiveError: Error, Hashable, Sendable {
    /// The record does not hold.
    case broken(AuditProblem)
    /// What was archived before is not there as it was written.
    case unverified(UnverifiedSegment)
    /// Something else stands where the file belongs.
    case inTheWay(file: String)
    /// There are as many segments as a record has at most.
    case tooMany
    /// The file could not be written, or does not hold what was written.
    case notWritten(String)
    /// Vault and ledger are not used together.
    case checkpoint(CheckpointError)
}

/// Moves old entries of the record into a file of their own, on record and named by the log key.
///
/// What counts stays in the ledger: remembered answers, connections, numbers, replay marks, what
/// may not have arrived, and what limits have used.
package struct RecordArchive: Sendable {
    private let vault: Vault
    private let ledger: SQLiteLedger
    private let environment: any HubEnvironment
    private let ledgerPath: String

    /// How long single uses of limits are kept, in seconds: longer than any year.
    package static let usesSeconds: Int64 = 400 * 86_400
    /// The most files that the entries of one record are archived in.
    package static let segmentsMax: Int64 = 1_000
    /// An intent without a result this young may still get one, in seconds.
    static let openSeconds: Int64 = 3_600

    /// Archives the ledger of a vault that is unlocked.
    package init(vault: Vault, ledger: SQLiteLedger, environment: any HubEnvironment) {
        self.vault = vault
        self.ledger = ledger
        self.environment = environment
        ledgerPath = ledger.database.path
    }

    /// Archives what was written until then and is not needed where it stands; nil where that is
    /// nothing.
    ///
    /// The file is complete, durable and read again before anything is deleted, in the
    /// transaction that names it. Whoever is killed before leaves a file that the next call
    /// replaces. Where the record is shared every other hub makes the same file, of its own rows,
    /// before these go there.
    package func archive(until time: Timestamp) throws(ArchiveError) -> ArchivedSegment? {
        // What others archived meanwhile is in its place before anything is planned.
        try inLedger { () throws(LedgerError) in _ = try ledger.catchUp() }
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: environment)
        try Self.together { () throws(CheckpointError) in
            try checkpointer.check()
            try checkpointer.atExit()
        }
        let logPublicKey = try inVault { () throws(VaultError) in try vault.logPublicKey() }
        try checkHolds(logPublicKey)
        let plan = try inLedger { () throws(LedgerError) in
            try ledger.database.read { access throws(LedgerError) in
                try access.archivePlan(until: time, at: environment.now(), logPublicKey)
            }
        }
        guard let plan else { return nil }
        guard plan.number <= Int64(ArchivedSegment.countMax) else { throw .tooMany }
        let file = try SegmentFile(plan, besides: ledgerPath)
        try file.write { (place, countMax) throws(LedgerError) in
            try ledger.database.query { access throws(LedgerError) in
                try access.entries(after: place, countMax: countMax)
            }
        }
        guard let written = file.segment else { throw .notWritten("nothing was written") }
        let segment = try sign(written)
        try inLedger { () throws(LedgerError) in
            let database = try ledger.database.twin()
            // Remembered answers and what limits used point to entries that go.
            try database.query { access throws(LedgerError) in
                try access.run("PRAGMA foreign_keys = OFF")
            }
            try database.write { access throws(LedgerError) in
                try access.archive(
                    segment, file, after: plan.previous, logPublicKey, at: environment.now())
            }
            // Without it the file keeps its size; nothing depends on it.
            try? database.query { access throws(LedgerError) in try access.run("VACUUM") }
        }
        try Self.together { () throws(CheckpointError) in try checkpointer.atExit() }
        return segment
    }

    private func checkHolds(_ logPublicKey: [UInt8]) throws(ArchiveError) {
        let last = try inVault { () throws(VaultError) in try vault.lastCheckpoint() }
        let report = try inLedger { () throws(LedgerError) in
            try AuditLog(ledger.database.twin()).verify(
                logPublicKey: logPublicKey, lastKnownCheckpoint: last)
        }
        if let problem = report.problem { throw .broken(problem) }
        if let segment = report.unverified.first { throw .unverified(segment) }
    }

    private func sign(_ segment: ArchivedSegment) throws(ArchiveError) -> ArchivedSegment {
        let key = try inVault { () throws(VaultError) in try vault.openLogKey() }
        do throws(LedgerError) {
            var signed = segment
            signed.signature = try LogStatement.archive(segment).signed(by: key)
            return signed
        } catch {
            throw .checkpoint(.ledger(error))
        }
    }

    private func inVault<R: ~Copyable>(
        _ body: () throws(VaultError) -> R
    ) throws(ArchiveError) -> R {
        do throws(VaultError) { return try body() } catch { throw .checkpoint(.vault(error)) }
    }

    private func inLedger<R>(_ body: () throws(LedgerError) -> R) throws(ArchiveError) -> R {
        do throws(LedgerError) { return try body() } catch { throw .checkpoint(.ledger(error)) }
    }

    private static func together(
        _ body: () throws(CheckpointError) -> Void
    ) throws(ArchiveError) {
        do throws(CheckpointError) { try body() } catch { throw .checkpoint(error) }
    }
}

extension Access<LedgerError> {
    /// Puts a segment on record, its file in its place, and takes away what stands in it; where the
    /// ledger is shared that follows once the others are told.
    fileprivate func archive(
        _ segment: ArchivedSegment, _ file: SegmentFile, after previous: AuditHead,
        _ logPublicKey: [UInt8], at now: Timestamp
    ) throws(LedgerError) {
        let earlier = try segments().last
        guard AuditHead(behind: earlier) == previous else {
            throw .unavailable("another process archives: try again")
        }
        let entry = try append(
            AuditRecord(archiving: segment, logPublicKey: logPublicKey, at: now))
        guard try mayArchive(segment, after: earlier, at: entry.time) else {
            throw .unavailable("the record was written meanwhile: try again")
        }
        try insert(segment)
        try file.putInPlace()
        if try local(.mark) == nil { try drop(segment) }
    }

    /// Takes away what stands in a segment's file; foreign keys are off.
    func drop(_ segment: ArchivedSegment) throws(LedgerError) {
        // Uses of a counter are in order of the record: the last that goes has the total.
        try run(
            """
            DELETE FROM uses WHERE sequence <= ?1 AND EXISTS (
                SELECT 1 FROM uses AS later
                WHERE later.counter = uses.counter AND later.sequence <= ?1
                AND (later.time, later.sequence, later.position)
                    > (uses.time, uses.sequence, uses.position))
            """, .integer(segment.foldedSequence))
        for table in ["results", "intents", "checkpoints"] {
            try run("DELETE FROM \(table) WHERE sequence <= ?", .integer(segment.last))
        }
        // The newest policy and the newest freeze stay: what comes later is held against them.
        try run(
            """
            DELETE FROM audit WHERE sequence <= ? AND kind <> 'repair'
            AND sequence <> (SELECT ifnull(max(sequence), 0) FROM audit WHERE kind = 'attest')
            AND sequence <> (SELECT ifnull(max(sequence), 0) FROM audit WHERE kind = 'freeze')
            """, .integer(segment.last))
    }
}
