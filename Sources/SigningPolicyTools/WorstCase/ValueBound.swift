// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Bounds what some rules let leave of one value in a period, by limits that all of them use.
struct ValueBound {
    let place: ValuePlace
    /// The keys of the home, to count the counters of limits by key; nil if they are not known.
    let keys: [WorstCase.Key]?
    /// The tokens that the policy names.
    let assets: [PolicyAsset]
    let seconds: Int64

    /// The most that leaves by these rules together: the smallest bound counts.
    ///
    /// Every operation that one of the rules allows is charged to each of the limits. So it is
    /// bounded by each of them: by a sum of everything that leaves, by the sums of its parts, or by
    /// a count times the most that one operation moves.
    func most(
        by rules: [ReachingRule], _ limits: [PolicyLimit], _ windows: inout WindowCount
    ) -> Most {
        let losses = rules.compactMap { rule in
            rule.loss.map { Most.Opening(rule: rule.rule.id, reason: $0) }
        }
        guard losses.isEmpty else { return .unbounded(losses) }
        var count: Int128?
        var sums: [String: Int128] = [:]
        var uncounted: [String] = []
        for limit in limits {
            guard let inWindow = perWindow(limit, rules.map(\.rule), &uncounted),
                let most = windows.most(of: limit.window, in: seconds).multiplied(by: inWindow)
            else { continue }
            switch limit.measure {
            case .operations: count = .lower(count, most)
            case .sum(let field):
                guard let sum = sum(of: limit, field, most) else { continue }
                sums[field.name] = .lower(sums[field.name], sum)
            }
        }
        let bounds = [
            countsOutflow(rules) ? sums[PolicyField.outflowName] : nil,
            times(count, rules.map(\.single)),
            parts(rules, count, sums),
        ]
        if let least = bounds.compactMap(\.self).min() { return .atMost(least) }
        return .unbounded(
            rules.map { rule in
                .init(rule: rule.rule.id, reason: reason(rule, limits, uncounted.first, count))
            })
    }

    /// The most that all counters of a limit together let through in one window; nil if unknown.
    private func perWindow(
        _ limit: PolicyLimit, _ rules: [PolicyRule], _ uncounted: inout [String]
    ) -> Int128? {
        if let table = limit.table { return table.total }
        return counters(of: limit, rules, &uncounted).flatMap(limit.maximum.multiplied)
    }

    /// The most operations that these rules allow in the period; nil without a bound.
    func count(
        _ rules: [PolicyRule], _ limits: [PolicyLimit], _ windows: inout WindowCount
    ) -> Int128? {
        var count: Int128?
        var uncounted: [String] = []
        for limit in limits where limit.measure == .operations {
            guard let counters = counters(of: limit, rules, &uncounted) else { continue }
            let uses = windows.most(of: limit.window, in: seconds).multiplied(by: counters)
            count = .lower(count, uses.flatMap { limit.maximum.multiplied(by: $0) })
        }
        return count
    }

    /// Whether the outflow that operations report is all of the asset that leaves by these rules.
    private func countsOutflow(_ rules: [ReachingRule]) -> Bool {
        switch place.asset {
        case .coin: true
        case .token: rules.allSatisfy { $0.terms != nil }
        case .orders, .everything: false
        }
    }

    /// An amount of the asset for an amount of the limit, which may be in a common unit; nil if the
    /// limit does not bound the asset.
    private func sum(of limit: PolicyLimit, _ field: PolicyField, _ most: Int128) -> Int128? {
        let isOutflow = field.name == PolicyField.outflowName
        switch place.asset {
        case .coin(let unit) where limit.rates.isEmpty:
            return field.type == .amount(unit) ? most : nil
        case .coin:
            return limit.rates[place.protocolID.name].flatMap { Self.largest(worth: most, $0) }
        case .token(let token) where isOutflow && !limit.rates.isEmpty:
            let rates = assets.filter { asset in token.map { place.isToken($0, asset) } ?? false }
                .compactMap { limit.tokenRates[$0.id] }
            let bounds = rates.map { Self.largest(worth: most, $0) }
            // No rule that draws on the budget allows a token without a rate.
            return bounds.contains(nil) ? nil : bounds.compactMap(\.self).max() ?? 0
        case .token, .orders, .everything: return limit.rates.isEmpty && !isOutflow ? most : nil
        }
    }

    /// The largest amount that is worth no more than this in the common unit; nil without a bound.
    ///
    /// Each use is converted and rounded up, so the uses of a limit are together worth no more than
    /// its maximum: the largest amount that alone is worth no more is a bound.
    private static func largest(worth most: Int128, _ rate: ExchangeRate) -> Int128? {
        var (low, high) = (Int128(0), Int128.max)
        while low < high {
            let middle = low + (high - low) / 2 + (high - low) % 2
            if rate.converted(middle) <= most { low = middle } else { high = middle - 1 }
        }
        return low == .max ? nil : low
    }

    /// The sum over the fields that make up the amount, each bounded by its own sum or count.
    private func parts(
        _ rules: [ReachingRule], _ count: Int128?, _ sums: [String: Int128]
    ) -> Int128? {
        guard rules.allSatisfy({ $0.terms != nil }) else { return nil }
        let all = Set(rules.flatMap { ($0.terms ?? [:]).keys })
        return .total(
            all.map { field in
                // A rule without the field moves nothing by it.
                .lower(sums[field], times(count, rules.map { $0.terms?[field] ?? 0 }))
            })
    }

    /// A count times the highest of these amounts; nil if one of them has no bound.
    private func times(_ count: Int128?, _ amounts: [Int128?]) -> Int128? {
        let known = amounts.compactMap(\.self)
        guard let count, known.count == amounts.count else { return nil }
        return count.multiplied(by: max(0, known.max() ?? 0))
    }

    private func reason(
        _ rule: ReachingRule, _ limits: [PolicyLimit], _ uncounted: String?, _ count: Int128?
    ) -> String {
        if limits.isEmpty { return "it has no limit" }
        if case .token = place.asset, rule.terms == nil, place.model.tokenCalls != nil,
            limits.contains(where: { !$0.rates.isEmpty })
        {
            return "it allows calls whose tokens are not counted; list the calls in \"method\""
        }
        if let uncounted {
            return "its limit counts each \"\(uncounted)\" apart, and their number is not known"
        }
        let whole = place.outflow ?? place.model.tokenAmount?.field ?? ""
        if count != nil {
            return "its limit counts requests, and nothing bounds \"\(whole)\" of one"
        }
        let fields = limits.compactMap { limit -> String? in
            if case .sum(let field) = limit.measure { "\"\(field.name)\"" } else { nil }
        }
        return "its limit counts \(fields.first ?? "another amount"), not all that leaves; count "
            + "\"\(whole)\""
    }
}

extension ValueBound {
    /// The number of counters that requests for this value can use of a limit; nil if unknown.
    private func counters(
        of limit: PolicyLimit, _ rules: [PolicyRule], _ uncounted: inout [String]
    ) -> Int128? {
        var product: Int128? = 1
        for field in limit.scope {
            guard let count = values(of: field, rules) else {
                uncounted.append(field.name)
                return nil
            }
            product = product?.multiplied(by: Int128(count))
        }
        return product
    }

    /// The number of values of a field in requests that the rules allow; nil if unknown.
    private func values(of field: PolicyField, _ rules: [PolicyRule]) -> Int? {
        let lists = rules.map { $0.listed(field.name) }
        var bounds = [field.type == .bool ? 2 : nil]
        if !lists.contains(where: { $0 == nil }) {
            bounds.append(
                Set(lists.flatMap { $0 ?? [] }.map { ExactValue(value: $0) }).count)
        }
        switch EngineFact(rawValue: field.name) {
        case .key where place.key != nil: bounds.append(1)
        case .key:
            bounds.append(
                keys?.filter { key in
                    key.protocolID == place.protocolID
                        && rules.contains { key.isUsable(by: $0) }
                }.count)
        case .protocolID: bounds.append(1)
        case .operation:
            let methods = place.schemas.flatMap(\.methods).filter { method in
                rules.contains { $0.mayMatch(place.protocolID, method) }
            }
            bounds.append(Set(methods).count)
        case .clientProof: bounds.append(Client.Proof.words.count)
        case nil where field.name == "network" && place.network != nil: bounds.append(1)
        default: break
        }
        return bounds.compactMap(\.self).min()
    }
}
