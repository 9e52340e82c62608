// SPDX-License-Identifier: Apache-2.0

/// What went wrong in a home, and what its owner can do about it.
public struct ServiceError: Error, Hashable, Sendable {
    /// What is wrong, in one line.
    public let message: String
    /// What to do about it, where anything can be done.
    public let hint: String?

    /// Whether a person did not want to go on.
    public let isCancelled: Bool

    /// Whether it was asked for in a way that is not understood.
    public private(set) var isMisuse = false

    /// A person did not want to go on.
    package static let cancelled = ServiceError(
        "cancelled", hint: "nothing was done", isCancelled: true)

    /// Makes an error.
    public init(_ message: String, hint: String?, isCancelled: Bool = false) {
        self.message = message
        self.hint = hint
        self.isCancelled = isCancelled
    }

    /// What is asked for in a way that is not understood.
    static func misuse(_ message: String, hint: String) -> ServiceError {
        var error = ServiceError(message, hint: hint)
        error.isMisuse = true
        return error
    }

    /// Runs a body whose errors have words.
    package static func wrapping<R: ~Copyable, Failure: ExplainedError>(
        _ body: () throws(Failure) -> R
    ) throws(ServiceError) -> R {
        do throws(Failure) { return try body() } catch { throw error.explained }
    }
}

/// An error that can be told to the owner of a home.
package protocol ExplainedError: Error {
    /// The same in words.
    var explained: ServiceError { get }
}

extension ServiceError: ExplainedError {
    /// Itself.
    package var explained: ServiceError { self }
}
