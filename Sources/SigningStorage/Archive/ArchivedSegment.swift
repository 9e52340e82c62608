// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningFiles

/// Entries of the record that were moved to a separate file, as described in the ledger.
///
/// `RecordArchive` makes it; audits, backups, moves of a home and shared records read it.
package struct ArchivedSegment: Hashable, Sendable {
    /// The segment's number, counted from 1.
    package let number: Int64
    /// The number of the first entry.
    package let first: Int64
    /// The number of the last entry.
    package let last: Int64
    /// The hash of the last entry.
    package let headHash: [UInt8]
    /// The last entry up to which the ledger kept only the last use of each counter.
    let foldedSequence: Int64
    /// The size of the file in bytes.
    package let byteCount: Int64
    /// SHA-256 of the file.
    package let digest: [UInt8]
    /// SHA-256 of the file with the state after the last entry; nil in segments of format 17.
    var stateDigest: [UInt8]?
    /// The signature of the log key over all other properties.
    var signature: [UInt8] = []

    /// The most segments that one record has.
    static let countMax = Int(RecordArchive.segmentsMax)

    /// The name of the segment's file, beside the ledger.
    package var fileName: String { Home.segmentName(number) }

    /// True if arithmetic on the numbers cannot overflow: another machine may have written them.
    fileprivate var isCountable: Bool {
        [number, first, last, foldedSequence, byteCount].allSatisfy { $0 > .min && $0 < .max }
    }

    /// The segment without its signature.
    var unsigned: ArchivedSegment {
        var segment = self
        segment.signature = []
        return segment
    }

    /// The range of entries, such as `1-8`.
    package var range: String { "\(first)-\(last)" }

    /// The message that the log key signs: name, number, first, last, folded and size (i64,
    /// big-endian), the hash of the last entry, the hash of the file, the hash of the state.
    var message: [UInt8] {
        let version = stateDigest == nil ? 1 : 2
        var message = Array("countersign archive v\(version)\0".utf8)
        for value in [number, first, last, foldedSequence, byteCount] {
            message.append(bigEndian: UInt64(bitPattern: value))
        }
        return message + headHash + digest + (stateDigest ?? [])
    }
}

extension Home {
    /// The name of a segment's file.
    static func segmentName(_ number: Int64) -> String {
        "\(Schema.ledger.file).archive-\(number)"
    }

    /// The path of a segment's file, beside the ledger.
    static func segmentPath(_ number: Int64, of ledgerPath: String) -> String {
        "\(ledgerPath).archive-\(number)"
    }

    /// The name of a segment's file while it is written.
    static var segmentPartName: String { "\(Schema.ledger.file).archive-part" }

    /// The path of a segment's file while it is written.
    static func segmentPartPath(of ledgerPath: String) -> String { "\(ledgerPath).archive-part" }

    /// The name of the file with the state after a segment.
    static func stateName(_ number: Int64) -> String { "\(Schema.ledger.file).state-\(number)" }

    /// The path of the file with the state after a segment, beside the ledger.
    static func statePath(_ number: Int64, of ledgerPath: String) -> String {
        "\(ledgerPath).state-\(number)"
    }

    /// The path of a state's file while it is written.
    static func statePartPath(of ledgerPath: String) -> String { "\(ledgerPath).state-part" }

    /// The names that files of an archive can have.
    package static let archiveNames = (1...Int64(ArchivedSegment.countMax)).flatMap {
        [segmentName($0), stateName($0)]
    }

    /// The files of an archive in a home, including any that its ledger does not name.
    package static func archiveFiles(in home: Home) throws(HomeError) -> [String] {
        var files: [String] = []
        for name in archiveNames where try status(of: "\(home.path)/\(name)") != nil {
            files.append("\(home.path)/\(name)")
        }
        return files
    }

    /// The names of the archive's files that belong to a copy of the ledger.
    package func archiveNames(ofCopy path: String) throws(LedgerError) -> [String] {
        let copy = try Database<LedgerError>(path: path, schema: .ledger, .existing)
        let segments = try copy.query { access throws(LedgerError) in try access.segments() }
        let states = segments.filter { $0.hasState(besides: ledgerPath) }
        return segments.map(\.fileName) + states.suffix(1).map { Self.stateName($0.number) }
    }
}

extension Access<LedgerError> {
    /// The archived segments, oldest first.
    func segments() throws(LedgerError) -> [ArchivedSegment] {
        try rows(
            """
            SELECT number, first, last, head_hash, folded, bytes, sha256, state, signature
            FROM segments ORDER BY number
            """, [], countMax: ArchivedSegment.countMax + 1
        ) { row throws(LedgerError) in
            let segment = ArchivedSegment(
                number: try row.integer(0), first: try row.integer(1), last: try row.integer(2),
                headHash: try row.bytes(3), foldedSequence: try row.integer(4),
                byteCount: try row.integer(5), digest: try row.bytes(6),
                stateDigest: try row.optionalBytes(7), signature: try row.bytes(8))
            guard segment.isCountable else {
                throw .corrupt("an archived part has an impossible range of entries")
            }
            return segment
        }
    }
}
