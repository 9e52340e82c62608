// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The range of entries to archive in one segment.
struct ArchivePlan: Sendable {
    let number: Int64
    /// The entry before the first archived one.
    let previous: AuditHead
    /// The last entry to archive.
    let last: AuditHead
    let foldedSequence: Int64
    /// The file's first line and the body of the first entry.
    let beginning: [UInt8]
}

extension Access<LedgerError> {
    /// The plan for all entries up to a time that need not stay; nil if every entry must stay.
    func archivePlan(
        until time: Timestamp, at now: Timestamp, _ logPublicKey: [UInt8]
    ) throws(LedgerError) -> ArchivePlan? {
        let segment = try segments().last
        let previous = try archivedHead()
        let latest = try max(now, timeFloor())
        let later = try first(
            "SELECT min(sequence) FROM audit WHERE sequence > ? AND time > ?",
            .integer(previous.sequence), .integer(time.seconds), read: Self.optional)
        let stays = min((later ?? nil) ?? .max, try firstKept(at: latest))
        let lastSequence = stays == .max ? try auditHead().sequence : stays - 1
        guard lastSequence > previous.sequence,
            let last = try entries(after: lastSequence - 1, countMax: 1).first
        else { return nil }
        let folded = try foldable(upTo: lastSequence, at: latest)
        return ArchivePlan(
            number: (segment?.number ?? 0) + 1, previous: previous, last: last.head,
            foldedSequence: max(folded, segment?.foldedSequence ?? 0),
            beginning: try beginning(after: previous, logPublicKey))
    }

    /// The plan that a segment was made from, to make its file again.
    func plan(
        of segment: ArchivedSegment, after earlier: ArchivedSegment?, _ logPublicKey: [UInt8]
    ) throws(LedgerError) -> ArchivePlan {
        let previous = AuditHead(behind: earlier)
        return ArchivePlan(
            number: segment.number, previous: previous,
            last: AuditHead(behind: segment), foldedSequence: segment.foldedSequence,
            beginning: try beginning(after: previous, logPublicKey))
    }

    /// Whether a segment follows the earlier ones, matches the entries in this ledger, and leaves
    /// the entries that must stay.
    ///
    /// The hub that archives and all hubs that copy its entry check the same; `time` is the time of
    /// the entry.
    func mayArchive(
        _ segment: ArchivedSegment, after earlier: ArchivedSegment?, at time: Timestamp
    ) throws(LedgerError) -> Bool {
        let folded = earlier?.foldedSequence ?? 0
        guard segment.number == (earlier?.number ?? 0) + 1,
            segment.first == (earlier?.last ?? 0) + 1, segment.last >= segment.first,
            segment.last < (try firstKept(at: time)),
            try entries(after: segment.last - 1, countMax: 1).first?.head.hash == segment.headHash,
            folded <= segment.foldedSequence,
            segment.foldedSequence <= max(folded, try foldable(upTo: segment.last, at: time))
        else { return false }
        return true
    }

    /// The first entry that must stay: the newest intent, for its time, and recent intents that may
    /// still get a result.
    private func firstKept(at latest: Timestamp) throws(LedgerError) -> Int64 {
        let stays = try [
            first(
                """
                SELECT sequence FROM audit WHERE kind = 'intent' ORDER BY sequence DESC LIMIT 1
                """, read: Self.optional),
            first(
                "SELECT min(sequence) FROM open_intents WHERE time > ?",
                .integer(latest.adding(seconds: -RecordArchive.openSeconds).seconds),
                read: Self.optional),
        ].compactMap { $0 ?? nil }
        return stays.min() ?? .max
    }

    /// The last entry whose uses of limits are old enough to keep only the last one of each
    /// counter.
    private func foldable(upTo last: Int64, at latest: Timestamp) throws(LedgerError) -> Int64 {
        let folded = try first(
            "SELECT max(sequence) FROM uses WHERE sequence <= ? AND time <= ?", .integer(last),
            .integer(latest.adding(seconds: -RecordArchive.usesSeconds).seconds),
            read: Self.optional)
        return (folded ?? nil) ?? 0
    }

    private func beginning(
        after previous: AuditHead, _ logPublicKey: [UInt8]
    ) throws(LedgerError) -> [UInt8] {
        guard let first = try entries(after: previous.sequence, countMax: 1).first else {
            throw .unavailable("there is nothing to archive")
        }
        let line = SegmentReader.beginning(
            first: previous.sequence + 1, after: previous.hash, logPublicKey: logPublicKey)
        return Array("\(line)\n\(first.body)\n".utf8)
    }

    private static func optional(
        _ row: borrowing Row<LedgerError>
    ) throws(LedgerError) -> Int64? {
        try row.optionalInteger(0)
    }
}

extension AuditHead {
    /// The last entry of an archived segment; the origin without one.
    init(behind segment: ArchivedSegment?) {
        self =
            segment.map {
                AuditHead(sequence: $0.last, time: Self.empty.time, hash: $0.headHash)
            } ?? .empty
    }
}
