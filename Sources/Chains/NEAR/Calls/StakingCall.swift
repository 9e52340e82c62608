// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The staking pools, known by the accounts of the factories that create them.
///
/// Contracts of other kinds have methods of the same names with amounts in other units, so the
/// methods are read for these accounts only.
enum StakingPools {
    private static let factories = ["poolv1.near", "pool.near", "pool.f863973.m0"]

    static func has(_ account: String) -> Bool {
        factories.contains { account.hasSuffix(".\($0)") }
    }
}

extension CallMeaning {
    /// The methods of the staking pool in near/core-contracts.
    static func staking(
        _ call: FunctionCall, _ args: MemberReader
    ) throws(ShapeError) -> CallMeaning? {
        var args = args
        let hasAmount = ["stake", "unstake", "withdraw"].contains(call.method)
        let amount = hasAmount ? try args.amount("amount").near : ""
        try args.finish()
        let deposit = call.deposit.near
        switch call.method {
        case "deposit":
            return CallMeaning("keep \(deposit) for you, unstaked", .value)
        case "deposit_and_stake":
            return CallMeaning("keep \(deposit) for you and stake it", .value)
        case "stake": return CallMeaning("stake \(amount) of what it keeps for you", .value)
        case "stake_all": return CallMeaning("stake all that it keeps for you", .value)
        case "unstake": return CallMeaning("unstake \(amount) of your stake", .plain)
        case "unstake_all": return CallMeaning("unstake all of your stake", .plain)
        case "withdraw":
            return CallMeaning("pay you \(amount) of what is unstaked", .plain)
        case "withdraw_all": return CallMeaning("pay you all that is unstaked", .plain)
        case "ping": return CallMeaning("update its rewards", .plain)
        default: return nil
        }
    }
}
