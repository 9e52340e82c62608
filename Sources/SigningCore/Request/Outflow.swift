// SPDX-License-Identifier: Apache-2.0

/// An asset that an account holds: a network's own coin, or a token on it.
public struct Asset: Hashable, Sendable {
    /// The unique id, such as `algorand/mainnet/asset/31566704`.
    public let id: String
    /// The network, as rules name it.
    public let network: String
    /// The name that follows an amount in smallest units, such as `asset/31566704`.
    public let name: String
    /// The unit of amounts; nil if the number of its decimals is not certain.
    public let unit: AmountUnit?

    /// Makes an asset; called by adapters and by ledgers that read one back.
    public init(id: String, network: String, name: String, unit: AmountUnit?) {
        self.id = id
        self.network = network
        self.name = name
        self.unit = unit
    }

    /// Returns whether a word that a person typed names this asset; ignores case.
    public func isCalled(_ word: String) -> Bool {
        (unit?.symbol ?? name).lowercased() == word.lowercased()
    }

    /// Parses an amount in the asset's unit, or in smallest units if it has none; nil if invalid.
    public func amount(ofNumber number: String) -> Int128? {
        guard let unit else { return number.utf8.first == 0x2D ? nil : Int128(number) }
        return unit.amount(ofNumber: number)
    }

    /// Returns an amount in words, without the network.
    public func text(of amount: Int128) -> String {
        // A sum that is too large becomes the largest number, which stands for any amount.
        guard amount < .max else { return "any amount \(unit.map { "of \($0.symbol)" } ?? name)" }
        return unit?.text(of: amount) ?? "\(amount) \(name)"
    }

    /// Returns a rounded amount with the network.
    public func roundedText(of amount: Int128) -> String {
        let text = amount < .max ? unit?.roundedText(of: amount) : nil
        return "\(text ?? self.text(of: amount)) on \(network)"
    }
}

/// An upper bound of the amount that leaves an account, including fees and gas.
public struct Outflow: Hashable, Sendable {
    /// The asset.
    public let asset: Asset
    /// The amount, in smallest units; never negative.
    public let amount: Int128

    /// Makes an outflow; called by adapters.
    public init(_ asset: Asset, _ amount: Int128) {
        self.asset = asset
        self.amount = amount
    }

    /// Adds up outflows, one for each asset, in the order of first occurrence.
    public static func totals(of outflows: some Sequence<Outflow>) -> [Outflow] {
        var totals: [Outflow] = []
        for outflow in outflows {
            guard let place = totals.firstIndex(where: { $0.asset.id == outflow.asset.id }) else {
                totals.append(outflow)
                continue
            }
            let (sum, hasOverflown) = totals[place].amount
                .addingReportingOverflow(outflow.amount)
            totals[place] = Outflow(totals[place].asset, hasOverflown ? .max : sum)
        }
        return totals
    }
}

extension JudgedRequest {
    /// The amounts that leave accounts if the request is carried out, one for each asset.
    public var totals: [Outflow] {
        Outflow.totals(of: outflows + operations.flatMap { $0.isCosigning ? [] : $0.outflows })
    }
}
