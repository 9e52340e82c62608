// SPDX-License-Identifier: Apache-2.0

/// What a person is shown before deciding.
public struct Summary: Hashable, Sendable {
    /// One labelled line.
    public struct Line: Hashable, Sendable {
        /// Whose words the text is.
        public enum Author: Hashable, Sendable {
            /// The hub derived it from decoded bytes.
            case hub
            /// The client wrote it; shown quoted and with hidden characters made visible.
            case client
        }

        /// What the text is, such as `pays`.
        public let label: String
        /// The text, not yet escaped.
        public let text: String
        /// Whose words it is.
        public let author: Author
        /// Whether it is shown however many lines there are.
        var isEssential = false

        /// Makes a line in the hub's own words.
        public init(_ label: String, _ text: String) {
            self.init(label, text, by: .hub)
        }

        /// Makes a line.
        public init(_ label: String, _ text: String, by author: Author) {
            self.label = label
            self.text = text
            self.author = author
        }
    }

    /// What will happen, in one phrase.
    public var title: String
    /// The details, most important first.
    public var lines: [Line]
    /// What deserves a second look.
    public var warnings: [String]

    /// Makes a summary.
    public init(title: String, lines: [Line], warnings: [String]) {
        self.title = title
        self.lines = lines
        self.warnings = warnings
    }
}
