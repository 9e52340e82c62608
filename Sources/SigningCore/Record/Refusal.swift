// SPDX-License-Identifier: Apache-2.0

/// A recorded request that was not carried out.
public struct Refusal: Hashable, Sendable {
    /// The id of the request, 16 bytes.
    public let id: [UInt8]
    /// The time of the refusal.
    public let time: Timestamp
    /// The wire.
    public let adapter: AdapterID
    /// The protocol.
    public let protocolID: ProtocolID
    /// The method.
    public let method: String
    /// The client that asked.
    public let client: Client?
    /// The name of the channel.
    public let channel: String
    /// SHA-256 of the frame.
    public let requestDigest: [UInt8]
    /// The hash of the policy in force.
    public let policyHash: [UInt8]
    /// `denied` or `failed`.
    public let kind: String
    /// The keys that would have been used, in order of the operations.
    public let keys: [KeyID]
    /// The effects of the request.
    public let effects: [Effect]
    /// The dangers of the request.
    public let dangers: [Danger]
    /// The facts of each operation, without the client's payload.
    public let facts: [[Fact]]
    /// The degree to which the request was decoded.
    public let decoding: Decoding
    /// The size of the frame in bytes.
    public let frameBytes: Int
    /// The no to remember.
    public let remembers: [Grant]
    /// The reason.
    public let reason: Reason
}
