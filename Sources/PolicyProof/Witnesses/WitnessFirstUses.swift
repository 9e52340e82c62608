// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension WitnessRequest {
    /// The first use of a counterparty, as the values of `first_use.FIELD` say.
    ///
    /// The values of two lists stand for each other in their order; the last one of the shorter
    /// list stands for the rest.
    func firstUse(of party: Counterparty) -> FirstUse {
        guard let ages = values(FirstUseField.prefix + party.field) else { return .unknown }
        let place = values(party.field)?.firstIndex { $0.isExactly(.text(party.value)) } ?? 0
        guard let age = (ages.dropFirst(place).first ?? ages.last)?.number,
            let seconds = Int64(exactly: age)
        else { return .unknown }
        guard seconds > 0 else { return .never }
        let (first, isTooEarly) = moment.time.seconds.subtractingReportingOverflow(seconds)
        return isTooEarly ? .unknown : .at(Timestamp(seconds: first))
    }

    private func values(_ name: String) -> [FactValue]? {
        guard let value = values.first(where: { $0.field.name == name })?.value else { return nil }
        if case .list(let values) = value { return values }
        return [value]
    }
}
