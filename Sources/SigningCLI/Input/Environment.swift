// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process environment, read by name.
struct Environment: Sendable {
    /// The value of a variable; nil where it is unset or empty.
    subscript(name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// Whether a variable is set, and to nothing.
    func isEmpty(_ name: String) -> Bool {
        unsafe getenv(name).map { unsafe $0.pointee == 0 } ?? false
    }

    /// The home folder the command works in.
    func home(_ arguments: Arguments) throws(CLIError) -> String {
        if let given = arguments.value("--home") ?? self["COUNTERSIGN_HOME"] { return given }
        guard let user = self["HOME"] else {
            throw CLIError("there is no home", hint: "give --home DIR or set COUNTERSIGN_HOME")
        }
        return "\(user)/.countersign"
    }
}
