// SPDX-License-Identifier: Apache-2.0

import NEAR
public import SigningCore

/// Asks NEAR nodes what calls need, and hands them what is signed.
public struct NEARCourier: Courier {
    /// The nodes by network.
    package let nodes: [String: NEARRPC]

    /// NEAR.
    public var protocolID: ProtocolID { .near }

    /// Puts a courier together; without a node for a network its calls are answered offline.
    public init(nodes: [String: NEARRPC]) {
        self.nodes = nodes
    }

    /// Whether there is a node of a network.
    public func reaches(_ network: String) -> Bool { nodes[network] != nil }

    /// Hands an item to the node of its network, if that is on it.
    public func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .notSent(Self.noNode(network)) }
        return await NEARBroadcaster.send(item, to: network, at: node)
    }

    /// Asks what became of an item, and hands it over where nobody knows.
    public func resend(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .unknown(Self.noNode(network)) }
        return await NEARBroadcaster.resend(item, to: network, at: node)
    }

    private static func noNode(_ network: String) -> String {
        "no RPC URL is configured for \(network)"
    }
}
