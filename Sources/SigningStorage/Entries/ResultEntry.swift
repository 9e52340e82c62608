// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
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
        /// The items for a network; nil in entries of formats 1 to 3.
        var broadcast: BroadcastItems?
        /// The public identifiers of the signed data; none before they were recorded (format 14).
        var identifiers: [String] = []
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
    var network: String
    /// The ids of the items, in the order in which they are sent.
    var items: [String]
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

/// A change of connections.
enum ConnectionEntry: Hashable, Sendable {
    /// A connection begins; `expires` is nil for a login, and in entries of formats 1 to 9.
    case opens([UInt8], client: ClientEntry, key: KeyID, network: String, expires: Timestamp?)
    /// A connection ends.
    case ends([UInt8])
    /// The grants of a client of a protocol are revoked.
    case forgets(ClientEntry, ProtocolID)
}

extension ResultEntry {
    init(_ settlement: Settlement, of id: [UInt8]) {
        self.id = id
        switch settlement {
        case .done(let digests, let remembers, _, let connections, let broadcast, let identifiers):
            outcome = .done(
                Done(
                    digests: digests, remembers: remembers.map { GrantEntry($0) },
                    connections: connections.map { ConnectionEntry($0) },
                    broadcast: broadcast.map {
                        BroadcastItems(
                            network: Entry.clipped($0.network), items: $0.items.map(\.id))
                    },
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
        writer.kind()
        if let broadcast = done.broadcast { writer.text("network", broadcast.network) }
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
        try reader.kind(.result)
        let network = items == nil ? nil : try reader.text("network")
        let word = try reader.text("outcome")
        switch word {
        case "done":
            var done = Done(digests: [])
            if let items, let network {
                done.broadcast = BroadcastItems(network: network, items: items)
            }
            done.identifiers = identifiers
            done.remembers = try reader.grants("remembers")
            done.digests = try reader.hexes("results")
            if reader.isNext("sessions") {
                done.connections = try reader.filledList("sessions") { reader throws(EntryError) in
                    try reader.object { reader throws(EntryError) in try ConnectionEntry(&reader) }
                }
            }
            outcome = .done(done)
        case "not_used", "failed":
            guard items == nil, identifiers.isEmpty else { throw reader.expected("done") }
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
                network: Entry.clipped(connection.network), expires: connection.expires)
        case .ends(let id): self = .ends(id)
        case .forgets(let client, let protocolID): self = .forgets(ClientEntry(client), protocolID)
        }
    }

    fileprivate func write(to writer: inout EntryWriter) {
        switch self {
        case .opens(let id, let client, let key, let network, let expires):
            writer.client(client)
            if let expires { writer.integer("expires", expires.seconds) }
            writer.text("key", key.text)
            writer.text("network", network)
            writer.hex("opens", id)
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
            guard let client = try reader.client() else { throw reader.expected("a client") }
            let expires = reader.isNext("expires") ? try reader.time("expires") : nil
            let key = KeyID(try reader.text("key"))
            let network = try reader.text("network")
            self = .opens(
                try reader.hex("opens"), client: client, key: key, network: network,
                expires: expires)
        }
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
