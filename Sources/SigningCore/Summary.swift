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

    /// The most characters of client text one line shows.
    public static let clientTextMax = 2_000

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

    /// The rendering for a terminal: plain lines, safe to print.
    public var text: String {
        let width = lines.map(\.label.utf8.count).max() ?? 0
        var rows = [VisibleText.escaped(title)]
        for line in lines {
            let pad = String(repeating: " ", count: width - line.label.utf8.count)
            let shown = VisibleText.escaped(line.text, countMax: Self.clientTextMax)
            rows.append("  \(line.label)\(pad)  \(line.author == .client ? "\"\(shown)\"" : shown)")
        }
        rows += warnings.map { "  warning: \(VisibleText.escaped($0))" }
        return rows.joined(separator: "\n")
    }
}
