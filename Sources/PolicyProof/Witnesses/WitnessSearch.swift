// SPDX-License-Identifier: Apache-2.0

/// Looks for a request that satisfies formulas, in a form that is easy to read.
struct WitnessSearch {
    /// The most requests that are judged in search of a witness for one question.
    private static let attemptsMax = 24

    enum Answer<Witness> {
        /// No request satisfies the formulas.
        case none
        case found(Witness)
        /// Neither is known, because of this part of requests or of the search.
        case unknown(String)
    }

    private let circuit: Circuit
    /// The properties that make a request easy to read, the most important first.
    private let preferences: [Literal]

    init(_ circuit: Circuit, _ preferences: [Literal]) {
        self.circuit = circuit
        self.preferences = preferences
    }

    /// Solves under the assumptions; `attempt` makes a witness of the solver's model, or names the
    /// part of the request because of which it cannot.
    func find<Witness>(
        _ assumptions: [Literal], attempt: () -> (witness: Witness?, blame: String)
    ) -> Answer<Witness> {
        // Holds while this question is asked; clauses that exclude failed attempts depend on it.
        let isAsked = circuit.variable()
        let assumed = assumptions + [isAsked]
        var blame: String?
        for _ in 0..<Self.attemptsMax {
            switch circuit.solver.solve(assuming: assumed) {
            case .unsatisfiable:
                // Attempts that failed were excluded, so this is no proof.
                return blame.map { .unknown($0) } ?? .none
            case .undecided: return .unknown("search")
            case .satisfiable: break
            }
            let chosen = simplest(assumed)
            let tried = attempt()
            if let witness = tried.witness { return .found(witness) }
            blame = tried.blame
            circuit.demand([!isAsked] + chosen.map { !$0 })
        }
        return .unknown(blame ?? "search")
    }

    /// Assumes one preference after the other where that is possible; the literals that were
    /// chosen.
    private func simplest(_ assumptions: [Literal]) -> [Literal] {
        var assumed = assumptions
        let solver = circuit.solver
        for preference in preferences {
            if solver.isTrue(preference) {
                assumed.append(preference)
            } else if solver.solve(assuming: assumed + [preference]) == .satisfiable {
                assumed.append(preference)
            } else {
                assumed.append(!preference)
                _ = solver.solve(assuming: assumed)
            }
        }
        return Array(assumed.dropFirst(assumptions.count))
    }
}
