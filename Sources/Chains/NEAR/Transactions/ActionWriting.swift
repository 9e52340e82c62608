// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension BorshWriter {
    mutating func actions(_ actions: [NEARAction]) {
        u32(UInt32(actions.count))
        for action in actions { self.action(action) }
    }

    mutating func action(_ action: NEARAction) {
        switch action {
        case .createAccount: u8(0)
        case .deployContract(let code): tagged(1) { $0.byteString(code) }
        case .functionCall(let call):
            tagged(2) { writer in
                writer.string(call.method)
                writer.byteString(call.args)
                writer.u64(call.gas)
                writer.u128(call.deposit)
            }
        case .transfer(let deposit): tagged(3) { $0.u128(deposit) }
        case .stake(let amount, let key): amountAndKey(4, amount, key)
        case .addKey(let key, let access):
            tagged(5) { writer in
                writer.key(key)
                writer.accessKey(access)
            }
        case .deleteKey(let key): tagged(6) { $0.key(key) }
        case .deleteAccount(let beneficiary): tagged(7) { $0.string(beneficiary) }
        case .delegate(let signed): tagged(8) { $0.signedDelegate(signed) }
        case .deployGlobalContract(let code, let mode):
            tagged(9) { writer in
                writer.byteString(code)
                writer.u8(mode.rawValue)
            }
        case .useGlobalContract(let identifier): tagged(10) { $0.contractIdentifier(identifier) }
        case .deterministicStateInit(let state, let deposit):
            tagged(11) { writer in
                writer.stateInit(state)
                writer.u128(deposit)
            }
        case .transferToGasKey(let key, let deposit): keyAndAmount(12, key, deposit)
        case .withdrawFromGasKey(let key, let amount): keyAndAmount(13, key, amount)
        case .delegateV2(let signed): tagged(14) { $0.signedDelegate(signed) }
        }
    }

    private mutating func tagged(_ tag: UInt8, _ fields: (inout Self) -> Void) {
        u8(tag)
        fields(&self)
    }

    private mutating func amountAndKey(_ tag: UInt8, _ amount: UInt128, _ key: KeyText) {
        u8(tag)
        u128(amount)
        self.key(key)
    }

    private mutating func keyAndAmount(_ tag: UInt8, _ key: KeyText, _ amount: UInt128) {
        u8(tag)
        self.key(key)
        u128(amount)
    }

    mutating func key(_ key: KeyText) {
        u8(key.curve.tag)
        append(key.bytes)
    }

    mutating func signature(_ signature: NEARSignature) {
        u8(signature.curve.tag)
        append(signature.bytes)
    }

    private mutating func accessKey(_ access: AccessKey) {
        u64(access.nonce)
        switch access.permission {
        case .functionCall(let bounds): tagged(0) { $0.bounds(bounds) }
        case .fullAccess: u8(1)
        case .gasKeyFunctionCall(let gasKey, let bounds):
            tagged(2) { writer in
                writer.gasKey(gasKey)
                writer.bounds(bounds)
            }
        case .gasKeyFullAccess(let gasKey): tagged(3) { $0.gasKey(gasKey) }
        }
    }

    private mutating func gasKey(_ gasKey: AccessKey.GasKey) {
        u128(gasKey.balance)
        u16(gasKey.nonceCount)
    }

    private mutating func bounds(_ bounds: FunctionCallPermission) {
        u8(bounds.allowance == nil ? 0 : 1)
        if let allowance = bounds.allowance { u128(allowance) }
        string(bounds.receiver)
        u32(UInt32(bounds.methods.count))
        for method in bounds.methods { string(method) }
    }

    private mutating func contractIdentifier(_ identifier: ContractIdentifier) {
        switch identifier {
        case .codeHash(let hash): tagged(0) { $0.append(hash) }
        case .account(let account): tagged(1) { $0.string(account) }
        }
    }

    mutating func stateInit(_ state: StateInit) {
        u8(0)
        contractIdentifier(state.code)
        u32(UInt32(state.data.count))
        for entry in state.data {
            byteString(entry.key)
            byteString(entry.value)
        }
    }
}
