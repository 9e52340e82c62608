// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// Connects clients to keys of one protocol, like CAIP-25.
///
/// A client asks for scopes and gets those that a person or the policy grants. There is one adapter
/// for each protocol; the chain defines the meaning of a scope.
public struct ConnectAdapter: GrantsWishes {
    /// Converts a scope to a wish for the first key, without a time limit.
    public typealias Reading =
        @Sendable (ConnectScope) throws(ConnectRefusal) -> Wish

    /// The id: `connect-` and the protocol.
    public let id: AdapterID
    /// The facts and dangers of the protocol.
    public let schema: FactSchema
    /// Empty: a connection only reveals public keys.
    public let domains: [SigningDomain] = []
    /// The maximum size of a frame, 16 KiB.
    public let frameBytesMax = ConnectWire.frameBytesMax
    private let read: Reading

    /// Creates the adapter of a protocol with this schema.
    public init(_ schema: FactSchema, reading read: @escaping Reading) {
        id = .connect(schema.protocolID)
        self.schema = schema
        self.read = read
    }

    /// Reads one call; only a client with a proved identity can be connected.
    public func decode(
        _ frame: Span<UInt8>, in context: DecodingContext
    ) throws(AdapterError) -> ConnectRequest {
        do throws(ConnectRefusal) {
            return try ConnectRequest(
                try ConnectWire(frame), of: schema.protocolID, in: context, read)
        } catch {
            guard error == .unknownKey, context.nameable(context.client) != nil else {
                throw error.adapterError
            }
            throw AdapterError(
                code: error.code, reason: error.detail, reply: error.reply,
                unconnected: UnconnectedRequest(method: ConnectRequest.method))
        }
    }

    /// Writes the refusal, or the scopes of a connected client.
    public func encode(_ outcome: Outcome, to request: ConnectRequest) -> Reply {
        encode(outcome, to: request, granted: [])
    }

    /// Writes the keys and scopes of the connection, and the scopes that are decided each time.
    public func encode(
        _ outcome: Outcome, to request: ConnectRequest, granted: [Int]
    ) -> Reply {
        switch outcome {
        case .done(let results):
            guard results.count == request.operations.count else {
                return .undeliverable(Reason(.keyFailed, "the results do not fit the request"))
            }
            return .message(request.answer(granted: Set(granted)).write())
        case .denied(let reason), .failed(let reason): return ConnectRefusal(reason).reply
        }
    }

    /// Returns the refusal `too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        ConnectRefusal.tooLarge(frameBytesMax).adapterError
    }
}

extension AdapterID {
    /// Returns the wire of connections to keys of a protocol.
    public static func connect(_ protocolID: ProtocolID) -> AdapterID {
        AdapterID("connect-\(protocolID.name)")
    }
}
