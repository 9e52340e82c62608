// SPDX-License-Identifier: Apache-2.0

/// The summary that a person sees before deciding.
public struct Summary: Hashable, Sendable {
    /// One labelled line.
    public struct Line: Hashable, Sendable {
        /// The author of a text.
        public enum Author: Hashable, Sendable {
            /// The hub wrote the text, from decoded bytes.
            case hub
            /// The client wrote the text; it is shown quoted, with hidden characters visible.
            case client
        }

        /// The label of the text, such as `pays`.
        public let label: String
        /// The text, not yet escaped; several parts are joined by commas.
        public var text: String { parts.joined(separator: ", ") }
        /// The parts of the text, quoted separately if a client wrote them.
        public let parts: [String]
        /// The author.
        public let author: Author
        /// True if the line is shown even if there are too many lines.
        public private(set) var isEssential = false

        /// Makes a line in the hub's own words.
        public init(_ label: String, _ text: String) { self.init(label, text, by: .hub) }

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

        /// Returns the line marked as always shown, for lines without which other lines are
        /// misleading, such as the network.
        public func essential() -> Line {
            var copy = self
            copy.isEssential = true
            return copy
        }
    }

    /// A short sentence about the effect of one operation.
    public struct Headline: Hashable, Sendable {
        /// The gravity of an operation; people see the gravest first.
        public enum Gravity: Int, Hashable, Comparable, Sendable {
            /// A person could reverse the effects.
            case plain
            /// The operation has at least one danger.
            case flagged
            /// Value leaves the account.
            case value
            /// Power over the account changes.
            case authority
            /// The account ends, or another party can take it away.
            case loss

            /// True if the left one is less grave.
            public static func < (left: Self, right: Self) -> Bool {
                left.rawValue < right.rawValue
            }
        }

        /// The gravity.
        public let gravity: Gravity
        /// The effect in the hub's words, not yet escaped.
        public let text: String

        /// Makes a headline.
        public init(_ gravity: Gravity, _ text: String) {
            self.gravity = gravity
            self.text = text
        }
    }

    /// Bytes that are signed or sent, which the details show completely.
    public struct Raw: Hashable, Sendable {
        /// The label, such as `event`.
        public let label: String
        /// The bytes; shown as text if they are visible text, otherwise in hexadecimal.
        public let bytes: [UInt8]

        /// Makes a part from its bytes.
        public init(_ label: String, _ bytes: [UInt8]) {
            self.label = label
            self.bytes = bytes
        }

        /// Makes a part from text.
        public init(_ label: String, _ text: String) { self.init(label, Array(text.utf8)) }
    }

    /// One phrase for what will happen.
    public var title: String
    /// The amounts that leave accounts, a line for each asset and network; the hub adds them.
    public internal(set) var totals: [Line] = []
    /// One headline for each operation if there are several, or for each part of one.
    public var headlines: [Headline]
    /// One headline for each operation, used in lists if `headlines` is empty.
    public var listed: [Headline] = []
    /// The details, most important first.
    public var lines: [Line]
    /// The warnings.
    public var warnings: [String]
    /// The bytes that are signed or sent.
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
