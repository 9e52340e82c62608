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
    /// Wide titles, grave operations and warnings are broken between words. A row is recognised by
    /// its beginning, which the program writes: a client's text is quoted or follows a marker. The
    /// further lines of a row are indented more than a label.
    func painted(_ text: String, of summary: Summary, columns: Int) -> String {
        let grave = Set(
            summary.headlines.filter { $0.gravity >= .authority }
                .map { VisibleText.escaped($0.text) })
        let title = VisibleText.escaped(summary.title)
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { row in
            let row = String(row)
            let filled = FilledText.filled(row, columns, Self.hanging)
            if !row.hasPrefix(" "), row.hasSuffix(title) { return styled(filled, Self.bold) }
            if row.hasPrefix("  in all ") { return styled(row, Self.bold) }
            if row.hasPrefix("  warning: ") { return styled(filled, Self.yellow) }
            if grave.contains(Self.headline(row)) { return styled(filled, Self.red) }
            if row.hasPrefix("  dangers ") { return styled(row, Self.red) }
            return row
        }.joined(separator: "\n")
    }

    /// The indentation of a row's further lines, in columns.
    private static let hanging = 4

    private func styled(_ text: String, _ style: String) -> String {
        isOn ? style + text + Self.plain : text
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
