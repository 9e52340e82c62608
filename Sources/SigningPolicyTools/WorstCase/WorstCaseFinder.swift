// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Finds the assets that a policy guards, and bounds what leaves of each.
struct WorstCaseFinder {
    /// The allow rules that have not expired.
    let rules: [PolicyRule]
    /// The part of these rules that may allow requests of each protocol.
    let rulesOf: [ProtocolID: [PolicyRule]]
    let policy: TOMLPolicy
    let keys: [WorstCase.Key]?
    let remembered: [WorstCase.Remembered]
    var windows: WindowCount

    init(
        rules: [PolicyRule], policy: TOMLPolicy, keys: [WorstCase.Key]?,
        remembered: [WorstCase.Remembered], windows: WindowCount
    ) {
        self.rules = rules
        self.policy = policy
        self.keys = keys
        self.remembered = remembered
        self.windows = windows
        let methods = Dictionary(grouping: policy.vocabulary.schemas, by: \.protocolID)
            .mapValues { $0.flatMap(\.methods) }
        rulesOf = Dictionary(
            uniqueKeysWithValues: methods.map { protocolID, methods in
                (
                    protocolID,
                    rules.filter { rule in methods.contains { rule.mayMatch(protocolID, $0) } }
                )
            })
    }

    mutating func assets() -> [WorstCase.Row] {
        places().flatMap { rows(of: $0) }
    }

    /// One row for all keys, and one for each key if that differs.
    private mutating func rows(of place: ValuePlace) -> [WorstCase.Row] {
        let reaching = (rulesOf[place.protocolID] ?? []).filter(place.isReached).map {
            ReachingRule($0, to: place)
        }
        let given = remembered.filter { !place.left(of: $0).isEmpty }
        if case .coin = place.asset {
        } else if reaching.isEmpty, given.isEmpty {
            return []
        }
        let own = keys(of: place.protocolID).filter { key in
            reaching.contains { key.isUsable(by: $0.rule) }
                || given.contains { $0.keyName == key.name }
        }
        let places =
            [place]
            + own.map { key in
                var part = place
                part.key = key
                return part
            }
        let rows = places.map { place in
            let reaching = reaching.filter { place.key?.isUsable(by: $0.rule) ?? true }
            let given = given.filter { place.key == nil || $0.keyName == place.key?.name }
            let more = WorstCase.periods.map { place.left(of: given, in: $0.seconds) }
            let most = zip(WorstCase.periods, more).map { period, more in
                let bound = ValueBound(
                    place: place, keys: keys, assets: policy.document.assets,
                    seconds: period.seconds)
                return self.most(bound, reaching) + more
            }
            return WorstCase.Row(
                asset: place.text, key: place.key.map { $0.name ?? "each other key" }, most: most,
                remembered: given.isEmpty ? nil : more.last?.number,
                unit: place.unit ?? unit(of: place))
        }
        // A single key has the bounds of all, but for limits by keys whose number is not known.
        return own.count == 1 && rows.last?.most == rows.first?.most ? [rows[0]] : rows
    }

    /// The unit that the policy gives a token of one network; nil without one.
    private func unit(of place: ValuePlace) -> AmountUnit? {
        guard place.network != nil, case .token(let token?) = place.asset else { return nil }
        return policy.document.assets.first { place.isToken(token, $0) }?.unit
    }

    /// The most that leaves by these rules: each is bounded by its own limits, or together with
    /// others by a budget.
    ///
    /// Every way to share the rules among the budgets gives an upper bound. The budgets that save
    /// the most are used first.
    private mutating func most(_ bound: ValueBound, _ rules: [ReachingRule]) -> Most {
        let own = rules.map { bound.most(by: [$0], $0.rule.limits, &windows) }
        var members: [String: [Int]] = [:]
        for (place, rule) in rules.enumerated() {
            for budget in rule.rule.budgets { members[budget.name, default: []].append(place) }
        }
        let shared = policy.document.budgets.compactMap {
            budget -> (places: [Int], most: Int128)? in
            guard let places = members[budget.name], places.count > 1 else { return nil }
            return bound.most(by: places.map { rules[$0] }, budget.limits, &windows).number
                .map { (places, $0) }
        }.map { (budget: $0, saving: saving($0.places, own) - $0.most) }
            .sorted { $0.saving > $1.saving }.map(\.budget)
        var covered = [Bool](repeating: false, count: rules.count)
        var sum = Most.nothing
        for budget in shared {
            let open = budget.places.filter { !covered[$0] }
            guard saving(open, own) > budget.most else { continue }
            for place in open { covered[place] = true }
            sum = sum + .atMost(budget.most)
        }
        return zip(own, covered).reduce(sum) { $1.1 ? $0 : $0 + $1.0 }
    }

    /// The sum of the rules' own bounds; the half of the largest number if one has none.
    private func saving(_ places: [Int], _ own: [Most]) -> Int128 {
        places.reduce(Most.nothing) { $0 + own[$1] }.number.map { min($0, .max / 2) } ?? .max / 2
    }

    /// The keys of a protocol: those of the home, or else those that rules name, and all others.
    private func keys(of protocolID: ProtocolID) -> [WorstCase.Key] {
        if let keys { return keys.filter { $0.protocolID == protocolID } }
        let named = rules.flatMap { $0.listed(EngineFact.key.rawValue) ?? [] }
        let names = Set(named.compactMap { if case .text(let name) = $0 { name } else { nil } })
        return names.sorted().map { .init(name: $0, of: protocolID) }
            + [.init(name: nil, of: protocolID)]
    }

    /// The rows of budgets in a common unit, one for each field that a budget adds up.
    mutating func budgets() -> [WorstCase.BudgetRow] {
        policy.document.budgets.flatMap { budget in
            let limits = budget.limits.filter { !$0.rates.isEmpty }
            var fields: [PolicyField] = []
            for case .sum(let field) in limits.map(\.measure) where !fields.contains(field) {
                fields.append(field)
            }
            return fields.compactMap { field -> WorstCase.BudgetRow? in
                guard let unit = budget.unit else { return nil }
                let own = limits.filter { $0.measure == .sum(of: field) }
                let most = WorstCase.periods.map { self.most(of: budget, own, in: $0.seconds) }
                return .init(
                    budget: budget.name, isFinal: budget.isFinal, unit: unit, field: field.name,
                    most: most)
            }
        }
    }

    /// The most that limits of a budget on one field let through in a period.
    private mutating func most(
        of budget: PolicyBudget, _ limits: [PolicyLimit], in seconds: Int64
    ) -> Most {
        let drawing = policy.document.rules.filter { rule in
            rule.budgets.contains { $0.name == budget.name }
        }
        let bounds = limits.compactMap { limit -> Int128? in
            counters(of: limit, drawing).flatMap {
                windows.most(of: limit.window, in: seconds).multiplied(by: $0)
            }.flatMap(limit.maximum.multiplied)
        }
        if let bound = bounds.min() { return .atMost(bound) }
        let scope = limits.first?.scope ?? []
        return .unbounded([
            .init(
                rule: budget.name,
                reason: "it has a counter for each "
                    + scope.map { "\"\($0.name)\"" }.joined(separator: ", ")
                    + ", and their number is not known")
        ])
    }

    /// The number of counters that the rules can use of a budget's limit; nil if unknown.
    private func counters(of limit: PolicyLimit, _ drawing: [PolicyRule]) -> Int128? {
        let keyCount = keys.map { keys in
            keys.count { key in
                limit.rates[key.protocolID.name] != nil
                    && drawing.contains { key.isUsable(by: $0) }
            }
        }
        return limit.scope.reduce(Int128?(1)) { product, field in
            let listed = drawing.compactMap { $0.listed(field.name) }
            var count =
                listed.count == drawing.count
                ? Set(listed.flatMap { $0 }.map { ExactValue(value: $0) }).count : nil
            if field.name == EngineFact.key.rawValue { count = count ?? keyCount }
            return count.flatMap { product?.multiplied(by: Int128($0)) }
        }
    }
}
