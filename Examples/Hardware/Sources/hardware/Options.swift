// SPDX-License-Identifier: Apache-2.0

import TokenKeys

/// The words of a command line: `hardware COMMAND [WORD] [--OPTION VALUE]...`.
struct Options {
    private static let names: Set = [
        "module", "token", "serial", "pin-fd", "home", "passphrase-fd",
    ]

    let command: String
    let word: String?
    private let values: [String: String]

    init(_ arguments: [String]) throws(UsageError) {
        var words: [String] = []
        var values: [String: String] = [:]
        var rest = arguments[...]
        while let next = rest.popFirst() {
            guard next.hasPrefix("--") else {
                words.append(next)
                continue
            }
            let name = String(next.dropFirst(2))
            guard Self.names.contains(name) else { throw UsageError("unknown option \(next)") }
            guard let value = rest.popFirst() else { throw UsageError("\(next) needs a value") }
            values[name] = value
        }
        guard let command = words.first, words.count <= 2 else {
            throw UsageError("use: hardware tokens|keys|make|import|answer|record")
        }
        self.command = command
        word = words.dropFirst().first
        self.values = values
    }

    subscript(name: String) -> String? { values[name] }

    /// The home of the record, which a command needs.
    var home: String {
        get throws(UsageError) {
            guard let home = values["home"] else { throw UsageError("name a folder with --home") }
            return home
        }
    }

    /// The name of the key to make.
    var keyName: TokenKeyName {
        get throws(UsageError) {
            guard let name = word.flatMap({ TokenKeyName($0) }) else {
                throw UsageError("name the key, such as near/porter or algorand/treasury")
            }
            return name
        }
    }

    /// Returns the descriptor that an option names; nil if it was not given.
    func descriptor(_ name: String) -> Int32? { values[name].flatMap { Int32($0) } }
}

/// An error in the words of a command.
struct UsageError: Error {
    let message: String

    init(_ message: String) { self.message = message }
}
