// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// Limits that several rules share; the counters belong to the budget's name.
package struct PolicyBudget: Sendable {
    package let name: String
    package let position: SourcePosition
    /// The limits, which all apply.
    package var limits: [PolicyLimit]
    /// The verdict if a limit has no room: `deny` for a final budget, `ask` for one that escalates,
    /// nil if the rules that draw on it do not apply then.
    package var onExceed: RuleEffect?
    /// The approvers that an escalating budget demands; nil if any person may decide.
    package let demand: ApproverDemand?
    /// The common unit of its amounts; nil without a unit.
    package let unit: AmountUnit?
    /// The price of each asset in the common unit, sorted by its name: the symbol of a coin, or
    /// `USDC@near` for a token.
    package let rates: [(asset: String, rate: String)]

    /// True if a used-up budget denies even if other rules allow.
    package var isFinal: Bool { onExceed == .deny }
}

/// The fixed price of an asset in the common unit of a budget, as an exact fraction.
package struct ExchangeRate: Hashable, Sendable {
    /// The most digits of a rate.
    static let digitsMax = 18

    /// The unit of the asset.
    let asset: AmountUnit
    private let numerator: UInt128
    private let denominator: UInt128

    /// Reads a decimal above 0, such as `2.5`; nil for other text.
    init?(_ text: String, of asset: AmountUnit, in unit: AmountUnit) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, text.utf8.count <= Self.digitsMax + 1,
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let digits = UInt128(parts.joined()), digits > 0, digits < Self.power(Self.digitsMax)
        else { return nil }
        let decimals = asset.decimals + (parts.count == 2 ? parts[1].utf8.count : 0)
        let shift = unit.decimals - decimals
        guard (-Self.powerMax...Self.digitsMax).contains(shift) else { return nil }
        self.asset = asset
        numerator = digits * Self.power(max(0, shift))
        denominator = Self.power(max(0, -shift))
    }

    /// The amount in smallest units of the common unit, rounded up: a limit is never exceeded.
    ///
    /// The largest `Int128` stands for all larger numbers.
    package func converted(_ amount: Int128) -> Int128 {
        guard amount < .max else { return .max }
        let product = numerator.multipliedFullWidth(by: UInt128(amount))
        guard product.high < denominator else { return .max }
        let (quotient, rest) = denominator.dividingFullWidth(product)
        return quotient == .max ? .max : Int128(clamping: quotient + (rest > 0 ? 1 : 0))
    }

    /// 10 to the power of this exponent is the largest power of 10 below 2^128.
    private static let powerMax = 38

    private static func power(_ exponent: Int) -> UInt128 {
        (0..<exponent).reduce(1) { power, _ in power * 10 }
    }
}

extension PolicyLimit {
    /// The price of an asset in the common unit; nil without one.
    package func rate(of asset: Asset, in protocolName: String) -> ExchangeRate? {
        let coin = rates[protocolName]
        return asset.unit == coin?.asset ? coin : tokenRates[ExactText(text: asset.id)]
    }

    /// The worth of outflows in the common unit; nil if one of them has no rate.
    func worth(of outflows: [Outflow], in protocolName: String) -> Int128? {
        var sum: Int128 = 0
        for outflow in outflows {
            guard let rate = rate(of: outflow.asset, in: protocolName) else { return nil }
            let worth = rate.converted(max(0, outflow.amount))
            sum = worth < .max - sum ? sum + worth : .max
        }
        return sum
    }
}
