// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// Finds the rules that may match without looking at all of them.
///
/// The index is by protocol and method, and then by the rarest value that a rule demands of a
/// field.
struct RuleIndex: Sendable {
    private struct Key: Hashable {
        let protocolID: ProtocolID
        let method: String
    }

    private let known: [Key: RuleBucket]

    init(_ rules: [CompiledRule], schemas: [FactSchema]) {
        var known: [Key: RuleBucket] = [:]
        for schema in schemas {
            for method in schema.methods {
                let places = Self.search(rules, schema.protocolID, method)
                known[Key(protocolID: schema.protocolID, method: method)] =
                    RuleBucket(places, of: rules)
            }
        }
        self.known = known
    }

    /// The rules for a request; for a method that no adapter declares, all rules are searched.
    func bucket(for request: JudgedRequest, of rules: [CompiledRule]) -> RuleBucket {
        known[Key(protocolID: request.protocolID, method: request.method)]
            ?? RuleBucket(all: Self.search(rules, request.protocolID, request.method))
    }

    private static func search(
        _ rules: [CompiledRule], _ protocolID: ProtocolID, _ method: String
    ) -> [Int] {
        rules.indices.filter { rules[$0].rule.mayMatch(protocolID, method) }
    }
}

/// The rules for one protocol and method.
struct RuleBucket: Sendable {
    /// The size up to which rules are tried one by one.
    static let scannedMax = 16
    /// The most values by which a rule is indexed; a rule that accepts more is not indexed by them.
    static let valuesMax = 64

    /// Rules by the value that they demand of one field.
    private struct FieldIndex {
        let field: PolicyField
        let slot: Int
        var places: [ExactValue: [Int]] = [:]
        /// The rules that apply if the field is unknown.
        var unlessKnown: [Int] = []
    }

    private struct Demand: Hashable {
        let slot: Int
        let value: ExactValue
    }

    /// The indices of the rules that are always candidates, ascending.
    private var always: [Int]
    private var fields: [FieldIndex] = []

    init(all places: [Int]) { always = places }

    init(_ places: [Int], of rules: [CompiledRule]) {
        guard places.count > Self.scannedMax else {
            always = places
            return
        }
        always = []
        var frequency: [Demand: Int] = [:]
        for place in places {
            for test in rules[place].openConditions {
                for value in test.demanded {
                    frequency[Demand(slot: test.slot, value: value), default: 0] += 1
                }
            }
        }
        for place in places {
            let best = rules[place].openConditions.filter { !$0.demanded.isEmpty }
                .map { test in
                    (
                        test: test,
                        cost: test.demanded.reduce(0) { cost, value in
                            cost + (frequency[Demand(slot: test.slot, value: value)] ?? 0)
                        }
                    )
                }
                .min { $0.cost < $1.cost }
            guard let best, best.cost < places.count else {
                always.append(place)
                continue
            }
            add(place, rules[place], by: best.test)
        }
    }

    /// The indices of the rules that may match, ascending.
    func candidates(in view: FactView) -> [Int] {
        guard !fields.isEmpty else { return always }
        var found = always
        for index in fields {
            if let value = view[index.slot], index.field.accepts(value) {
                found += index.places[ExactValue(value: value)] ?? []
            } else {
                found += index.unlessKnown
            }
        }
        if found.count > always.count { found.sort() }
        return found
    }

    private mutating func add(_ place: Int, _ rule: CompiledRule, by test: CompiledRule.Test) {
        let known = fields.firstIndex { $0.slot == test.slot }
        if known == nil { fields.append(FieldIndex(field: test.condition.field, slot: test.slot)) }
        let index = known ?? fields.count - 1
        for value in test.demanded { fields[index].places[value, default: []].append(place) }
        // Deny and ask rules also apply if a condition is unknown.
        if rule.rule.effect != .allow { fields[index].unlessKnown.append(place) }
    }
}

extension CompiledRule.Test {
    /// The values of which the condition demands one; empty if there are too many or no such list.
    fileprivate var demanded: [ExactValue] {
        guard !condition.field.isList else { return [] }
        for matcher in condition.matchers {
            guard case .isIn(let list) = matcher, !list.includesOwn else { continue }
            let count = list.sets.reduce(list.literals.values.count) { $0 + $1.values.values.count }
            guard count <= RuleBucket.valuesMax else { continue }
            return Array(Set(list.known.map(ExactValue.init(value:))))
        }
        return []
    }
}
