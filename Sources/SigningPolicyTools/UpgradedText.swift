// SPDX-License-Identifier: Apache-2.0
import SigningPolicy

/// The text of a policy file of version 1, edited for version 2; comments stay.
struct UpgradedText {
    /// A key with its value, as ranges of the file's bytes.
    private struct Pair {
        let whole: Range<Int>
        let value: Range<Int>
    }

    /// The parts of a `[[rule]]` that the upgrade may change.
    private struct Rule {
        let start: Int
        var pairs: [String: Pair] = [:]
    }

    private let source: [UInt8]
    private let tokens: [TOMLToken]
    private var version: Pair?
    private var rules: [Rule] = []
    private var edits: [(range: Range<Int>, text: String)] = []

    /// Edits a file; `moving` has the rules whose limits become budgets, by id.
    init(_ source: [UInt8], moving: [String: PolicyUpgrade.MovedLimits]) throws(NotTOML) {
        self.source = source
        tokens = try TOMLTokens(source).tokens
        try findParts()
        guard let version else { throw NotTOML() }
        edits.append((version.value, "2"))
        for rule in rules { edit(rule, moving) }
    }

    /// The edited text.
    var bytes: [UInt8] {
        var bytes = source
        for edit in edits.sorted(by: { $0.range.lowerBound > $1.range.lowerBound }) {
            bytes.replaceSubrange(edit.range, with: edit.text.utf8)
        }
        return bytes
    }

    private mutating func edit(_ rule: Rule, _ moving: [String: PolicyUpgrade.MovedLimits]) {
        if let onExceed = rule.pairs["on_exceed"] { remove(onExceed) }
        guard let id = rule.pairs["id"].map({ text($0.value).filter { $0 != "\"" && $0 != "'" } }),
            let moved = moving[id], let limit = rule.pairs["limit"]
        else { return }
        edits.append((limit.whole, "budget = \"\(id)\""))
        var lines = ["[budget.\(id)]", "limit = \(text(limit.value))"]
        // A calendar limit without a zone takes that of its rule, or of its budget.
        if let tz = rule.pairs["tz"], moved.isByCalendar {
            lines.append(text(tz.whole))
            if rule.pairs["hours"] == nil, rule.pairs["days"] == nil { remove(tz) }
        }
        lines.append(moved.onExceed == .deny ? "final = true" : "escalate = true")
        edits.append((rule.start..<rule.start, lines.joined(separator: "\n") + "\n\n"))
    }

    /// Removes a pair with its line, unless a comment is behind it.
    private mutating func remove(_ pair: Pair) {
        let rest = source[pair.whole.upperBound...]
        let end = rest.firstIndex { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }
        let isLast = end.map { source[$0] == UInt8(ascii: "\n") } ?? true
        let last = isLast ? end.map { $0 + 1 } ?? source.count : pair.whole.upperBound
        edits.append((pair.whole.lowerBound..<last, ""))
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: source[range], as: UTF8.self)
    }
}

extension UpgradedText {
    /// Finds the version and the pairs of each rule.
    private mutating func findParts() throws(NotTOML) {
        var place = 0
        // Nil at the top of the file; false in a table that is no rule.
        var isInRule: Bool?
        while tokens[place].kind != .fileEnd {
            let end = try statementEnd(from: place)
            switch tokens[place].kind {
            case .openArray:
                isInRule =
                    tokens[place..<end].map { text($0.range) } == ["[", "[", "rule", "]", "]"]
                if isInRule == true { rules.append(Rule(start: tokens[place].range.lowerBound)) }
            case .bare, .string:
                guard tokens[place + 1].kind == .equals, place + 2 < end else { break }
                let last = tokens[end - 1].range.upperBound
                let pair = Pair(
                    whole: tokens[place].range.lowerBound..<last,
                    value: tokens[place + 2].range.lowerBound..<last)
                let key = text(tokens[place].range)
                if isInRule == true { rules[rules.count - 1].pairs[key] = pair }
                if isInRule == nil, key == "version" { version = pair }
            default: break
            }
            place = max(end, place + 1)
        }
    }

    /// The place after the last token of the statement at a place, without its comment.
    private func statementEnd(from start: Int) throws(NotTOML) -> Int {
        var depth = 0
        var place = start
        while true {
            switch tokens[place].kind {
            case .openArray, .openTable: depth += 1
            case .closeArray, .closeTable: depth -= 1
            case .lineEnd, .blankLine, .comment:
                if depth == 0 { return place }
            case .fileEnd:
                guard depth == 0 else { throw NotTOML() }
                return place
            default: break
            }
            place += 1
        }
    }
}
