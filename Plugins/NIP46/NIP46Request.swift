// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
public import SigningCore

/// One decoded call: at most one operation of the account that the client is connected to.
public final class NIP46Request: SignRequest {
    /// What is asked.
    enum Body: Hashable, Sendable {
        case connect(ConnectRequest)
        case session(NostrSessionMethod)
        /// The public key, which a connected client was told.
        case told
        case use(NostrUse)
    }

    /// `nostr`.
    public let protocolID = NostrChain.protocolID
    /// The method of the call.
    public var method: String { call.method }
    /// Whoever the transport proved.
    public var client: Client? { connection.client }
    /// `full`: what is not understood is refused.
    public let decoding = Decoding.full
    /// None: everything a policy sees belongs to the operation.
    public var facts: [Fact] { [] }
    /// None.
    public var dangers: [Danger] { [] }

    let call: NIP46Call
    let body: Body
    let connection: NIP46Connection
    private let eventID: [UInt8]?

    init(_ call: NIP46Call, _ body: Body, of connection: NIP46Connection, eventID: [UInt8]?) {
        self.call = call
        self.body = body
        self.connection = connection
        self.eventID = eventID
    }

    /// The use of the account's key; a connection needs one only where more than it is asked.
    public var operations: [RequestedOperation] {
        switch body {
        case .use(let use): [use.operation]
        case .connect(let connect): connect.wishes.isEmpty ? [] : [connect.operation]
        case .session, .told: []
        }
    }

    /// What the answer tells besides.
    public var effects: [Effect] {
        switch body {
        case .connect, .told: operations.isEmpty ? [.revealsKey] : []
        case .use, .session: []
        }
    }

    /// The event it came in: none is answered twice, whatever relays send again.
    public var replayToken: ReplayToken? {
        eventID.map { ReplayToken($0, isSingleUse: true) }
    }

    /// The id of the event that is signed.
    public var identifiers: [String] { operations.compactMap(\.eventID) }

    /// The call's id, what is wished for, and what becomes of the connection.
    public var terms: RequestTerms {
        var terms = RequestTerms()
        terms.correlator = call.id
        terms.pace = Pace()
        terms.requiredConnections = connection.sessions.map(\.id)
        // The owner connected it: nobody is asked for what concerns the connection alone.
        terms.repeatsConnection = operations.isEmpty
        switch body {
        case .connect(let connect):
            terms.wishes = connect.wishes.map(\.wish)
            terms.connectionChanges = connect.opened.map { [.opens($0)] } ?? []
        case .session(.logout):
            terms.endsConnection = true
            terms.connectionChanges =
                connection.sessions.map { .ends(id: $0.id) }
                + [.forgets(connection.client, NostrChain.protocolID)]
        case .use(let use):
            terms.notes = use.notes(about: connection.client)
            use.bound(&terms)
        case .session, .told: break
        }
        return terms
    }

    /// What goes back; nil for results that are not those of the request.
    func result(_ results: [KeyResult]) throws(NostrRefusal) -> JSON? {
        guard results.count == operations.count else { return nil }
        switch body {
        case .connect: return "ack"
        case .session(.logout): return "ack"
        case .session(.ping): return "pong"
        // Clients stall over a list of relays, so there is no change to tell. Results are texts,
        // which clients read as JSON: a bare null is to some of them no answer.
        case .session: return "null"
        case .told: return .string(connection.account.address)
        case .use(let use):
            if let event = use.signedEvent(results[0]) { return .string(event) }
            return try use.text(results[0], verify: nil).map { .string($0) }
        }
    }

    /// What a person is shown before deciding.
    public var summary: Summary {
        switch body {
        case .use(let use): return use.summary(about: [name], dangers: [])
        case .connect(let connect):
            return Summary(
                title: "Connect a Nostr client to your account",
                lines: [account, name] + connect.lines, warnings: [])
        case .session(let method):
            return Summary(title: method.title, lines: [account, name], warnings: [])
        case .told:
            return Summary(
                title: "Tell a client your Nostr public key", lines: [account, name], warnings: [])
        }
    }

    private var account: Summary.Line {
        let account = connection.account
        return Summary.Line("account", "\(account.name) \(PublicKeyText.npub(account.publicKey))")
    }

    private var name: Summary.Line { Summary.Line("connection", connection.key.name) }
}

/// What a client says when it connects.
struct ConnectRequest: Hashable, Sendable {
    /// What it would like to do later.
    let wishes: [NostrPermission]
    /// The connection that begins; nil where there is one.
    let opened: ClientConnection?
    /// That it is told its account.
    let operation: RequestedOperation
    private let metadata: ClientMetadata?
    /// What it would like and nobody can grant, in its own words.
    private let unusable: [String]

    /// A client that is connected gets the same answer again and nothing new by it.
    init(
        _ call: NIP46Call, _ connection: NIP46Connection, in context: DecodingContext
    ) {
        let params = call.params
        let isNew = connection.sessions.isEmpty
        let wished = NIP46Permissions.usable(isNew && params.count > 2 ? params[2] : "")
        metadata = params.count > 3 ? ClientMetadata(json: params[3]) : nil
        wishes = NIP46Permissions.known(wished.entries)
        unusable = wished.dropped
        operation = NostrUse(.publicKey, by: connection.account, in: context).operation
        opened =
            isNew
            ? ClientConnection(
                id: context.freshID, protocolID: NostrChain.protocolID, client: connection.client,
                network: connection.key.connection, key: connection.account.id,
                address: connection.account.address, started: context.now)
            : nil
    }

    var lines: [Summary.Line] {
        (metadata?.lines ?? []) + wishes.map { Summary.Line("would like later", $0.wish.title) }
            + NIP46Permissions.short(unusable).map {
                Summary.Line("cannot be granted", $0, by: .client)
            }
    }
}

extension NostrSessionMethod {
    fileprivate var title: String {
        switch self {
        case .connect: "Connect a Nostr client to your account"
        case .ping: "Tell a client that the signer is there"
        case .switchRelays: "Tell a client where the signer is found"
        case .logout: "End the client's connection, and take back what it was allowed"
        }
    }
}
