// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningCodecs
public import SigningCore

/// One decoded call, with at most one operation of the account that the client is connected to.
public final class NIP46Request: SignRequest {
    /// The content of the call.
    enum Body: Hashable, Sendable {
        case connect(ConnectRequest)
        case session(NostrSessionMethod)
        /// The public key for a connected client, which already knows it.
        case publicKey
        case use(NostrUse)
    }

    /// The protocol id, `nostr`.
    public let protocolID = NostrChain.protocolID
    /// The method of the call.
    public var method: String { call.method }
    /// The client that the transport proved.
    public var client: Client? { connection.client }
    /// Always `full`: content that is not understood is refused.
    public let decoding = Decoding.full
    /// Empty; the operation holds everything that a policy judges.
    public var facts: [Fact] { [] }
    /// Empty; the operation holds the dangers.
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

    /// The operation of the account's key.
    ///
    /// A `connect` has an operation only if the client asks for permissions.
    public var operations: [RequestedOperation] {
        switch body {
        case .use(let use): [use.operation]
        case .connect(let connect): connect.wishes.isEmpty ? [] : [connect.operation]
        case .session, .publicKey: []
        }
    }

    /// The effects of the answer besides the operations.
    public var effects: [Effect] {
        switch body {
        case .connect, .publicKey: operations.isEmpty ? [.revealsKey] : []
        case .use, .session: []
        }
    }

    /// The event that contained the call: relays may repeat it, but it is answered only once.
    public var replayToken: ReplayToken? {
        eventID.map { ReplayToken($0, isSingleUse: true) }
    }

    /// The id of the signed event.
    public var identifiers: [String] { operations.compactMap(\.eventID) }

    /// The id of the call, the wishes, and the change of the connection.
    public var terms: RequestTerms {
        var terms = RequestTerms()
        terms.correlator = call.id
        terms.pace = Pace()
        terms.requiredConnections = connection.sessions.map(\.id)
        // The owner approved the connection, so calls that only concern it need no question.
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
        case .session, .publicKey: break
        }
        return terms
    }

    /// Returns the result of the call; nil if the key results do not match it.
    func result(_ results: [KeyResult]) throws(NostrRefusal) -> JSON? {
        guard results.count == operations.count else { return nil }
        switch body {
        case .connect: return "ack"
        case .session(.logout): return "ack"
        case .session(.ping): return "pong"
        // The relays do not change, because clients fail on a list of relays. Results are texts
        // with JSON: some clients do not recognize a JSON null as an answer.
        case .session: return "null"
        case .publicKey: return .string(connection.account.address)
        case .use(let use):
            if let event = use.signedEvent(results[0]) { return .string(event) }
            return try use.text(results[0], verify: nil).map { .string($0) }
        }
    }

    /// The summary for a person before the decision.
    public var summary: Summary {
        switch body {
        case .use(let use): return use.summary(about: [name], dangers: [])
        case .connect(let connect):
            return Summary(
                title: "Connect a Nostr client to your account",
                lines: [account, name] + connect.lines, warnings: [])
        case .session(let method):
            return Summary(title: method.title, lines: [account, name], warnings: [])
        case .publicKey:
            return Summary(
                title: "Show a client your Nostr public key", lines: [account, name], warnings: [])
        }
    }

    private var account: Summary.Line {
        let account = connection.account
        return Summary.Line("account", "\(account.name) \(PublicKeyText.npub(account.publicKey))")
    }

    private var name: Summary.Line { Summary.Line("connection", connection.key.name) }
}

/// The content of `connect`.
struct ConnectRequest: Hashable, Sendable {
    /// The permissions that the client asks for.
    let wishes: [NostrPermission]
    /// The new connection; nil if there is one already.
    let opened: ClientConnection?
    /// The operation that reveals the account's public key.
    let operation: RequestedOperation
    private let metadata: ClientMetadata?
    /// The permissions that cannot be granted, in the words of the client.
    private let unusable: [String]

    /// Reads a call; a connected client gets the same answer again without any change.
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
        case .ping: "Tell a client that the signer answers"
        case .switchRelays: "Tell a client the relays of the signer"
        case .logout: "End the client's connection and all that it is allowed"
        }
    }
}
