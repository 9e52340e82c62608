// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

extension TransactionReader {
    /// Reads the actions of a transaction or of a delegate action.
    mutating func actions() throws(NEARRefusal) -> [NEARAction] {
        try list(max: TransactionLimits.actionsMax, "actions") {
            (reader) throws(NEARRefusal) in try reader.action()
        }
    }

    /// Reads one action; throws for an unknown action number.
    mutating func action() throws(NEARRefusal) -> NEARAction {
        let number = try u8()
        switch number {
        case 0: return .createAccount
        case 1: return .deployContract(code: try bytes(TransactionLimits.bytesMax))
        case 2: return .functionCall(try functionCall())
        case 3: return .transfer(deposit: try u128())
        case 4: return .stake(amount: try u128(), key: try key())
        case 5: return .addKey(try key(), try accessKey())
        case 6: return .deleteKey(try key())
        case 7: return .deleteAccount(beneficiary: try accountID("the beneficiary"))
        case 8: return .delegate(try signedDelegate(isV2: false))
        case 9: return try deployGlobalContract()
        case 10: return .useGlobalContract(try contractIdentifier())
        case 11: return try stateInit()
        case 12: return .transferToGasKey(try key(), deposit: try u128())
        case 13: return .withdrawFromGasKey(try key(), amount: try u128())
        case 14: return .delegateV2(try signedDelegate(isV2: true))
        case 15: throw .unsupportedAction("UniversalStateInit (action 15)")
        default: throw .unsupportedAction("number \(number)")
        }
    }

    private mutating func functionCall() throws(NEARRefusal) -> FunctionCall {
        FunctionCall(
            method: try text(TransactionLimits.textBytesMax),
            args: try bytes(TransactionLimits.bytesMax), gas: try u64(), deposit: try u128())
    }

    private mutating func accessKey() throws(NEARRefusal) -> AccessKey {
        let nonce = try u64()
        let permission: AccessKey.Permission
        switch try u8() {
        case 0: permission = .functionCall(try functionCallPermission())
        case 1: permission = .fullAccess
        case 2: permission = .gasKeyFunctionCall(try gasKey(), try functionCallPermission())
        case 3: permission = .gasKeyFullAccess(try gasKey())
        default: throw .invalid("the permission of an access key is unknown")
        }
        return AccessKey(nonce: nonce, permission: permission)
    }

    private mutating func functionCallPermission() throws(NEARRefusal) -> FunctionCallPermission {
        FunctionCallPermission(
            allowance: try option() ? try u128() : nil,
            receiver: try text(TransactionLimits.textBytesMax),
            methods: try list(max: TransactionLimits.methodsMax, "methods of a key") {
                (reader) throws(NEARRefusal) in try reader.text(TransactionLimits.textBytesMax)
            })
    }

    private mutating func gasKey() throws(NEARRefusal) -> AccessKey.GasKey {
        AccessKey.GasKey(balance: try u128(), nonceCount: try u16())
    }

    private mutating func deployGlobalContract() throws(NEARRefusal) -> NEARAction {
        let code = try bytes(TransactionLimits.bytesMax)
        guard let mode = GlobalContractMode(rawValue: try u8()) else {
            throw .invalid("the mode of a global contract is unknown")
        }
        return .deployGlobalContract(code: code, mode: mode)
    }

    private mutating func contractIdentifier() throws(NEARRefusal) -> ContractIdentifier {
        switch try u8() {
        case 0: return .codeHash(try fixed(32))
        case 1: return .account(try accountID("the publisher of a global contract"))
        default: throw .invalid("the identifier of a global contract is unknown")
        }
    }

    private mutating func stateInit() throws(NEARRefusal) -> NEARAction {
        guard try u8() == 0 else { throw .invalid("the version of a state init is unknown") }
        let code = try contractIdentifier()
        let data = try list(max: TransactionLimits.stateEntriesMax, "entries of a state init") {
            (reader) throws(NEARRefusal) in
            StateInit.Entry(
                key: try reader.bytes(TransactionLimits.bytesMax),
                value: try reader.bytes(TransactionLimits.bytesMax))
        }
        for (one, next) in zip(data, data.dropFirst())
        where !one.key.lexicographicallyPrecedes(next.key) {
            throw .invalid("the entries of a state init are not sorted")
        }
        return .deterministicStateInit(
            StateInit(code: code, data: data), deposit: try u128())
    }
}
