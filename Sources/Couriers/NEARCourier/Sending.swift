// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
import SigningCore

/// Sends what is signed.
///
/// Only the outcome of this very transaction, in the documented shape, is success.
enum NEARBroadcaster {
    /// Sends an item for the first time; where it is not certain that it arrived the node is
    /// asked.
    ///
    /// A node of another network is not given it. What a node refuses it may have all the same:
    /// only that the nonce is used up by something else ends it.
    static func send(
        _ item: Broadcast.Item, to network: String, at node: NEARRPC
    ) async -> Broadcast.Result {
        if let problem = await problem(with: node, for: network) { return .notSent(problem) }
        do throws(RPCError) {
            return try await hand(item, to: node)
        } catch {
            guard error.mayHaveBeenSent else { return .notSent(error.text) }
            // A node that ran out of time has it, most likely: it is asked to wait once more.
            let known = await status(of: item, at: node, waits: error.isTimeout)
            if let known { return known }
            guard case .invalidTransaction(let reason) = error else {
                return .unknown(unknownText(error))
            }
            guard await isOvertaken(item, at: node) else {
                return .declined(name: reason.name, error.text)
            }
            return .refused(name: reason.name, error.text + "; its nonce has passed without it")
        }
    }

    /// Sends an item again that was sent before, or may have been.
    ///
    /// What a node says of this time says nothing of the time before: an old transaction that was
    /// carried out long ago is refused like one that never was, and in the end forgotten. Only
    /// its outcome is certain.
    static func resend(
        _ item: Broadcast.Item, to network: String, at node: NEARRPC
    ) async -> Broadcast.Result {
        if let problem = await problem(with: node, for: network) { return .unknown(problem) }
        if let known = await status(of: item, at: node) { return known }
        do throws(RPCError) {
            return try await hand(item, to: node)
        } catch {
            if let known = await status(of: item, at: node) { return known }
            guard await isOvertaken(item, at: node) else { return .unknown(unknownText(error)) }
            return .unknown(
                "its nonce has passed, so that it never will be carried out if it was not; "
                    + "the node knows nothing of it")
        }
    }

    private static func problem(with node: NEARRPC, for network: String) async -> String? {
        do throws(RPCError) {
            try await node.check(network)
            return nil
        } catch {
            return error.text
        }
    }

    private static func hand(
        _ item: Broadcast.Item, to node: NEARRPC
    ) async throws(RPCError) -> Broadcast.Result {
        let answer = try await node.send(item.bytes)
        return result(of: try ExecutionOutcome(answer, of: item.id, by: item.sender))
    }

    private static func unknownText(_ error: RPCError) -> String {
        "\(error.text); the node does not know what became of it"
    }

    /// What became of a transaction; nil where that is not certain.
    ///
    /// `waits` where the node is to wait for the outcome at once.
    private static func status(
        of item: Broadcast.Item, at node: NEARRPC, waits: Bool = false
    ) async -> Broadcast.Result? {
        let first = try? await node.transaction(
            hash: item.id, sender: item.sender, waitUntil: waits ? NEARRPC.waitUntilUsual : "NONE")
        guard var found = first else { return nil }
        // That it is in a block is no outcome; the node waits for one.
        if let reached = found["final_execution_status"]?.text, inBlock.contains(reached) {
            let later = try? await node.transaction(
                hash: item.id, sender: item.sender, waitUntil: NEARRPC.waitUntilUsual)
            guard let later else { return nil }
            found = later
        }
        let outcome = try? ExecutionOutcome(found, of: item.id, by: item.sender)
        return outcome.map(result)
    }

    private static let inBlock = ["INCLUDED", "INCLUDED_FINAL"]

    /// Whether the nonce is used up, and not by this transaction as far as the node knows.
    ///
    /// The nonce is looked at first: what used it before that is known now.
    private static func isOvertaken(_ item: Broadcast.Item, at node: NEARRPC) async -> Bool {
        guard let signed = try? SignedTransaction(item.bytes).transaction else { return false }
        do throws(RPCError) {
            let key = try await node.accessKey(
                account: signed.signer, publicKey: signed.key.text)
            guard key.nonce >= signed.nonce else { return false }
            return try await node.transaction(hash: item.id, sender: item.sender) == nil
        } catch {
            return false
        }
    }

    private static func result(of outcome: ExecutionOutcome) -> Broadcast.Result {
        let bytes = outcome.json.writeASCII()
        return outcome.isFailure ? .failed(bytes) : .accepted(bytes)
    }
}

extension RPCError {
    /// Whether a node, or a gateway before it, took it and saw no end in time.
    fileprivate var isTimeout: Bool {
        switch self {
        case .timeout, .http(status: 408), .http(status: 504): true
        default: false
        }
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
