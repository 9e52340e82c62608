// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore
public import SigningNetwork

extension NEARCourier {
    /// Sends each item once, in order; after one that is not accepted the others stay here.
    func deliver(_ broadcast: Broadcast) async -> [Broadcast.Delivery] {
        var deliveries: [Broadcast.Delivery] = []
        var isOpen = true
        for item in broadcast.items {
            var result = Broadcast.Result.notSent("one before it was not accepted")
            if isOpen { result = await send(item, to: broadcast.network) }
            if case .accepted = result {} else { isOpen = false }
            // Without this record it counts as unknown, which is the safe reading.
            try? hub.ledger.record(result, of: item.id, at: hub.environment.now())
            deliveries.append(Broadcast.Delivery(item, result))
        }
        return deliveries
    }

    private func send(_ item: Broadcast.Item, to network: String) async -> Broadcast.Result {
        guard let node = nodes[network] else {
            return .notSent("no RPC URL is configured for \(network)")
        }
        return await NEARBroadcaster.send(item, to: network, at: node)
    }
}

/// Sends what is signed.
public enum NEARBroadcaster {
    /// Sends an item once; where nobody knows whether it arrived the node is asked about it.
    ///
    /// A node of another network is not given it.
    public static func send(
        _ item: Broadcast.Item, to network: String, at node: NEARRPC
    ) async -> Broadcast.Result {
        do throws(RPCError) {
            guard try await node.chainID() == network else {
                return .notSent("the node is on another network")
            }
        } catch {
            return .notSent(error.text)
        }
        do throws(RPCError) {
            return .accepted(try await node.send(item.bytes).write())
        } catch {
            guard error.mayHaveBeenSent else { return result(error) }
            return await status(of: item, at: node, after: error)
        }
    }

    private static func result(_ error: RPCError) -> Broadcast.Result {
        guard case .invalidTransaction(let reason) = error else { return .notSent(error.text) }
        return .refused(name: reason.name, error.text)
    }

    /// A node that was not told to wait gives a status without the transaction.
    private static func naming(_ item: Broadcast.Item, in found: JSON) -> JSON {
        guard case .object(var object) = found, object["transaction"] == nil else { return found }
        object.members.append(.init(name: "transaction", value: ["hash": .string(item.id)]))
        return .object(object)
    }

    private static func status(
        of item: Broadcast.Item, at node: NEARRPC, after error: RPCError
    ) async -> Broadcast.Result {
        do throws(RPCError) {
            let found = try await node.transaction(hash: item.id, sender: item.sender)
            if let found { return .accepted(naming(item, in: found).write()) }
        } catch {
            return .unknown("\(error.text); it may have been sent")
        }
        // The node has looked at it, named a reason, and does not know it.
        if case .invalidTransaction = error { return result(error) }
        return .unknown("\(error.text); the node does not know it yet")
    }
}

extension InvalidTransaction {
    /// The node's own word for it.
    var name: String {
        switch self {
        case .expired: "Expired"
        case .invalidNonce: "InvalidNonce"
        case .nonceTooLarge: "NonceTooLarge"
        case .notEnoughBalance: "NotEnoughBalance"
        case .signature: "InvalidSignature"
        case .other(let name): name
        }
    }
}
