// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningService

/// The exit status of a command, as the shell sees it.
enum ExitStatus: Int32 {
    /// The command did its work, or a request was answered.
    case done = 0
    /// The command failed.
    case failed = 1
    /// The policy, a person or a limit denied the request.
    case denied = 3
    /// The signatures under examination are valid, but they do not answer the whole question.
    case inconclusive = 4
    /// The command line is not valid (EX_USAGE).
    case usage = 64
}

/// An error with a hint, printed as two lines on standard error.
struct CLIError: Error {
    let message: String
    let hint: String?
    let status: ExitStatus
    /// True if a person cancelled the command.
    var isCancelled = false
    /// The reply for the client, if its wire can carry a failure.
    var reply: [UInt8]?

    init(_ message: String, hint: String?, status: ExitStatus = .failed) {
        self.message = message
        self.hint = hint
        self.status = status
    }

    static func usage(_ message: String, hint: String) -> CLIError {
        CLIError(message, hint: hint, status: .usage)
    }

    /// Converts the error of any layer to the words of the command line.
    init(_ error: any Error) {
        if let error = error as? CLIError {
            self = error
            return
        }
        let explained = ServiceError(error)
        self.init(
            explained.message, hint: explained.hint, status: explained.isMisuse ? .usage : .failed)
        isCancelled = explained.isCancelled
    }

    /// The error as JSON, for programs.
    var json: JSON {
        ["error": .string(message), "hint": hint.map { .string($0) } ?? .null]
    }
}
