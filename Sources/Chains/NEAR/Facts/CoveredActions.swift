// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension [NEARAction] {
    /// The actions in Borsh that a grant covers.
    ///
    /// Every byte counts, except the amounts of a single action, which may be lower the next time.
    /// With several actions the amounts count, as they could move between actions while their sum
    /// stays.
    var covered: [UInt8] {
        var writer = BorshWriter()
        writer.actions(count == 1 ? map(\.withoutAmounts) : self)
        return writer.bytes
    }
}

extension NEARAction {
    /// The action with all payments set to zero; staked and withdrawn amounts are not payments.
    fileprivate var withoutAmounts: NEARAction {
        switch self {
        case .functionCall(let call):
            .functionCall(
                FunctionCall(method: call.method, args: call.args, gas: 0, deposit: 0))
        case .transfer: .transfer(deposit: 0)
        case .deterministicStateInit(let state, _): .deterministicStateInit(state, deposit: 0)
        case .transferToGasKey(let key, _): .transferToGasKey(key, deposit: 0)
        case .createAccount, .deployContract, .stake, .addKey, .deleteKey, .deleteAccount,
            .delegate, .deployGlobalContract, .useGlobalContract, .withdrawFromGasKey,
            .delegateV2:
            self
        }
    }
}
