// SPDX-License-Identifier: Apache-2.0

/// Decides whether clauses can be satisfied together: conflict-driven clause learning with two
/// watched literals, first-UIP learning and restarts.
///
/// Source: Een and Sorensson, "An Extensible SAT-solver", SAT 2003.
final class Solver {
    /// The most conflicts of one question; above it the answer is `undecided`.
    static let conflictsMax = 50_000

    enum Answer: Hashable, Sendable {
        case satisfiable, unsatisfiable, undecided
    }

    /// A clause that watches a literal; the clause is satisfied if `blocker` is true.
    struct Watch {
        let clause: Int32
        let blocker: Literal
    }

    /// The clauses one after another: the number of literals, then the literals.
    var arena: [Int32] = []
    /// The clauses that watch each literal, by its code.
    var watches: [[Watch]] = []
    /// The value of each literal, by its code: 1 for true, -1 for false, 0 if open.
    var values: [Int8] = []
    /// The level at which each variable got its value, and the clause that implied it or -1.
    var levels: [Int32] = []
    var reasons: [Int32] = []
    var trail: [Literal] = []
    /// The length of the trail at which each level begins.
    var levelStarts: [Int] = []
    var propagatedCount = 0
    var heap = ActivityHeap()
    var phases: [Bool] = []
    var isSeen: [Bool] = []
    /// True if the clauses cannot be satisfied under any assumption.
    private(set) var isContradictory = false
    /// The values of variables in the last answer `satisfiable`.
    private(set) var model: [Bool] = []

    var variableCount: Int { levels.count }

    func addVariable() -> Literal {
        watches += [[], []]
        values += [0, 0]
        levels.append(0)
        reasons.append(-1)
        phases.append(false)
        isSeen.append(false)
        heap.addVariable()
        return Literal(variable: Int32(levels.count - 1))
    }

    /// Tries this value of a variable first.
    func prefer(_ literal: Literal) { phases[literal.variable] = !literal.isNegated }

    /// Adds a clause, of which at least one literal must be true.
    func add(_ clause: [Literal]) {
        guard !isContradictory else { return }
        backtrack(to: 0)
        var kept: [Literal] = []
        for literal in clause {
            if value(of: literal) > 0 || kept.contains(!literal) { return }
            if value(of: literal) == 0, !kept.contains(literal) { kept.append(literal) }
        }
        switch kept.count {
        case 0: isContradictory = true
        case 1:
            assign(kept[0], because: -1)
            if propagate() != nil { isContradictory = true }
        default: _ = store(kept)
        }
    }

    /// Whether the clauses can be satisfied together with these literals.
    func solve(assuming: [Literal] = [], conflictsMax: Int = Solver.conflictsMax) -> Answer {
        backtrack(to: 0)
        var conflicts = 0
        var restarts = 0
        var nextRestart = Self.restartUnit
        while !isContradictory {
            if let conflict = propagate() {
                conflicts += 1
                guard !levelStarts.isEmpty else {
                    isContradictory = true
                    break
                }
                learn(from: conflict)
                heap.age()
                continue
            }
            guard conflicts < conflictsMax else { return .undecided }
            if conflicts >= nextRestart {
                restarts += 1
                nextRestart = conflicts + Self.luby(restarts) * Self.restartUnit
                backtrack(to: 0)
            }
            guard let next = nextAssumption(assuming) else { return .unsatisfiable }
            guard let decision = next ?? nextDecision() else {
                model = (0..<variableCount).map { values[2 * $0] > 0 }
                return .satisfiable
            }
            levelStarts.append(trail.count)
            assign(decision, because: -1)
        }
        return .unsatisfiable
    }

    func isTrue(_ literal: Literal) -> Bool { model[literal.variable] != literal.isNegated }

    func value(of literal: Literal) -> Int8 { values[Int(literal.code)] }

    /// The next assumption without a value; `.some(nil)` if all are true, nil if one is false.
    private func nextAssumption(_ assumptions: [Literal]) -> Literal?? {
        while levelStarts.count < assumptions.count {
            let literal = assumptions[levelStarts.count]
            if value(of: literal) < 0 { return nil }
            if value(of: literal) == 0 { return .some(literal) }
            // Each assumption has a level, also one that is implied.
            levelStarts.append(trail.count)
        }
        return .some(nil)
    }

    private func nextDecision() -> Literal? {
        while let variable = heap.removeFirst() {
            let literal = Literal(variable: variable)
            if value(of: literal) == 0 { return phases[Int(variable)] ? literal : !literal }
        }
        return nil
    }

    private static let restartUnit = 100

    /// The sequence 1, 1, 2, 1, 1, 2, 4 and so on; `number` counts from 1.
    private static func luby(_ number: Int) -> Int {
        var rest = number
        while true {
            var size = 1
            while size < rest { size = 2 * size + 1 }
            if size == rest { return (size + 1) / 2 }
            rest -= (size - 1) / 2
        }
    }
}
