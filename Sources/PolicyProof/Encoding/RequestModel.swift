// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Every request of one protocol with one operation or none, as formulas.
///
/// The formulas permit more requests than there are, never fewer: what they forbid cannot be.
final class RequestModel {
    let circuit = Circuit()
    let protocolID: ProtocolID
    let methods: [String]
    private let schemas: [FactSchema]
    /// The sums over requests that rules are about, by the names of their fields.
    let totals: [String: RequestTotal]
    /// The moments of the table that rules and conditions distinguish, with their literals.
    private(set) var moments: [(moment: TimeTable.Moment, literal: Literal)] = []
    private(set) var fields: [ExactValue: any FieldModel] = [:]
    /// The names of the fields, in a fixed order.
    private(set) var fieldOrder: [ExactValue] = []
    private let operation: ScalarModel
    private let decoded: ScalarModel
    /// True where the request has an operation with a key.
    private(set) lazy var hasOperation = !(model(of: .key)?.isAbsent ?? circuit.no)
    /// The conditions on all operations of a request together.
    private(set) lazy var batch = BatchModel(
        circuit, hasOperation: hasOperation,
        isSingle: model(of: .requestOperations)?.truth(of: Self.hasOneOperation, .every).yes
            ?? circuit.no)
    /// True where the request only ends the client's connection, and did not come by a link.
    private(set) lazy var endsConnection: Literal = {
        let endings = schemas.flatMap(\.endings).map { operation.has($0) }
        let links = (model(of: .danger) as? ListModel)?.elements.filter {
            $0.sample.value == .text(Danger.byLink.name)
        }
        return circuit.all(
            [circuit.any(endings), !hasOperation] + (links ?? []).map { !$0.isPresent })
    }()

    init(
        _ rules: [PolicyRule], protocolID: ProtocolID, schemas: [FactSchema], _ times: TimeTable
    ) {
        self.protocolID = protocolID
        self.schemas = schemas.filter { $0.protocolID == protocolID }
        totals = Self.totals(of: rules)
        var seen: Set<String> = []
        methods = self.schemas.flatMap(\.methods).filter { seen.insert($0).inserted }
        let always = FieldContext(
            circuit: circuit, isFullyDecoded: circuit.yes, isAlwaysThere: true)
        operation = ScalarModel(EngineFact.operation.field, [], always, closed: methods)
        decoded = ScalarModel(
            EngineFact.decoded.field, [], always,
            closed: [Decoding.full, .partial, .opaque].map(\.rawValue))
        add(operation)
        add(decoded)
        add(
            ScalarModel(
                EngineFact.protocolID.field, [], always, closed: [protocolID.name]))
        addFields(rules)
        addMoments(rules, times)
        relateFields()
    }

    private static func totals(of rules: [PolicyRule]) -> [String: RequestTotal] {
        let conditions = rules.flatMap(\.allConditions)
        return Dictionary(
            conditions.compactMap { condition in
                RequestTotal(condition).map { (condition.field.name, $0) }
            }
        ) { first, _ in first }
    }

    private func add(_ model: any FieldModel) {
        let name = ExactValue(value: .text(model.field.name))
        fields[name] = model
        fieldOrder.append(name)
    }

    func model(of name: String) -> (any FieldModel)? { fields[ExactValue(value: .text(name))] }

    func model(of fact: EngineFact) -> (any FieldModel)? { model(of: fact.rawValue) }

    private func addFields(_ rules: [PolicyRule]) {
        var conditions: [ExactValue: [Condition]] = [:]
        var declared: [ExactValue: PolicyField] = [:]
        func name(_ field: PolicyField) -> ExactValue {
            let name = ExactValue(value: .text(field.name))
            declared[name] = declared[name] ?? field
            return name
        }
        for rule in rules {
            for condition in rule.allConditions + rule.countingConditions {
                conditions[name(condition.field), default: []].append(condition)
            }
            for condition in rule.tableConditions(beside: rules) {
                conditions[name(condition.field), default: []].append(condition)
            }
            for field in rule.limits.flatMap(\.scope) { _ = name(field) }
        }
        // A first use is there where its counterparty is.
        for base in declared.values.compactMap({ FirstUseField.base(of: $0.name) }) {
            guard let field = schemas.lazy.compactMap({ $0.field(named: base) }).first else {
                continue
            }
            _ = name(PolicyField(name: base, type: field.type, isList: field.isList))
        }
        for fact in [EngineFact.danger, .client, .clientProof, .key] { _ = name(fact.field) }
        // The key of a request without operations is absent, so it differs from one with some.
        let operations = ExactValue(value: .text(EngineFact.requestOperations.rawValue))
        conditions[operations]?.append(Self.hasOperations)
        conditions[operations]?.append(Self.hasOneOperation)
        for (name, field) in declared.sorted(by: { $0.value.name < $1.value.name })
        where fields[name] == nil && field.name != EngineFact.time.rawValue {
            add(model(of: field, conditions[name] ?? [], rules))
        }
    }

    /// The condition that a request has an operation.
    private static let hasOperations = Condition(
        field: EngineFact.requestOperations.field, position: .start, matchers: [.atLeast(1)])

    private static let hasOneOperation = Condition(
        field: EngineFact.requestOperations.field, position: .start, matchers: [.atMost(1)])

    private func model(
        of field: PolicyField, _ conditions: [Condition], _ rules: [PolicyRule]
    ) -> any FieldModel {
        let fact = EngineFact(rawValue: field.name)
        let context = FieldContext(
            circuit: circuit, isFullyDecoded: decoded.has(Decoding.full.rawValue),
            isAlwaysThere: fact?.isAlwaysThere ?? false,
            isOfAdapter: fact == nil && !PolicyField.isOfOutflows(field.name))
        var closed: [String]?
        switch fact {
        case .clientProof: closed = Client.Proof.words
        case .effects: closed = Effect.allCases.map(\.rawValue)
        case .danger: closed = dangers(conditions, rules)
        default: break
        }
        return field.isList
            ? ListModel(field, conditions, context, closed: closed)
            : ScalarModel(field, conditions, context, closed: closed)
    }

    /// The dangers that rules name, those that matter to the hub, and one that no rule names.
    private func dangers(_ conditions: [Condition], _ rules: [PolicyRule]) -> [String] {
        var names = rules.flatMap(\.acknowledged).map(\.name)
        names += conditions.flatMap(\.matchers).compactMap(\.list).flatMap(\.known).compactMap {
            if case .text(let name) = $0 { name } else { nil }
        }
        let known = Set(names + [Danger.newClient, .opaque, .byLink].map(\.name))
        let others = (Danger.common + schemas.flatMap(\.dangers)).map(\.name)
        return known.sorted() + [others.first { !known.contains($0) } ?? Self.otherDanger]
    }

    private static let otherDanger = "(another danger)"

    /// True where the request has no danger that the rule leaves uncovered.
    func covers(_ rule: PolicyRule) -> Literal {
        guard let dangers = model(of: .danger) as? ListModel else { return circuit.no }
        return circuit.all(
            dangers.elements.compactMap { element in
                guard case .text(let name) = element.sample.value, !rule.covers(Danger(name))
                else { return nil }
                return !element.isPresent
            })
    }

    private func addMoments(_ rules: [PolicyRule], _ times: TimeTable) {
        var terms: [PolicyRule] = []
        for rule in rules where rule.expires != nil || rule.schedule != nil || rule.effect != .allow
        {
            let isKnown = terms.contains {
                $0.expires == rule.expires && $0.schedule == rule.schedule
                    && ($0.effect == .allow) == (rule.effect == .allow)
            }
            if !isKnown { terms.append(rule) }
        }
        let conditions = rules.flatMap(\.allConditions).filter {
            $0.field.name == EngineFact.time.rawValue
        }
        let schedules = Set(rules.flatMap(\.exceptions).compactMap(\.schedule))
        var seen: Set<[Int]> = []
        let kept = times.moments.filter { moment in
            let inForce = terms.map {
                $0.isInForce(at: moment.time, clock: moment.clock) ? 1 : 0
            }
            return seen.insert(
                inForce + conditions.map { Self.truth(of: $0, at: moment).rawValue }
                    + schedules.map { $0.isOpen(at: moment.time) ? 1 : 0 }
                    + [moment.isClockBehind ? 1 : 0]
            ).inserted
        }
        moments = zip(kept, circuit.choice(of: kept.count)).map { ($0, $1) }
    }

    private static func truth(of condition: Condition, at moment: TimeTable.Moment) -> Truth {
        condition.truth(
            of: moment.isClockBehind ? nil : .time(moment.time), .every, own: [],
            isFullyDecoded: true)
    }

    func isInForce(_ rule: PolicyRule) -> Literal {
        circuit.any(
            moments.filter { rule.isInForce(at: $0.moment.time, clock: $0.moment.clock) }
                .map(\.literal))
    }

    /// The truth of the hours and days of an exception: unknown if the clock is behind.
    func truth(of schedule: Schedule) -> TruthFormula {
        func whenever(_ isOpen: Bool) -> Literal {
            circuit.any(
                moments.filter {
                    !$0.moment.isClockBehind && schedule.isOpen(at: $0.moment.time) == isOpen
                }.map(\.literal))
        }
        return TruthFormula(yes: whenever(true), no: whenever(false))
    }

    /// The truth of a condition on any field.
    func truth(of condition: Condition, _ reading: ListReading) -> TruthFormula {
        guard condition.field.name == EngineFact.time.rawValue else {
            return model(of: condition.field.name)?.truth(of: condition, reading)
                ?? TruthFormula(yes: circuit.variable(), no: circuit.variable())
        }
        // Whether the request is decoded in full does not matter, as every request has a time.
        func whenever(_ wanted: Truth) -> Literal {
            circuit.any(
                moments.filter { Self.truth(of: condition, at: $0.moment) == wanted }
                    .map(\.literal))
        }
        return TruthFormula(yes: whenever(.yes), no: whenever(.no))
    }

    func truth(of condition: BatchCondition, _ reading: ListReading) -> TruthFormula {
        batch.truth(of: condition, reading, condition.conditions.map { truth(of: $0, reading) })
    }

    /// True where a limit can count by the field.
    func isCountable(_ field: PolicyField) -> Literal {
        guard field.name != EngineFact.time.rawValue else {
            return circuit.any(moments.filter { !$0.moment.isClockBehind }.map(\.literal))
        }
        return (model(of: field.name) as? ScalarModel)?.isCountable ?? circuit.no
    }

    private func relateFields() {
        for method in methods {
            for model in fields.values where EngineFact(rawValue: model.field.name) == nil {
                let name = Self.declaredName(of: model.field.name)
                let declared = schemas.compactMap { $0.field(named: name) }
                let mayHave = declared.contains { $0.methods?.contains(method) ?? true }
                if !mayHave { circuit.demand([!operation.has(method), model.isAbsent]) }
            }
        }
        for method in methods
        where schemas.allSatisfy({ !$0.methods.contains(method) || $0.keyless.contains(method) }) {
            circuit.demand([!operation.has(method), !hasOperation])
        }
        // A request without a client has no fact about one.
        let client = model(of: .client)?.isAbsent ?? circuit.no
        for fact in [EngineFact.clientProof, .clientParty] {
            guard let other = model(of: fact)?.isAbsent else { continue }
            circuit.demand([!client, other])
            circuit.demand([client, !other])
        }
        for fact in [EngineFact.clientName, .clientCallback, .clientProfile] {
            if let other = model(of: fact)?.isAbsent { circuit.demand([!client, other]) }
        }
        if let profile = model(of: .clientProfile)?.isAbsent,
            let proof = model(of: .clientProof) as? ScalarModel
        {
            circuit.demand([profile, proof.has("browser")])
            circuit.demand([!profile, !proof.has("browser")])
        }
        // A request without operations has no key, and no money leaves an account.
        let key = model(of: .key)?.isAbsent ?? circuit.no
        if let tags = model(of: .keyTags)?.isAbsent {
            circuit.demand([!key, tags])
            circuit.demand([key, !tags])
        }
        if let operations = model(of: .requestOperations) {
            let some = operations.truth(of: Self.hasOperations, .every).yes
            circuit.demand([!key, !some])
            circuit.demand([key, some])
        }
        let outflow = model(of: PolicyField.outflowName)?.isAbsent
        if let outflow { circuit.demand([!key, outflow]) }
        let totals = self.totals.keys.sorted().compactMap { model(of: $0) }
        for (total, other) in zip(totals, totals.dropFirst()) {
            circuit.demand([!total.isAbsent, other.isAbsent])
            circuit.demand([total.isAbsent, !other.isAbsent])
        }
        for total in totals {
            circuit.demand([!key, total.isAbsent])
            // The total is unknown if nothing is known to leave by one operation.
            if let outflow { circuit.demand([!outflow, total.isAbsent]) }
        }
        relateFirstUses()
        // The hub adds the danger to each request that was not decoded.
        for element in (model(of: .danger) as? ListModel)?.elements ?? []
        where element.sample.value == .text(Danger.opaque.name) {
            circuit.demand([!decoded.has(Decoding.opaque.rawValue), element.isPresent])
        }
    }

    /// The name of the declared field on which a field of the engine depends.
    private static func declaredName(of name: String) -> String {
        RequestTotal.isTotal(name)
            ? PolicyField.outflowName : FirstUseField.base(of: name) ?? name
    }

    /// A first use is there where an operation has its counterparty.
    private func relateFirstUses() {
        for first in fieldOrder.compactMap({ fields[$0] }) {
            guard let base = FirstUseField.base(of: first.field.name),
                let party = model(of: base)
            else { continue }
            circuit.demand([hasOperation, first.isAbsent])
            circuit.demand([!party.isAbsent, first.isAbsent])
            circuit.demand([!hasOperation, party.isAbsent, !first.isAbsent])
        }
    }

    /// The properties of a witness that is easy to read, the most important first.
    var preferences: [Literal] {
        let isNow = moments.prefix(1).map(\.literal)
        let isInTime = moments.filter(\.moment.isClockBehind).map { !$0.literal }
        let dangers = model(of: .danger)?.preferences ?? []
        let agreements = batch.agreements.map(\.literal)
        return agreements + [decoded.has(Decoding.full.rawValue)] + isInTime + dangers
            + [!(model(of: .key)?.isAbsent ?? circuit.no)]
            + fieldOrder.flatMap { fields[$0]?.preferences ?? [] } + isNow
    }
}

extension PolicyRule {
    /// Conditions that hold where the rule's limits can count an amount, and where it is not above
    /// the limit by itself.
    var countingConditions: [Condition] {
        limits.flatMap { limit -> [Condition] in
            guard case .sum(let field) = limit.measure else { return [] }
            return [Matcher.atLeast(0), .atMost(limit.maximum)].map {
                Condition(field: field, position: position, matchers: [$0])
            }
        }
    }
}
