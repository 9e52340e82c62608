// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningNetwork

/// The reasons that an Algorand node gave no result.
package enum AlgodError: Error, Hashable, Sendable {
    /// There was no complete answer.
    case transport(HTTPError)
    /// The answer is an HTTP status without a message of the node.
    case http(status: Int)
    /// The answer does not follow the interface.
    case malformed(_ what: String)
    /// There is no node of the right network.
    case noNode(_ why: String)
    /// The node refuses the transactions.
    case refused(AlgodRefusal)
    /// The node reports another error, with its message.
    case server(status: Int, message: String)
}

extension AlgodError {
    /// True if sent transactions may still take effect.
    ///
    /// A node or a proxy that received the bytes may keep them, even if it reports an error.
    public var mayHaveBeenSent: Bool {
        if case .transport(let error) = self { error.mayHaveBeenSent } else { true }
    }

    /// The error in plain words; the node's message is quoted in visible ASCII.
    public var text: String {
        switch self {
        case .transport(let error): error.text
        case .http(let status): "the node answers with HTTP status \(status)"
        case .malformed(let what): "the node's answer is malformed: \(what)"
        case .noNode(let why): why
        case .refused(let refusal): "the node refused it: \(refusal.message)"
        case .server(let status, let message):
            "the node answers with HTTP status \(status): \(message)"
        }
    }
}

extension AlgodError {
    /// Reads an answer with an error status.
    init(_ response: HTTPClient.Response, refusesTransactions: Bool = false) {
        let body = try? JSON.parse(response.body.span, limits: Algod.limits)
        guard let message = body?["message"]?.text else {
            self = .http(status: response.status)
            return
        }
        self =
            refusesTransactions && response.status == Self.badRequest
            ? .refused(AlgodRefusal(message))
            : .server(status: response.status, message: message.visible)
    }

    /// True if the node reports that it does not know the transaction.
    ///
    /// The HTTP status alone is not enough: another server has it for an unknown path.
    var isUnknownTransaction: Bool {
        guard case .server(Self.notFound, let message) = self else { return false }
        return message.contains("could not find the transaction")
    }

    private static let badRequest = 400
    private static let notFound = 404
}

/// The reason that a node refuses a transaction or a group.
public struct AlgodRefusal: Hashable, Sendable {
    /// The reason in one word, such as `Overspend`; `Refused` for an unknown reason.
    public let name: String
    /// The node's message, cut, in visible ASCII.
    public let message: String

    /// Creates a refusal from the message of a node.
    public init(_ message: String) {
        let name = Self.names.first { message.contains($0.words) }?.name ?? "Refused"
        self.name = name
        self.message = message.visible
    }

    /// Returns true if the node refuses because it already has this transaction.
    ///
    /// The id is at the end of the message: elsewhere, a program could have written these words.
    public func isBecauseTaken(_ id: String) -> Bool {
        Self.repetitions.contains(name) && message.hasSuffix(": \(id)")
    }

    private static let repetitions = ["AlreadyInLedger", "AlreadyInPool"]

    private static let names: [(words: String, name: String)] = [
        ("already in ledger", "AlreadyInLedger"), ("already in the pool", "AlreadyInPool"),
        ("overlapping lease", "Lease"), ("txn dead", "Dead"), ("logic eval error", "Logic"),
        ("rejected by ", "Logic"), ("overspend", "Overspend"), ("below min", "BelowMinimum"),
        ("should have been authorized by", "Authorization"), ("signature", "Signature"),
        ("msgpack decode error", "Malformed"), ("incomplete group", "Group"),
        ("reached capacity", "PoolFull"), ("fee ", "Fee"),
    ]
}
