// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// The fields `first_use.FIELD`: how long ago the key first signed a request with the counterparty
/// that FIELD names; 0 if it never did.
package enum FirstUseField {
    /// The name of a field of counterparties, such as `receiver`, follows this.
    package static let prefix = "first_use."

    /// The name of the field of counterparties; nil for other fields.
    package static func base(of name: String) -> String? {
        name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : nil
    }

    /// The seconds since a first use, as rules see them; nil if they are unknown.
    ///
    /// At least 1 after a use, also in the same second and if the clock was set back since.
    package static func age(of use: FirstUse, at now: Timestamp) -> Int128? {
        switch use {
        case .never: 0
        case .at(let time): max(1, Int128(now.seconds) - Int128(time.seconds))
        case .unknown: nil
        }
    }
}

/// A field `first_use.FIELD` of a policy, with the slots of what it depends on.
struct FirstUseSlots: Sendable {
    let name: String
    /// The field of counterparties.
    let base: String
    let slot: Int
    let baseSlot: Int
    let networkSlot: Int
}

extension FactView {
    /// Puts the ages of first uses in their slots for one operation; returns the counterparties
    /// that are new to its key.
    mutating func meet(
        _ operation: RequestedOperation, at now: Timestamp, in slots: FactSlots,
        _ usage: some LimitUsage
    ) throws(LedgerError) -> [Counterparty] {
        var new: [Counterparty] = []
        for first in slots.firstUses {
            guard let value = self[first.baseSlot] else { continue }
            var ages: [FactValue] = []
            for element in value.elements {
                let party = counterparty(element, first, operation.account.id)
                let use = try party.map { party throws(LedgerError) in
                    try usage.firstUse(of: party)
                }
                if use == .never, let party, !new.contains(party) { new.append(party) }
                let age = use.flatMap { FirstUseField.age(of: $0, at: now) }
                // An empty list has no type, so conditions on it are unknown.
                ages.append(age.map { .integer($0) } ?? .list([]))
            }
            if case .list = value {
                set(.list(ages), at: first.slot)
            } else {
                set(ages.first, at: first.slot)
            }
        }
        return new
    }

    /// The counterparty of a value; nil if it cannot be remembered.
    private func counterparty(
        _ value: FactValue, _ first: FirstUseSlots, _ key: KeyID
    ) -> Counterparty? {
        guard case .text(let text) = value else { return nil }
        return switch self[first.networkSlot] {
        case nil: Counterparty(key, on: "", in: first.base, text)
        case .text(let network): Counterparty(key, on: network, in: first.base, text)
        default: nil
        }
    }
}

extension FactValue {
    /// The values of a list, or the value itself.
    fileprivate var elements: [FactValue] {
        if case .list(let values) = self { values } else { [self] }
    }
}
