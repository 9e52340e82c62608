// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
import SigningCore

/// Sends signed transactions.
///
/// Only the outcome of this transaction, in the documented form, counts as success.
enum NEARBroadcaster {
    /// Sends an item for the first time; if its arrival is uncertain, asks the node.
    ///
    /// An item is never sent to a node of another network. A node that refuses an item may still
    /// have it. The only proof that an item has no effect is that its nonce is used and the node
    /// does not know the item.
    static func send(
        _ item: Broadcast.Item, to network: String, at node: NEARRPC
    ) async -> Broadcast.Result {
        if let problem = await problem(with: node, for: network) { return .notSent(problem) }
        do throws(RPCError) {
            return try await hand(item, to: node)
        } catch {
            guard error.mayHaveBeenSent else { return .notSent(error.text) }
            // A node that timed out probably has the transaction, so it is asked once more to wait.
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

    /// Sends an item again that was or may have been sent before.
    ///
    /// A refusal now does not show if the item was accepted before: a transaction that was
    /// executed long ago is refused too, and nodes forget old transactions. Only an outcome from
    /// the node is certain.
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
                "its nonce has passed: if it was not carried out before, it never will be; the "
                    + "node does not know it"
            )
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
        "\(error.text); the node does not know the outcome"
    }

    /// Returns the outcome of a transaction; nil if it is uncertain.
    ///
    /// With `waits`, the node waits for the outcome before it answers.
    private static func status(
        of item: Broadcast.Item, at node: NEARRPC, waits: Bool = false
    ) async -> Broadcast.Result? {
        let first = try? await node.transaction(
            hash: item.id, sender: item.sender, waitUntil: waits ? NEARRPC.waitUntilUsual : "NONE")
        guard var found = first else { return nil }
        // Inclusion in a block is not an outcome yet, so the node waits for one.
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

    /// Returns true if the nonce is used, and the node does not know this transaction.
    ///
    /// The nonce is requested first, so that the node knows the transaction that used it.
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
    /// True if a node or a gateway accepted the request and timed out before the outcome.
    fileprivate var isTimeout: Bool {
        switch self {
        case .timeout, .http(status: 408), .http(status: 504): true
        default: false
        }
    }
}

extension InvalidTransaction {
    /// The name of the error in the terms of the node.
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
