// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningService

/// How a command ended, as the shell sees it.
enum ExitStatus: Int32 {
    /// Done, or answered.
    case done = 0
    /// Could not be done.
    case failed = 1
    /// Decided against: by the policy, a person, or a limit.
    case denied = 3
    /// What was looked at holds, and what was asked about it cannot be told.
    case untold = 4
    /// The command line is not understood (EX_USAGE).
    case usage = 64
}

/// What went wrong and what to do about it, as two lines on standard error.
struct CLIError: Error {
    let message: String
    let hint: String?
    let status: ExitStatus
    /// Whether a person did not want to go on.
    var isCancelled = false
    /// What goes back to whoever sent the request, where the wire can be told that it failed.
    var reply: [UInt8]?

    init(_ message: String, hint: String?, status: ExitStatus = .failed) {
        self.message = message
        self.hint = hint
        self.status = status
    }

    static func usage(_ message: String, hint: String) -> CLIError {
        CLIError(message, hint: hint, status: .usage)
    }

    /// An error of the home, as it is told on the command line.
    init(_ error: some ExplainedError) {
        let explained = error.explained
        self.init(
            explained.message, hint: explained.hint, status: explained.isMisuse ? .usage : .failed)
        isCancelled = explained.isCancelled
    }

    /// Runs a body whose errors the home has words for.
    static func wrapping<R: ~Copyable, Failure: ExplainedError>(
        _ body: () throws(Failure) -> R
    ) throws(CLIError) -> R {
        do throws(Failure) { return try body() } catch { throw CLIError(error) }
    }

    /// The error for programs.
    var json: JSON {
        ["error": .string(message), "hint": hint.map { .string($0) } ?? .null]
    }
}
