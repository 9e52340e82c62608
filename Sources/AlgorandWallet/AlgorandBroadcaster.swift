// SPDX-License-Identifier: Apache-2.0

import ARC27
import SigningCodecs
public import SigningCore
import SigningNetwork

/// Sends what is signed: one transaction, or one whole group.
///
/// A network takes the same bytes once, however often they come, and no others under their id.
public enum AlgorandBroadcaster {
    /// Sends an item for the first time; where nobody knows whether it arrived the node is asked.
    ///
    /// A node of another network is not given it. Accepted means that the node has it in its pool
    /// or knows it from a block; it is not waited for.
    public static func send(
        _ item: Broadcast.Item, to node: AlgorandNode
    ) async -> Broadcast.Result {
        if let problem = await problem(with: node) { return .notSent(problem) }
        do throws(AlgodError) {
            return try await hand(item, to: node)
        } catch {
            guard error.mayHaveBeenSent else { return first(error) }
            return await status(of: item, at: node) ?? .unknown(unknownText(error))
        }
    }

    /// Sends an item again that was sent before, or may have been.
    ///
    /// What a node says of this time says nothing of the time before: a transaction that is in a
    /// block of long ago is refused like one that never was. Only that it is there is certain.
    public static func resend(
        _ item: Broadcast.Item, to node: AlgorandNode
    ) async -> Broadcast.Result {
        if let problem = await problem(with: node) { return .unknown(problem) }
        if let known = await status(of: item, at: node) { return known }
        do throws(AlgodError) {
            return try await hand(item, to: node)
        } catch {
            return await status(of: item, at: node) ?? .unknown(unknownText(error))
        }
    }

    private static func problem(with node: AlgorandNode) async -> String? {
        do throws(AlgodError) {
            return try await node.algod.genesisHash() == node.network.genesisHash
                ? nil : "the node is on another network"
        } catch {
            return error.text
        }
    }

    /// Hands the bytes over; that the node has them already is as good.
    private static func hand(
        _ item: Broadcast.Item, to node: AlgorandNode
    ) async throws(AlgodError) -> Broadcast.Result {
        do throws(AlgodError) {
            guard try await node.algod.send(item.bytes) == item.id else {
                throw AlgodError.malformed("it names another transaction")
            }
        } catch {
            guard case .refused(let refusal) = error, refusal.isBecauseTaken(item.id) else {
                throw error
            }
        }
        return accepted(item)
    }

    /// What a node said to bytes that nobody had before.
    private static func first(_ error: AlgodError) -> Broadcast.Result {
        guard case .refused(let refusal) = error else { return .notSent(error.text) }
        return .refused(name: refusal.name, error.text)
    }

    private static func unknownText(_ error: AlgodError) -> String {
        "\(error.text); the node does not know what became of it"
    }

    /// What the node has of an item; nil where that is not certain.
    ///
    /// What one node has thrown out of its pool another may still have.
    private static func status(
        of item: Broadcast.Item, at node: AlgorandNode
    ) async -> Broadcast.Result? {
        guard let found = try? await node.algod.pending(item.id) else { return nil }
        return switch found {
        case .waiting: accepted(item)
        case .confirmed(let round): accepted(item, in: round)
        case .removed: nil
        }
    }

    /// The answer of a node in its own format, with the round where it is known.
    private static func accepted(
        _ item: Broadcast.Item, in round: UInt64? = nil
    ) -> Broadcast.Result {
        var members = [JSONObject.Member(name: "txId", value: .string(item.id))]
        if let round {
            members.append(.init(name: "confirmed-round", value: .number(String(round))))
        }
        return .accepted(JSON.object(JSONObject(members)).write())
    }
}
