// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// Reads the audit chain of a ledger, on a connection of its own.
public final class AuditLog: Sendable {
    private let database: Database<LedgerError>

    /// Opens the log of a home.
    public static func open(_ home: Home) throws(LedgerError) -> AuditLog {
        try home.checkHasLedger()
        return AuditLog(try Database(path: home.ledgerPath, schema: .ledger, .existing))
    }

    init(_ database: Database<LedgerError>) {
        self.database = database
    }

    /// The newest entries, or those before a given one, newest first.
    public func entries(
        limit: Int, before sequence: Int64 = .max
    ) throws(LedgerError) -> [AuditEntry] {
        precondition(limit >= 0, "Nobody can read fewer than no entries.")
        return try database.read { access throws(LedgerError) in
            try access.entries(before: sequence, countMax: limit)
        }
    }

    /// Examines every entry, every checkpoint and every table that follows from them.
    ///
    /// `lastKnownCheckpoint` comes from the vault, which has one from its first moment on.
    /// Without it nobody would notice that the ledger was replaced by an older copy of itself,
    /// so nil is a problem of its own. What happened after the last checkpoint can be cut off
    /// without a trace.
    public func verify(
        logPublicKey: [UInt8], lastKnownCheckpoint: AuditCheckpoint?
    ) throws(LedgerError) -> AuditReport {
        // An index that does not fit its table hides what the table holds.
        let damage = try database.integrityProblem()
        return try database.read { access throws(LedgerError) in
            var checkpoints = try access.checkpoints()
            if let lastKnownCheckpoint { checkpoints.append(lastKnownCheckpoint) }
            var verifier = AuditVerifier(
                logPublicKey: logPublicKey, checkpoints: checkpoints,
                vouchedSequence: lastKnownCheckpoint?.sequence ?? 0)
            let problem = try verifier.firstProblem(in: access)
            return AuditReport(
                problem: problem ?? damage.map { .damagedFile($0) }
                    ?? (lastKnownCheckpoint == nil ? .lostCheckpoint : nil),
                entryCount: verifier.head.sequence,
                headHash: verifier.head.hash, checkpointSequence: verifier.coveredSequence,
                unsettledCount: try access.unsettledIntents(), isBegunAnew: verifier.isBegunAnew)
        }
    }
}

extension Access<LedgerError> {
    fileprivate func checkpoints() throws(LedgerError) -> [AuditCheckpoint] {
        try all("SELECT sequence, head_hash, time, signature FROM checkpoints") {
            row throws(LedgerError) in try row.checkpoint()
        }
    }
}
