// SPDX-License-Identifier: Apache-2.0

public import ARC27
public import Algorand
public import SigningCore

/// A node with the network that it has to be on.
public struct AlgorandNode: Sendable {
    /// The node.
    public let algod: Algod
    /// What it is trusted with transactions of.
    public let network: AlgorandNetwork

    /// Names a node; what it says of its own network is checked before it is given anything.
    public init(_ algod: Algod, on network: AlgorandNetwork) {
        self.algod = algod
        self.network = network
    }

    /// Why nothing can be posted there; nil where it can.
    func problem() async -> String? {
        do throws(AlgodError) {
            return try await algod.parameters().genesisHash == network.genesisHash
                ? nil : "the node is on another network"
        } catch {
            return error.text
        }
    }
}

/// Takes ARC-27 requests through a hub, and what they post to a node.
///
/// Before a request that posts, or asks what can be, is decoded, the nodes are asked whether they
/// are there and on which network; rounds and genesis are what the client brings itself.
public struct AlgorandCourier: Sendable {
    private let hub: SigningHub
    private let adapter: ARC27Adapter
    /// The nodes by network, as rules name it.
    private let nodes: [String: AlgorandNode]

    /// Puts a courier together; of the networks that `adapter` was told have a node, posting is
    /// offered on those whose node answers and is on it.
    public init(hub: SigningHub, adapter: ARC27Adapter, nodes: [AlgorandNode]) {
        self.hub = hub
        self.adapter = adapter
        self.nodes = Dictionary(nodes.map { ($0.network.policyName, $0) }) { first, _ in first }
    }

    /// Answers one frame, as the hub does.
    public func answer(_ frame: Frame) async -> Answer {
        guard adapter.asksForNodes(frame.bytes.span) else {
            return await hub.answer(frame, with: adapter)
        }
        var problems: [String] = []
        var able: [AlgorandNetwork] = []
        for (name, node) in nodes.sorted(by: { $0.key < $1.key }) {
            if let problem = await node.problem() {
                problems.append("\(name): \(problem)")
            } else {
                able.append(node.network)
            }
        }
        let answer = await hub.answer(frame, with: adapter.posting(onlyTo: able)) {
            item, network in await send(item, to: network)
        }
        return answer.explained(by: problems)
    }

    private func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else { return .notSent("no node of \(network) is known") }
        // The same bytes have the same id; what a node says now is nothing about before.
        guard isFirst(item) else { return await AlgorandBroadcaster.resend(item, to: node) }
        let result = await AlgorandBroadcaster.send(item, to: node)
        // Nor about what another process sent meanwhile.
        guard case .refused(_, let text) = result, !isFirst(item) else { return result }
        return .unknown(text)
    }

    /// Whether nobody handed an item to the network before; false where the record cannot be read.
    private func isFirst(_ item: Broadcast.Item) -> Bool {
        (try? !hub.ledger.mayHaveSent(item.id)) ?? false
    }
}

extension Answer {
    /// The same, and why nodes could not be used for the owner where the request is refused; the
    /// client is not told.
    fileprivate func explained(by problems: [String]) -> Answer {
        guard case .refused(let error) = ending, error.code == "4003", !problems.isEmpty else {
            return self
        }
        return .refused(
            AdapterError(
                code: error.code,
                reason: ([error.reason] + problems).joined(separator: "; "),
                reply: error.reply))
    }
}
