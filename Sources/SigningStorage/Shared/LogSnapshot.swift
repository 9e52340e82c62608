// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// A snapshot of the whole shared record at a position of its log, stored beside the log.
package struct LogSnapshot: Hashable, Sendable {
    /// The position of the last batch that the snapshot contains.
    package let place: LogPlace
    /// The number of parts of the snapshot.
    package let partCount: Int32
    /// A hash over all parts in order.
    package let digest: [UInt8]
    /// The number of the entry that recorded the snapshot.
    package let entry: Int64

    /// Parses the entry of a snapshot; nil for other entries.
    init?(_ entry: AuditEntry) {
        guard case .hub(let hub)? = entry.change, let snapshot = hub.snapshot else { return nil }
        place = snapshot.place
        partCount = snapshot.partCount
        digest = snapshot.digest
        self.entry = entry.sequence
    }
}

/// One stored part of a snapshot: the version of its format (u32, big-endian), whether it is the
/// last (u8), and the sealed changes that create its rows.
struct SnapshotPart {
    let bytes: [UInt8]
    let version: Int32
    let isLast: Bool

    static let headerBytes = 5
    /// The most bytes of one part.
    static let bytesMax = LogBatch.bodyBytesMax + headerBytes

    init(version: Int32, isLast: Bool, sealed: [UInt8]) {
        self.version = version
        self.isLast = isLast
        bytes = Self.header(version, isLast) + sealed
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.headerBytes, bytes.count <= Self.bytesMax, bytes[4] <= 1 else {
            return nil
        }
        self.bytes = bytes
        version = Int32(bitPattern: bytes.prefix(4).reduce(0) { $0 << 8 | UInt32($1) })
        isLast = bytes[4] == 1
    }

    var sealed: ArraySlice<UInt8> { bytes.dropFirst(Self.headerBytes) }

    static func header(_ version: Int32, _ isLast: Bool) -> [UInt8] {
        var header: [UInt8] = []
        header.append(bigEndian: UInt32(bitPattern: version))
        return header + [isLast ? 1 : 0]
    }

    /// The SHA-256 of the hash of the previous parts and the hash of this one.
    func digest(after previous: [UInt8]) -> [UInt8] {
        let hash = Digest.sha256(bytes.span)
        return Digest.sha256((previous + hash).span)
    }

    /// The hash before the first part.
    static let origin = Digest.sha256(Array("countersign snapshot v1\n".utf8).span)
}

/// A server that stores snapshots beside a shared log, and deletes batches before them.
///
/// It is not trusted, like the log's server: readers verify every part.
package protocol SnapshotKeeper: SharedLog {
    /// The positions of the stored snapshots, as the server reports them, newest first; only a few.
    func snapshots() throws(LedgerError) -> [LogPlace]

    /// Stores one part; replaces an earlier one.
    func keep(_ part: [UInt8], at index: Int32, of place: LogPlace) throws(LedgerError)

    /// Returns a part; nil if it does not exist.
    func part(_ index: Int32, of place: LogPlace) throws(LedgerError) -> [UInt8]?

    /// Deletes the batches up to a position and the snapshots of earlier positions; returns the
    /// number of batches.
    func cut(through place: LogPlace) throws(LedgerError) -> Int64
}
