// SPDX-License-Identifier: Apache-2.0

/// Why a node gave no result.
public enum RPCError: Error, Hashable, Sendable {
    /// There was no whole answer.
    case transport(HTTPError)
    /// The answer is an HTTP status without an error of the node.
    case http(status: Int)
    /// The answer is not what the protocol says.
    case malformed(_ what: String)
    /// The account has no such key.
    case unknownAccessKey
    /// There is no such account.
    case unknownAccount
    /// The node did not see the end in time.
    case timeout
    /// The node refuses the transaction.
    case invalidTransaction(InvalidTransaction)
    /// The node gives another error, in words of its own.
    case server(name: String, message: String)
}

extension RPCError {
    /// Whether a transaction that was handed over may take effect all the same.
    ///
    /// It speaks of this call alone: of an earlier one with the same bytes it says nothing.
    public var mayHaveBeenSent: Bool {
        switch self {
        case .transport(let error): error.mayHaveBeenSent
        case .http(let status): !Self.isTurnedAway(status)
        case .malformed, .timeout: true
        case .unknownAccessKey, .unknownAccount: false
        case .invalidTransaction(let reason): !reason.isFinal
        case .server(let name, _): !Self.unreadNames.contains(name)
        }
    }

    /// The error in plain words; what a node says is quoted as it is.
    public var text: String {
        switch self {
        case .transport(let error): error.text
        case .http(let status): "the node answers with HTTP status \(status)"
        case .malformed(let what): "the node's answer is malformed: \(what)"
        case .unknownAccessKey: "the account has no such key"
        case .unknownAccount: "there is no such account"
        case .timeout: "the node did not see the end in time"
        case .invalidTransaction(let reason): "the node refuses the transaction: \(reason.text)"
        case .server(let name, let message): "the node answers with \(name): \(message)"
        }
    }

    /// What the node says of a request that it could not read.
    private static let unreadNames = ["METHOD_NOT_FOUND", "PARSE_ERROR"]

    /// Whether nobody read on after the address, the headers or the length.
    ///
    /// Not 429 and nothing from 500 on: behind a gateway an earlier node may have accepted.
    static func isTurnedAway(_ status: Int) -> Bool {
        (300..<400).contains(status)
            || [401, 403, 404, 405, 407, 411, 413, 414, 415, 431].contains(status)
    }
}
