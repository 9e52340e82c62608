// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// One finding about a policy file, with its position.
public struct Diagnostic: Hashable, Sendable {
    /// The severity of a finding.
    public enum Severity: String, Hashable, Sendable {
        /// The policy is not loaded.
        case error
        /// The policy is loaded but is probably not what the author meant.
        case warning
    }

    /// The severity.
    public let severity: Severity
    /// A stable code, `P` and four digits.
    public let code: String
    /// The problem in words, without a full stop.
    public let message: String
    /// The file's name as the caller gave it.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column in code points, from 1.
    public let column: Int
    /// The word that was probably meant.
    public let suggestion: String?

    package init(
        severity: Severity, code: String, message: String, file: String, line: Int, column: Int,
        suggestion: String?
    ) {
        self.severity = severity
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.suggestion = suggestion
    }

    /// The finding in one line, such as `policy.toml:3:1: error[P0123]: unknown field "x"`.
    public var headline: String {
        let hint = suggestion.map { "; did you mean \"\(VisibleText.quotable($0))\"?" } ?? ""
        return "\(file):\(line):\(column): \(severity.rawValue)[\(code)]: \(message)\(hint)"
    }
}

/// A position in a policy file, counted from 1.
package struct SourcePosition: Hashable, Comparable, Sendable {
    package static let start = SourcePosition(line: 1, column: 1)

    package let line: Int
    package let column: Int

    package static func < (left: Self, right: Self) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// An error in loading a policy.
public struct PolicyLoadError: Error, Hashable, Sendable {
    /// Every error and warning of the file, in its order.
    public let diagnostics: [Diagnostic]
}
