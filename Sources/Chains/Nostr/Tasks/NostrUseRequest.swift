// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A request of one operation of one key, to which all belongs that a policy sees.
public protocol NostrUseRequest: SignRequest {
    /// The operation.
    var operation: RequestedOperation { get }
}

extension NostrUseRequest {
    /// `nostr`.
    public var protocolID: ProtocolID { NostrChain.protocolID }
    /// Exactly one.
    public var operations: [RequestedOperation] { [operation] }
    /// `full`: what is not understood is refused.
    public var decoding: Decoding { .full }
    /// None; see the operation.
    public var facts: [Fact] { [] }
    /// None; see the operation.
    public var effects: [Effect] { [] }
    /// None; see the operation.
    public var dangers: [Danger] { [] }
    /// None: these wires have no mark for a repetition.
    public var replayToken: ReplayToken? { nil }
    /// The id of the event that is signed.
    public var identifiers: [String] { operations.compactMap(\.eventID) }
}
