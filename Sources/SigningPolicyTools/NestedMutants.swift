// SPDX-License-Identifier: Apache-2.0
import SigningPolicy

extension PolicyRule {
    /// The rule without an `all` or `any`, and with one change inside of `all`, `any` or `unless`,
    /// each with its words.
    ///
    /// A table with one condition is only left out as a whole.
    var nestedMutants: [(text: String, rule: PolicyRule)] {
        var mutants: [(text: String, rule: PolicyRule)] = []
        for index in batch.indices {
            let key = batch[index].quantifier.rawValue
            var without = self
            without.batch.remove(at: index)
            mutants.append(("without \(key)", without))
            for (text, conditions) in batch[index].conditions.mutants(in: key, by: 1) {
                var rule = self
                rule.batch[index].conditions = conditions
                mutants.append((text, rule))
            }
        }
        for index in exceptions.indices {
            let key = exceptions.count > 1 ? "unless \(index + 1)" : "unless"
            // An allow rule allows more if its exception holds for less.
            let step: Int128 = effect == .allow ? -1 : 1
            for (text, conditions) in exceptions[index].conditions.mutants(in: key, by: step) {
                var rule = self
                rule.exceptions[index].conditions = conditions
                mutants.append((text, rule))
            }
        }
        return mutants
    }
}

extension [Condition] {
    /// The conditions without one of them, if they may hold for more, and with bounds that are
    /// moved.
    fileprivate func mutants(
        in key: String, by step: Int128
    ) -> [(text: String, conditions: [Condition])] {
        indices.flatMap { index in
            var mutants: [(text: String, conditions: [Condition])] = []
            let name = "\(key).\(self[index].field.name)"
            if count > 1, step > 0 {
                var fewer = self
                fewer.remove(at: index)
                mutants.append(("without \(name)", fewer))
            }
            for (text, moved) in self[index].moved(by: step) {
                var others = self
                others[index] = moved
                mutants.append(("with \(key).\(text)", others))
            }
            return mutants
        }
    }
}

extension Condition {
    /// The condition with a bound moved, such as `amount at most 6`; a positive step makes it hold
    /// for more values.
    func moved(by step: Int128) -> [(text: String, condition: Condition)] {
        matchers.indices.compactMap { index in
            let (sum, hasOverflown): (Int128, Bool)
            switch matchers[index] {
            case .atMost(let bound): (sum, hasOverflown) = bound.addingReportingOverflow(step)
            case .atLeast(let bound):
                (sum, hasOverflown) = bound.subtractingReportingOverflow(step)
            default: return nil
            }
            guard !hasOverflown else { return nil }
            var changed = matchers
            if case .atMost = matchers[index] {
                changed[index] = .atMost(sum)
            } else {
                changed[index] = .atLeast(sum)
            }
            let condition = Condition(
                field: field, position: position, matchers: changed, asset: asset)
            return ("\(field.name) \(condition.wanted(.every))", condition)
        }
    }
}
