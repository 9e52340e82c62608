// SPDX-License-Identifier: Apache-2.0

/// Something of value that an account holds: a network's own coin, or a token on it.
public struct Asset: Hashable, Sendable {
    /// What tells it from every other, such as `algorand/mainnet/asset/31566704`.
    public let id: String
    /// The network it is on, as rules name it.
    public let network: String
    /// What people read after a whole number of smallest units, such as `asset/31566704`.
    public let name: String
    /// The unit amounts are written in; nil where nothing vouches for its decimals.
    public let unit: AmountUnit?

    /// Makes an asset; adapters do, and ledgers that read one back.
    public init(id: String, network: String, name: String, unit: AmountUnit?) {
        self.id = id
        self.network = network
        self.name = name
        self.unit = unit
    }

    /// Whether a person means it by this word, in whatever case.
    public func isCalled(_ word: String) -> Bool {
        (unit?.symbol ?? name).lowercased() == word.lowercased()
    }

    /// Reads an amount in its unit, or in smallest units where it has none; nil where it is not
    /// one exactly.
    public func amount(ofNumber number: String) -> Int128? {
        guard let unit else { return number.utf8.first == 0x2D ? nil : Int128(number) }
        return unit.amount(ofNumber: number)
    }

    /// An amount of it in words, without the network.
    public func text(of amount: Int128) -> String {
        // Sums stop at the largest number, and what cannot be counted is said to be that.
        guard amount < .max else { return "any amount \(unit.map { "of \($0.symbol)" } ?? name)" }
        return unit?.text(of: amount) ?? "\(amount) \(name)"
    }

    /// An amount of it at a glance, rounded, with the network.
    public func roundedText(of amount: Int128) -> String {
        let text = amount < .max ? unit?.roundedText(of: amount) : nil
        return "\(text ?? self.text(of: amount)) on \(network)"
    }
}

/// What leaves an account for sure or at most, fees and bounds of gas included.
public struct Outflow: Hashable, Sendable {
    /// Of what.
    public let asset: Asset
    /// How much, in its smallest units; never negative.
    public let amount: Int128

    /// Makes an outflow; adapters do.
    public init(_ asset: Asset, _ amount: Int128) {
        self.asset = asset
        self.amount = amount
    }

    /// What several come to, one for each asset, in the order in which those occur.
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
    /// What leaves accounts if it is carried out, one for each asset.
    public var totals: [Outflow] {
        Outflow.totals(of: outflows + operations.flatMap(\.outflows))
    }
}
