// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension [NEARAction] {
    /// The actions in Borsh that a grant covers.
    ///
    /// They are compared byte for byte. Only the amounts of a single action are left out, as they
    /// may be lower the next time. With several actions the amounts are included: otherwise an
    /// amount could move from one action to another while the sum stays the same.
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
