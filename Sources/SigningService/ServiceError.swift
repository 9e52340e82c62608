// SPDX-License-Identifier: Apache-2.0

/// An error of a home, with a remedy for its owner.
public struct ServiceError: Error, Hashable, Sendable {
    /// The problem, in one line.
    public let message: String
    /// The remedy, if there is one.
    public let hint: String?

    /// True if a person cancelled.
    public let isCancelled: Bool

    /// True if the arguments of the call were wrong.
    public private(set) var isMisuse = false

    /// A person cancelled.
    package static let cancelled = ServiceError(
        "cancelled", hint: "nothing was done", isCancelled: true)

    /// Makes an error.
    public init(_ message: String, hint: String?, isCancelled: Bool = false) {
        self.message = message
        self.hint = hint
        self.isCancelled = isCancelled
    }

    /// Makes an error for wrong arguments.
    static func misuse(_ message: String, hint: String) -> ServiceError {
        var error = ServiceError(message, hint: hint)
        error.isMisuse = true
        return error
    }

    /// Converts the error of any layer, where it leaves the service.
    package init(_ error: any Error) {
        self =
            (error as? any ExplainedError)?.explained
            ?? ServiceError("unexpected error: \(error)", hint: "see \"countersign doctor\"")
    }
}

/// An error in the words that its last reader shows to the owner of a home.
package protocol ExplainedError: Error {
    /// The error in words.
    var explained: ServiceError { get }
}

extension ServiceError: ExplainedError {
    /// The error itself.
    package var explained: ServiceError { self }
}
