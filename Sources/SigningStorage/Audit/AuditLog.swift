// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningFiles
internal import Synchronization

/// Reads the audit chain of a ledger, on a separate database handle.
package final class AuditLog: Sendable {
    private let database: Database<LedgerError>

    /// Opens the log of a home.
    package static func open(_ home: Home) throws(LedgerError) -> AuditLog {
        try home.checkHasLedger()
        return AuditLog(try Database(path: home.ledgerPath, schema: .ledger, .existing))
    }

    init(_ database: Database<LedgerError>) {
        self.database = database
    }

    /// The newest entries, or those before a given number, newest first.
    package func entries(
        limit: Int, before sequence: Int64 = .max
    ) throws(LedgerError) -> [AuditEntry] {
        precondition(limit >= 0, "the limit is negative")
        return try database.read { access throws(LedgerError) in
            try access.entries(before: sequence, countMax: limit)
        }
    }

    /// The newest entries before a given number whose body contains a text, newest first.
    package func entries(
        limit: Int, before sequence: Int64, containing text: String
    ) throws(LedgerError) -> [AuditEntry] {
        try database.read { access throws(LedgerError) in
            try access.entries(before: sequence, countMax: limit, containing: text)
        }
    }

    /// The entries after a number, up to another, that revoke grants or end connections, oldest
    /// first.
    package func revocations(
        after sequence: Int64, upTo last: Int64
    ) throws(LedgerError) -> [AuditEntry] {
        try database.read { access throws(LedgerError) in
            try access.entries(of: .revoke, after: sequence, upTo: last)
        }
    }

    /// Every hub that ever shared the ledger, in order of numbers; empty if it was never shared.
    package func hubs() throws(LedgerError) -> [LedgerHub] {
        try database.query { access throws(LedgerError) in try access.hubs() }
    }

    /// For the sequence number of each entry, the number of the hub that wrote it; without a value
    /// for entries from before the ledger was shared.
    package func writers(of entries: [AuditEntry]) throws(LedgerError) -> [Int64: Int32] {
        try database.read { access throws(LedgerError) in
            var writers: [Int64: Int32] = [:]
            for entry in entries { writers[entry.sequence] = try access.writer(of: entry.sequence) }
            return writers
        }
    }

    /// Runs a body in a read transaction.
    func counting<R: Sendable>(
        _ body: (borrowing Access<LedgerError>) throws(LedgerError) -> R
    ) throws(LedgerError) -> R { try database.read(body) }

    /// The archived segments, oldest first; their entries are not listed here.
    package func segments() throws(LedgerError) -> [ArchivedSegment] {
        try database.query { access throws(LedgerError) in try access.segments() }
    }

    /// Throws if the record is marked as shared, and the data of this hub is incomplete.
    func checkHub() throws(LedgerError) {
        try database.query { access throws(LedgerError) in _ = try access.logIdentity() }
    }

    /// Verifies every entry, archived or not, every checkpoint, and every table whose content
    /// follows from entries.
    ///
    /// `lastKnownCheckpoint` comes from the vault, which has one from its creation on. Without it a
    /// ledger replaced by an older copy would go unnoticed, so nil is reported as a problem.
    /// The removal of entries after the last checkpoint is not noticed.
    package func verify(
        logPublicKey: [UInt8], lastKnownCheckpoint: AuditCheckpoint?
    ) throws(LedgerError) -> AuditReport {
        // SQLite's integrity check runs as well, because an index that does not match its table
        // would hide rows. Both checks read the whole file, so each has its own thread.
        let integrity = try IntegrityCheck(of: database)
        let found: Result<AuditReport, LedgerError>
        do throws(LedgerError) {
            found = .success(try report(logPublicKey, lastKnownCheckpoint))
        } catch {
            found = .failure(error)
        }
        let damage = try integrity.problem()
        var report = try found.get()
        if let damage, report.problem == nil || report.problem == .lostCheckpoint {
            report.problem = .damagedFile(damage)
        }
        return report
    }

    private func report(
        _ logPublicKey: [UInt8], _ lastKnownCheckpoint: AuditCheckpoint?
    ) throws(LedgerError) -> AuditReport {
        // The replay makes temporary tables, which hide those of the ledger.
        try database.twin().read { access throws(LedgerError) in
            try access.run("PRAGMA cache_size = \(Self.cacheKibibytes)")
            if let problem = try access.schemaProblem() { return AuditReport(problem) }
            var checkpoints = try access.checkpoints()
            if let lastKnownCheckpoint { checkpoints.append(lastKnownCheckpoint) }
            var verifier = AuditVerifier(
                logPublicKey: logPublicKey, checkpoints: checkpoints,
                vouchedSequence: lastKnownCheckpoint?.sequence ?? 0)
            let impossible = try access.impossibleQuestions().count
            let problem = try verifier.firstProblem(in: access, at: database.path)
            return AuditReport(
                problem: problem ?? (lastKnownCheckpoint == nil ? .lostCheckpoint : nil),
                unverified: verifier.unverified, hasState: verifier.ends.unknown == 0,
                entryCount: verifier.head.sequence,
                headHash: verifier.head.hash, checkpointSequence: verifier.coveredSequence,
                unsettledCount: try access.unsettledIntents() + verifier.openCount,
                isBegunAnew: verifier.isBegunAnew,
                impossibleQuestionCount: impossible)
        }
    }

    /// The size of SQLite's cache during verification; a negative number is in KiB.
    fileprivate static let cacheKibibytes = -32_768
}

/// Runs SQLite's integrity check of a ledger on a separate thread.
private final class IntegrityCheck: Sendable {
    private let found = Mutex<Result<String?, LedgerError>>(.success(nil))
    private let thread = Mutex<OwnThread?>(nil)

    init(of database: Database<LedgerError>) throws(LedgerError) {
        let twin = try database.twin()
        let started = OwnThread { [self] in look(in: twin) }
        if started == nil { look(in: twin) }
        thread.withLock { $0 = started }
    }

    /// Waits for the result; nil if the file is intact.
    func problem() throws(LedgerError) -> String? {
        thread.withLock { $0.take() }?.join()
        return try found.withLock { $0 }.get()
    }

    private func look(in database: Database<LedgerError>) {
        let result: Result<String?, LedgerError>
        do throws(LedgerError) {
            try database.query { access throws(LedgerError) in
                try access.run("PRAGMA cache_size = \(AuditLog.cacheKibibytes)")
            }
            result = .success(try database.integrityProblem())
        } catch {
            result = .failure(error)
        }
        found.withLock { $0 = result }
    }
}

extension Access<LedgerError> {
    func checkpoints() throws(LedgerError) -> [AuditCheckpoint] {
        try all("SELECT sequence, head_hash, time, signature FROM checkpoints") {
            row throws(LedgerError) in try row.checkpoint()
        }
    }
}
