// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension ReferenceEvaluator {
    /// An amount of the coin of the random payments.
    static func algo(_ amount: Int128) -> Outflow {
        Outflow(
            Asset(
                id: "algorand/mainnet/algo", network: "mainnet", name: "",
                unit: AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")), amount)
    }

    /// The coin that leaves the account; nil if nothing is known to leave.
    func outflow(of subject: RequestedOperation?) -> FactValue? {
        guard let outflows = subject?.outflows, !outflows.isEmpty else { return nil }
        let coins = outflows.filter { $0.asset.unit?.symbol == "ALGO" }.map(\.amount)
        return .integer(coins.contains(.max) ? .max : coins.reduce(0, +))
    }

    /// The sum that leaves by the whole request in ALGO or an asset of the file; nil if it is
    /// unknown.
    func total(_ name: String) -> FactValue? {
        let counted = request.operations.filter { !$0.isCosigning }
        guard !request.operations.isEmpty, !counted.contains(where: \.outflows.isEmpty) else {
            return nil
        }
        if name != "ALGO", name != "NEAR", counted.contains(where: mayHideTokens) { return nil }
        var sum: Int128 = 0
        for outflow in request.outflows + counted.flatMap(\.outflows)
        where price(name == "ALGO" ? name : "\(name)@algorand", "1", of: outflow.asset) != nil {
            let (next, overflow) = sum.addingReportingOverflow(outflow.amount)
            sum = overflow ? .max : next
        }
        return .integer(sum)
    }

    /// Whether the operation may move tokens that its outflows do not show.
    private func mayHideTokens(_ operation: RequestedOperation) -> Bool {
        let dangers = (request.dangers + operation.dangers).map(\.name)
        if dangers.contains("opaque") { return true }
        guard request.protocolID.name == "near" else { return false }
        let called = operation.facts.filter { $0.name == "method" }.map(\.value)
        let transfers = ["ft_transfer", "ft_transfer_call"].map { FactValue.text($0) }
        return dangers.contains("delegates")
            || !called.allSatisfy { value in
                guard case .list(let list) = value else { return false }
                return list.allSatisfy(transfers.contains)
            }
    }

    /// The billionths of a budget's unit that outflows are worth, each rounded up; nil if an asset
    /// has no rate.
    func worth(of outflows: [Outflow], _ budget: String) -> Int128? {
        let rates = document.budgets.first { $0.name == budget }?.rates ?? []
        var sum: Int128 = 0
        for outflow in outflows {
            var found: (nanos: Int128, units: Int128)?
            for (name, rate) in rates { found = found ?? price(name, rate, of: outflow.asset) }
            guard let price = found else { return nil }
            let (product, overflow) = outflow.amount.multipliedReportingOverflow(by: price.nanos)
            if overflow { return .max }
            sum += product / price.units + (product % price.units > 0 ? 1 : 0)
        }
        return sum
    }

    /// The price of so many smallest units of an asset; nil if the rate is another asset's.
    private func price(
        _ name: String, _ rate: String, of asset: Asset
    ) -> (nanos: Int128, units: Int128)? {
        var decimals = 6
        if name == "ALGO" {
            guard asset.unit?.symbol == "ALGO" else { return nil }
        } else {
            let known = document.assets.first { name == "\($0.name)@algorand" }
            guard let known, case .integer(let number) = known.identity,
                asset.id == "algorand/\(known.network)/asset/\(number)"
            else { return nil }
            decimals = known.decimals
        }
        // 2.50 is 250 / 10^2.
        let parts = rate.split(separator: ".")
        let digits = Int128(parts.joined()) ?? 0
        for _ in 0..<(parts.count > 1 ? parts[1].count : 0) { decimals += 1 }
        return (digits * 1_000_000_000, (0..<decimals).reduce(1) { power, _ in power * 10 })
    }
}
