// SPDX-License-Identifier: Apache-2.0

/// The openings, words and type names that the project's English avoids, each with what to write
/// instead.
///
/// This is the only list. CONTRIBUTING.md explains the rules behind it.
enum PlainWords {
    /// Beginnings of a doc comment that hide the noun.
    static let openings = [
        "What", "Whatever", "Whoever", "Whose", "Which", "That", "Those", "None", "Nothing",
        "Who", "Why", "How", "Where", "The same for", "The same as", "The same with", "The same by",
        "The same under", "Whether it", "Whether they", "Whether this",
        "Whether that", "Whether any",
    ]

    /// Words and phrases that leave out the noun, or are not the field's word.
    static let phrases = [
        "whoever": "name the program, person or client",
        "whatever": "name the thing",
        "whosoever": "name the person",
        "somebody": "a person, a client, another user",
        "anybody": "any client, any user",
        "nobody": "no person, no client",
        "none of ours": "name what is excluded",
        "none of them": "name what is excluded",
        "asker": "client",
        "askers": "clients",
        "held against": "compared with, checked against",
        "desk": "service, queue, registry",
        "all the same": "anyway, equally",
        "no more than that": "say what is left out",
    ]

    /// Endings of type names that had several meanings, or for which the field has another word.
    static let typeNames = [
        "Desk": "Service, Queue",
        "Letter": "Envelope",
        "Board": "Queue",
        "Book": "Registry",
        "Door": "ChannelName",
        "Seat": "LockFile",
        "Asker": "Client",
        "Caller": "Client",
        "Visitor": "Client",
        "Guest": "Client",
        "Mistake": "Error",
        "Fault": "Error",
        "Complaint": "Error",
        "Ending": "Outcome",
        "Aside": "a noun",
    ]

    /// The files that the list does not apply to yet, as the new record will replace them.
    static let leaving = [
        "SharedTables", "Changes+SQLite", "LogTurn", "RecordedRequest",
    ]

    /// Returns the words and openings in a comment that are on the list.
    static func findings(in comment: String, isDocumentation: Bool) -> [String] {
        let words = Self.words(of: comment)
        var found: [String] = []
        if isDocumentation {
            for opening in openings where words.starts(with: Self.words(of: opening)) {
                found.append("begins \"\(opening)\"")
            }
        }
        let lowercased = words.map { $0.lowercased() }
        for (phrase, instead) in phrases {
            let wanted = phrase.split(separator: " ").map(String.init)
            let isThere = lowercased.indices.contains { start in
                lowercased[start...].starts(with: wanted)
            }
            if isThere { found.append("says \"\(phrase)\" (write: \(instead))") }
        }
        return found.sorted()
    }

    /// Returns the ending of a type's name that is on the list, or nil.
    static func finding(inTypeName name: String) -> String? {
        typeNames.keys.sorted().first {
            name == $0 || name.hasSuffix($0) || name.hasSuffix($0 + "s")
        }
    }

    private static func words(of text: String) -> [String] {
        text.split { !$0.isLetter && $0 != "'" }.map(String.init)
    }
}
