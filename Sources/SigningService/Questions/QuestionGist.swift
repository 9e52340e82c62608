// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore

/// The summary of a question in lists: the outflow, its recipient, and the gravest danger.
///
/// It decides nothing, as an answer names the digest of the whole question.
package struct QuestionGist: Hashable, Sendable {
    /// The total outflow, rounded, one text for each asset and network.
    package let pays: [String]
    /// The gravest operation in one phrase, with its receiver; nil if the title is enough.
    package let does: String?
    /// The number of other operations.
    package let others: Int
    /// The gravest danger in words; nil if there is none.
    package let danger: String?
    /// The number of other dangers of the same gravity.
    package let dangers: Int

    /// Creates the gist of a question to one person.
    package init(_ question: ApprovalQuestion) {
        let summary = question.summary
        let all = summary.headlines.isEmpty ? summary.listed : summary.headlines
        let gravest = all.map(\.gravity).max()
        // The first operation of the highest gravity; a client controls their order, not their
        // gravity.
        let first = all.first { $0.gravity == gravest }
        let isGrave = gravest.map { $0 >= .authority } ?? false
        pays = question.totals.filter { $0.amount > 0 }.map {
            VisibleText.escaped($0.asset.roundedText(of: $0.amount))
        }
        does = first.map { Self.safe($0.text) }
        others = max(0, all.count - 1)
        danger = isGrave ? does : summary.warnings.first.map(Self.safe)
        dangers =
            isGrave
            ? all.count { $0.gravity == gravest } - 1 : max(0, summary.warnings.count - 1)
    }

    /// Creates the gist of a question to several people from the text that the asking hub wrote.
    ///
    /// `totals` replace rows that are missing.
    package init(ofText text: String, totals: [String]) {
        let rows = text.split(separator: "\n")
        func rest(_ label: String) -> [String] {
            rows.filter { $0.hasPrefix(label) }
                .map { Self.safe(String($0.dropFirst(label.count).drop { $0 == " " })) }
        }
        let known = rest("  in all ")
        pays = known.isEmpty ? totals.map(Self.safe) : known
        let warnings = rest("  warning: ")
        (does, others) = (nil, 0)
        (danger, dangers) = (warnings.first, max(0, warnings.count - 1))
    }

    private static func safe(_ text: String) -> String {
        VisibleText.escaped(text, countMax: textMax)
    }

    /// The maximum length of one text, in characters.
    private static let textMax = 400
}

// MARK: For the API

extension QuestionGist {
    /// The gist as a member of the question list.
    package var json: JSON {
        [
            "pays": .array(pays.map { .string($0) }),
            "does": does.map { .string($0) } ?? .null, "others": .integer(Int64(others)),
            "danger": danger.map { .string($0) } ?? .null, "dangers": .integer(Int64(dangers)),
        ]
    }

    /// Parses the gist; nil if an older agent does not send it.
    package init?(_ json: JSON?) {
        guard let json, let pays = json["pays"]?.list else { return nil }
        self.pays = pays.compactMap(\.text)
        does = json["does"]?.text
        others = Int(clamping: json["others"]?.integerValue ?? 0)
        danger = json["danger"]?.text
        dangers = Int(clamping: json["dangers"]?.integerValue ?? 0)
    }
}

// MARK: In rows

extension QuestionGist {
    private var paid: String? { pays.isEmpty ? nil : "pays \(pays.joined(separator: ", "))" }

    /// The operation; nil if it is the same text as the danger.
    private var action: String? { does == danger ? nil : does }

    /// The outflow and the operation in one row; nil if the title is enough.
    package var actionText: String? {
        let parts = [paid, action].compactMap { $0 }
        guard !parts.isEmpty else { return nil }
        return parts.joined(separator: ": ") + (others > 0 ? " (and \(others) more)" : "")
    }

    /// The row of `actionText` with long words cut; two rows if it is wider than `columns`.
    package func actionRows(columns: Int) -> [String] {
        guard let whole = actionText.map(Self.short) else { return [] }
        guard whole.count > columns, let paid, let action else { return [whole] }
        let more = others > 0 ? " (and \(others) more)" : ""
        return [Self.short(paid + more), Self.short(action)]
    }

    /// The gravest danger in one row; nil if there is none.
    package var dangerText: String? {
        danger.map { "! \($0)" + (dangers > 0 ? " (and \(dangers) more)" : "") }
    }

    /// A row whose long words are cut in the middle, so that the words behind them stay visible.
    package static func short(_ row: String) -> String {
        row.split(separator: " ", omittingEmptySubsequences: false).map { piece in
            // Punctuation after an address is not part of it.
            let mark = piece.last.flatMap { ";,:".contains($0) ? $0 : nil }
            let word = piece.dropLast(mark == nil ? 0 : 1)
            guard word.count > wordMax else { return String(piece) }
            return "\(word.prefix(wordHead))..\(word.suffix(wordTail))"
                + (mark.map(String.init) ?? "")
        }.joined(separator: " ")
    }

    private static let wordMax = 24
    private static let wordHead = 10
    private static let wordTail = 8
}
