// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// The end of a reserved request.
struct ResultEntry: Hashable, Sendable {
    /// The outcome of the request.
    enum Outcome: Hashable, Sendable {
        /// Results exist.
        case done(Done)
        /// No key was used.
        case notUsed(Reason)
        /// A key may have been used.
        case failed(Reason)

        /// The word for the outcome on record.
        var word: String {
            switch self {
            case .done: "done"
            case .notUsed: "not_used"
            case .failed: "failed"
            }
        }
    }

    /// The effects of a request that is done.
    struct Done: Hashable, Sendable {
        /// SHA-256 of each result, in the order of the operations.
        var digests: [[UInt8]]
        /// The grants to remember.
        var remembers: [GrantEntry] = []
        /// The changes of connections; none in entries of formats 1 to 3.
        var connections: [ConnectionEntry] = []
        /// The notes that changed; none in entries of formats 1 to 16.
        var notes: [NoteEntry] = []
        /// The items for a network; nil in entries of formats 1 to 3.
        var broadcast: BroadcastItems?
        /// The public identifiers of the signed data; none before they were recorded (format 14).
        var identifiers: [String] = []

        /// True if the entry has members that came with format 17.
        var statesRows: Bool {
            !notes.isEmpty || broadcast?.signed.isEmpty == false
                || connections.contains {
                    if case .opens(_, _, _, _, _, _?) = $0 { true } else { false }
                }
        }
    }

    /// The id of the request.
    var id: [UInt8]
    var outcome: Outcome

    init(id: [UInt8], _ outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }
}

/// The items that a request sends to a network.
struct BroadcastItems: Hashable, Sendable {
    /// The sender and the bytes of an item.
    struct Signed: Hashable, Sendable {
        var sender: String
        /// SHA-256 of the bytes.
        var digest: [UInt8]
    }

    var network: String
    /// The ids of the items, in the order in which they are sent.
    var items: [String]
    /// The items in the same order; none in entries of formats 1 to 16.
    var signed: [Signed] = []
}

/// A changed note.
struct NoteEntry: Hashable, Sendable {
    /// The subject as its table has it.
    var subject: String
    var name: String
    var value: Int64
    /// SHA-256 of the detail; nil if it is empty.
    var digest: [UInt8]?
}

/// A remembered answer in the form of its table.
struct GrantEntry: Hashable, Sendable {
    /// The text over which the seal is computed.
    var body: String
    /// A code that only the vault can make; empty for a denial.
    var seal: [UInt8]

    init(_ sealed: SealedGrant) {
        body = GrantRecord.body(sealed.grant)
        seal = sealed.seal
    }

    init(body: String, seal: [UInt8]) {
        self.body = body
        self.seal = seal
    }
}

/// The account of a connection and the time of its request.
struct ConnectionBeginning: Hashable, Sendable {
    var address: String
    var time: Timestamp
}

/// A change of connections.
enum ConnectionEntry: Hashable, Sendable {
    /// A connection begins; `expires` is nil for a login, and in entries of formats 1 to 9, `begun`
    /// in entries of formats 1 to 16.
    case opens(
        [UInt8], client: ClientEntry, key: KeyID, network: String, expires: Timestamp?,
        begun: ConnectionBeginning?)
    /// A connection ends.
    case ends([UInt8])
    /// The grants of a client of a protocol are revoked.
    case forgets(ClientEntry, ProtocolID)
}

extension ResultEntry {
    /// Makes the entry of a settlement; `notes` are those of its notes that change something.
    init(_ settlement: Settlement, of id: [UInt8], changing notes: [Note] = []) {
        self.id = id
        switch settlement {
        case .done(let digests, let remembers, _, let connections, let broadcast, let identifiers):
            outcome = .done(
                Done(
                    digests: digests, remembers: remembers.map { GrantEntry($0) },
                    connections: connections.map { ConnectionEntry($0) },
                    notes: notes.map { NoteEntry($0) },
                    broadcast: broadcast.map { BroadcastItems($0) },
                    identifiers: identifiers.map { Entry.clipped($0) }))
        case .notUsed(let reason): outcome = .notUsed(Reason(recorded: reason))
        case .failed(let reason): outcome = .failed(Reason(recorded: reason))
        }
    }

    func write(to writer: inout EntryWriter) {
        guard case .done(let done) = outcome else { return writeFailure(to: &writer) }
        if let broadcast = done.broadcast { writer.texts("broadcast", broadcast.items) }
        writer.clock()
        writer.hex("id", id)
        if !done.identifiers.isEmpty { writer.texts("identifiers", done.identifiers) }
        if let signed = done.broadcast?.signed, !signed.isEmpty {
            writer.list("items", signed) { writer, item in
                writer.put { writer in
                    writer.text("sender", item.sender)
                    writer.hex("sha256", item.digest)
                }
            }
        }
        writer.kind()
        if let broadcast = done.broadcast { writer.text("network", broadcast.network) }
        if !done.notes.isEmpty {
            writer.list("notes", done.notes) { writer, note in
                writer.put { writer in note.write(to: &writer) }
            }
        }
        writer.text("outcome", outcome.word)
        writer.grants("remembers", done.remembers)
        writer.hexes("results", done.digests)
        if !done.connections.isEmpty {
            writer.list("sessions", done.connections) { writer, change in
                writer.put { writer in change.write(to: &writer) }
            }
        }
        writer.time()
    }

    private func writeFailure(to writer: inout EntryWriter) {
        writer.clock()
        writer.hex("id", id)
        writer.kind()
        writer.text("outcome", outcome.word)
        switch outcome {
        case .done: break
        case .notUsed(let reason), .failed(let reason): writer.reason(reason)
        }
        writer.time()
    }

    init(_ reader: inout EntryReader) throws(EntryError) {
        let items = reader.isNext("broadcast") ? try reader.texts("broadcast") : nil
        try reader.clock()
        id = try reader.hex("id")
        let identifiers =
            reader.isNext("identifiers")
            ? try reader.filledList("identifiers") { reader throws(EntryError) in
                try reader.text()
            } : []
        let signed = try reader.signedItems(besides: items)
        try reader.kind(.result)
        let network = items == nil ? nil : try reader.text("network")
        let notes =
            reader.isNext("notes")
            ? try reader.filledList("notes") { reader throws(EntryError) in
                try reader.object { reader throws(EntryError) in try NoteEntry(&reader) }
            } : []
        let word = try reader.text("outcome")
        switch word {
        case "done":
            var done = Done(digests: [])
            if let items, let network {
                done.broadcast = BroadcastItems(network: network, items: items, signed: signed)
            }
            done.identifiers = identifiers
            done.notes = notes
            done.remembers = try reader.grants("remembers")
            done.digests = try reader.hexes("results")
            if reader.isNext("sessions") {
                done.connections = try reader.filledList("sessions") { reader throws(EntryError) in
                    try reader.object { reader throws(EntryError) in try ConnectionEntry(&reader) }
                }
            }
            outcome = .done(done)
        case "not_used", "failed":
            guard items == nil, identifiers.isEmpty, notes.isEmpty else {
                throw reader.expected("done")
            }
            let reason = try reader.reason()
            outcome = word == "failed" ? .failed(reason) : .notUsed(reason)
        default: throw reader.expected("an outcome")
        }
        try reader.time()
    }
}

extension ConnectionEntry {
    init(_ change: ConnectionChange) {
        switch change {
        case .opens(let connection):
            self = .opens(
                connection.id, client: ClientEntry(connection.client), key: connection.key,
                network: Entry.clipped(connection.network), expires: connection.expires,
                begun: ConnectionBeginning(
                    address: connection.address, time: connection.started))
        case .ends(let id): self = .ends(id)
        case .forgets(let client, let protocolID): self = .forgets(ClientEntry(client), protocolID)
        }
    }

    fileprivate func write(to writer: inout EntryWriter) {
        switch self {
        case .opens(let id, let client, let key, let network, let expires, let begun):
            if let begun { writer.text("address", begun.address) }
            writer.client(client)
            if let expires { writer.integer("expires", expires.seconds) }
            writer.text("key", key.text)
            writer.text("network", network)
            writer.hex("opens", id)
            if let begun { writer.integer("started", begun.time.seconds) }
        case .ends(let id): writer.hex("ends", id)
        case .forgets(let client, let protocolID):
            writer.object("forgets") { writer in client.write(to: &writer) }
            writer.text("protocol", protocolID.name)
        }
    }

    fileprivate init(_ reader: inout EntryReader) throws(EntryError) {
        if reader.isNext("ends") {
            self = .ends(try reader.hex("ends"))
        } else if reader.isNext("forgets") {
            let client = try reader.object("forgets") { reader throws(EntryError) in
                try ClientEntry(&reader)
            }
            self = .forgets(client, ProtocolID(try reader.text("protocol")))
        } else {
            let address = reader.isNext("address") ? try reader.text("address") : nil
            guard let client = try reader.client() else { throw reader.expected("a client") }
            let expires = reader.isNext("expires") ? try reader.time("expires") : nil
            let key = KeyID(try reader.text("key"))
            let network = try reader.text("network")
            let id = try reader.hex("opens")
            var begun: ConnectionBeginning?
            if let address {
                begun = ConnectionBeginning(address: address, time: try reader.time("started"))
            }
            self = .opens(
                id, client: client, key: key, network: network, expires: expires, begun: begun)
        }
    }
}

extension BroadcastItems {
    init(_ broadcast: Broadcast) {
        network = Entry.clipped(broadcast.network)
        items = broadcast.items.map(\.id)
        signed = broadcast.items.map {
            Signed(sender: $0.sender, digest: Digest.sha256($0.bytes.span))
        }
    }
}

extension NoteEntry {
    init(_ note: Note) {
        subject = note.subject.text
        name = note.name
        value = note.value
        digest = note.detail.isEmpty ? nil : Digest.sha256(note.detail.span)
    }

    fileprivate func write(to writer: inout EntryWriter) {
        writer.text("name", name)
        if let digest { writer.hex("sha256", digest) }
        writer.text("subject", subject)
        writer.integer("value", value)
    }

    fileprivate init(_ reader: inout EntryReader) throws(EntryError) {
        name = try reader.text("name")
        digest = reader.isNext("sha256") ? try reader.hex("sha256") : nil
        subject = try reader.text("subject")
        value = try reader.integer("value")
    }
}

extension EntryReader {
    /// Reads the senders and the digests of items; none in older entries.
    fileprivate mutating func signedItems(
        besides items: [String]?
    ) throws(EntryError) -> [BroadcastItems.Signed] {
        guard let items, !items.isEmpty, isNext("items") else { return [] }
        let signed = try list("items") { reader throws(EntryError) in
            try reader.object { reader throws(EntryError) in
                BroadcastItems.Signed(
                    sender: try reader.text("sender"), digest: try reader.hex("sha256"))
            }
        }
        guard signed.count == items.count else { throw expected("as many items as ids") }
        return signed
    }
}

extension Reason {
    /// The reason as entries state it.
    init(recorded reason: Reason) {
        self.init(reason.code, Entry.clipped(reason.text), rule: reason.rule)
    }
}

extension EntryWriter {
    mutating func reason(_ reason: Reason) {
        object("reason") { writer in
            writer.text("code", reason.code.rawValue)
            writer.textOrNull("rule", reason.rule)
            writer.text("text", reason.text)
        }
    }

    mutating func grants(_ name: String, _ grants: [GrantEntry]) {
        guard !grants.isEmpty else { return }
        list(name, grants) { writer, grant in
            writer.put { writer in
                writer.text("body", grant.body)
                writer.hex("seal", grant.seal)
            }
        }
    }
}

extension EntryReader {
    mutating func reason() throws(EntryError) -> Reason {
        try object("reason") { reader throws(EntryError) in
            let code: ReasonCode = try reader.word("code")
            let rule = try reader.textOrNull("rule")
            return Reason(code, try reader.text("text"), rule: rule)
        }
    }

    mutating func grants(_ name: String) throws(EntryError) -> [GrantEntry] {
        guard isNext(name) else { return [] }
        return try filledList(name) { reader throws(EntryError) in
            try reader.object { reader throws(EntryError) in
                GrantEntry(body: try reader.text("body"), seal: try reader.hex("seal"))
            }
        }
    }
}
