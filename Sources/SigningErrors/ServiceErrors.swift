// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import SigningCodecs
public import SigningCore
public import SigningPolicy
public import SigningService
public import SigningWires

extension ServiceError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { message }
    /// The remedy, if there is one.
    public var recoverySuggestion: String? { hint }
}

extension OutboxError: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .noSuchItem: "the outbox has no item with this id"
        case .frozen(let reason): "all signing was stopped: \(reason)"
        case .noNode(let network): "no node of \(network) is known"
        case .ledger(let error): error.errorDescription
        }
    }
}

extension ChoosingError: LocalizedError {
    /// The problem.
    public var errorDescription: String? {
        switch self {
        case .unknownAdapter(let name): "there is no wire with the name \"\(name)\""
        case .unknownScheme(let scheme): "no wire reads URLs that begin with \(scheme):"
        case .malformed(let text): "the request is not valid JSON: \(text)"
        case .ambiguous: "the request does not say which wire it belongs to"
        }
    }
}

extension PolicyLoadError: LocalizedError {
    /// The first mistake with its line, and the number of all.
    public var errorDescription: String? {
        let mistakes = diagnostics.filter { $0.severity == .error }
        guard let first = mistakes.first else { return "the policy cannot be read" }
        let more = mistakes.count > 1 ? " (and \(mistakes.count - 1) more)" : ""
        return "line \(first.line): \(first.message)\(more)"
    }
}

extension PolicyFileError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { ServiceError(self, path: "the policy file").message }
}

extension AccountError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { message }
    /// The remedy.
    public var recoverySuggestion: String? { hint }
}

extension CodecError: LocalizedError {
    /// The problem.
    public var errorDescription: String? { text }
}
