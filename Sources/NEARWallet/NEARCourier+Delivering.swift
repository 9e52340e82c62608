// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore
public import SigningNetwork

extension NEARCourier {
    /// Sends what a reply holds, in order, to the node of its network.
    func deliver(_ broadcast: Broadcast) async -> [Broadcast.Delivery] {
        await hub.deliver(broadcast) { item in await send(item, to: broadcast.network) }
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
    /// Sends an item for the first time; where nobody knows whether it arrived the node is asked.
    ///
    /// A node of another network is not given it.
    public static func send(
        _ item: Broadcast.Item, to network: String, at node: NEARRPC
    ) async -> Broadcast.Result {
        if let problem = await problem(with: node, for: network) { return .notSent(problem) }
        do throws(RPCError) {
            return outcome(try await node.send(item.bytes))
        } catch {
            guard error.mayHaveBeenSent else { return first(error) }
            return await status(of: item, at: node) ?? .unknown(unknownText(error))
        }
    }

    /// Sends an item again that was sent before, or may have been.
    ///
    /// What a node says of this time says nothing of the time before: an old transaction that was
    /// carried out long ago is refused like one that never was. Only its outcome is certain.
    public static func resend(
        _ item: Broadcast.Item, to network: String, at node: NEARRPC
    ) async -> Broadcast.Result {
        if let problem = await problem(with: node, for: network) { return .unknown(problem) }
        if let known = await status(of: item, at: node) { return known }
        do throws(RPCError) {
            return outcome(try await node.send(item.bytes))
        } catch {
            return await status(of: item, at: node) ?? .unknown(unknownText(error))
        }
    }

    private static func problem(with node: NEARRPC, for network: String) async -> String? {
        do throws(RPCError) {
            return try await node.chainID() == network ? nil : "the node is on another network"
        } catch {
            return error.text
        }
    }

    /// What a node said to bytes that nobody had before.
    private static func first(_ error: RPCError) -> Broadcast.Result {
        guard case .invalidTransaction(let reason) = error else { return .notSent(error.text) }
        return .refused(name: reason.name, error.text)
    }

    private static func unknownText(_ error: RPCError) -> String {
        "\(error.text); the node does not know what became of it"
    }

    /// What the chain has of a transaction; nil where that is not certain.
    private static func status(
        of item: Broadcast.Item, at node: NEARRPC
    ) async -> Broadcast.Result? {
        // A node that does not follow the account answers NONE of whatever it is asked.
        let inChain = ["INCLUDED", "INCLUDED_FINAL", "EXECUTED_OPTIMISTIC", "EXECUTED", "FINAL"]
        guard
            let found = try? await node.transaction(hash: item.id, sender: item.sender),
            found["transaction"] != nil
                || inChain.contains(found["final_execution_status"]?.text ?? "")
        else { return nil }
        return outcome(naming(item, in: found))
    }

    /// A node that was not told to wait gives a status without the transaction.
    private static func naming(_ item: Broadcast.Item, in found: JSON) -> JSON {
        guard case .object(var object) = found, object["transaction"] == nil else { return found }
        object.members.append(.init(name: "transaction", value: ["hash": .string(item.id)]))
        return .object(object)
    }

    private static func outcome(_ json: JSON) -> Broadcast.Result {
        json["status"]?["Failure"] == nil ? .accepted(json.write()) : .failed(json.write())
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
