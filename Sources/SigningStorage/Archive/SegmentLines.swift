// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The texts of a segment's entries, one by one.
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

    /// The next text; nil behind the last.
    func next() throws(LedgerError) -> [UInt8]? {
        do throws(SegmentError) {
            return try reader.nextLine()
        } catch {
            throw .unavailable("\(file) \(error.text)")
        }
    }
}

extension ArchivedSegment {
    /// Refuses a file that is not the one that was written.
    func check(besides ledgerPath: String) throws(SegmentError) {
        let reader = try SegmentReader(Home.segmentPath(number, of: ledgerPath))
        guard reader.byteCount == byteCount, try reader.digest() == digest else {
            throw .altered
        }
    }
}

/// A segment that is not there as it was written, so that nothing is known of its entries.
package struct UnverifiedSegment: Hashable, Sendable {
    /// What the ledger knows of it.
    package let segment: ArchivedSegment
    /// What is wrong with its file.
    package let fault: SegmentError

    /// In plain words.
    package var text: String {
        "entries \(segment.range) are not verified: \(segment.fileName) \(fault.text)"
    }
}
