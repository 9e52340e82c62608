// SPDX-License-Identifier: Apache-2.0

/// One action of a transaction, numbered as in nearcore.
package enum NEARAction: Hashable, Sendable {
    case createAccount
    case deployContract(code: [UInt8])
    case functionCall(FunctionCall)
    case transfer(deposit: UInt128)
    case stake(amount: UInt128, key: KeyText)
    case addKey(KeyText, AccessKey)
    case deleteKey(KeyText)
    case deleteAccount(beneficiary: String)
    case delegate(SignedDelegate)
    case deployGlobalContract(code: [UInt8], mode: GlobalContractMode)
    case useGlobalContract(ContractIdentifier)
    case deterministicStateInit(StateInit, deposit: UInt128)
    case transferToGasKey(KeyText, deposit: UInt128)
    case withdrawFromGasKey(KeyText, amount: UInt128)
    /// NEP-611: with a nonce that may have an index.
    case delegateV2(SignedDelegate)

    /// The name in connectors and SDKs.
    package var name: String {
        switch self {
        case .createAccount: "CreateAccount"
        case .deployContract: "DeployContract"
        case .functionCall: "FunctionCall"
        case .transfer: "Transfer"
        case .stake: "Stake"
        case .addKey: "AddKey"
        case .deleteKey: "DeleteKey"
        case .deleteAccount: "DeleteAccount"
        case .delegate: "Delegate"
        case .deployGlobalContract: "DeployGlobalContract"
        case .useGlobalContract: "UseGlobalContract"
        case .deterministicStateInit: "DeterministicStateInit"
        case .transferToGasKey: "TransferToGasKey"
        case .withdrawFromGasKey: "WithdrawFromGasKey"
        case .delegateV2: "DelegateV2"
        }
    }
}

/// A call of a contract's method.
package struct FunctionCall: Hashable {
    package let method: String
    package let args: [UInt8]
    package let gas: UInt64
    package let deposit: UInt128

    package init(method: String, args: [UInt8], gas: UInt64, deposit: UInt128) {
        self.method = method
        self.args = args
        self.gas = gas
        self.deposit = deposit
    }
}

/// The permissions of an added key.
package struct AccessKey: Hashable {
    /// The nonce, which the chain ignores and replaces.
    package let nonce: UInt64
    package let permission: Permission

    package init(nonce: UInt64, permission: Permission) {
        self.nonce = nonce
        self.permission = permission
    }

    package enum Permission: Hashable {
        case functionCall(FunctionCallPermission)
        case fullAccess
        case gasKeyFunctionCall(GasKey, FunctionCallPermission)
        case gasKeyFullAccess(GasKey)
    }

    /// True if the key may do everything that the account may.
    package var isFullAccess: Bool {
        switch permission {
        case .fullAccess, .gasKeyFullAccess: true
        case .functionCall, .gasKeyFunctionCall: false
        }
    }

    /// The limits of a function-call key; nil for other keys.
    package var bounds: FunctionCallPermission? {
        switch permission {
        case .functionCall(let bounds), .gasKeyFunctionCall(_, let bounds): bounds
        case .fullAccess, .gasKeyFullAccess: nil
        }
    }

    /// The properties of a gas key; nil for other keys.
    package var gasKey: GasKey? {
        switch permission {
        case .gasKeyFunctionCall(let gasKey, _), .gasKeyFullAccess(let gasKey): gasKey
        case .functionCall, .fullAccess: nil
        }
    }

    /// A key with a gas balance (NEP-611).
    package struct GasKey: Hashable {
        package let balance: UInt128
        package let nonceCount: UInt16
    }
}

/// The limits of a function-call key.
package struct FunctionCallPermission: Hashable {
    /// The allowance for gas in yoctoNEAR; nil is unlimited, and zero allows no call.
    package let allowance: UInt128?
    /// The contract; the chain accepts any text.
    package let receiver: String
    /// The allowed methods; empty for any method.
    package let methods: [String]

    package init(allowance: UInt128?, receiver: String, methods: [String]) {
        self.allowance = allowance
        self.receiver = receiver
        self.methods = methods
    }
}

/// The identifier of a global contract (NEP-591).
package enum ContractIdentifier: Hashable {
    case codeHash([UInt8])
    case account(String)
}

/// The kind of identifier that a new global contract gets (NEP-591).
package enum GlobalContractMode: UInt8, Hashable {
    case codeHash, accountID
}

/// The initial state of a deterministic account (NEP-616).
package struct StateInit: Hashable {
    package struct Entry: Hashable {
        package let key: [UInt8]
        package let value: [UInt8]
    }

    package let code: ContractIdentifier
    /// The entries, sorted by key, without repeated keys.
    package let data: [Entry]
}
