// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Sends what is signed: one transaction, or one whole group.
///
/// A network takes the same bytes once, however often they come, and no others under their id.
/// Accepted means that the node has it in its pool or knows it from a block; it is not waited for.
enum AlgorandBroadcaster {
    /// Sends an item for the first time; where it is not certain that it arrived the node is
    /// asked.
    ///
    /// A node of another network is not given it. What a node refuses it may have all the same,
    /// and others may take it from whoever has the bytes: only that no round is left for it ends
    /// it.
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

    /// Sends an item again that was sent before, or may have been.
    ///
    /// What a node says of this time says nothing of the time before: a transaction that is in a
    /// block of long ago is refused like one that never was. Certain is only that it is there, or
    /// that it never was in any of its rounds.
    static func resend(
        _ item: Broadcast.Item, to node: AlgorandNode
    ) async -> Broadcast.Result {
        if let problem = await node.problem() { return .unknown(problem) }
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

    private enum Lateness {
        /// A round may be left for it, for all we know.
        case none
        /// None is, and the node does not know it.
        case never
        /// The same, and the node would know it from any of its rounds.
        case neverWas
    }

    /// Whether no round is left for an item; the round is looked at before the item, so that
    /// none lies between them.
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
