// SPDX-License-Identifier: Apache-2.0

extension Summary {
    /// The most characters of one text that `text` shows.
    public static let clientTextMax = 2_000
    /// The most lines that `text` shows, besides those that every request has.
    public static let linesMax = 40
    /// Longer client texts stand on rows of their own, of at most so many columns.
    static let columnsMax = 60

    /// The rendering for a terminal: plain lines, safe to print; what is cut says so.
    public var text: String { rendered(countMax: Self.clientTextMax, linesMax: Self.linesMax) }

    /// The same with nothing cut.
    public var fullText: String { rendered(countMax: .max, linesMax: .max) }

    /// Whether `text` leaves something out.
    public var isCut: Bool {
        lines.count { !$0.isEssential } > Self.linesMax
            || lines.contains { $0.text.unicodeScalars.count > Self.clientTextMax }
    }

    private func rendered(countMax: Int, linesMax: Int) -> String {
        let width = lines.map(\.label.utf8.count).max() ?? 0
        var rows = [VisibleText.escaped(title)]
        func append(_ lines: some Sequence<Line>) {
            for line in lines {
                let pad = String(repeating: " ", count: width - line.label.utf8.count)
                rows += Self.rows(line, label: "  \(line.label)\(pad)  ", countMax: countMax)
            }
        }
        let details = lines.filter { !$0.isEssential }
        append(details.prefix(linesMax))
        if details.count > linesMax { rows.append("  ... \(details.count - linesMax) more lines") }
        append(lines.filter(\.isEssential))
        rows += warnings.map { "  warning: \(VisibleText.escaped($0))" }
        return rows.joined(separator: "\n")
    }

    /// Client text is quoted; where it is long every row of it is marked, so that none of it
    /// can look like a line of ours.
    private static func rows(_ line: Line, label: String, countMax: Int) -> [String] {
        guard line.author == .client else {
            return [label + VisibleText.escaped(line.text, countMax: countMax)]
        }
        let shown = VisibleText.quotable(line.text, countMax: countMax)
        let pieces = pieces(of: shown)
        guard pieces.count > 1 else { return ["\(label)\"\(shown)\""] }
        return [label + "(the client's text)"] + pieces.map { "    | \($0)" }
    }

    /// The text in pieces of at most `columnsMax` columns.
    private static func pieces(of text: String) -> [String] {
        var pieces = [""]
        var columns = 0
        for character in text {
            // Characters beyond Latin, Greek and Cyrillic may take two columns.
            let width = character.unicodeScalars.contains { $0.value >= 0x1100 } ? 2 : 1
            if columns + width > columnsMax {
                pieces.append("")
                columns = 0
            }
            pieces[pieces.count - 1].append(character)
            columns += width
        }
        return pieces
    }
}
