// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// A field with several values: whether it is there, which kinds of values it has, and how many.
final class ListModel: FieldModel {
    let field: PolicyField
    private let circuit: Circuit
    private let isEngine: Bool
    /// The states without values to look at, with the value that stands for each.
    private var plain: [(value: FactValue?, isFull: Bool, literal: Literal)] = []
    private let isPresent: Literal
    /// True where the list has texts whose behaviour is not modelled.
    private let isUnexplored: Literal
    private(set) var elements: [(sample: SampleValue, isPresent: Literal)] = []
    private var counts: [(count: Int, literal: Literal)] = []
    private var known: [ListKey: TruthFormula] = [:]

    private struct ListKey: Hashable {
        let condition: ConditionKey
        let isEvery: Bool
    }

    /// A value of another type than the field's, as an element and in place of the list.
    private static let odd = FactValue.list([])

    init(
        _ field: PolicyField, _ conditions: [Condition], _ context: FieldContext,
        closed: [String]? = nil
    ) {
        self.field = field
        circuit = context.circuit
        isEngine = !context.isOfAdapter
        let values = closed.map { FieldValues(closed: field, $0) } ?? FieldValues(field, conditions)
        var states: [(value: FactValue?, isFull: Bool?)] = [(.list([]), nil)]
        if !context.isAlwaysThere { states += [(nil, true), (nil, false)] }
        if context.isOfAdapter { states.append((.bool(true), nil)) }
        let choices = circuit.choice(of: states.count + (values.isExplored ? 1 : 2))
        isPresent = choices[states.count]
        isUnexplored = values.isExplored ? circuit.no : choices[states.count + 1]
        for (state, literal) in zip(states, choices) {
            plain.append((state.value, state.isFull ?? true, literal))
            guard let isFull = state.isFull else { continue }
            circuit.demand([
                !literal, isFull ? context.isFullyDecoded : !context.isFullyDecoded,
            ])
        }
        var samples = values.samples
        if context.isOfAdapter { samples.append(SampleValue(value: Self.odd, isUnnamed: true)) }
        if closed == nil { samples = Self.merged(samples, conditions) }
        for sample in samples {
            let literal = circuit.variable()
            circuit.demand([!literal, isPresent])
            elements.append((sample, literal))
        }
        circuit.demand([!isPresent] + elements.map(\.isPresent))
        addCounts(conditions)
    }

    private static func merged(
        _ samples: [SampleValue], _ conditions: [Condition]
    ) -> [SampleValue] {
        var keys: Set<ConditionKey> = []
        let matchers = conditions.flatMap { condition in
            condition.matchers.filter { !$0.isOfWhole }.map { condition.with([$0]) }
        }.filter { keys.insert(ConditionKey($0)).inserted }
        var seen: Set<[Truth]> = []
        return samples.filter { sample in
            seen.insert(matchers.map { truth(of: $0, sample) }).inserted
        }
    }

    private func addCounts(_ conditions: [Condition]) {
        var edges: Set<Int> = [1, 2]
        for matcher in conditions.flatMap(\.matchers) {
            guard case .count(let range) = matcher else { continue }
            edges.formUnion([range.lowerBound - 1, range.lowerBound])
            edges.formUnion([range.upperBound, range.upperBound + 1])
        }
        let possible = edges.filter { $0 >= 1 }.sorted()
        for (count, literal) in zip(possible, circuit.choice(of: possible.count)) {
            counts.append((count, literal))
            guard count == 1 else { continue }
            // One value is of one kind.
            var before: Literal?
            for element in elements {
                if let before { circuit.demand([!literal, !before, !element.isPresent]) }
                before = before.map { circuit.any([$0, element.isPresent]) } ?? element.isPresent
            }
        }
    }

    private static func truth(of condition: Condition, _ sample: SampleValue) -> Truth {
        var own: [String] = []
        if sample.isOwn, case .text(let text) = sample.value { own = [text] }
        return condition.truth(of: .list([sample.value]), .every, own: own, isFullyDecoded: true)
    }

    var isAbsent: Literal {
        circuit.any(plain.filter { $0.value == nil }.map(\.literal))
    }

    var preferences: [Literal] {
        let isEmpty = circuit.any(
            plain.filter { $0.value == .list([]) }.map(\.literal))
        return [circuit.any([isAbsent, isEmpty]), !isUnexplored].filter {
            $0 != circuit.no && $0 != circuit.yes
        } + elements.reversed().map { !$0.isPresent } + counts.prefix(1).map(\.literal)
    }

    func truth(of condition: Condition, _ reading: ListReading) -> TruthFormula {
        let isEvery = if case .every = reading { true } else { false }
        let key = ListKey(condition: ConditionKey(condition), isEvery: isEvery)
        if let formula = known[key] { return formula }
        var yes: [Literal] = []
        var no: [Literal] = []
        for state in plain {
            switch condition.truth(
                of: state.value, reading, own: [], isFullyDecoded: state.isFull)
            {
            case .yes: yes.append(state.literal)
            case .no: no.append(state.literal)
            case .unknown: break
            }
        }
        if isUnexplored != circuit.no {
            let (isYes, isNo) = (circuit.variable(), circuit.variable())
            circuit.demand([!isYes, !isNo])
            yes.append(circuit.all([isUnexplored, isYes]))
            no.append(circuit.all([isUnexplored, isNo]))
        }
        let present = truthWhenPresent(condition, isEvery)
        yes.append(circuit.all([isPresent, present.yes]))
        no.append(circuit.all([isPresent, present.no]))
        let formula = TruthFormula(yes: circuit.any(yes), no: circuit.any(no))
        known[key] = formula
        return formula
    }

    /// The truth for a list with values: the least of what the matchers of the whole list and
    /// those of its values say.
    private func truthWhenPresent(_ condition: Condition, _ isEvery: Bool) -> TruthFormula {
        var yes: [Literal] = []
        var no: [Literal] = []
        for matcher in condition.matchers {
            switch matcher {
            case .exists(let wanted): if !wanted { no.append(circuit.yes) }
            case .count(let range):
                let fits = circuit.any(counts.filter { range.contains($0.count) }.map(\.literal))
                yes.append(fits)
                no.append(!fits)
            default: break
            }
        }
        let single = condition.matchers.filter { !$0.isOfWhole }
        let groups: [(matchers: [Matcher], isEvery: Bool)]
        if field.name == EngineFact.keyTags.rawValue {
            // The owner sets these, so each matcher has one meaning in rules of every effect.
            groups = single.map { matcher in
                if case .has = matcher { ([matcher], false) } else { ([matcher], true) }
            }
        } else {
            groups = single.isEmpty ? [] : [(single, isEvery)]
        }
        for group in groups {
            let truths = elements.map {
                ($0.isPresent, Self.truth(of: condition.with(group.matchers), $0.sample))
            }
            if group.isEvery {
                yes.append(circuit.all(truths.filter { $0.1 != .yes }.map { !$0.0 }))
                no.append(circuit.any(truths.filter { $0.1 == .no }.map(\.0)))
            } else {
                yes.append(circuit.any(truths.filter { $0.1 == .yes }.map(\.0)))
                no.append(circuit.all(truths.filter { $0.1 != .no }.map { !$0.0 }))
            }
        }
        let isNo = circuit.any(no)
        return TruthFormula(yes: circuit.all(yes + [!isNo]), no: isNo)
    }

    func witness(_ solver: Solver) -> FieldWitness {
        if let state = plain.first(where: { solver.isTrue($0.literal) }) {
            return FieldWitness(value: state.value)
        }
        guard solver.isTrue(isPresent) else { return FieldWitness(isProved: false) }
        var found = FieldWitness()
        var values: [FactValue] = []
        for element in elements where solver.isTrue(element.isPresent) {
            values.append(element.sample.value)
            if element.sample.isOwn, case .text(let text) = element.sample.value {
                found.own.append(text)
            }
        }
        let count = counts.first { solver.isTrue($0.literal) }?.count ?? values.count
        guard count <= Self.countMax else { return FieldWitness(isProved: false) }
        // A list may repeat a value.
        while values.count < count, let last = values.last { values.append(last) }
        found.value = .list(values)
        return found
    }

    /// The longest list of a witness.
    private static let countMax = 10_000
}
