// SPDX-License-Identifier: Apache-2.0

/// What is about to happen, as the audit chain keeps it: no payload, no secret.
public struct Intent: Hashable, Sendable {
    /// The id of the request, 16 bytes: eight that grow with each request of a hub, then eight
    /// random ones.
    public let id: [UInt8]
    /// When it was judged.
    public let time: Timestamp
    /// The wire.
    public let adapter: AdapterID
    /// The protocol.
    public let protocolID: ProtocolID
    /// The method.
    public let method: String
    /// Who asked.
    public let client: Client?
    /// The door.
    public let channel: String
    /// The caller's login, if the transport knows one.
    public let login: String?
    /// The keys to be used, in order of the operations.
    public let keys: [KeyID]
    /// SHA-256 of the frame.
    public let requestDigest: [UInt8]
    /// The policy that judged.
    public let policyHash: [UInt8]
    /// `policy`, `person` where one approved, `approvers` where several did, or `grant` where one
    /// had before.
    public let decidedBy: String
    /// The grants it stands on.
    public let grants: [Grant]
    /// What remembered answers about it would be about.
    public let scopes: [Grant.Scope]
    /// What each operation is about, without the client's payload.
    public let facts: [[Fact]]
    /// How much of the request was understood.
    public let decoding: Decoding
    /// The size of the frame in bytes.
    public let frameBytes: Int
    /// The ids of the deciding rules.
    public let rules: [String]
    /// What will happen.
    public let effects: [Effect]
    /// What was flagged.
    public let dangers: [Danger]
    /// The limits to be used up.
    public let claims: [LimitClaim]
    /// The mark by which a repetition is known.
    public let replayToken: ReplayToken?
    /// Numbers that no other intent may use again.
    public let serials: [SerialUse]
    /// Whether the token was on record when the request was judged; nil if that is not known.
    public let tokenWasSeen: Bool?
    /// What several people signed; nil where they were not asked.
    public var approval: JointApproval?
    /// Ids of connections that must not have ended.
    public var requiredConnections: [[UInt8]] = []
    /// How long the record was when it was looked at to judge; nil if that is not known.
    ///
    /// A freeze that comes later stops it, even where it was lifted again; so does another policy,
    /// even where the one that judged was put in force again.
    public var judgedAt: RecordLength?
}

/// How much is on record: it only grows.
public struct RecordLength: Hashable, Sendable {
    /// The number of entries.
    public let entries: Int64

    /// So many entries.
    public init(entries: Int64) { self.entries = entries }
}

/// What became of a reserved intent.
public enum Settlement: Hashable, Sendable {
    /// Results exist; SHA-256 of each, in order, the yes that is to be remembered, notes, what
    /// changes about connections, what goes to a network, and the names by which others know what
    /// was signed.
    case done(
        resultDigests: [[UInt8]], remembers: [SealedGrant] = [], notes: [Note] = [],
        connections: [ConnectionChange] = [], broadcast: Broadcast? = nil,
        identifiers: [String] = [])
    /// No key was used, provably: its limits and its replay token are given back.
    case notUsed(Reason)
    /// A key may have been used: its limits stay spent.
    case failed(Reason)
}
