// SPDX-License-Identifier: Apache-2.0

/// Formulas as clauses; equal formulas are one literal.
final class Circuit {
    let solver = Solver()
    let yes: Literal
    var no: Literal { !yes }
    /// The disjunctions by their sorted literals.
    private var disjunctions: [[Int32]: Literal] = [:]

    init() {
        yes = solver.addVariable()
        solver.add([yes])
    }

    func variable() -> Literal { solver.addVariable() }

    /// Demands that one of the literals is true.
    func demand(_ clause: [Literal]) { solver.add(clause) }

    func all(_ parts: [Literal]) -> Literal { !any(parts.map { !$0 }) }

    func any(_ parts: [Literal]) -> Literal {
        let codes = Set(parts.map(\.code)).subtracting([no.code]).sorted()
        guard !codes.contains(yes.code) else { return yes }
        // A variable and its negation have neighbouring codes.
        for (left, right) in zip(codes, codes.dropFirst()) where left ^ 1 == right { return yes }
        guard codes.count > 1 else { return codes.first.map(Literal.init(code:)) ?? no }
        if let known = disjunctions[codes] { return known }
        let result = variable()
        let literals = codes.map(Literal.init(code:))
        solver.add([!result] + literals)
        for literal in literals { solver.add([result, !literal]) }
        disjunctions[codes] = result
        return result
    }

    /// One literal for each of `count` choices, of which exactly one is true.
    func choice(of count: Int) -> [Literal] {
        guard count > 1 else { return [yes] }
        let choices = (0..<count).map { _ in variable() }
        demand(choices)
        demandAtMostOne(of: choices)
        return choices
    }

    /// Demands that at most one literal is true, by a ladder: `before` holds from the true one on.
    func demandAtMostOne(of choices: [Literal]) {
        var before: Literal?
        for (place, choice) in choices.enumerated() {
            if let before { demand([!before, !choice]) }
            guard place + 1 < choices.count else { break }
            let next = variable()
            demand([!choice, next])
            if let before { demand([!before, next]) }
            before = next
        }
    }

    /// True if exactly one of the two is.
    func differ(_ one: Literal, _ other: Literal) -> Literal {
        any([all([one, !other]), all([!one, other])])
    }
}
