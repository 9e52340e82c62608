// SPDX-License-Identifier: Apache-2.0
import SigningPolicy

extension PolicyRule {
    /// True if an exception holds for each request that meets the other conditions, so that the
    /// rule never applies; false if that is not known.
    var isAlwaysExcepted: Bool {
        exceptions.contains { exception in
            exception.schedule == nil && exception.conditions.allSatisfy(alwaysHolds)
        }
    }

    /// Whether a condition of an exception holds for every value that the rule's conditions leave.
    ///
    /// Lists and patterns are left out, as not all of their values are tried.
    private func alwaysHolds(_ condition: Condition) -> Bool {
        let given = conditionsOfEach.filter { $0.field == condition.field }
        guard !condition.field.isList, !(given + [condition]).contains(where: \.hasPattern) else {
            return false
        }
        let values = FieldSpace(condition.field, conditions: given + [condition], own: ["(own)"])
            .values
        guard values.count < FieldSpace.valuesMax else { return false }
        let reading = ListReading(of: effect)
        let view = FactView(own: ["(own)"])
        // An allow rule applies only if it matches for certain and the exception does not; others
        // apply also if that is unknown.
        return values.allSatisfy { value in
            let match = given.map { $0.truth(of: value, reading, in: view) }
            let exception = condition.truth(of: value, reading.inException, in: view)
            return effect == .allow
                ? !match.allSatisfy { $0 == .yes } || exception != .no
                : match.contains(.no) || exception == .yes
        }
    }
}

extension Condition {
    fileprivate var hasPattern: Bool {
        matchers.contains { matcher in
            switch matcher {
            case .regex, .glob, .hasPrefix, .hasSuffix, .contains: true
            default: false
            }
        }
    }
}
