// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension [NEARAction] {
    /// The actions in Borsh as a remembered yes is held to them: every byte counts, but what a
    /// lone action pays and attaches, which may be less the next time.
    ///
    /// Among several an amount could move from one action to another while their sum stays.
    var covered: [UInt8] {
        var writer = BorshWriter()
        writer.actions(count == 1 ? map(\.withoutAmounts) : self)
        return writer.bytes
    }
}

extension NEARAction {
    /// The same, free of charge; what is staked or taken back is no payment.
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
