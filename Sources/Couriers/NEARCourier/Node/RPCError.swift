// SPDX-License-Identifier: Apache-2.0

import NEAR
package import SigningNetwork

/// The reasons that a node gave no result.
package enum RPCError: Error, Hashable, Sendable {
    /// There was no complete answer.
    case transport(HTTPError)
    /// The answer is an HTTP status without an error of the node.
    case http(status: Int)
    /// The answer does not follow the protocol.
    case malformed(_ what: String)
    /// The node is on another network.
    case anotherNetwork(_ actual: String, wanted: String)
    /// The node is on another network than an added one was when it was added.
    case anotherGenesis(wanted: String)
    /// The account does not have the key.
    case unknownAccessKey
    /// The account does not exist.
    case unknownAccount
    /// The node timed out before the outcome.
    case timeout
    /// The node refuses the transaction.
    case invalidTransaction(InvalidTransaction)
    /// The node reports another error, with its message.
    case server(name: String, message: String)
}

extension RPCError {
    /// True if a sent transaction may still take effect.
    ///
    /// A node or a proxy that received the bytes may keep them, even if it reports an error.
    public var mayHaveBeenSent: Bool {
        if case .transport(let error) = self { error.mayHaveBeenSent } else { true }
    }

    /// The error in plain words; the node's message is quoted unchanged.
    public var text: String {
        switch self {
        case .transport(let error): error.text
        case .http(let status): "the node answers with HTTP status \(status)"
        case .malformed(let what): "the node's answer is malformed: \(what)"
        case .anotherNetwork(let actual, let wanted):
            "the node is on \(NEARNetwork.isBuiltIn(actual) ? actual : "another network"), and "
                + "\(wanted) is meant"
        case .anotherGenesis(let wanted):
            "the node is on another network than \(wanted) was when it was added"
        case .unknownAccessKey: "the account has no such key"
        case .unknownAccount: "the account does not exist"
        case .timeout: "the node did not see the outcome in time"
        case .invalidTransaction(let reason): "the node refuses the transaction: \(reason.text)"
        case .server(let name, let message): "the node answers with \(name): \(message)"
        }
    }
}
