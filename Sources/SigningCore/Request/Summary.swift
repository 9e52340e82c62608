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
        /// The text, not yet escaped; of several parts with commas between.
        public var text: String { parts.joined(separator: ", ") }
        /// The parts of the text, each quoted by itself where a client wrote them.
        public let parts: [String]
        /// Whose words it is.
        public let author: Author
        /// Whether it is shown however many lines there are.
        public private(set) var isEssential = false

        /// Makes a line in the hub's own words.
        public init(_ label: String, _ text: String) {
            self.init(label, text, by: .hub)
        }

        /// Makes a line.
        public init(_ label: String, _ text: String, by author: Author) {
            self.init(label, parts: [text], by: author)
        }

        /// Makes a line of several parts.
        public init(_ label: String, parts: [String], by author: Author) {
            self.label = label
            self.parts = parts
            self.author = author
        }

        /// The same, shown however many lines there are: networks, and whatever else tells
        /// what the others mean.
        public func essential() -> Line {
            var copy = self
            copy.isEssential = true
            return copy
        }
    }

    /// What one operation does, in one phrase.
    public struct Headline: Hashable, Sendable {
        /// How much hangs on it; people are shown the gravest first.
        public enum Gravity: Int, Hashable, Comparable, Sendable {
            /// Nothing that a person could not take back.
            case plain
            /// Something is flagged.
            case flagged
            /// Value leaves the account.
            case value
            /// Power over the account changes.
            case authority
            /// The account ends, or somebody else can take it away.
            case loss

            /// By gravity.
            public static func < (left: Self, right: Self) -> Bool {
                left.rawValue < right.rawValue
            }
        }

        /// How much hangs on it.
        public let gravity: Gravity
        /// What it does, in the hub's words, not yet escaped.
        public let text: String

        /// Makes a headline.
        public init(_ gravity: Gravity, _ text: String) {
            self.gravity = gravity
            self.text = text
        }
    }

    /// Something shown whole in the details, as it is signed or was sent.
    public struct Raw: Hashable, Sendable {
        /// What it is, such as `event`.
        public let label: String
        /// The bytes; shown as text where they are nothing but visible text, else in hex.
        public let bytes: [UInt8]

        /// Makes a part from its bytes.
        public init(_ label: String, _ bytes: [UInt8]) {
            self.label = label
            self.bytes = bytes
        }

        /// Makes a part from text.
        public init(_ label: String, _ text: String) { self.init(label, Array(text.utf8)) }
    }

    /// What will happen, in one phrase.
    public var title: String
    /// What leaves accounts, a line for each asset and network; the hub makes them.
    public internal(set) var totals: [Line] = []
    /// What each operation does where there are several, or one of several parts.
    public var headlines: [Headline]
    /// What each operation does, for lists, where the question itself has no headlines.
    public var listed: [Headline] = []
    /// The details, most important first.
    public var lines: [Line]
    /// What deserves a second look.
    public var warnings: [String]
    /// What the details show to the last byte.
    public var raw: [Raw]

    /// Makes a summary.
    public init(
        title: String, headlines: [Headline] = [], lines: [Line], warnings: [String],
        raw: [Raw] = []
    ) {
        self.title = title
        self.headlines = headlines
        self.lines = lines
        self.warnings = warnings
        self.raw = raw
    }
}
