// SPDX-License-Identifier: Apache-2.0

import Foundation
import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import PolicyProof

/// Questions about real pairs of policies, answered by both solvers.
@Suite("The solver beside CaDiCaL", .enabled(if: Cadical.path != nil, "cadical is not installed"))
struct SolverPeerTests {
    @Test("both give the same answers about pairs of policies")
    func pairs() throws {
        var counts: [Solver.Answer: Int] = [:]
        for pair in PolicyPair.all {
            let policies = try [pair.old, pair.new].map {
                try policy($0, fallback: pair.fallback)
            }
            try Self.compare(policies[0], policies[1], pair.description, &counts)
        }
        #expect(counts[.satisfiable, default: 0] > 50, "\(counts)")
        #expect(counts[.unsatisfiable, default: 0] > 100, "\(counts)")
    }

    @Test("both give the same answers about random policies", arguments: [5, 23] as [UInt64])
    func random(seed: UInt64) throws {
        var random = RandomPolicies(generator: SeededGenerator(state: seed))
        var counts: [Solver.Answer: Int] = [:]
        for _ in 0..<20 {
            let texts = [random.file(version: 2), random.file(version: 2)]
            let policies = try texts.map { try loaded($0, at: 100) }
            try Self.compare(
                policies[0], policies[1], texts.joined(separator: "\n---\n"), &counts)
        }
        #expect(counts[.satisfiable, default: 0] > 20, "\(counts)")
        #expect(counts[.unsatisfiable, default: 0] > 5, "\(counts)")
    }

    /// Asks for requests that the policies answer differently, protocol by protocol.
    private static func compare(
        _ old: TOMLPolicy, _ new: TOMLPolicy, _ name: String, _ counts: inout [Solver.Answer: Int]
    ) throws {
        let rules = old.document.rules + new.document.rules
        let times = try #require(TimeTable(rules, from: Timestamp(seconds: 1_795_000_000)))
        for protocolID in Set(old.vocabulary.schemas.map(\.protocolID)) {
            let model = RequestModel(
                rules.filter { rule in
                    old.vocabulary.schemas.contains { schema in
                        schema.protocolID == protocolID
                            && schema.methods.contains { rule.mayMatch(protocolID, $0) }
                    }
                }, protocolID: protocolID, schemas: old.vocabulary.schemas, times)
            let rooms = Rooms(model)
            let sides = [old, new].map { PolicySide($0, model, room: rooms.room) }
            let solver = model.circuit.solver
            for question in [
                [!sides[0].isAllowed, sides[1].isAllowed], [!sides[0].isAsked, sides[1].isAsked],
                [!sides[0].isDenied, sides[1].isDenied], [sides[0].isAllowed, sides[1].isDenied],
            ] {
                let peer = try Cadical.answer(solver.dimacs(assuming: question))
                let own = solver.solve(assuming: question)
                #expect(own == peer, "\(protocolID): \(name)")
                counts[own, default: 0] += 1
            }
        }
    }

    @Test("both refute pigeonholes, and find the same random problems solvable")
    func smallProblems() throws {
        var generator = SeededGenerator(state: 11)
        var problems = [SolverTests.pigeons(6)]
        for _ in 0..<60 {
            problems.append((SolverTests.random(60, 256, &generator), 60))
        }
        for (clauses, count) in problems {
            let solver = Solver()
            let variables = (0..<count).map { _ in solver.addVariable() }
            for clause in clauses {
                solver.add(clause.map { $0 < 0 ? !variables[-$0 - 1] : variables[$0 - 1] })
            }
            let peer = try Cadical.answer(solver.dimacs(assuming: []))
            #expect(solver.solve() == peer)
        }
    }
}

/// The program `cadical`.
private enum Cadical {
    static let path = ["/usr/bin/cadical", "/usr/local/bin/cadical"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// The answer to a problem in DIMACS form, by the exit status.
    static func answer(_ problem: String) throws -> Solver.Answer {
        let file = FileManager.default.temporaryDirectory.appending(
            path: "\(UUID().uuidString).cnf")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(problem.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: try #require(path))
        process.arguments = ["-q", "-n", file.path()]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        switch process.terminationStatus {
        case 10: return .satisfiable
        case 20: return .unsatisfiable
        default: return .undecided
        }
    }
}

extension Solver {
    /// The clauses, the values that follow from them, and the assumptions, in DIMACS form.
    fileprivate func dimacs(assuming assumptions: [Literal]) -> String {
        backtrack(to: 0)
        var clauses = (trail + assumptions).map { [$0.number] }
        if isContradictory { clauses.append([]) }
        var place = 0
        while place < arena.count {
            let count = Int(arena[place])
            clauses.append(arena[(place + 1)...(place + count)].map { Literal(code: $0).number })
            place += count + 1
        }
        let lines = clauses.map { ($0 + [0]).map(String.init).joined(separator: " ") }
        return "p cnf \(variableCount) \(clauses.count)\n" + lines.joined(separator: "\n") + "\n"
    }
}

extension Literal {
    /// The literal as DIMACS numbers it: variables count from 1, negated ones are negative.
    fileprivate var number: Int { isNegated ? -(variable + 1) : variable + 1 }
}
