// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Conditions on all operations of a request together, as formulas about one of them.
///
/// The other operations are not modelled: `all` holds only if it holds for this one, and `any`
/// fails only if it fails for this one.
final class BatchModel {
    private struct Key: Hashable {
        let quantifier: String
        let conditions: Set<Part>
        let isEvery: Bool
    }

    private struct Part: Hashable {
        let field: ExactValue
        let key: ConditionKey
    }

    /// A condition, with its truth for one operation and for the request.
    private struct Entry {
        let quantifier: BatchCondition.Quantifier
        let one: TruthFormula
        let all: TruthFormula
    }

    private let circuit: Circuit
    private let hasOperation: Literal
    /// True where the request has no other operation.
    private let isSingle: Literal
    private var known: [Key: TruthFormula] = [:]
    private var entries: [Entry] = []
    /// Values of the solver's variables that were found in searches for relations.
    private var found: [[Bool]] = []
    /// The number of pairs of conditions whose relation was searched for.
    private(set) var relationCount = 0
    /// For each condition, whether it is as true of the request as of this operation.
    private(set) var agreements: [(name: String, literal: Literal)] = []

    init(_ circuit: Circuit, hasOperation: Literal, isSingle: Literal) {
        self.circuit = circuit
        self.hasOperation = hasOperation
        self.isSingle = isSingle
    }

    /// The truth for the request; `truths` are those of the conditions for one operation.
    func truth(
        of condition: BatchCondition, _ reading: ListReading, _ truths: [TruthFormula]
    ) -> TruthFormula {
        let isEvery = if case .every = reading { true } else { false }
        let parts = condition.conditions.map {
            Part(field: ExactValue(value: .text($0.field.name)), key: ConditionKey($0))
        }
        let key = Key(
            quantifier: condition.quantifier.rawValue, conditions: Set(parts), isEvery: isEvery)
        if let formula = known[key] { return formula }
        let one = TruthFormula(
            yes: circuit.all(truths.map(\.yes)), no: circuit.any(truths.map(\.no)))
        let formula = TruthFormula(yes: circuit.variable(), no: circuit.variable())
        circuit.demand([!formula.yes, !formula.no])
        circuit.demand([hasOperation, !formula.yes])
        switch condition.quantifier {
        case .all:
            circuit.demand([hasOperation, !formula.no])
            circuit.demand([!hasOperation, !formula.yes, one.yes])
            circuit.demand([!hasOperation, !one.no, formula.no])
        case .any:
            circuit.demand([hasOperation, formula.no])
            circuit.demand([!hasOperation, !one.yes, formula.yes])
            circuit.demand([!hasOperation, !formula.no, one.no])
        }
        let agrees = circuit.any([
            !hasOperation,
            !circuit.any([
                circuit.differ(formula.yes, one.yes), circuit.differ(formula.no, one.no),
            ]),
        ])
        circuit.demand([!isSingle, agrees])
        agreements.append((condition.quantifier.rawValue, agrees))
        known[key] = formula
        let entry = Entry(quantifier: condition.quantifier, one: one, all: formula)
        for other in entries where other.quantifier == entry.quantifier {
            guard relationCount < Self.relationsMax else { break }
            relationCount += 1
            relate(entry, other)
            relate(other, entry)
        }
        entries.append(entry)
        return formula
    }

    /// Carries over to the request an implication that holds for every single operation.
    private func relate(_ first: Entry, _ second: Entry) {
        if follows(second.one.yes, from: first.one.yes) {
            circuit.demand([!first.all.yes, second.all.yes])
        }
        if follows(second.one.no, from: first.one.no) {
            circuit.demand([!first.all.no, second.all.no])
        }
    }

    private func follows(_ second: Literal, from first: Literal) -> Bool {
        // Most pairs are refuted by a request that was found for another pair.
        let isRefuted = found.contains { model in
            max(first.variable, second.variable) < model.count
                && model[first.variable] != first.isNegated
                && model[second.variable] == second.isNegated
        }
        guard !isRefuted else { return false }
        let solver = circuit.solver
        switch solver.solve(assuming: [first, !second], conflictsMax: Self.conflictsMax) {
        case .unsatisfiable: return true
        case .undecided: return false
        case .satisfiable:
            if found.count == Self.foundMax { found.removeFirst() }
            found.append(solver.model)
            return false
        }
    }

    /// The most requests that are kept to refute relations.
    private static let foundMax = 16

    /// The most pairs of conditions whose relation is searched for; without that of others, less is
    /// proved.
    static let relationsMax = 100
    /// The longest search for a relation of two conditions.
    private static let conflictsMax = 1_000
}
