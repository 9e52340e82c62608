// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Reads the lines of a segment's file, or of a state's, one by one: bodies of entries, or rows.
struct SegmentLines {
    /// The first line.
    let beginning: [UInt8]
    private let reader: SegmentReader
    private let file: String

    /// Opens the file of a segment.
    init(_ segment: ArchivedSegment, besides ledgerPath: String) throws(LedgerError) {
        try self.init(
            segment.fileName, at: Home.segmentPath(segment.number, of: ledgerPath))
    }

    /// Opens the file with the state after a segment.
    init(stateOf segment: ArchivedSegment, besides ledgerPath: String) throws(LedgerError) {
        try self.init(
            Home.stateName(segment.number), at: Home.statePath(segment.number, of: ledgerPath))
    }

    private init(_ name: String, at path: String) throws(LedgerError) {
        file = name
        do throws(SegmentError) {
            reader = try SegmentReader(path)
            beginning = try reader.nextLine() ?? []
        } catch {
            throw .unavailable("\(name) \(error.text)")
        }
    }

    /// The next line; nil after the last.
    func next() throws(LedgerError) -> [UInt8]? {
        do throws(SegmentError) {
            return try reader.nextLine()
        } catch {
            throw .unavailable("\(file) \(error.text)")
        }
    }
}

extension ArchivedSegment {
    /// Throws if the file is not the one that was archived.
    func check(besides ledgerPath: String) throws(SegmentError) {
        let reader = try SegmentReader(Home.segmentPath(number, of: ledgerPath))
        guard reader.byteCount == byteCount, try reader.digest() == digest else {
            throw .altered
        }
    }
}

/// A segment whose file is missing or altered, so that its entries are unknown.
package struct UnverifiedSegment: Hashable, Sendable {
    /// The segment as described in the ledger.
    package let segment: ArchivedSegment
    /// The error in its file.
    package let error: SegmentError

    /// The problem in plain words.
    package var text: String {
        "entries \(segment.range) are not verified: \(segment.fileName) \(error.text)"
    }
}
