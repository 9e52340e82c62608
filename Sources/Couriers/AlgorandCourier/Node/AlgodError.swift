// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningNetwork

/// Why an Algorand node gave no result.
package enum AlgodError: Error, Hashable, Sendable {
    /// There was no whole answer.
    case transport(HTTPError)
    /// The answer is an HTTP status without a word of the node.
    case http(status: Int)
    /// The answer is not what the interface says.
    case malformed(_ what: String)
    /// No node of the network that is meant is there.
    case noNode(_ why: String)
    /// The node refuses the transactions.
    case refused(AlgodRefusal)
    /// The node gives another error, in words of its own.
    case server(status: Int, message: String)
}

extension AlgodError {
    /// Whether transactions that were handed over may take effect all the same.
    ///
    /// A node that got the bytes can keep them whatever it answers, and so can all before it.
    public var mayHaveBeenSent: Bool {
        if case .transport(let error) = self { error.mayHaveBeenSent } else { true }
    }

    /// The error in plain words; what a node says is quoted in visible ASCII.
    public var text: String {
        switch self {
        case .transport(let error): error.text
        case .http(let status): "the node answers with HTTP status \(status)"
        case .malformed(let what): "the node's answer is malformed: \(what)"
        case .noNode(let why): why
        case .refused(let refusal): "the node refuses it: \(refusal.message)"
        case .server(let status, let message):
            "the node answers with HTTP status \(status): \(message)"
        }
    }
}

extension AlgodError {
    /// Reads an answer that is no success.
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

    /// Whether a node says that it has no transaction of the id asked about.
    ///
    /// A server that is no node has the same status for an address that it does not know.
    var isUnknownTransaction: Bool {
        guard case .server(Self.notFound, let message) = self else { return false }
        return message.contains("could not find the transaction")
    }

    private static let badRequest = 400
    private static let notFound = 404
}

/// Why a node refuses a transaction or a group.
public struct AlgodRefusal: Hashable, Sendable {
    /// The reason in one word, such as `Overspend`; `Refused` for what is not known.
    public let name: String
    /// What the node says, cut off, in visible ASCII.
    public let message: String

    /// Takes what a node says.
    public init(_ message: String) {
        let name = Self.names.first { message.contains($0.words) }?.name ?? "Refused"
        self.name = name
        self.message = message.visible
    }

    /// Whether the node refuses because it has this very transaction already.
    ///
    /// Its id stands at the end: in the middle a program could have put those words.
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
