// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore

/// The part of a question that lists tell beside its title: what leaves, to whom, and the gravest
/// danger.
///
/// Nothing is decided by it: an answer names the digest of the whole question.
package struct QuestionGist: Hashable, Sendable {
    /// What leaves in all, rounded, one text for each asset and network.
    package let pays: [String]
    /// The gravest operation in one phrase, with its receiver; nil where the title says it all.
    package let does: String?
    /// The number of other operations.
    package let others: Int
    /// The gravest danger in words; nil where nothing is flagged.
    package let danger: String?
    /// The number of other dangers as grave.
    package let dangers: Int

    /// The gist of a question to one person.
    package init(_ question: ApprovalQuestion) {
        let summary = question.summary
        let all = summary.headlines.isEmpty ? summary.listed : summary.headlines
        let gravest = all.map(\.gravity).max()
        // The first of those on which most hangs: a client chooses their order, not their gravity.
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

    /// The gist of a question to several people, by the rows of its text that the asking hub wrote;
    /// `totals` stand in for rows that are missing.
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

    /// The most characters of one text.
    private static let textMax = 400
}

// MARK: For the API

extension QuestionGist {
    /// It as the list of questions has it.
    package var json: JSON {
        [
            "pays": .array(pays.map { .string($0) }),
            "does": does.map { .string($0) } ?? .null, "others": .integer(Int64(others)),
            "danger": danger.map { .string($0) } ?? .null, "dangers": .integer(Int64(dangers)),
        ]
    }

    /// Reads it; nil where an older agent does not tell it.
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

    /// What is done, where the danger does not tell it.
    private var told: String? { does == danger ? nil : does }

    /// What leaves and what is done, in a row; nil where the title says it all.
    package var deed: String? {
        let parts = [paid, told].compactMap { $0 }
        guard !parts.isEmpty else { return nil }
        return parts.joined(separator: ": ") + (others > 0 ? " (and \(others) more)" : "")
    }

    /// The same with long words cut, in one row of so many columns, or in two where it needs them.
    package func deedRows(columns: Int) -> [String] {
        guard let whole = deed.map(Self.short) else { return [] }
        guard whole.count > columns, let paid, let told else { return [whole] }
        let more = others > 0 ? " (and \(others) more)" : ""
        return [Self.short(paid + more), Self.short(told)]
    }

    /// The gravest danger in a row; nil where nothing is flagged.
    package var peril: String? {
        danger.map { "! \($0)" + (dangers > 0 ? " (and \(dangers) more)" : "") }
    }

    /// A row with its long words cut in the middle, so that what stands behind them is seen.
    package static func short(_ row: String) -> String {
        row.split(separator: " ", omittingEmptySubsequences: false).map { piece in
            // A mark behind an address is no part of it.
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
