// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// The truth of a condition as formulas; unknown if neither holds.
struct TruthFormula {
    let yes: Literal
    let no: Literal
}

/// The part of a witness that one field contributes.
struct FieldWitness {
    /// The value; nil if the field is absent.
    var value: FactValue?
    /// The addresses that must be, or must not be, addresses held here.
    var own: [String] = []
    /// False if no value is known that behaves in this way.
    var isProved = true
}

/// One field of a request, with the literals that say which value it has.
protocol FieldModel: AnyObject {
    var field: PolicyField { get }
    /// True where the field is absent.
    var isAbsent: Literal { get }
    /// The properties of a witness that is easy to read, the most important first.
    var preferences: [Literal] { get }

    /// The truth of one of the field's conditions.
    func truth(of condition: Condition, _ reading: ListReading) -> TruthFormula
    /// The value in the last model of the solver.
    func witness(_ solver: Solver) -> FieldWitness
}

/// The circumstances under which every field is read.
struct FieldContext {
    let circuit: Circuit
    /// True where the request is decoded in full.
    let isFullyDecoded: Literal
    /// True if requests of any kind have the field.
    var isAlwaysThere = false
    /// True if the adapter fills the field, so that its type may be in doubt.
    var isOfAdapter = false
}

/// A field with one value.
final class ScalarModel: FieldModel {
    /// A value, or absence.
    private struct Atom {
        let sample: SampleValue?
        /// Whether the request is decoded in full; nil if that does not matter.
        var isFull: Bool?
        let literal: Literal
    }

    let field: PolicyField
    private let circuit: Circuit
    private var atoms: [Atom] = []
    /// True where the value is a text whose behaviour is not modelled.
    private let isUnexplored: Literal
    /// True where the value of a field in `by` is short enough to be counted.
    private lazy var isShort = circuit.variable()
    private var known: [ConditionKey: TruthFormula] = [:]

    init(
        _ field: PolicyField, _ conditions: [Condition], _ context: FieldContext,
        closed: [String]? = nil
    ) {
        self.field = field
        circuit = context.circuit
        let values = closed.map { FieldValues(closed: field, $0) } ?? FieldValues(field, conditions)
        var candidates: [(sample: SampleValue?, isFull: Bool?)] = []
        if !context.isAlwaysThere { candidates += [(nil, true), (nil, false)] }
        candidates += values.samples.map { ($0, nil) }
        if context.isOfAdapter {
            // A fact that occurs twice has a value of no type.
            candidates.append((SampleValue(value: .list([]), isUnnamed: true), nil))
        }
        if closed == nil { candidates = Self.merged(candidates, conditions) }
        let hasUnexplored = !values.isExplored
        let choices = circuit.choice(of: candidates.count + (hasUnexplored ? 1 : 0))
        isUnexplored = hasUnexplored ? choices[candidates.count] : circuit.no
        for (candidate, literal) in zip(candidates, choices) {
            atoms.append(
                Atom(sample: candidate.sample, isFull: candidate.isFull, literal: literal))
            guard candidate.sample == nil, let isFull = candidate.isFull else { continue }
            circuit.demand([
                !literal, isFull ? context.isFullyDecoded : !context.isFullyDecoded,
            ])
        }
    }

    /// Keeps the first of the values that all conditions treat alike.
    private static func merged(
        _ candidates: [(sample: SampleValue?, isFull: Bool?)], _ conditions: [Condition]
    ) -> [(sample: SampleValue?, isFull: Bool?)] {
        var keys: Set<ConditionKey> = []
        let distinct = conditions.filter { keys.insert(ConditionKey($0)).inserted }
        // Unnamed values stand for long ones too, which no limit can count by.
        var seen: [Bool: Set<[Truth]>] = [:]
        return candidates.filter { candidate in
            guard let sample = candidate.sample, !sample.isOddType else { return true }
            return seen[sample.isUnnamed, default: []].insert(
                distinct.map { Self.truth(of: $0, sample, nil) }
            ).inserted
        }
    }

    private static func truth(
        of condition: Condition, _ sample: SampleValue?, _ isFull: Bool?
    ) -> Truth {
        var own: [String] = []
        if let sample, sample.isOwn, case .text(let text) = sample.value { own = [text] }
        return condition.truth(
            of: sample?.value, .every, own: own, isFullyDecoded: isFull ?? true)
    }

    var isAbsent: Literal {
        circuit.any(atoms.filter { $0.sample == nil }.map(\.literal))
    }

    var preferences: [Literal] {
        [isAbsent, !isUnexplored].filter { $0 != circuit.no && $0 != circuit.yes }
            + atoms.filter { $0.sample?.isOddType ?? false }.map { !$0.literal }
            + atoms.filter { $0.sample.map { !$0.isUnnamed } ?? false }.prefix(1).map(\.literal)
    }

    /// The literal of a value of a closed list.
    func has(_ text: String) -> Literal {
        circuit.any(
            atoms.filter { $0.sample.map { $0.value.isExactly(.text(text)) } ?? false }
                .map(\.literal))
    }

    func truth(of condition: Condition, _ reading: ListReading) -> TruthFormula {
        let key = ConditionKey(condition)
        if let formula = known[key] { return formula }
        var yes: [Literal] = []
        var no: [Literal] = []
        for atom in atoms {
            switch Self.truth(of: condition, atom.sample, atom.isFull) {
            case .yes: yes.append(atom.literal)
            case .no: no.append(atom.literal)
            case .unknown: break
            }
        }
        if isUnexplored != circuit.no {
            let free = circuit.variable()
            yes.append(circuit.all([isUnexplored, free]))
            no.append(circuit.all([isUnexplored, !free]))
        }
        let formula = TruthFormula(yes: circuit.any(yes), no: circuit.any(no))
        known[key] = formula
        return formula
    }

    /// True where a limit can count by the value.
    lazy var isCountable: Literal = {
        guard !field.isList else { return circuit.no }
        var parts = [circuit.all([isUnexplored, isShort])]
        for atom in atoms {
            guard let sample = atom.sample, field.accepts(sample.value) else { continue }
            if sample.isUnnamed || sample.value.symbols.count > Self.certainlyShort {
                parts.append(circuit.all([atom.literal, isShort]))
            } else {
                parts.append(atom.literal)
            }
        }
        return circuit.any(parts)
    }()

    /// A text of this many scalars has at most 512 bytes even if each byte is escaped.
    private static let certainlyShort = 40

    func witness(_ solver: Solver) -> FieldWitness {
        guard let atom = atoms.first(where: { solver.isTrue($0.literal) }) else {
            return FieldWitness(isProved: false)
        }
        guard let sample = atom.sample else { return FieldWitness() }
        var own: [String] = []
        if sample.isOwn, case .text(let text) = sample.value { own = [text] }
        return FieldWitness(value: sample.value, own: own)
    }
}

extension SampleValue {
    var isOddType: Bool {
        if case .list = value { true } else { false }
    }
}
