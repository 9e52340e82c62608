// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto

/// A place in a shared log, with all that stands before it.
package struct LogPlace: Hashable, Sendable {
    /// How many batches stand there, counted from 1 without gaps; 0 before the first.
    package let sequence: Int64
    /// The hash of the last of them, 32 bytes; zeros before the first.
    package let hash: [UInt8]

    package init(sequence: Int64, hash: [UInt8]) {
        self.sequence = sequence
        self.hash = hash
    }

    /// Where a log without batches ends.
    package static let origin = LogPlace(sequence: 0, hash: Array(repeating: 0, count: 32))
}

/// What one hub put at the end of a shared log with one commit.
package struct LogBatch: Hashable, Sendable {
    /// Where it stands behind.
    package let previous: LogPlace
    /// The number of the hub that wrote it.
    package let hub: Int32
    /// The form of what is sealed: the version of the ledger's schema.
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

    /// Its own place.
    package var place: LogPlace {
        LogPlace(
            sequence: previous.sequence + 1,
            hash: Self.hash(after: previous, hub: hub, version: version, body: body))
    }

    /// SHA-256 of a name, the hash in front, the sequence (u64), hub (u32), version (u32), all
    /// big-endian, and SHA-256 of the body.
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

/// What stands in a shared log behind a place.
package struct LogNews: Sendable {
    /// Oldest first; all of them, or as many as one answer holds.
    package let batches: [LogBatch]
    /// The sequence of the log's last batch, as its keeper says.
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
/// Who keeps it is trusted to keep it, and with nothing else: whoever reads checks that batches
/// continue what was read before, and who signed them. Every call ends within a bounded time. What
/// throws says nothing about what was done: an `append` may have been durable all the same, which
/// the next turn shows.
package protocol SharedLog: Sendable {
    /// What stands behind a place, durably: it fails where that cannot be said.
    func news(after known: LogPlace) throws(LedgerError) -> LogNews

    /// Takes the end of the log: until `append` or `giveBack` nobody else can append.
    ///
    /// Where the answer does not reach the end there is no turn, or it is to be given back: there
    /// is too much to be read while others wait. It is also lost with
    /// the connection, and where nothing is heard for a second. A crash may still take back what
    /// the answer holds, until `append` or `settle` returns: before that nothing of it is kept.
    func takeTurn(after known: LogPlace) throws(LedgerError) -> LogNews

    /// Puts a batch at the end and gives the turn back; durable, with all before it, once it
    /// returns.
    func append(_ batch: LogBatch) throws(LedgerError)

    /// Gives the turn back; what it brought is durable once it returns.
    func settle() throws(LedgerError)

    /// Refuses where `append` would be refused, as far as that can be told without one.
    func checkMayAppend() throws(LedgerError)

    /// Gives the turn back, where there is one.
    func giveBack()
}
