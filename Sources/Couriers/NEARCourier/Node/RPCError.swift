// SPDX-License-Identifier: Apache-2.0

import NEAR
package import SigningNetwork

/// Why a node gave no result.
package enum RPCError: Error, Hashable, Sendable {
    /// There was no whole answer.
    case transport(HTTPError)
    /// The answer is an HTTP status without an error of the node.
    case http(status: Int)
    /// The answer is not what the protocol says.
    case malformed(_ what: String)
    /// The node is on another network than the one that is meant.
    case anotherNetwork(_ actual: String, wanted: String)
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
    /// A node that got the bytes can keep them whatever it answers, and so can all before it.
    public var mayHaveBeenSent: Bool {
        if case .transport(let error) = self { error.mayHaveBeenSent } else { true }
    }

    /// The error in plain words; what a node says is quoted as it is.
    public var text: String {
        switch self {
        case .transport(let error): error.text
        case .http(let status): "the node answers with HTTP status \(status)"
        case .malformed(let what): "the node's answer is malformed: \(what)"
        case .anotherNetwork(let actual, let wanted):
            "the node is on \(NEARNetwork.isKnown(actual) ? actual : "another network"), and "
                + "\(wanted) is meant"
        case .unknownAccessKey: "the account has no such key"
        case .unknownAccount: "there is no such account"
        case .timeout: "the node did not see the end in time"
        case .invalidTransaction(let reason): "the node refuses the transaction: \(reason.text)"
        case .server(let name, let message): "the node answers with \(name): \(message)"
        }
    }
}
