// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The process environment, read by name.
struct Environment: Sendable {
    /// The value of a variable; nil if it is unset or empty.
    subscript(name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// True if a variable is set to an empty text.
    func isEmpty(_ name: String) -> Bool {
        unsafe getenv(name).map { unsafe $0.pointee == 0 } ?? false
    }

    /// The home folder of the command.
    func home(_ arguments: Arguments) throws -> String {
        if let given = arguments.value("--home") ?? self["COUNTERSIGN_HOME"] { return given }
        guard let user = self["HOME"] else {
            throw CLIError(
                "the folder of the home is not known",
                hint: "give --home DIR or set COUNTERSIGN_HOME")
        }
        return "\(user)/.countersign"
    }
}
