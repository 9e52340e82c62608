// SPDX-License-Identifier: Apache-2.0

import NEAR
public import SigningCore

/// Asks NEAR nodes for the values that calls need, and sends signed transactions to them.
public struct NEARCourier: Courier {
    /// The nodes, by network.
    package let nodes: [String: NEARRPC]

    /// The protocol id, `near`.
    public var protocolID: ProtocolID { .near }

    /// Creates a courier; calls on a network without a node are answered offline.
    public init(nodes: [String: NEARRPC]) {
        self.nodes = nodes
    }

    /// Returns true if a network has a node.
    public func reaches(_ network: String) -> Bool { nodes[network] != nil }

    /// Sends an item to the node of its network, if the node is on that network.
    public func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .notSent(Self.noNode(network)) }
        return await NEARBroadcaster.send(item, to: network, at: node)
    }

    /// Asks for the state of an item, and sends it again if the state is unknown.
    public func resend(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .unknown(Self.noNode(network)) }
        return await NEARBroadcaster.resend(item, to: network, at: node)
    }

    private static func noNode(_ network: String) -> String {
        "no RPC URL is configured for \(network)"
    }
}
