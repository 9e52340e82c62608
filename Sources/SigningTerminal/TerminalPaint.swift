// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import SigningCore

/// Colours for important rows; disabled if the terminal lacks colours or its user declined them.
struct TerminalPaint {
    private let isOn: Bool

    /// Reads `NO_COLOR` (https://no-color.org) and `TERM`.
    init() {
        isOn = Self.variable("NO_COLOR") == nil && !["dumb", nil].contains(Self.variable("TERM"))
    }

    /// The value of a variable; nil if it is unset or empty.
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

    /// Colours the rows of a summary: title, totals, grave operations, dangers and warnings.
    ///
    /// A row is recognised by its beginning, which the program writes: a client's text is quoted or
    /// follows a marker.
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

    /// Colours a row of the inbox.
    func painted(_ row: InboxRow) -> String {
        // Without colours a marker shows the chosen row.
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
