// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A request with one operation of one key, which holds everything that a policy judges.
public protocol NostrUseRequest: SignRequest {
    /// The only operation.
    var operation: RequestedOperation { get }
}

extension NostrUseRequest {
    /// The protocol id, `nostr`.
    public var protocolID: ProtocolID { NostrChain.protocolID }
    /// The operation as a list.
    public var operations: [RequestedOperation] { [operation] }
    /// Always `full`: content that is not understood is refused.
    public var decoding: Decoding { .full }
    /// Empty; the operation holds the facts.
    public var facts: [Fact] { [] }
    /// Empty; the operation holds the effects.
    public var effects: [Effect] { [] }
    /// Empty; the operation holds the dangers.
    public var dangers: [Danger] { [] }
    /// Nil: these wires do not mark a repetition.
    public var replayToken: ReplayToken? { nil }
    /// The id of the signed event.
    public var identifiers: [String] { operations.compactMap(\.eventID) }
}
