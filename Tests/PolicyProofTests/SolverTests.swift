// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import Testing

@testable import PolicyProof

@Suite("The solver")
struct SolverTests {
    /// Clauses with literals as numbers: 1 is the first variable, -1 its negation.
    typealias Clauses = [[Int]]

    static func solve(
        _ clauses: Clauses, _ count: Int, assuming: [Int] = [],
        conflictsMax: Int = Solver.conflictsMax
    ) -> (answer: Solver.Answer, solver: Solver, variables: [Literal]) {
        let solver = Solver()
        let variables = (0..<count).map { _ in solver.addVariable() }
        func literal(_ number: Int) -> Literal {
            let variable = variables[abs(number) - 1]
            return number < 0 ? !variable : variable
        }
        for clause in clauses { solver.add(clause.map(literal)) }
        let answer = solver.solve(assuming: assuming.map(literal), conflictsMax: conflictsMax)
        return (answer, solver, variables)
    }

    static func holds(_ clauses: Clauses, _ values: (Int) -> Bool) -> Bool {
        clauses.allSatisfy { clause in clause.contains { values(abs($0)) == ($0 > 0) } }
    }

    static func hasModel(_ clauses: Clauses, _ count: Int) -> Bool {
        (0..<(1 << count)).contains { bits in
            holds(clauses) { (bits >> ($0 - 1)) & 1 == 1 }
        }
    }

    static func random(
        _ count: Int, _ clauseCount: Int, _ generator: inout SeededGenerator
    ) -> Clauses {
        (0..<clauseCount).map { _ in
            (0..<3).map { _ in
                Int.random(in: 1...count, using: &generator)
                    * (Bool.random(using: &generator) ? 1 : -1)
            }
        }
    }

    @Test("agrees with trying all values on random problems of three literals a clause")
    func bruteForce() {
        var generator = SeededGenerator(state: 7)
        var counts: [Solver.Answer: Int] = [:]
        for _ in 0..<400 {
            let count = Int.random(in: 3...10, using: &generator)
            let clauses = Self.random(count, Int(Double(count) * 4.3), &generator)
            let assumed = [
                Int.random(in: 1...count, using: &generator),
                -Int.random(in: 1...count, using: &generator),
            ]
            for assumptions in [[], assumed] {
                let (answer, solver, variables) = Self.solve(
                    clauses, count, assuming: assumptions)
                let all = clauses + assumptions.map { [$0] }
                #expect((answer == .satisfiable) == Self.hasModel(all, count))
                counts[answer, default: 0] += 1
                guard answer == .satisfiable else { continue }
                #expect(Self.holds(all) { solver.isTrue(variables[$0 - 1]) })
            }
        }
        #expect(counts[.satisfiable, default: 0] > 80)
        #expect(counts[.unsatisfiable, default: 0] > 80)
    }

    /// One more pigeon than holes.
    static func pigeons(_ holes: Int) -> (clauses: Clauses, count: Int) {
        func sits(_ pigeon: Int, _ hole: Int) -> Int { pigeon * holes + hole + 1 }
        var clauses = (0...holes).map { pigeon in (0..<holes).map { sits(pigeon, $0) } }
        for hole in 0..<holes {
            for pigeon in 0...holes {
                for other in 0..<pigeon {
                    clauses.append([-sits(pigeon, hole), -sits(other, hole)])
                }
            }
        }
        return (clauses, (holes + 1) * holes)
    }

    @Test("refutes pigeonholes, and gives up at its bound of conflicts")
    func pigeonholes() {
        let (clauses, count) = Self.pigeons(5)
        #expect(Self.solve(clauses, count).answer == .unsatisfiable)
        #expect(Self.solve(clauses, count, conflictsMax: 10).answer == .undecided)
    }

    @Test("answers again after clauses were added, and for other assumptions")
    func again() {
        let (_, solver, variables) = Self.solve([[1, 2], [-1, 3]], 3)
        #expect(solver.solve(assuming: [variables[0], !variables[2]]) == .unsatisfiable)
        #expect(solver.solve(assuming: [!variables[0]]) == .satisfiable)
        #expect(solver.isTrue(variables[1]))
        solver.add([!variables[1]])
        #expect(solver.solve() == .satisfiable)
        #expect(solver.isTrue(variables[0]) && solver.isTrue(variables[2]))
        solver.add([!variables[2]])
        #expect(solver.solve() == .unsatisfiable)
    }
}
