// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles
package import SigningVault

/// An error in archiving entries; the record is unchanged.
package enum ArchiveError: Error, Hashable, Sendable {
    /// The record is damaged.
    case broken(AuditProblem)
    /// The file of an earlier segment is missing or altered.
    case unverified(UnverifiedSegment)
    /// Another file has the name of the segment's file.
    case nameTaken(file: String)
    /// The record has the maximum number of segments.
    case tooMany
    /// The file could not be written, or reads back differently.
    case notWritten(String)
    /// The record could not be read.
    case ledger(LedgerError)
}

/// Moves old entries of the record to a separate file, which an entry names and the log key signs.
///
/// The state stays in the ledger: grants, connections, numbers, replay marks, transactions that may
/// not have arrived, and the uses of limits.
package struct RecordArchive: Sendable {
    private let vault: Vault
    private let ledger: SQLiteLedger
    private let environment: any HubEnvironment
    private let ledgerPath: String

    /// The time that each use of a limit is kept, in seconds: longer than any year.
    package static let usesSeconds: Int64 = 400 * 86_400
    /// The most segments of one record.
    package static let segmentsMax: Int64 = 1_000
    /// The time that an intent may wait for its result, in seconds.
    static let openSeconds: Int64 = 3_600

    /// Creates an archive for the ledger of an unlocked vault.
    package init(vault: Vault, ledger: SQLiteLedger, environment: any HubEnvironment) {
        self.vault = vault
        self.ledger = ledger
        self.environment = environment
        ledgerPath = ledger.database.path
    }

    /// Archives the entries up to a time that the ledger no longer needs; nil if it needs all.
    ///
    /// The file is complete, durable and read back before any row is deleted, in the transaction
    /// that records it. If the process is killed earlier, the next call replaces the file. If the
    /// record is shared, every other hub makes the same file from its rows before it deletes them.
    package func archive(until time: Timestamp) throws -> ArchivedSegment? {
        // Other hubs may have archived since; their files must be in place before planning.
        _ = try ledger.catchUp()
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: environment)
        try checkpointer.check()
        try checkpointer.atExit()
        let logPublicKey = try vault.logPublicKey()
        try checkHolds(logPublicKey)
        let plan = try ledger.database.read { access throws(LedgerError) in
            try access.archivePlan(until: time, at: environment.now(), logPublicKey)
        }
        guard let plan else { return nil }
        guard plan.number <= Int64(ArchivedSegment.countMax) else { throw ArchiveError.tooMany }
        let file = try SegmentFile(plan, besides: ledgerPath)
        try file.write { (place, countMax) throws(LedgerError) in
            try ledger.database.query { access throws(LedgerError) in
                try access.entries(after: place, countMax: countMax)
            }
        }
        try file.writeState()
        guard let written = file.segment else {
            throw ArchiveError.notWritten("nothing was written")
        }
        let segment = try sign(written)
        let database = try ledger.database.twin()
        // Grants and uses of limits refer to entries that are deleted.
        try database.query { access throws(LedgerError) in
            try access.run("PRAGMA foreign_keys = OFF")
        }
        try database.write { access throws(LedgerError) in
            try access.archive(
                segment, file, after: plan.previous, logPublicKey, at: environment.now())
        }
        // VACUUM shrinks the file; it may fail without harm.
        try? database.query { access throws(LedgerError) in try access.run("VACUUM") }
        try checkpointer.atExit()
        return segment
    }

    private func checkHolds(_ logPublicKey: [UInt8]) throws {
        let last = try vault.lastCheckpoint()
        let report = try AuditLog(ledger.database.twin()).verify(
            logPublicKey: logPublicKey, lastKnownCheckpoint: last)
        if let problem = report.problem { throw ArchiveError.broken(problem) }
        if let segment = report.unverified.first, !report.hasState {
            throw ArchiveError.unverified(segment)
        }
    }

    private func sign(_ segment: ArchivedSegment) throws -> ArchivedSegment {
        let key = try vault.openLogKey()
        var signed = segment
        signed.signature = try LogStatement.archive(segment: segment.message).signed(by: key)
        return signed
    }
}

extension Access<LedgerError> {
    /// Records a segment, moves its file into place and deletes its rows.
    ///
    /// In a shared ledger the rows are deleted after the other hubs have the entry.
    fileprivate func archive(
        _ segment: ArchivedSegment, _ file: SegmentFile, after previous: AuditHead,
        _ logPublicKey: [UInt8], at now: Timestamp
    ) throws(LedgerError) {
        let earlier = try segments().last
        guard AuditHead(behind: earlier) == previous else {
            throw .unavailable("another process archives: try again")
        }
        let entry = try append(
            .archive(ArchiveEntry(segment: segment, logPublicKey: logPublicKey)), at: now)
        guard try mayArchive(segment, after: earlier, at: entry.time) else {
            throw .unavailable("the record was written meanwhile: try again")
        }
        try file.putInPlace()
        if try local(.mark) == nil { try Index(of: self).drop(segment) }
    }
}
