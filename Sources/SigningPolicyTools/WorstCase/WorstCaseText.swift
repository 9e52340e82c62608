// SPDX-License-Identifier: Apache-2.0
package import SigningCodecs
import SigningCore

extension WorstCase {
    /// The worst case for people.
    package var text: String {
        var lines = ["the most that can leave without a question to a person:"]
        var asset: String?
        for row in assets {
            if row.asset != asset { lines.append(row.title) }
            asset = row.asset
            lines += row.lines.map { "  " + $0 }
        }
        for row in budgets {
            lines.append("budget \(row.budget), in \(row.unit.symbol) of \"\(row.field)\"")
            lines.append("  in all: " + Self.bounds(row.most) { row.unit.roundedText(of: $0) })
            lines += Self.openings(row.most).map { "    " + $0 }
            if row.isFinal {
                lines.append("  amounts that people approve are within this: the budget is final")
            }
        }
        if acts.isEmpty { lines.append("nothing else can happen without a question to a person") }
        var kind: Act.Kind?
        for act in acts {
            if act.kind != kind {
                lines.append("without a question, these can \(act.kind.rawValue):")
            }
            kind = act.kind
            lines.append("  \(act.rule): \(act.methods.joined(separator: ", "))")
            if !act.detail.isEmpty { lines.append("    \(act.detail.joined(separator: ", "))") }
            lines.append("    " + Self.counts(act.most))
        }
        lines += [
            "What people approve comes on top, unless a final budget counts it.",
            "Periods begin at any moment; bounds hold while policy and keys stay the same.",
        ]
        return lines.joined(separator: "\n")
    }

    /// `1 ALGO an hour, 2 ALGO a day, 3 ALGO in 30 days`, or `nothing`.
    fileprivate static func bounds(_ most: [Most], _ text: (Int128) -> String) -> String {
        if most.allSatisfy({ $0 == .nothing }) { return "nothing" }
        if most.allSatisfy({ $0.number == nil }) { return "unbounded" }
        return zip(most, ["an hour", "a day", "in 30 days"]).map { most, span in
            "\(most.number.map(text) ?? "unbounded") \(span)"
        }.joined(separator: ", ")
    }

    private static func counts(_ most: [Int128?]) -> String {
        let numbers = most.compactMap(\.self)
        guard let last = numbers.last else { return "any number of times" }
        if Set(numbers).count == 1 { return "at most \(last) \(last == 1 ? "time" : "times")" }
        return "at most "
            + zip(most, ["an hour", "a day", "in 30 days"]).map { count, span in
                "\(count.map { String($0) } ?? "any number") \(span)"
            }.joined(separator: ", ")
    }

    /// The rules without a bound, each once, as for the longest period.
    fileprivate static func openings(_ most: [Most]) -> [String] {
        guard case .unbounded(let openings)? = most.last(where: { $0.number == nil }) else {
            return []
        }
        guard !openings.isEmpty else { return ["the bound is larger than any amount"] }
        return openings.flatMap { ["unbounded, by \($0.rule):", "  \($0.reason)"] }
    }
}

extension WorstCase.Row {
    fileprivate var title: String {
        unit == nil && isBounded ? asset + ", in smallest units" : asset
    }

    private var isBounded: Bool { most.contains { $0.number != nil } }

    fileprivate var lines: [String] {
        var lines = ["\(key ?? "in all"): \(WorstCase.bounds(most, amount))"]
        if key == nil { lines += WorstCase.openings(most).map { "  " + $0 } }
        if let remembered {
            lines.append("  of this by remembered answers, in 30 days: \(amount(remembered))")
        }
        return lines
    }

    private func amount(_ amount: Int128) -> String {
        unit?.roundedText(of: amount) ?? String(amount)
    }
}

extension WorstCase {
    /// The worst case for programs: amounts are integers in smallest units, as text.
    package var json: JSON {
        [
            "periods": .array(Self.periods.map { .integer($0.seconds) }),
            "assets": .array(assets.map(\.json)),
            "budgets": .array(budgets.map(\.json)),
            "without_question": .array(acts.map(\.json)),
        ]
    }

    fileprivate static func json(_ most: [Most]) -> JSON {
        .array(most.map { $0.number.map { .string(String($0)) } ?? .null })
    }

    fileprivate static func json(openingsOf most: [Most]) -> JSON {
        guard case .unbounded(let openings)? = most.last(where: { $0.number == nil }) else {
            return []
        }
        return .array(
            openings.map { ["rule": .string($0.rule), "reason": .string($0.reason)] })
    }
}

extension WorstCase.Row {
    fileprivate var json: JSON {
        [
            "asset": .string(asset), "key": key.map { .string($0) } ?? .null,
            "unit": unit.map { .string($0.smallest) } ?? .null,
            "most": WorstCase.json(most),
            "remembered": remembered.map { .string(String($0)) } ?? .null,
            "unbounded": WorstCase.json(openingsOf: most),
        ]
    }
}

extension WorstCase.BudgetRow {
    fileprivate var json: JSON {
        [
            "budget": .string(budget), "unit": .string(unit.smallest), "field": .string(field),
            "final": .bool(isFinal), "most": WorstCase.json(most),
            "unbounded": WorstCase.json(openingsOf: most),
        ]
    }
}

extension WorstCase.Act {
    fileprivate var json: JSON {
        [
            "kind": .string("\(kind)"), "rule": .string(rule),
            "methods": .array(methods.map { .string($0) }),
            "detail": .array(detail.map { .string($0) }),
            "most": .array(most.map { $0.map { .string(String($0)) } ?? .null }),
        ]
    }
}
