// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The result of sending an item to a network.
struct BroadcastEntry: Hashable, Sendable {
    /// The words for the results on record.
    enum Outcome: String {
        case accepted, failed, refused, declined, unknown
        case notSent = "not_sent"

        /// True if the item is not sent again.
        var isFinal: Bool { [.accepted, .failed, .refused].contains(self) }
    }

    /// The id of the item.
    var item: String
    var outcome: Outcome
    /// The reason that the item did not arrive; nil if there is none.
    var text: String?
}

/// Entries that were moved to a file.
struct ArchiveEntry: Hashable, Sendable {
    var segment: ArchivedSegment
    /// The public key of the log key, so that other hubs make the same file; nil in entries from
    /// before shared records were archived (format 13).
    var logPublicKey: [UInt8]?
}

/// A change of the hubs that share the record, or of its log.
struct HubEntry: Hashable, Sendable {
    /// The words for the changes on record.
    enum Change: String {
        /// The hub began to share the record.
        case share
        /// The hub joined.
        case join
        /// The hub, which only answers questions to several people, was made by another.
        case invite
        /// The hub was retired by another.
        case retire
        /// The hub goes on alone, with the record for its own.
        case move
        /// The owner of the hub accepts that the database may lose its newest answers.
        case acceptLoss = "accept_loss"
        /// The hub stored a snapshot of the record beside the log.
        case snapshot
        /// The hub removed the batches before a snapshot.
        case cut
    }

    /// A snapshot of the record.
    struct Snapshot: Hashable, Sendable {
        var place: LogPlace
        /// The number of parts.
        var partCount: Int32
        /// The hash over all parts.
        var digest: [UInt8]
    }

    var change: Change
    /// The number of the hub.
    var number: Int32
    var name: String
    var publicKey: [UInt8]
    /// The stored snapshot; nil for other changes.
    var snapshot: Snapshot?
    /// The number of the last removed batch; nil for other changes.
    var cutPlace: Int64?
}

/// A change of the standing of approver keys.
enum ApproverEntry: Hashable, Sendable {
    /// The answers of this key count for nothing from now on.
    case retires([UInt8])
    /// A hub that signs holds these keys.
    case holds([[UInt8]])

    fileprivate static let retirement = "retire"
    fileprivate static let holding = "hold"
}

extension BroadcastEntry {
    init(_ result: Broadcast.Result, of itemID: String) {
        item = Entry.clipped(itemID)
        outcome = result.outcome
        text = result.text.map { Entry.clipped($0) }
    }

    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        item = try reader.text("item")
        try reader.kind(.broadcast)
        outcome = try reader.word("outcome")
        text = try reader.textOrNull("text")
        try reader.time()
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        writer.text("item", item)
        writer.kind()
        writer.text("outcome", outcome.rawValue)
        writer.textOrNull("text", text)
        writer.time()
    }
}

extension ArchiveEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        let byteCount = try reader.integer("bytes")
        try reader.clock()
        let first = try reader.integer("first")
        let folded = try reader.integer("folded")
        let head = try reader.hex("head")
        logPublicKey = reader.isNext("key") ? try reader.hex("key") : nil
        try reader.kind(.archive)
        let last = try reader.integer("last")
        let number = try reader.integer("number")
        let digest = try reader.hex("sha256")
        let signature = try reader.hex("signature")
        let state = reader.isNext("state") ? try reader.hex("state") : nil
        try reader.time()
        segment = ArchivedSegment(
            number: number, first: first, last: last, headHash: head, foldedSequence: folded,
            byteCount: byteCount, digest: digest, stateDigest: state, signature: signature)
        try reader.text("what", is: segment.range)
    }

    func write(to writer: inout EntryWriter) {
        writer.integer("bytes", segment.byteCount)
        writer.clock()
        writer.integer("first", segment.first)
        writer.integer("folded", segment.foldedSequence)
        writer.hex("head", segment.headHash)
        if let logPublicKey { writer.hex("key", logPublicKey) }
        writer.kind()
        writer.integer("last", segment.last)
        writer.integer("number", segment.number)
        writer.hex("sha256", segment.digest)
        writer.hex("signature", segment.signature)
        if let state = segment.stateDigest { writer.hex("state", state) }
        writer.time()
        writer.text("what", segment.range)
    }
}

extension HubEntry {
    init(_ change: Change, _ key: HubKey, named name: String) {
        self.change = change
        number = key.number
        self.name = name
        publicKey = key.publicKey
    }

    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        let digest = reader.isNext("digest") ? try reader.hex("digest") : nil
        guard let number = Int32(exactly: try reader.integer("hub")) else {
            throw reader.expected("the number of a hub")
        }
        self.number = number
        publicKey = try reader.hex("key")
        try reader.kind(.hub)
        name = try reader.text("name")
        if let digest {
            guard let parts = Int32(exactly: try reader.integer("parts")), parts > 0 else {
                throw reader.expected("a number of parts")
            }
            let place = try reader.integer("place")
            guard (0..<Int64.max).contains(place) else { throw reader.expected("a place") }
            snapshot = Snapshot(
                place: LogPlace(sequence: place, hash: try reader.hex("place_hash")),
                partCount: parts, digest: digest)
        } else if reader.isNext("place") {
            cutPlace = try reader.integer("place")
        }
        try reader.time()
        change = try reader.word("what")
        guard (change == .snapshot) == (snapshot != nil), (change == .cut) == (cutPlace != nil)
        else { throw reader.expected("the members of the change") }
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        if let snapshot { writer.hex("digest", snapshot.digest) }
        writer.integer("hub", Int64(number))
        writer.hex("key", publicKey)
        writer.kind()
        writer.text("name", name)
        if let snapshot {
            writer.integer("parts", Int64(snapshot.partCount))
            writer.integer("place", snapshot.place.sequence)
            writer.hex("place_hash", snapshot.place.hash)
        }
        if let cutPlace { writer.integer("place", cutPlace) }
        writer.time()
        writer.text("what", change.rawValue)
    }
}

extension ApproverEntry {
    init(_ reader: inout EntryReader) throws(EntryError) {
        try reader.clock()
        let key = reader.isNext("key") ? try reader.hex("key") : nil
        let keys = key == nil ? try reader.hexes("keys") : []
        try reader.kind(.approver)
        try reader.time()
        try reader.text("what", is: key == nil ? Self.holding : Self.retirement)
        self = key.map { .retires($0) } ?? .holds(keys)
    }

    func write(to writer: inout EntryWriter) {
        writer.clock()
        switch self {
        case .retires(let key): writer.hex("key", key)
        case .holds(let keys): writer.hexes("keys", keys)
        }
        writer.kind()
        writer.time()
        switch self {
        case .retires: writer.text("what", Self.retirement)
        case .holds: writer.text("what", Self.holding)
        }
    }
}
