// SPDX-License-Identifier: Apache-2.0

import NEAR
public import NEP413
import SigningCodecs
public import SigningCore
public import SigningNetwork

/// Takes wallet calls through a hub, with what NEAR nodes have to say before and after.
///
/// Lookups come before the request is decoded, broadcasts after its answer is on record; in
/// between nothing is asked of anybody.
public struct NEARCourier: Sendable {
    let hub: SigningHub
    let adapter: NEP413Adapter
    /// The nodes by network.
    let nodes: [String: NEARRPC]

    /// Puts a courier together; without a node for a network its calls are answered offline.
    public init(
        hub: SigningHub, adapter: NEP413Adapter, nodes: [String: NEARRPC]
    ) {
        self.hub = hub
        self.adapter = adapter
        self.nodes = nodes
    }

    /// Answers one frame, as the hub does.
    public func answer(_ frame: Frame) async -> Answer {
        if let parts = SplitSignIn(frame) { return await answer(parts) }
        let prepared: Frame
        do throws(NEARLookupFailure) {
            prepared = try await prepare(frame)
        } catch {
            return .refused(adapter.refuse(error))
        }
        return await hub.answer(prepared, with: adapter) { [nodes] item, network in
            guard let node = nodes[network] else {
                return .notSent("no RPC URL is configured for \(network)")
            }
            return await NEARBroadcaster.send(item, to: network, at: node)
        }
    }

    /// The frame with what had to be looked up beside it.
    func prepare(_ frame: Frame) async throws(NEARLookupFailure) -> Frame {
        let context = hub.context(of: frame, for: .near)
        guard let need = adapter.lookups(for: frame.bytes.span, in: context),
            let lookups = try await lookUp(need, in: context)
        else { return frame }
        return Frame(bytes: frame.bytes, attachment: lookups.attachment, origin: frame.origin)
    }
}
