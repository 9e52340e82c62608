// SPDX-License-Identifier: Apache-2.0

import NEAR
public import NEP413
public import SigningCore

/// Takes wallet calls through a hub, with what NEAR nodes have to say before and after.
///
/// Lookups come before the request is decoded, broadcasts after its answer is on record; in
/// between nothing is asked of anybody.
public struct NEARCourier: Sendable {
    /// The nodes by network.
    package let nodes: [String: NEARRPC]

    /// Puts a courier together; without a node for a network its calls are answered offline.
    public init(nodes: [String: NEARRPC]) {
        self.nodes = nodes
    }

    /// Answers one frame, as the hub does.
    public func answer(
        _ frame: Frame, with adapter: NEP413Adapter, through hub: SigningHub
    ) async -> Answer {
        do throws(AdapterError) {
            let call = ReadCall(frame, try hub.read(frame, with: adapter), adapter, hub)
            guard let (message, signIn) = call.reading.decisions else {
                return try await answer(call)
            }
            return try await answer(call.with(message), then: call.with(signIn))
        } catch {
            return .refused(error)
        }
    }

    /// Sends an item for the first time.
    public func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .notSent(Self.noNode(network)) }
        return await NEARBroadcaster.send(item, to: network, at: node)
    }

    /// Sends an item again that was sent before, or may have been.
    public func resend(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .unknown(Self.noNode(network)) }
        return await NEARBroadcaster.resend(item, to: network, at: node)
    }

    private static func noNode(_ network: String) -> String {
        "no RPC URL is configured for \(network)"
    }

    /// Looks up what a call needs, and takes it through the hub.
    func answer(_ call: ReadCall<some NEARWire>) async throws(AdapterError) -> Answer {
        let context = call.context
        var lookup: NEARLookup?
        if let need = try call.need(in: context) {
            do throws(NEARLookupFailure) {
                lookup = try await lookUp(need, in: context, through: call.hub)
            } catch {
                throw call.wire.refuse(error)
            }
        }
        return await call.hub.answer(
            call.frame, read: call.reading, having: lookup, with: call.wire
        ) { item, network in await send(item, to: network) }
    }
}

/// A call that a wire has read, on its way to a hub.
struct ReadCall<Wire: NEARWire> {
    let frame: Frame
    let reading: Wire.Reading
    let wire: Wire
    let hub: SigningHub

    init(_ frame: Frame, _ reading: Wire.Reading, _ wire: Wire, _ hub: SigningHub) {
        self.frame = frame
        self.reading = reading
        self.wire = wire
        self.hub = hub
    }

    /// A part of the same frame.
    func with(_ reading: Wire.Reading) -> Self { Self(frame, reading, wire, hub) }

    /// What the hub knows now.
    var context: DecodingContext { hub.context(of: frame, for: .near) }

    func need(in context: DecodingContext) throws(AdapterError) -> NEARLookupNeed? {
        try wire.need(of: reading, in: context)
    }
}
