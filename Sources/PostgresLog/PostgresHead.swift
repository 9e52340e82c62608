// SPDX-License-Identifier: Apache-2.0

internal import SigningStorage

/// The content of the table `head`, which has a single row.
struct PostgresHead {
    /// The identity of the log.
    let ledger: [UInt8]
    /// The position of the last batch.
    let end: LogPlace

    static let ledgerBytes = 16
    static let hashBytes = 32
    static let signatureBytes = 64

    init(_ rows: [PostgresRow]) throws(PostgresError) {
        guard let row = rows.first else { throw .wrong("the shared log has no head") }
        ledger = try row.bytes(0, count: Self.ledgerBytes)
        end = LogPlace(
            sequence: try row.long(1), hash: try row.bytes(2, count: Self.hashBytes))
        guard end.sequence >= 0 else { throw .strange("a negative sequence") }
    }

    /// Parses rows of `batches`, which must follow a position without gaps.
    ///
    /// The reader verifies the hashes, as it does not trust the server.
    func news(
        _ rows: [PostgresRow], after known: LogPlace
    ) throws(PostgresError) -> LogNews {
        if let first = try rows.first?.long(0), first > known.sequence, first <= end.sequence,
            first - 1 > known.sequence
        {
            throw .cut(behind: known)
        }
        var batches: [LogBatch] = []
        var sequence = known.sequence
        for row in rows {
            let (next, isTooMuch) = sequence.addingReportingOverflow(1)
            guard !isTooMuch, try row.long(0) == next, next <= end.sequence else {
                throw .wrong("the batches of the shared log do not follow each other")
            }
            let body = try row.bytes(5)
            guard body.count <= LogBatch.bodyBytesMax else { throw .strange("too long a batch") }
            _ = try row.bytes(4, count: Self.hashBytes)
            batches.append(
                LogBatch(
                    previous: LogPlace(
                        sequence: sequence, hash: try row.bytes(3, count: Self.hashBytes)),
                    hub: try row.short(1), version: try row.short(2), body: body,
                    signature: try row.bytes(6, count: Self.signatureBytes)))
            sequence = next
        }
        // If there are no new batches, only this comparison reveals that the log was replaced.
        guard end.sequence != known.sequence || end.hash == known.hash else {
            throw .wrong(
                "batch \(known.sequence) of the shared log is not the batch that this hub knows: "
                    + "the database was set back to an older state, or replaced")
        }
        return LogNews(batches: batches, end: end.sequence)
    }
}
