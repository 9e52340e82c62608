// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// A position in a shared log, which identifies everything before it.
package struct LogPlace: Hashable, Sendable {
    /// The number of the last batch, counted from 1 without gaps; 0 before the first batch.
    package let sequence: Int64
    /// The hash of the last batch, 32 bytes; zeros before the first.
    package let hash: [UInt8]

    package init(sequence: Int64, hash: [UInt8]) {
        self.sequence = sequence
        self.hash = hash
    }

    /// The end of an empty log.
    package static let origin = LogPlace(sequence: 0, hash: Array(repeating: 0, count: 32))
}

/// The changes that one hub appended to a shared log with one commit.
package struct LogBatch: Hashable, Sendable {
    /// The position that the batch follows.
    package let previous: LogPlace
    /// The number of the hub that wrote the batch.
    package let hub: Int32
    /// The format of the sealed changes: the version of the ledger's schema.
    package let version: Int32
    /// The changes, sealed with the team's key.
    package let body: [UInt8]
    /// The hub's signature (Ed25519, 64 bytes) over the hash.
    package let signature: [UInt8]

    package init(
        previous: LogPlace, hub: Int32, version: Int32, body: [UInt8], signature: [UInt8]
    ) {
        self.previous = previous
        self.hub = hub
        self.version = version
        self.body = body
        self.signature = signature
    }

    /// The largest body, in bytes.
    package static let bodyBytesMax = 1 << 20

    /// The position of this batch.
    package var place: LogPlace {
        LogPlace(
            sequence: previous.sequence + 1,
            hash: Self.hash(after: previous, hub: hub, version: version, body: body))
    }

    /// The SHA-256 of a name, the previous hash, the sequence (u64), hub (u32), version (u32), all
    /// big-endian, and the SHA-256 of the body.
    package static func hash(
        after previous: LogPlace, hub: Int32, version: Int32, body: [UInt8]
    ) -> [UInt8] {
        var bytes = Array("countersign shared ledger v1\n".utf8) + previous.hash
        bytes.append(bigEndian: UInt64(bitPattern: previous.sequence + 1))
        bytes.append(bigEndian: UInt32(bitPattern: hub))
        bytes.append(bigEndian: UInt32(bitPattern: version))
        bytes += Digest.sha256(body.span)
        return Digest.sha256(bytes.span)
    }
}

/// The batches of a shared log after a position.
package struct LogNews: Sendable {
    /// The batches, oldest first: all, or as many as one answer can contain.
    package let batches: [LogBatch]
    /// The sequence of the log's last batch, as the server reports it.
    package let end: Int64

    package init(batches: [LogBatch], end: Int64) {
        self.batches = batches
        self.end = end
    }

    /// The most batches of one answer, and the most bytes of their bodies together.
    package static let countMax = 256
    package static let bytesMax = 4 << 20
}

/// A log to which several hubs append in turn, and which all of them read in the same order.
///
/// The server is trusted only to store the log: readers verify that batches continue those read
/// before, and their signatures. Every call ends within a bounded time. A call that throws may
/// still have succeeded: an `append` may be durable, which the next turn shows.
package protocol SharedLog: Sendable {
    /// Returns the durable batches after a position; throws if they cannot be determined.
    func news(after known: LogPlace) throws(LedgerError) -> LogNews

    /// Takes the turn to write: until `append` or `giveBack` no other hub can append.
    ///
    /// If the answer does not reach the end of the log, the turn is not taken or must be given
    /// back: other hubs should not wait while this hub reads much. The turn is lost with the
    /// connection, and after a second without a call. Until `append` or `settle` returns, a crash
    /// of the server may remove the batches in the answer, so they must not be stored.
    func takeTurn(after known: LogPlace) throws(LedgerError) -> LogNews

    /// Appends a batch and gives the turn back; when it returns, this batch and all before it are
    /// durable.
    func append(_ batch: LogBatch) throws(LedgerError)

    /// Gives the turn back; when it returns, the batches that the turn returned are durable.
    func settle() throws(LedgerError)

    /// Throws if `append` would be refused, as far as can be checked in advance.
    func checkMayAppend() throws(LedgerError)

    /// Gives the turn back, if it is held.
    func giveBack()
}
