// SPDX-License-Identifier: Apache-2.0

extension Summary {
    /// The most characters of one text in `text`.
    public static let clientTextMax = 2_000
    /// The maximum number of lines in `text`, besides essential ones.
    public static let linesMax = 40
    /// The most headlines of plain operations in `text`.
    public static let plainHeadlinesMax = 20
    /// The width of rows for long client texts, in columns.
    public static let columnsDefault = 60

    /// The summary as lines for a terminal, safe to print; cuts are marked.
    public var text: String { text(columns: Self.columnsDefault) }

    /// Returns the summary for a terminal; rows of client text have at most this width.
    public func text(columns: Int) -> String {
        let limits = Limits(
            texts: Self.clientTextMax, lines: Self.linesMax, plain: Self.plainHeadlinesMax,
            columns: columns)
        return rendered(limits).joined(separator: "\n")
    }

    /// The complete summary for a terminal, with all bytes that are signed or sent.
    public var fullText: String { fullText(columns: Self.columnsDefault) }

    /// Returns the complete summary; rows of client text have at most this width.
    public func fullText(columns: Int) -> String {
        let limits = Limits(texts: .max, lines: .max, plain: .max, columns: columns)
        return (rendered(limits) + raw.flatMap { Self.rows($0, columns: columns) })
            .joined(separator: "\n")
    }

    /// True if `text` omits something that matters for the decision.
    public var isCut: Bool {
        lines.count { !$0.isEssential } > Self.linesMax
            || lines.contains { $0.text.unicodeScalars.count > Self.clientTextMax }
            || headlines.count { $0.gravity == .plain } > Self.plainHeadlinesMax
    }

    private struct Limits {
        let texts: Int
        let lines: Int
        let plain: Int
        let columns: Int
    }

    private func rendered(_ limits: Limits) -> [String] {
        let width = (totals + lines).map(\.label.utf8.count).max() ?? 0
        func rows(_ line: Line) -> [String] {
            let pad = String(repeating: " ", count: width - line.label.utf8.count)
            return Self.rows(line, label: "  \(line.label)\(pad)  ", limits)
        }
        var text = [VisibleText.escaped(title)] + totals.flatMap(rows) + headlineRows(limits)
        let cut = lines.count { !$0.isEssential } - limits.lines
        var left = limits.lines
        for line in lines {
            if !line.isEssential {
                left -= 1
                if left == -1 { text.append("  ... \(cut) more lines") }
                guard left >= 0 else { continue }
            }
            text += rows(line)
        }
        return text + warnings.map { "  warning: \(VisibleText.escaped($0))" }
    }

    /// Returns the headlines, the gravest first; only those of plain gravity may be left out.
    private func headlineRows(_ limits: Limits) -> [String] {
        let numbered = headlines.enumerated().sorted {
            ($1.element.gravity, $0.offset) < ($0.element.gravity, $1.offset)
        }
        var rows: [String] = []
        var left = limits.plain
        for (offset, headline) in numbered {
            if headline.gravity == .plain {
                guard left > 0 else { continue }
                left -= 1
            }
            let number = headlines.count > 1 ? "\(offset + 1). " : ""
            rows.append("  \(number)\(VisibleText.escaped(headline.text))")
        }
        let cut = headlines.count - rows.count
        return rows + (cut > 0 ? ["  ... and \(cut) that move no value or power"] : [])
    }

    /// Returns the rows of a line; client text is quoted, and each row of a long one is marked.
    ///
    /// A row of client text can therefore not look like a line of the hub.
    private static func rows(_ line: Line, label: String, _ limits: Limits) -> [String] {
        guard line.author == .client else {
            return [label + VisibleText.escaped(line.text, countMax: limits.texts)]
        }
        let shown = quoted(line.parts, countMax: limits.texts)
        let pieces = pieces(of: shown, columns: limits.columns)
        guard pieces.count > 1 else { return ["\(label)\"\(shown)\""] }
        return [label + "(the client's text)"] + pieces.map { "    | \($0)" }
    }

    /// Returns the parts between quotation marks, without the first and the last mark.
    private static func quoted(_ parts: [String], countMax: Int) -> String {
        var shown: [String] = []
        var left = countMax
        for part in parts {
            guard left > 0 else { break }
            shown.append(VisibleText.quotable(part, countMax: left))
            left -= part.unicodeScalars.count
        }
        let cut = parts.count - shown.count
        return shown.joined(separator: "\", \"") + (cut > 0 ? "... (\(cut) more parts)" : "")
    }

    /// Returns the rows for bytes: as text if they are visible text, otherwise in hexadecimal.
    private static func rows(_ raw: Raw, columns: Int) -> [String] {
        let text = String(validating: raw.bytes, as: UTF8.self)
        let isVisible = text.map { !VisibleText.hasHidden($0) } ?? false
        let kind = isVisible ? "as it is" : "in hex"
        let shown = isVisible ? VisibleText.escaped(text ?? "") : raw.bytes.hexText
        let size = "\(raw.bytes.count) \(raw.bytes.count == 1 ? "byte" : "bytes")"
        return ["  \(VisibleText.escaped(raw.label)), \(size) \(kind)"]
            + pieces(of: shown, columns: columns).map { "    | \($0)" }
    }

    /// Splits the text into pieces of at most `columnsMax` columns.
    private static func pieces(of text: String, columns columnsMax: Int) -> [String] {
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
