// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// The slot of each fact that rules name; built once when a policy is loaded.
struct FactSlots: Sendable {
    /// The number of slots.
    let count: Int
    /// The slots by exact bytes: a tag named by the Kelvin sign must not pass for `tag.K`.
    private let adapterSlots: [ExactText: Int]
    private let engineSlots: [(fact: EngineFact, slot: Int)]
    /// The slots of sums over the request, apart from those that facts of adapters fill.
    private let totalSlots: [(name: String, total: RequestTotal, slot: Int)]
    /// The fields `first_use.FIELD` that rules name.
    let firstUses: [FirstUseSlots]
    /// True if a rule has conditions on several operations together.
    let seesBatches: Bool
    /// The units in which rules limit the outflow of an account.
    private let outflowUnits: Set<AmountUnit>

    init(for rules: [PolicyRule]) {
        var adapterSlots: [ExactText: Int] = [:]
        var engineSlots: [(fact: EngineFact, slot: Int)] = []
        var totalSlots: [(name: String, total: RequestTotal, slot: Int)] = []
        var count = 0
        for condition in rules.flatMap(\.allConditions) {
            let name = condition.field.name
            guard let total = RequestTotal(condition),
                !totalSlots.contains(where: { $0.name == name })
            else { continue }
            totalSlots.append((name, total, count))
            count += 1
        }
        for name in rules.flatMap(\.fieldNames) {
            if let fact = EngineFact(rawValue: name) {
                guard !engineSlots.contains(where: { $0.fact == fact }) else { continue }
                engineSlots.append((fact, count))
            } else if RequestTotal.isTotal(name) || FirstUseField.base(of: name) != nil {
                continue
            } else {
                let name = ExactText(text: name)
                guard adapterSlots[name] == nil else { continue }
                adapterSlots[name] = count
            }
            count += 1
        }
        var firstUses: [FirstUseSlots] = []
        for name in rules.flatMap(\.allConditions).map(\.field.name) {
            guard let base = FirstUseField.base(of: name),
                !firstUses.contains(where: { $0.name == name }),
                let baseSlot = adapterSlots[ExactText(text: base)],
                let networkSlot = adapterSlots[ExactText(text: AssetFields.network)]
            else { continue }
            firstUses.append(
                FirstUseSlots(
                    name: name, base: base, slot: count, baseSlot: baseSlot,
                    networkSlot: networkSlot))
            count += 1
        }
        self.firstUses = firstUses
        self.count = count
        self.totalSlots = totalSlots
        self.adapterSlots = adapterSlots
        self.engineSlots = engineSlots
        seesBatches = rules.contains { !$0.batch.isEmpty }
        outflowUnits = Set(rules.flatMap(\.outflowUnits))
    }

    /// The slot of a field that a rule names; nil if no rule names it.
    func slot(of name: String) -> Int? {
        if RequestTotal.isTotal(name) { return totalSlots.first { $0.name == name }?.slot }
        if FirstUseField.base(of: name) != nil {
            return firstUses.first { $0.name == name }?.slot
        }
        guard let fact = EngineFact(rawValue: name) else {
            return adapterSlots[ExactText(text: name)]
        }
        return engineSlots.first { $0.fact == fact }?.slot
    }

    /// Puts facts in their slots.
    fileprivate func fill(_ values: inout [FactValue?], with facts: [Fact]) {
        var filled: [Int] = []
        for fact in facts {
            guard let slot = adapterSlots[ExactText(text: fact.name)] else { continue }
            // A fact that occurs twice is ambiguous: an empty list fits no field's type, so
            // conditions on it are unknown.
            values[slot] = filled.contains(slot) ? .list([]) : fact.value
            filled.append(slot)
        }
    }

    /// Puts the sums over the request in their slots.
    fileprivate func fill(_ values: inout [FactValue?], withTotalsOf request: JudgedRequest) {
        for (_, total, slot) in totalSlots { values[slot] = total.value(in: request) }
    }

    fileprivate func fill(
        _ values: inout [FactValue?], for operation: RequestedOperation?, of request: JudgedRequest
    ) {
        if let slot = adapterSlots[ExactText(text: PolicyField.outflowName)] {
            values[slot] = operation.flatMap(outflow)
        }
        for (fact, slot) in engineSlots {
            values[slot] = fact.value(in: request, of: operation)
        }
    }
}

extension FactSlots {
    /// The outflow of the account in a network's native coin; nil (unknown) if the adapter reported
    /// no outflow.
    fileprivate func outflow(of operation: RequestedOperation) -> FactValue? {
        guard !operation.outflows.isEmpty else { return nil }
        var sum: Int128 = 0
        for outflow in operation.outflows {
            guard let unit = outflow.asset.unit, outflowUnits.contains(unit) else { continue }
            let (total, hasOverflown) = sum.addingReportingOverflow(outflow.amount)
            sum = hasOverflown ? .max : total
        }
        return .integer(sum)
    }
}

extension PolicyField {
    /// The field that the engine fills from the outflows that operations report.
    package static let outflowName = "outflow"
}

/// The facts of one operation together with those of its request, as conditions look them up.
package struct FactView: Sendable {
    /// True if a fact that is not in the view is known to be absent.
    let isFullyDecoded: Bool
    /// The addresses that `"@own"` means.
    let ownAddresses: [String]
    /// The protocol of the request.
    let protocolName: String
    /// True if a whole balance may leave, so that the amount in the facts is no bound.
    private(set) var isUnbounded = false
    /// The time of the request; nil (unknown) if the clock is behind the record.
    let time: Timestamp?
    /// The account whose key performs the operation; nil for a request without operations.
    private(set) var account: Account?
    /// The amounts that leave the account by the operation.
    private(set) var outflows: [Outflow] = []
    private var values: [FactValue?]
    /// The views of all operations of the request, if a rule has conditions on them together.
    private(set) var operations: [FactView] = []

    /// A view in which every fact is absent.
    static let withoutFacts = FactView(own: [])

    package init(own: [String], isFullyDecoded: Bool = true) {
        self.isFullyDecoded = isFullyDecoded
        ownAddresses = own
        protocolName = ""
        time = nil
        values = []
    }

    /// The facts of a request without operations, or the common part of its operations.
    init(of request: JudgedRequest, in slots: FactSlots) {
        isFullyDecoded = request.decoding == .full
        ownAddresses = request.ownAddresses
        protocolName = request.protocolID.name
        time = request.isClockBehind ? nil : request.time
        isUnbounded = request.outflows.contains { $0.amount == .max }
        values = [FactValue?](repeating: nil, count: slots.count)
        slots.fill(&values, with: request.facts)
        slots.fill(&values, withTotalsOf: request)
        slots.fill(&values, for: nil, of: request)
    }

    /// This view with the facts of one operation in place of the request's.
    func entering(
        _ operation: RequestedOperation, of request: JudgedRequest, in slots: FactSlots
    ) -> FactView {
        var view = self
        view.account = operation.account
        view.outflows = operation.outflows
        view.isUnbounded = isUnbounded || operation.outflows.contains { $0.amount == .max }
        slots.fill(&view.values, with: operation.facts)
        slots.fill(&view.values, for: operation, of: request)
        return view
    }

    /// Puts a value in its slot.
    mutating func set(_ value: FactValue?, at slot: Int) { values[slot] = value }

    /// This view with those of all operations of the request.
    func among(_ operations: [FactView]) -> FactView {
        var view = self
        view.operations = operations
        return view
    }

    subscript(slot: Int) -> FactValue? { values[slot] }
}

extension PolicyRule {
    fileprivate var outflowUnits: [AmountUnit] {
        let fields = allConditions.map(\.field) + limits.compactMap(\.summed)
        return fields.compactMap { field in
            guard field.name == PolicyField.outflowName, case .amount(let unit) = field.type
            else { return nil }
            return unit
        }
    }

    /// The fields that the rule uses, with duplicates.
    fileprivate var fieldNames: [String] {
        var names = allConditions.map(\.field.name)
        // The first use of a counterparty depends on its field and on the network.
        let bases = names.compactMap { FirstUseField.base(of: $0) }
        if !bases.isEmpty { names += bases + [AssetFields.network] }
        for limit in limits {
            names += limit.fields.map(\.name)
        }
        return names
    }
}
