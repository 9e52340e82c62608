// SPDX-License-Identifier: Apache-2.0

public import ARC27
public import SigningCore
public import SigningNetwork

/// A node with the network that it has to be on.
public struct AlgorandNode: Sendable {
    /// The node.
    public let algod: Algod
    /// What it is trusted with transactions of.
    public let network: ARC27Configuration.Network

    /// Names a node; what it says of its own network is checked before it is given anything.
    public init(_ algod: Algod, on network: ARC27Configuration.Network) {
        self.algod = algod
        self.network = network
    }
}

/// Takes ARC-27 requests through a hub, and what they post to a node.
///
/// Nothing is looked up before a request is decoded: a client brings rounds and genesis itself.
public struct AlgorandCourier: Sendable {
    private let hub: SigningHub
    private let adapter: ARC27Adapter
    /// The nodes by network, as rules name it.
    private let nodes: [String: AlgorandNode]

    /// Puts a courier together; `adapter` offers posting on the networks that it was told have
    /// a node, which should be those of `nodes`.
    public init(hub: SigningHub, adapter: ARC27Adapter, nodes: [AlgorandNode]) {
        self.hub = hub
        self.adapter = adapter
        self.nodes = Dictionary(nodes.map { ($0.network.policyName, $0) }) { first, _ in first }
    }

    /// Answers one frame, as the hub does.
    public func answer(_ frame: Frame) async -> Answer {
        let answer = await hub.answer(frame, with: adapter)
        guard case .broadcast(let broadcast) = answer.reply else { return answer }
        let node = nodes[broadcast.network]
        let deliveries = await hub.deliver(broadcast) { item in
            guard let node else { return .notSent("no node of \(broadcast.network) is known") }
            // The same bytes have the same id; what a node says now is nothing about before.
            guard isFirst(item) else { return await AlgorandBroadcaster.resend(item, to: node) }
            let result = await AlgorandBroadcaster.send(item, to: node)
            // Nor about what another process sent meanwhile.
            guard case .refused(_, let text) = result, !isFirst(item) else { return result }
            return .unknown(text)
        }
        return answer.completed(by: deliveries)
    }

    /// Whether nobody handed an item to the network before; false where the record cannot be read.
    private func isFirst(_ item: Broadcast.Item) -> Bool {
        (try? !hub.ledger.mayHaveSent(item.id)) ?? false
    }
}
