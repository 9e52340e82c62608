// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Reads the bodies of a segment's entries, one by one.
struct SegmentLines {
    private let reader: SegmentReader
    private let file: String

    init(_ segment: ArchivedSegment, besides ledgerPath: String) throws(LedgerError) {
        file = segment.fileName
        do throws(SegmentError) {
            reader = try SegmentReader(Home.segmentPath(segment.number, of: ledgerPath))
            _ = try reader.nextLine()
        } catch {
            throw .unavailable("\(file) \(error.text)")
        }
    }

    /// The next body; nil after the last.
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
