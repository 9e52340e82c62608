// SPDX-License-Identifier: Apache-2.0

/// A request that was not carried out, for the record.
public struct Refusal: Hashable, Sendable {
    /// The id of the request, 16 bytes.
    public let id: [UInt8]
    /// When.
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
    /// SHA-256 of the frame.
    public let requestDigest: [UInt8]
    /// The policy in force.
    public let policyHash: [UInt8]
    /// `denied` or `failed`.
    public let kind: String
    /// The keys that would have been used, in order of the operations.
    public let keys: [KeyID]
    /// What would have happened.
    public let effects: [Effect]
    /// What was flagged.
    public let dangers: [Danger]
    /// What each operation is about, without the client's payload.
    public let facts: [[Fact]]
    /// How much of the request was understood.
    public let decoding: Decoding
    /// The size of the frame in bytes.
    public let frameBytes: Int
    /// The no that is to be remembered.
    public let remembers: [Grant]
    /// Why.
    public let reason: Reason
}
