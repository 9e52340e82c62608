// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import SigningVault

/// A segment that another hub archived, whose file must be made here.
struct NeededSegment: Sendable {
    let segment: ArchivedSegment
    /// The entries that it contains.
    let plan: ArchivePlan
}

extension SharedCopy {
    /// Deletes the rows of a segment that the batch just applied has recorded, if its file was
    /// made.
    ///
    /// Otherwise rolls back the batch and returns the segment whose file is needed.
    borrowing func takeArchive(
        at sequence: Int64, _ file: SegmentFile?
    ) throws(LedgerError) -> NeededSegment? {
        guard let needed = try access.newestSegment() else { throw Self.mismatch(at: sequence) }
        guard let file, file.isFile(of: needed.segment) else {
            try access.run("ROLLBACK TO archive")
            try access.run("RELEASE archive")
            return needed
        }
        try file.putInPlace()
        try connection.dropNewestSegment()
        try access.run("RELEASE archive")
        return nil
    }

    /// Makes the file of a segment, outside of any transaction.
    borrowing func make(_ needed: NeededSegment) throws(LedgerError) -> SegmentFile {
        try SegmentFile.making(needed, besides: connection.path) {
            (place, countMax) throws(LedgerError) in
            try access.entries(after: place, countMax: countMax)
        }
    }
}

extension SegmentFile {
    /// Whether the file is that of a segment.
    ///
    /// A hub without the files of earlier entries has no state.
    fileprivate func isFile(of other: ArchivedSegment) -> Bool {
        var expected = other.unsigned
        if segment?.stateDigest == nil { expected.stateDigest = nil }
        return segment == expected
    }

    /// Makes the file of another hub's segment from the rows in this copy.
    static func making(
        _ needed: NeededSegment, besides ledgerPath: String, entries: Entries
    ) throws(LedgerError) -> SegmentFile {
        let mismatch = LedgerError.corruptLog(
            "entries \(needed.segment.range) were archived by another hub, and differ here: the "
                + "two copies do not match")
        let file: SegmentFile
        var head = needed.plan.previous
        do throws(ArchiveError) {
            file = try SegmentFile(needed.plan, besides: ledgerPath)
            try file.write { (place, countMax) throws(LedgerError) in
                let found = try entries(place, countMax)
                for entry in found {
                    guard entry.continues(head) else { throw mismatch }
                    head = entry.head
                }
                return found
            }
            if needed.segment.stateDigest != nil { try file.writeState() }
        } catch {
            throw error.ledgerError
        }
        guard file.isFile(of: needed.segment) else { throw mismatch }
        return file
    }
}

extension SQLiteConnection {
    /// Deletes the rows that are in the newest segment.
    func dropNewestSegment() throws(LedgerError) {
        let access = Access<LedgerError>(self)
        guard let segment = try access.segments().last else { return }
        // Grants and uses of limits refer to entries that are deleted.
        try withoutForeignKeys { () throws(LedgerError) in try Index(of: access).drop(segment) }
    }
}

extension Access<LedgerError> {
    /// The newest segment with the plan for its file; nil if it contains entries that must stay
    /// here.
    func newestSegment() throws(LedgerError) -> NeededSegment? {
        let segments = try segments()
        let entry = try entries(before: .max, countMax: 1).first
        guard let segment = segments.last, let entry,
            case .archive(let archive)? = entry.statedContent?.entry, archive.segment == segment,
            let key = archive.logPublicKey,
            LogStatement.archive(segment: segment.message).isSigned(segment.signature, by: key)
        else { return nil }
        let earlier = segments.dropLast().last
        guard try mayArchive(segment, after: earlier, at: entry.time) else { return nil }
        return NeededSegment(
            segment: segment, plan: try plan(of: segment, after: earlier, key))
    }
}

extension ArchiveError {
    /// The error as one of the ledger, for a hub that copies another hub's archive.
    fileprivate var ledgerError: LedgerError {
        switch self {
        case .nameTaken(let file):
            .unavailable(
                "\(file) is in the place of entries that another hub archived, but does not belong "
                    + "to this record: move the file away, then try again")
        case .notWritten(let text):
            .unavailable(
                "the entries that another hub archived cannot be written here: \(text): free space "
                    + "on the disk, or check the permissions of the folder")
        case .ledger(let error): error
        default:
            .unavailable(
                "the entries that another hub archived cannot be written here: \(self)")
        }
    }
}
