// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Requests of one method that together cover every outcome of some rules.
struct RequestSpace {
    let fields: [PolicyField]
    private let protocolID: ProtocolID
    private let method: String
    private let time: Timestamp
    private(set) var spaces: [FieldSpace]
    private let own: [String]
    /// The fields that no request of the method has.
    private let absent: Set<String>
    /// The fields that the focused rule uses; empty without a focused rule.
    private var focus: Set<String> = []

    init(
        _ rules: [PolicyRule], protocolID: ProtocolID, method: String, own: [String],
        time: Timestamp, _ vocabulary: PolicyVocabulary
    ) {
        self.protocolID = protocolID
        self.method = method
        self.time = time
        self.own = own
        var conditions: [String: [Condition]] = [:]
        var fields: [String: PolicyField] = [:]
        for condition in rules.flatMap({ $0.conditions + ($0.exception ?? []) }) {
            conditions[condition.field.name, default: []].append(condition)
            fields[condition.field.name] = condition.field
        }
        for limit in rules.flatMap(\.limits) {
            for field in limit.scope { fields[field.name] = field }
            if case .sum(let field) = limit.measure { fields[field.name] = field }
        }
        if rules.contains(where: { !$0.acknowledged.isEmpty || $0.effect == .allow }) {
            fields[EngineFact.danger.rawValue] = EngineFact.danger.field
        }
        for fact in [EngineFact.protocolID, .operation] { fields[fact.rawValue] = nil }
        self.fields = fields.values.sorted { $0.name < $1.name }
        let absent = Set(
            fields.keys.filter { !vocabulary.mayHave($0, protocolID, method) })
        self.absent = absent
        spaces = self.fields.map { field in
            absent.contains(field.name)
                ? FieldSpace(field, values: [nil])
                : Self.space(field, conditions[field.name] ?? [], rules, own, time)
        }
    }

    /// True if a field has more values than are tried.
    var isCut: Bool { spaces.contains(where: \.isCut) }

    /// The number of requests; `Int.max` if there are too many to count.
    var count: Int {
        spaces.reduce(1) { product, space in
            let (next, hasOverflown) = product.multipliedReportingOverflow(by: space.values.count)
            return hasOverflown ? .max : next
        }
    }

    /// Passes every request to `body` until it returns false; if there are more than `countMax`,
    /// passes a sample of that size.
    func forEach(countMax: Int, _ body: (RequestPoint) -> Bool) {
        let isAll = count <= countMax
        var generator = Scatter()
        for number in 0..<(isAll ? count : countMax) {
            var rest = number
            var values: [String: FactValue] = [:]
            for space in spaces {
                let place = isAll ? rest % space.values.count : generator.next(space.values.count)
                rest /= max(1, space.values.count)
                if let value = space.values[place] { values[space.field.name] = value }
            }
            guard body(point(values, at: time)) else { return }
        }
    }

    /// Passes `countMax` requests that the focused rule applies to, until `body` returns false.
    ///
    /// The first has no other fields, the second has values that no rule names, the rest are a
    /// sample.
    func forEachInFocus(
        countMax: Int, at time: Timestamp, _ body: (RequestPoint) -> Bool
    ) {
        var generator = Scatter()
        for number in 0..<countMax {
            var values: [String: FactValue] = [:]
            for space in spaces where !space.values.isEmpty {
                let value: FactValue? =
                    switch number {
                    case ...1 where focus.contains(space.field.name): space.values[0]
                    case 0: space.values.contains { $0 == nil } ? nil : space.values[0]
                    case 1: space.values.last { $0 != nil } ?? nil
                    default: space.values[generator.next(space.values.count)]
                    }
                if let value { values[space.field.name] = value }
            }
            guard body(point(values, at: time)) else { return }
        }
    }

    private func point(_ values: [String: FactValue], at time: Timestamp) -> RequestPoint {
        RequestPoint(
            protocolID: protocolID, method: method, values: values, time: time,
            outflowUnit: outflowUnit)
    }

    private var outflowUnit: AmountUnit? {
        let field = fields.first { $0.name == PolicyField.outflowName }
        if case .amount(let unit)? = field?.type { return unit }
        return nil
    }

    /// This space with the fields of one rule limited to values that satisfy it, as far as they are
    /// known.
    func focused(on rule: PolicyRule) -> RequestSpace {
        let names = Set(rule.conditions.map(\.field.name) + rule.countedFields.map(\.name))
        return RequestSpace(
            self, focus: names.union([EngineFact.danger.rawValue]),
            spaces.map { space in
                let name = space.field.name
                guard name != EngineFact.danger.rawValue else {
                    return space.filtered { rule.effect != .allow || rule.coversAll(of: $0) }
                }
                guard names.contains(name), !absent.contains(name) else { return space }
                let wanted = rule.conditions.filter { $0.field.name == name }
                let given = Self.space(space.field, wanted, [rule], own, time)
                return given.filtered { value in
                    wanted.allSatisfy {
                        $0.mayHold(for: value, ListReading(of: rule.effect), own: own)
                    } && (!wanted.isEmpty || value != nil)
                }
            })
    }

    private init(_ other: RequestSpace, focus: Set<String>, _ spaces: [FieldSpace]) {
        self = other
        self.focus = focus
        self.spaces = spaces
    }

    private static func space(
        _ field: PolicyField, _ conditions: [Condition], _ rules: [PolicyRule], _ own: [String],
        _ time: Timestamp
    ) -> FieldSpace {
        switch EngineFact(rawValue: field.name) {
        case .danger:
            let named = FieldSpace(field, conditions: conditions, own: own).values.compactMap { $0 }
            let flags = Set(rules.flatMap(\.acknowledged)).sorted { $0.name < $1.name }
            let known = flags.map { FactValue.text($0.name) }
            let more = known.map { FactValue.list([$0]) } + (known.count > 1 ? [.list(known)] : [])
            let all: [FactValue?] = [.list([])] + named + more
            return FieldSpace(field, values: Array(all.prefix(FieldSpace.valuesMax)))
        case .decoded:
            let names = [Decoding.full, .partial, .opaque].map(\.rawValue)
            return FieldSpace(field, values: names.map { .text($0) })
        case .time:
            let edges = FieldSpace(field, conditions: conditions, own: own).values
            return FieldSpace(field, values: [.time(time)] + edges.compactMap { $0 })
        case .key, .channel, .keyTags, .effects, .size:
            // These fields are always present.
            let values = FieldSpace(field, conditions: conditions, own: own).values
            return FieldSpace(field, values: values.filter { $0 != nil })
        default:
            let bounds = rules.flatMap { $0.bounds(of: field) }
            return FieldSpace(field, conditions: conditions, own: own, bounds: bounds)
        }
    }
}

extension FieldSpace {
    /// The values for which `isWanted` is true; all values if it is true for none.
    fileprivate func filtered(_ isWanted: (FactValue?) -> Bool) -> FieldSpace {
        let wanted = values.filter(isWanted)
        return wanted.isEmpty ? self : FieldSpace(field, values: wanted)
    }
}

extension PolicyRule {
    /// The fields whose values the rule's limits add up or count by.
    fileprivate var countedFields: [PolicyField] {
        limits.flatMap { limit in
            if case .sum(let field) = limit.measure { limit.scope + [field] } else { limit.scope }
        }
    }

    /// The maximum that the rule's limits set for a field, and one more.
    fileprivate func bounds(of field: PolicyField) -> [FactValue] {
        limits.flatMap { limit -> [FactValue] in
            guard case .sum(field) = limit.measure else { return [] }
            let (next, hasOverflown) = limit.maximum.addingReportingOverflow(1)
            return [limit.maximum, hasOverflown ? limit.maximum : next].map { .integer($0) }
        }
    }

    /// Whether the rule covers every danger of a list.
    fileprivate func coversAll(of dangers: FactValue?) -> Bool {
        guard case .list(let names)? = dangers else { return true }
        return names.allSatisfy { name in
            if case .text(let text) = name { covers(Danger(text)) } else { false }
        }
    }
}

/// Pseudo-random numbers with a fixed sequence (SplitMix64).
private struct Scatter {
    private var state: UInt64 = 0x1234_5678

    mutating func next(_ bound: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(max(1, bound)))
    }
}
