// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension RandomPolicies {
    /// Conditions on what leaves by the whole request in the assets of the file.
    static let assetTotals = [
        "request.total.GOLD = { max = \"0.000004 GOLD\" }",
        "request.total.GOLD = { min = \"0.000001 GOLD\" }",
        "request.total.DUST = { exists = true }",
    ]

    /// Amounts of the coin and of tokens, also of one without a rate, of a network without a rate,
    /// and whole balances, whose amount the request does not state.
    static let outflows: [[Outflow]] = {
        func token(_ id: String, _ amount: Int128) -> Outflow {
            Outflow(Asset(id: id, network: "", name: "units", unit: nil), amount)
        }
        let algo = ReferenceEvaluator.algo
        let gold = "algorand/mainnet/asset/1"
        return [
            [], [], [token("asset", .max)], [algo(1_000)], [algo(3_000_000)], [algo(.max)],
            [algo(1_000), token(gold, 7)], [algo(1_000), token(gold, 6_000_001)],
            [algo(1), token("algorand/testnet/asset/4", 3)], [token(gold, .max)],
            [algo(1_000), token("algorand/testnet/asset/1", 1)], [token(gold, 0)],
            [algo(1_000), token("algorand/mainnet/asset/4", 1)], [algo(2), algo(3)],
            [token("algorand/mainnet/asset/1/1", 1)], [token(gold, 4), token(gold, 4)],
        ]
    }()
}
