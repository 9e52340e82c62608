// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import SigningCore
internal import SigningService

extension LedgerError: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .limitExceeded(let counter): "the limit \(counter) has no room for this request"
        case .replayed: "this request was made before"
        case .policyChanged: "another policy was put in force meanwhile"
        case .personDenied(let name): "\(name) said no"
        case .grantChanged: "a remembered answer was ended or added meanwhile"
        case .connectionEnded: "the connection of the client has ended"
        case .frozen, .notApproved, .unavailable, .corrupt, .corruptLog: explained.message
        }
    }
}

extension KeyStoreError: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .unknownKey(let id): "there is no key with the id \(id)"
        case .locked: "the keys are locked"
        case .declined: "the passphrase was not given"
        case .unavailable(let reason): "the keys cannot be read: \(reason)"
        case .damaged(let name): "the sealed record \"\(name)\" was damaged or changed"
        case .forgedGrant(let id): "the remembered answer \(id) was not sealed by this store"
        case .foreignPolicy: "the policy that judged is not the one in force"
        case .domain(let error): error.errorDescription
        case .unsupportedOperation: "this key does not support the operation"
        case .unknownAlgorithm(let name, let id):
            "this program does not support the algorithm \(id) of the key \(name)"
        case .invalidPeer: "the public key of the other side is not valid"
        case .undecryptable: "the text cannot be decrypted"
        case .failed: "the result of the key could not be verified, so it was discarded"
        }
    }
}

extension DomainError: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .notRegistered(let id): "no wire of this program signs \(id)"
        case .wrongKey(let id): "the key does not sign \(id)"
        case .wrongBytes(let id): "the bytes do not have the form of \(id)"
        case .ambiguous(let id, let other): "the bytes could be \(id) or \(other)"
        }
    }
}

extension ApprovalError: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .unavailable: "a person cannot be asked here"
        case .timedOut: "the question was not answered in time"
        case .tooMany: "too many questions wait for an answer"
        case .withdrawn: "the question was withdrawn"
        }
    }
}

extension JointAnswerError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { "the answer does not count: \(text)" }
}

extension AdapterError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { reason }
    /// The owner's remedy.
    public var recoverySuggestion: String? { hint }
}

extension TransportError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { message }
    /// The remedy.
    public var recoverySuggestion: String? { hint }
}

extension Connections.Refusal: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .tooManyConnections: "too many connections are open"
        case .tooManyOfPeer: "too many requests of this client are waiting"
        case .tooManyFrames: "too many requests are waiting"
        case .tooManyRefused: "too many requests of this client were refused lately"
        case .closed: "the connection was closed"
        case .draining: "the transport is stopping"
        }
    }
}

extension StatementError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { reason }
}

extension FactFormError: LocalizedError {
    /// The values that the field takes.
    public var errorDescription: String? { "the field \(demand)" }
    /// The value that was probably meant.
    public var recoverySuggestion: String? { meant.map { "did you mean \($0)?" } }
}
