// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension WitnessRequest {
    /// The numbers of operations that are tried where no rule counts them.
    private static let operationCounts: [Int128] = [1, 2, 4, 8, 16, operationsMax]

    /// The requests in which each operation has an equal part of the totals; only this one if no
    /// rule is about a total.
    var spread: [WitnessRequest] {
        guard !knownTotals.isEmpty, hasOperation else { return [self] }
        if let count = number(.requestOperations) { return [spread(over: count)] }
        let hasOutflow = values.contains { $0.field.name == PolicyField.outflowName }
        return (hasOutflow ? Self.operationCounts : [1]).map { spread(over: $0) }
    }

    private func spread(over count: Int128) -> WitnessRequest {
        var copy = self
        copy.set(EngineFact.requestOperations.field, to: count)
        let outflow = values.first { $0.field.name == PolicyField.outflowName }?.field
        let coin = knownTotals.first { $0.total.coin != nil }
        if let outflow, let coin { copy.set(outflow, to: Self.part(of: coin.sum, 0, count)) }
        return copy
    }

    /// The outflows of one operation of so many.
    func outflows(of place: Int, among count: Int) -> [Outflow] {
        let totals = knownTotals.map { total, sum in
            Outflow(asset(of: total), Self.part(of: sum, Int128(place), Int128(count)))
        }
        guard !totals.contains(where: { $0.asset.unit != nil }),
            let found = values.first(where: { $0.field.name == PolicyField.outflowName }),
            let amount = found.value.number, case .amount(let unit) = found.field.type
        else { return totals }
        return totals + [Outflow(Self.coin(unit), amount)]
    }

    /// The totals with a sum.
    private var knownTotals: [(total: RequestTotal, sum: Int128)] {
        values.compactMap { field, value in
            totals[field.name].flatMap { total in value.number.map { (total, $0) } }
        }
    }

    private func asset(of total: RequestTotal) -> Asset {
        if let token = total.token {
            return Asset(id: token.id.text, network: token.network, name: token.name, unit: nil)
        }
        return Self.coin(total.coin ?? AmountUnit(symbol: "", decimals: 0, smallest: ""))
    }

    private static func coin(_ unit: AmountUnit) -> Asset {
        Asset(id: unit.symbol, network: "", name: unit.smallest, unit: unit)
    }

    /// The part of one operation; the first ones have what cannot be divided.
    private static func part(of sum: Int128, _ place: Int128, _ count: Int128) -> Int128 {
        sum / count + (place < sum % count ? 1 : 0)
    }
}
