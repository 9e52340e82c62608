// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// Sends a signed transaction or a signed group.
///
/// A network takes identical bytes only once, and no other bytes with the same id. Accepted means
/// that the node has the item in its pool or knows it from a block; the sender does not wait for a
/// block.
enum AlgorandBroadcaster {
    /// Sends an item for the first time; if its arrival is uncertain, asks the node.
    ///
    /// An item is never sent to a node of another network. A node that refuses an item may still
    /// have it, and anyone who has the bytes may send them to other nodes. So an item can take
    /// effect until its last valid round has passed.
    static func send(
        _ item: Broadcast.Item, to node: AlgorandNode
    ) async -> Broadcast.Result {
        if let problem = await node.problem() { return .notSent(problem) }
        do throws(AlgodError) {
            return try await hand(item, to: node)
        } catch {
            guard error.mayHaveBeenSent else { return .notSent(error.text) }
            if let known = await status(of: item, at: node) { return known }
            guard case .refused(let refusal) = error else { return .unknown(unknownText(error)) }
            guard await lateness(of: item, at: node) != .none else {
                return .declined(name: refusal.name, error.text)
            }
            return .refused(name: refusal.name, error.text + "; its last valid round has passed")
        }
    }

    /// Sends an item again that was or may have been sent before.
    ///
    /// A refusal now does not show if the item was accepted before: a transaction that is already
    /// in a block is refused too. Only two facts are certain: the node has the item, or no block
    /// of its valid rounds contains the item.
    static func resend(
        _ item: Broadcast.Item, to node: AlgorandNode
    ) async -> Broadcast.Result {
        if let problem = await node.problem() { return .unknown(problem) }
        // The name of a removed network may be that of another one now.
        guard !ValidRounds.isForeign(item.bytes, to: node.network.genesisHash) else {
            return .unknown("it was signed for a network with another genesis")
        }
        if let known = await status(of: item, at: node) { return known }
        switch await lateness(of: item, at: node) {
        case .neverWas:
            return .refused(name: "Dead", "its last valid round has passed without it")
        case .never:
            return .unknown(
                "its last valid round has passed, and the node no longer knows all its rounds")
        case .none: break
        }
        do throws(AlgodError) {
            return try await hand(item, to: node)
        } catch {
            return await status(of: item, at: node) ?? .unknown(unknownText(error))
        }
    }

    /// Sends the bytes; a node that already has them counts as a success.
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

    private static func unknownText(_ error: AlgodError) -> String {
        "\(error.text); the node does not know the outcome"
    }

    /// Returns the state of an item at the node; nil if it is uncertain.
    ///
    /// An item that one node dropped from its pool may still be in the pool of another.
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

    private enum Lateness {
        /// A valid round may be left.
        case none
        /// The valid rounds are over, and the node does not know the item.
        case never
        /// The valid rounds are over, and the node would know the item from any of them.
        case neverWas
    }

    /// Returns whether a valid round is left for an item.
    ///
    /// The round is requested before the item, so that no round is missed between the two requests.
    private static func lateness(
        of item: Broadcast.Item, at node: AlgorandNode
    ) async -> Lateness {
        guard let rounds = ValidRounds(item.bytes),
            let round = try? await node.algod.parameters().lastRound, rounds.isOver(at: round)
        else { return .none }
        do throws(AlgodError) {
            switch try await node.algod.pending(item.id) {
            case .waiting, .confirmed: return .none
            case .removed, nil: return rounds.isInView(at: round) ? .neverWas : .never
            }
        } catch {
            return .none
        }
    }

    /// Returns the result in the format of the node, with the round if it is known.
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
