// SPDX-License-Identifier: Apache-2.0

/// What an adapter may know while it decodes: all of it public.
public final class DecodingContext {
    /// The accounts held here that belong to the adapter's protocol.
    public let accounts: [Account]
    /// The passkeys of those accounts; none where they cannot be read.
    public var passkeys: [Passkey] { readPasskeys() }
    private let readPasskeys: () -> [Passkey]
    /// Who sent the frame.
    public let peer: Peer
    /// Whom rules name, where the wire itself says nobody; nil where nobody is named.
    public var client: Client? { makeClient() }
    private let makeClient: () -> Client?
    /// Whom rules name, where the wire says whom it answers.
    public func client(toldAs told: Client) -> Client { peer.client(toldAs: told) }
    /// The time of the request.
    public let now: Timestamp
    /// 16 fresh random bytes, for an answer that needs an identifier of its own; others each time.
    public var freshID: [UInt8] { makeFreshID() }
    private let makeFreshID: () -> [UInt8]
    /// Whether a request with this token was answered before; nil where it cannot be told.
    public let wasSeen: (ReplayToken) -> Bool?
    /// The last note under a name; nil where there is none, or it cannot be told.
    public let noted: (String, Note.Subject) -> Note?
    /// What the client laid down beside the frame, where the transport takes such things.
    public let enclosure: [UInt8]?
    /// The connections of a client; none where they cannot be read.
    public let connections: (Client) -> [ClientConnection]
    /// The accounts that a client may name; nil where it may name every one, as it could list them
    /// by other ways.
    ///
    /// Any other account counts as one that is not held, so that nobody finds out by naming it.
    public let nameable: (Client?) -> [Account]?
    /// The account that a person chose for a request that leaves it open; nil where nobody did.
    public let chosen: KeyID?
    /// What may have been sent to networks and has no known outcome, newest first; none where it
    /// cannot be read, and then nothing can be signed either.
    public let unsettled: () -> [UnsentItem]

    /// Makes a context; hubs and tests do.
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

/// What goes back over the wire.
public enum Reply: Hashable, Sendable {
    /// Exactly one message in the wire's own format.
    case message([UInt8])
    /// The same, after the transport has laid down the first part where the frame said.
    case deposit([UInt8], message: [UInt8])
    /// What the transport sends to a network; `Answer.complete` writes the message from what
    /// became of it.
    case broadcast(Broadcast)
    /// The wire has no way to answer, or asks for silence; the reason is for the local log.
    case silence(String)
    /// The results do not fit the wire; the hub answers with this failure instead.
    case undeliverable(Reason)
}

extension Reply {
    /// What goes to a network, if anything does.
    var broadcast: Broadcast? {
        if case .broadcast(let broadcast) = self { broadcast } else { nil }
    }
}

/// A frame that an adapter refuses, with the refusal already in the wire's own format.
public struct AdapterError: Error, Hashable, Sendable {
    /// The wire's own error code, such as `invalid_request` or `4200`.
    public let code: String
    /// What is wrong and what to do, without payload.
    public let reason: String
    /// What the owner can do about it, where that is not the code's to say.
    public let hint: String?
    /// What the caller receives.
    public let reply: Reply
    /// The request that named an account to which its client is not connected; nil for all else.
    ///
    /// Such a refusal is judged, recorded and counted; the reply is the same whatever is held.
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
    /// The client that the wire names; nil where it names none.
    public let client: Client?

    /// Makes one; adapters do.
    public init(method: String, client: Client? = nil) {
        self.method = method
        self.client = client
    }
}

/// Maps one wire format into a `SignRequest` and an `Outcome` back; pure, holds no state.
public protocol ProtocolAdapter: Sendable {
    /// The decoded request.
    associatedtype Request: SignRequest

    /// The wire format's name.
    var id: AdapterID { get }
    /// By what its frames are known where nobody names it.
    var marks: FrameMarks { get }
    /// The vocabulary it offers to policy files.
    var schema: FactSchema { get }
    /// Everything its requests may ask a key to sign.
    var domains: [SigningDomain] { get }
    /// The largest frame it reads, in bytes.
    var frameBytesMax: Int { get }

    /// Decodes a whole frame, strictly: what is not understood is refused.
    func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> Request

    /// Writes what became of a request in the wire's own format.
    ///
    /// Only results may be `undeliverable`; a denial or a failure always has an answer.
    func encode(_ outcome: Outcome, to request: Request) -> Reply

    /// The refusal of a frame larger than `frameBytesMax`, which is not decoded at all.
    func refuseOversize(frameBytes: Int) -> AdapterError
}

extension ProtocolAdapter {
    /// By nothing: it has to be named.
    public var marks: FrameMarks { FrameMarks() }
}
