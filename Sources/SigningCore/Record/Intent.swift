// SPDX-License-Identifier: Apache-2.0

/// The recorded announcement of a use of keys: no payload, no secret.
public struct Intent: Hashable, Sendable {
    /// The id of the request, 16 bytes: eight that increase within a hub, then eight random ones.
    public let id: [UInt8]
    /// The time of the reservation.
    public let time: Timestamp
    /// The wire.
    public let adapter: AdapterID
    /// The protocol.
    public let protocolID: ProtocolID
    /// The method.
    public let method: String
    /// The client that asks; nil if it is unknown.
    public let client: Client?
    /// The name of the channel.
    public let channel: String
    /// The client's login, if the transport knows one.
    public let login: String?
    /// The keys to be used, in order of the operations.
    public let keys: [KeyID]
    /// SHA-256 of the frame.
    public let requestDigest: [UInt8]
    /// The hash of the policy that judged.
    public let policyHash: [UInt8]
    /// The source of the yes.
    ///
    /// `policy`, `person`, `program` for a program that approves, `approvers` for several people,
    /// `grant` for a remembered answer, or `session` for a connection.
    public let decidedBy: String
    /// The grants that the request uses.
    public let grants: [Grant]
    /// The scopes of remembered answers to the request.
    public let scopes: [Grant.Scope]
    /// The facts of each operation, without the client's payload.
    public let facts: [[Fact]]
    /// The degree to which the request was decoded.
    public let decoding: Decoding
    /// The size of the frame in bytes.
    public let frameBytes: Int
    /// The ids of the deciding rules.
    public let rules: [String]
    /// The effects.
    public let effects: [Effect]
    /// The dangers.
    public let dangers: [Danger]
    /// The claims on limits.
    public let claims: [LimitClaim]
    /// The token by which a repetition is recognised.
    public let replayToken: ReplayToken?
    /// Numbers that no other intent may use again.
    public let serials: [SerialUse]
    /// True if the token was on record when the request was judged; nil if that is not known.
    public let tokenWasSeen: Bool?
    /// The signed yes of several people; nil if they were not asked.
    public var approval: JointApproval?
    /// Ids of connections that must not have ended.
    public var requiredConnections: [[UInt8]] = []
    /// The length of the record when the request was judged; nil if that is not known.
    ///
    /// A later freeze stops the request, even if it was lifted again. So does a later policy
    /// change, even if the policy that judged is in force again.
    public var judgedAt: RecordLength?
}

/// The final state of a reserved intent.
public enum Settlement: Hashable, Sendable {
    /// Results exist: SHA-256 of each in order, the grants to remember, and the notes.
    ///
    /// It also holds the changes of connections, the items for a network, and the public
    /// identifiers of the signed data.
    case done(
        resultDigests: [[UInt8]], remembers: [SealedGrant] = [], notes: [Note] = [],
        connections: [ConnectionChange] = [], broadcast: Broadcast? = nil,
        identifiers: [String] = [])
    /// A key was certainly not used: the limits and the replay token become free again.
    case notUsed(Reason)
    /// A key may have been used: the limits and the replay token stay used up.
    case failed(Reason)
}
