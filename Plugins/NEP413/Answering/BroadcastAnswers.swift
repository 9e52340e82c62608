// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
public import SigningCore

extension NEP413Adapter {
    /// Writes the outcomes if every transaction succeeded, otherwise an error with all hashes.
    public func encode(_ deliveries: [Broadcast.Delivery], to request: NEP413Request) -> Reply {
        guard case .transactions(let transactions, _, let purpose) = request.near.body,
            !deliveries.isEmpty, deliveries.count == transactions.count
        else { return .undeliverable(Reason(.undeliverable, "nothing was to be broadcast")) }
        if let error = NEARBroadcastError(deliveries) { return error.reply }
        let outcomes = deliveries.compactMap(\.outcome)
        switch purpose {
        case .send(isList: false), .handOver: return .result(ofNode: outcomes[0])
        case .send(isList: true): return .result(ofNode: .array(outcomes))
        case .signIn(let account): return .result([.account(account)])
        }
    }
}

/// The error for signed transactions that did not all succeed.
private struct NEARBroadcastError {
    private let deliveries: [Broadcast.Delivery]
    /// The first transaction that did not succeed; it determines the error.
    private let cause: Broadcast.Delivery

    /// Creates the error; nil if every transaction succeeded.
    init?(_ deliveries: [Broadcast.Delivery]) {
        guard let cause = deliveries.first(where: { $0.state != .carriedOut }) else { return nil }
        self.deliveries = deliveries
        self.cause = cause
    }

    /// The reply to the client, with the hash and the state of each transaction.
    ///
    /// It does not contain the signed bytes, as the client may not be allowed to send them itself.
    /// The ledger stores them, so that the owner can send them later.
    var reply: Reply {
        let (code, text, name) = words
        let outcomes = deliveries.compactMap(\.outcome)
        let left = deliveries.filter { $0.outcome == nil }
        var error: [JSONObject.Member] = [
            .init(name: "code", value: .string(code.rawValue)),
            .init(name: "message", value: .string("\(counts)\(text) (\(hashes))")),
        ]
        if let name { error.append(.init(name: "name", value: .string(name))) }
        error.append(
            .init(
                name: "transactions",
                value: .array(
                    deliveries.map {
                        ["hash": .string($0.item.id), "state": .string($0.state.rawValue)]
                    })))
        error.append(
            .init(name: "signedHashes", value: .array(left.map { .string($0.item.id) })))
        if !outcomes.isEmpty { error.append(.init(name: "outcomes", value: .array(outcomes))) }
        return .message((["error": .object(JSONObject(error))] as JSON).writeASCII())
    }

    /// The number of transactions in each state; empty for one transaction.
    private var counts: String {
        guard deliveries.count > 1 else { return "" }
        let parts = TransactionState.allCases.compactMap { state in
            let count = deliveries.count { $0.state == state }
            return count > 0 ? "\(count) \(state.words)" : nil
        }
        return parts.joined(separator: ", ") + ": "
    }

    /// Every hash with its state: many clients keep only the message of an error.
    private var hashes: String {
        deliveries.map { "\($0.item.id) \($0.state.words)" }.joined(separator: ", ")
    }

    private var words: (NEARRefusal.Code, text: String, name: String?) {
        switch cause.result {
        case .refused(let name, let text): (.transactionRefused, text, name)
        case .declined(let name, let text):
            (.broadcastUnknown, text + "; it may be carried out anyway", name)
        // Details of a transport problem are for the owner, as they name the node and its address.
        case .notSent: (.notBroadcast, "it was not sent", nil)
        case .unknown: (.broadcastUnknown, "it is not known whether the chain has it", nil)
        case .failed: (.transactionFailed, "the transaction failed on the chain", nil)
        case .accepted: (.internalError, "the network took it", nil)
        }
    }
}

/// The state of a signed transaction in replies.
private enum TransactionState: String, CaseIterable {
    case carriedOut = "carried_out"
    /// The chain accepted it, and its execution failed.
    case failed
    /// The transaction will never be carried out.
    case refused
    /// The transaction may or may not be carried out.
    case unknown
    case notSent = "not_sent"

    var words: String {
        switch self {
        case .carriedOut: "carried out"
        case .failed: "failed"
        case .refused: "refused for good"
        case .unknown: "not known"
        case .notSent: "not sent"
        }
    }
}

extension Broadcast.Delivery {
    /// The limits of an outcome with many receipts and logs.
    private static let outcomeLimits = JSONLimits(
        bytesMax: 4 << 20, depthMax: 64, valuesMax: 300_000)

    fileprivate var state: TransactionState {
        switch result {
        case .accepted: .carriedOut
        case .failed: .failed
        case .refused: .refused
        case .declined, .unknown: .unknown
        case .notSent: .notSent
        }
    }

    /// The outcome on the chain; nil if the transaction did not get that far.
    fileprivate var outcome: JSON? {
        switch result {
        case .accepted(let bytes), .failed(let bytes):
            (try? JSON.parse(bytes.span, limits: Self.outcomeLimits))
                ?? ["transaction": ["hash": .string(item.id)]]
        case .refused, .declined, .unknown, .notSent: nil
        }
    }
}
