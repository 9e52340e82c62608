// SPDX-License-Identifier: Apache-2.0

/// The public information that an adapter may use while it decodes.
public final class DecodingContext {
    /// The accounts held here that belong to the adapter's protocol.
    public let accounts: [Account]
    /// The passkeys of those accounts; empty if they cannot be read.
    public var passkeys: [Passkey] { readPasskeys() }
    private let readPasskeys: () -> [Passkey]
    /// The peer that sent the frame.
    public let peer: Peer
    /// The client for rules if the wire itself names none; nil if the peer has no name either.
    public var client: Client? { makeClient() }
    private let makeClient: () -> Client?
    /// Returns the client for rules if the wire names one.
    public func client(claimedAs claimed: Client) -> Client { peer.client(claimedAs: claimed) }
    /// The time of the request.
    public let now: Timestamp
    /// 16 random bytes for an identifier in an answer; each access returns other bytes.
    public var freshID: [UInt8] { makeFreshID() }
    private let makeFreshID: () -> [UInt8]
    /// Returns whether a request with this token was answered before; nil if that is unknown.
    public let wasSeen: (ReplayToken) -> Bool?
    /// Returns the last note under a name; nil if absent or it cannot be read.
    public let noted: (String, Note.Subject) -> Note?
    /// The data that the client stored beside the frame, on transports with enclosures.
    public let enclosure: [UInt8]?
    /// Returns the connections of a client; empty if they cannot be read.
    public let connections: (Client) -> [ClientConnection]
    /// Returns the accounts that a client may name; nil if the client may name all accounts, as it
    /// can list them anyway.
    ///
    /// The adapter treats other accounts as not held, so that a client cannot find out about them.
    public let nameable: (Client?) -> [Account]?
    /// The account that a person chose for this request; nil if no person chose one.
    public let chosen: KeyID?
    /// Returns items that may have been sent to networks without a known outcome, newest first.
    ///
    /// Empty if the record cannot be read; then nothing can be signed either.
    public let unsettled: () -> [UnsentItem]

    /// Makes a context; called by hubs and tests.
    public init(
        accounts: [Account], peer: Peer, client: @escaping @autoclosure () -> Client? = nil,
        now: Timestamp,
        freshID: @escaping @autoclosure () -> [UInt8],
        wasSeen: @escaping (ReplayToken) -> Bool?,
        noted: @escaping (String, Note.Subject) -> Note? = { _, _ in nil },
        enclosure: [UInt8]? = nil,
        connections: @escaping (Client) -> [ClientConnection] = { _ in [] },
        unsettled: @escaping () -> [UnsentItem] = { [] },
        passkeys: @escaping @autoclosure () -> [Passkey] = [],
        nameable: @escaping (Client?) -> [Account]? = { _ in nil }, chosen: KeyID? = nil
    ) {
        self.accounts = accounts
        readPasskeys = passkeys
        self.peer = peer
        makeClient = client
        self.now = now
        makeFreshID = freshID
        self.wasSeen = wasSeen
        self.noted = noted
        self.enclosure = enclosure
        self.connections = connections
        self.nameable = nameable
        self.chosen = chosen
        self.unsettled = unsettled
    }
}

/// The reply over the wire.
public enum Reply: Hashable, Sendable {
    /// Exactly one message in the wire's own format.
    case message([UInt8])
    /// A message; before sending it, the transport stores the first value at the place that the
    /// frame names.
    case deposit([UInt8], message: [UInt8])
    /// Items that the hub sends to a network; `Answer.complete` then writes the message from the
    /// results.
    case broadcast(Broadcast)
    /// The wire has no way to answer, or the frame asks for silence; the reason is for the local
    /// log.
    case silence(String)
    /// The results do not fit into a message of the wire; the hub answers with this failure.
    case undeliverable(Reason)
}

extension Reply {
    /// The broadcast; nil for other replies.
    var broadcast: Broadcast? {
        if case .broadcast(let broadcast) = self { broadcast } else { nil }
    }
}

/// The refusal of a frame by an adapter, already in the wire's own format.
public struct AdapterError: Error, Hashable, Sendable {
    /// The wire's own error code, such as `invalid_request` or `4200`.
    public let code: String
    /// The problem and a remedy, without payload.
    public let reason: String
    /// A hint for the owner that the client must not see; nil if there is none.
    public let hint: String?
    /// The reply to the client.
    public let reply: Reply
    /// The request that named an account to which its client is not connected; nil otherwise.
    ///
    /// Such a refusal is judged, recorded and counted. The reply must not depend on whether this
    /// home holds the account.
    public let unconnected: UnconnectedRequest?

    /// Makes a refusal.
    public init(
        code: String, reason: String, hint: String? = nil, reply: Reply,
        unconnected: UnconnectedRequest? = nil
    ) {
        self.code = code
        self.reason = reason
        self.hint = hint
        self.reply = reply
        self.unconnected = unconnected
    }
}

/// A request that names an account to which its client is not connected.
public struct UnconnectedRequest: Hashable, Sendable {
    /// The method, as rules name it.
    public let method: String
    /// The client that the wire names; nil if it names no client.
    public let client: Client?

    /// Makes the request; called by adapters.
    public init(method: String, client: Client? = nil) {
        self.method = method
        self.client = client
    }
}

/// Translates frames of one wire to `SignRequest`, and an `Outcome` to a reply; has no state.
public protocol ProtocolAdapter: Sendable {
    /// The decoded request.
    associatedtype Request: SignRequest

    /// The name of the wire format.
    var id: AdapterID { get }
    /// The marks by which frames of the wire are recognised if the client names no wire.
    var marks: FrameMarks { get }
    /// The methods, facts and dangers of its requests, which policy files can name.
    var schema: FactSchema { get }
    /// All domains that its requests may ask a key to sign.
    var domains: [SigningDomain] { get }
    /// The largest frame it reads, in bytes.
    var frameBytesMax: Int { get }

    /// Decodes a whole frame strictly; unknown content is refused.
    func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request

    /// Writes the outcome of a request in the wire's own format.
    ///
    /// Must return a message for a denial or failure; only results can be `undeliverable`.
    func encode(_ outcome: Outcome, to request: Request) -> Reply

    /// Makes the refusal of a frame larger than `frameBytesMax`, which is not decoded.
    func refuseOversize(frameBytes: Int) -> AdapterError
}

extension ProtocolAdapter {
    /// No marks: clients have to name the wire.
    public var marks: FrameMarks { FrameMarks() }
}

/// An adapter that can write a reply to a frame that the hub could not judge.
public protocol AnswersFailures: ProtocolAdapter {
    /// Returns the reply to such a frame; nil if the client cannot receive one.
    func failure(of frame: Span<UInt8>) -> [UInt8]?
}

/// The marks by which the wire of a frame is recognised if the client does not name the wire.
public struct FrameMarks: Hashable, Sendable {
    /// The URL schemes of the wire, in lower case.
    public let schemes: [String]
    /// Sets of member names; a JSON object that has all members of one set belongs to the wire.
    public let members: [[String]]

    /// Creates marks; without any, clients must name the wire.
    public init(schemes: [String] = [], members: [[String]] = []) {
        self.schemes = schemes
        self.members = members
    }
}
