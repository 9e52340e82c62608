// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto

/// All that a shared record was at a place of its log, as it is kept beside the log.
package struct LogSnapshot: Hashable, Sendable {
    /// The batch that it holds all of.
    package let place: LogPlace
    /// How many parts it has.
    package let partCount: Int32
    /// A hash over all parts, in their order.
    package let digest: [UInt8]
    /// The entry that put it on record.
    package let entry: Int64

    /// What the entry says beside the hub's own fields.
    static func fields(
        _ place: LogPlace, _ partCount: Int32, _ digest: [UInt8]
    ) -> [String: JSON] {
        [
            "place": .integer(place.sequence), "place_hash": .string(Hex.encode(place.hash.span)),
            "parts": .integer(Int64(partCount)), "digest": .string(Hex.encode(digest.span)),
        ]
    }

    /// What an entry of the record says; nil where it speaks of no snapshot.
    init?(_ entry: AuditEntry) {
        guard entry.kind == AuditKind.hub.rawValue,
            let body = try? JSON.parse(Array(entry.body.utf8).span),
            body["what"]?.text == AuditRecord.HubChange.snapshot.rawValue,
            let sequence = body["place"]?.integerValue, (0..<Int64.max).contains(sequence),
            let hash = body["place_hash"]?.text.flatMap({ try? Hex.decode($0) }),
            let parts = body["parts"]?.integerValue.flatMap({ Int32(exactly: $0) }), parts > 0,
            let digest = body["digest"]?.text.flatMap({ try? Hex.decode($0) })
        else { return nil }
        place = LogPlace(sequence: sequence, hash: hash)
        partCount = parts
        self.digest = digest
        self.entry = entry.sequence
    }
}

/// One part of a snapshot, as it is kept: the version of what is sealed (u32, big-endian), whether
/// it is the last (u8), the sealed changes that make rows out of nothing.
struct SnapshotPart {
    let bytes: [UInt8]
    let version: Int32
    let isLast: Bool

    static let headerBytes = 5
    /// The most bytes of one.
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

    /// SHA-256 over the hash of the parts before and this one's own.
    func digest(after previous: [UInt8]) -> [UInt8] {
        let hash = Digest.sha256(bytes.span)
        return Digest.sha256((previous + hash).span)
    }

    /// The hash before the first part.
    static let origin = Digest.sha256(Array("countersign snapshot v1\n".utf8).span)
}

/// What keeps snapshots beside a shared log, and lets go what is in front of them.
///
/// It is trusted with nothing, as with the log: whoever reads a part checks it.
package protocol SnapshotKeeper: SharedLog {
    /// The places of which there are snapshots, as it says, newest first; few.
    func snapshots() throws(LedgerError) -> [LogPlace]

    /// Keeps one part, in the place of what was kept there.
    func keep(_ part: [UInt8], at index: Int32, of place: LogPlace) throws(LedgerError)

    /// A part; nil where there is none.
    func part(_ index: Int32, of place: LogPlace) throws(LedgerError) -> [UInt8]?

    /// Removes the batches up to a place, and what is kept of earlier places; how many batches.
    func cut(through place: LogPlace) throws(LedgerError) -> Int64
}
