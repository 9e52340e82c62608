// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// Connects clients to keys of one protocol, in the manner of CAIP-25: a client asks for scopes,
/// and gets those that a person or the policy grants.
///
/// There is one for each protocol; what a scope means there is the chain's to say.
public struct ConnectAdapter: GrantsWishes {
    /// What a scope is as a wish for the first key, for ever.
    public typealias Reading =
        @Sendable (ConnectScope) throws(ConnectRefusal) -> Wish

    /// `connect-` and the protocol.
    public let id: AdapterID
    /// The facts and dangers of the protocol.
    public let schema: FactSchema
    /// None: a connection tells public keys.
    public let domains: [SigningDomain] = []
    /// 16 KiB.
    public let frameBytesMax = ConnectWire.frameBytesMax
    private let read: Reading

    /// Makes the adapter of a protocol that has these words for its requests.
    public init(_ schema: FactSchema, reading read: @escaping Reading) {
        id = AdapterID("connect-\(schema.protocolID.name)")
        self.schema = schema
        self.read = read
    }

    /// Reads one call; only who is proved can be connected.
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

    /// Writes the refusal; a client that is connected has its scopes told.
    public func encode(_ outcome: Outcome, to request: ConnectRequest) -> Reply {
        encode(outcome, to: request, granted: [])
    }

    /// Writes what the client is connected to, what it may do without asking, and what is decided
    /// each time.
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

    /// The refusal `too_large`.
    public func refuseOversize(frameBytes: Int) -> AdapterError {
        ConnectRefusal.tooLarge(frameBytesMax).adapterError
    }
}
