// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// The field `request.total.NAME`: the sum of what leaves by a whole request in one asset.
package struct RequestTotal: Hashable, Sendable {
    /// The name of a coin such as ALGO, or of an `[asset.NAME]` table, follows this.
    package static let prefix = "request.total."

    /// The coin, by its unit; nil for a token.
    package let coin: AmountUnit?
    /// The token; nil for a coin.
    package let token: PolicyAsset?

    /// The total that a condition is about; nil for other fields.
    package init?(_ condition: Condition) {
        guard Self.isTotal(condition.field.name), case .amount(let unit) = condition.field.type
        else { return nil }
        token = condition.asset
        coin = token == nil ? unit : nil
    }

    /// Whether the name of a field is that of a total.
    package static func isTotal(_ name: String) -> Bool { name.hasPrefix(prefix) }

    /// The sum; nil (unknown) for a request without operations, if the adapter reported for one
    /// of them nothing about what leaves, and for a token if one of them may move it unseen.
    ///
    /// A payment that several keys sign counts once.
    func value(in request: JudgedRequest) -> FactValue? {
        let isKnown = request.operations.allSatisfy { operation in
            operation.isCosigning
                || !operation.outflows.isEmpty
                    && (token == nil || TokenCalls.areShown(by: operation, of: request))
        }
        guard !request.operations.isEmpty, isKnown else { return nil }
        let counted = request.totals.filter { outflow in
            token.map { outflow.asset.id.isExactly($0.id.text) } ?? (outflow.asset.unit == coin)
        }
        return .integer(
            counted.reduce(0) { sum, outflow in
                let (total, hasOverflown) = sum.addingReportingOverflow(outflow.amount)
                return hasOverflown ? .max : total
            })
    }
}

extension PolicyField {
    /// Whether the engine fills the field from the outflows that operations report.
    package static func isOfOutflows(_ name: String) -> Bool {
        name == outflowName || RequestTotal.isTotal(name)
    }
}
