// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// Colours for what must not be overlooked; none where the terminal or its user wants none.
struct TerminalPaint {
    private let isOn: Bool

    /// By `NO_COLOR` (https://no-color.org) and `TERM`.
    init() {
        isOn = Self.variable("NO_COLOR") == nil && !["dumb", nil].contains(Self.variable("TERM"))
    }

    /// Nil where it is unset or empty.
    private static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    private static let bold = "\u{1B}[1m"
    private static let red = "\u{1B}[1;31m"
    private static let yellow = "\u{1B}[33m"
    private static let reverse = "\u{1B}[7m"
    private static let plain = "\u{1B}[0m"

    /// The rows of a summary: its title, what leaves, what takes power away, dangers, warnings.
    ///
    /// Rows are told by their beginnings, which are ours: words of clients are quoted, or stand
    /// behind a mark of their own.
    func painted(_ text: String, of summary: Summary) -> String {
        guard isOn else { return text }
        let grave = Set(
            summary.headlines.filter { $0.gravity >= .authority }
                .map { VisibleText.escaped($0.text) })
        let title = VisibleText.escaped(summary.title)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { row in
            let row = String(row)
            if row == title { return Self.bold + row + Self.plain }
            if row.hasPrefix("  in all ") { return Self.bold + row + Self.plain }
            if row.hasPrefix("  warning: ") { return Self.yellow + row + Self.plain }
            if row.hasPrefix("  dangers ") || grave.contains(Self.headline(row)) {
                return Self.red + row + Self.plain
            }
            return row
        }.joined(separator: "\n")
    }

    /// A row of the inbox.
    func painted(_ row: InboxRow) -> String {
        // Without colours what is chosen has its mark.
        guard isOn, !row.text.isEmpty else { return row.text }
        let style =
            switch row.style {
            case .plain: ""
            case .bold: Self.bold
            case .chosen: Self.reverse
            case .warning: Self.yellow
            case .danger: Self.red
            }
        return style.isEmpty ? row.text : style + row.text + Self.plain
    }

    /// The text of a headline, without its number.
    private static func headline(_ row: String) -> String {
        let text = row.drop { $0 == " " }
        let rest = text.drop { $0.isNumber }
        return String(rest.count < text.count && rest.hasPrefix(". ") ? rest.dropFirst(2) : text)
    }
}
