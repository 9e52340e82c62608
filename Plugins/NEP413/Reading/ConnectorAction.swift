// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs

extension NEARAction {
    /// Reads an action of a connector: `{"type": ..., "params": {...}}`.
    init(connector json: JSON) throws(NEARRefusal) {
        guard case .object(let object) = json else {
            throw .invalid("an action must be an object with type and params")
        }
        let members = NEP413Members(object)
        try members.requireOnly(["type", "params"])
        let type = try members.requiredText("type", bytesMax: Self.typeBytesMax)
        let params = try members.object("params") ?? NEP413Members(JSONObject())
        if type != "CreateAccount", params.isEmpty { throw .invalid("\(type) needs params") }
        self = try Self.read(type, params)
    }

    private static let typeBytesMax = 64

    private static func read(_ type: String, _ params: NEP413Members) throws(NEARRefusal) -> Self {
        switch type {
        case "CreateAccount":
            try params.requireOnly([])
            return .createAccount
        case "DeployContract":
            try params.requireOnly(["code"])
            return .deployContract(code: try code(params))
        case "FunctionCall": return .functionCall(try FunctionCall(params))
        case "Transfer":
            try params.requireOnly(["deposit"])
            return .transfer(deposit: try NEARNumber.u128(params.value("deposit"), "deposit"))
        case "Stake":
            try params.requireOnly(["stake", "publicKey"])
            return .stake(
                amount: try NEARNumber.u128(params.value("stake"), "stake"),
                key: try params.key())
        case "AddKey":
            try params.requireOnly(["publicKey", "accessKey"])
            return .addKey(try params.key(), try AccessKey(params))
        case "DeleteKey":
            try params.requireOnly(["publicKey"])
            return .deleteKey(try params.key())
        case "DeleteAccount":
            try params.requireOnly(["beneficiaryId"])
            return .deleteAccount(beneficiary: try params.accountID("beneficiaryId"))
        case "DeployGlobalContract": return try deployGlobalContract(params)
        case "UseGlobalContract": return try useGlobalContract(params)
        default:
            throw NEARRefusal(
                .unsupportedAction,
                inBorshAlone.contains(type)
                    ? "an action of the type \(type) needs Borsh; send the whole transaction in "
                        + "Borsh"
                    : "unknown type of action; use one of \(known.joined(separator: ", "))")
        }
    }

    private static let known = [
        "CreateAccount", "DeployContract", "FunctionCall", "Transfer", "Stake", "AddKey",
        "DeleteKey", "DeleteAccount", "DeployGlobalContract", "UseGlobalContract",
    ]
    private static let inBorshAlone = [
        "Delegate", "SignedDelegate", "DeterministicStateInit", "TransferToGasKey",
        "WithdrawFromGasKey", "DelegateV2",
    ]

    private static func code(_ params: NEP413Members) throws(NEARRefusal) -> [UInt8] {
        try ByteForm.read(
            params.value("code"), "code", countMax: TransactionLimits.bytesMax)
    }

    private static func deployGlobalContract(_ params: NEP413Members) throws(NEARRefusal) -> Self {
        try params.requireOnly(["code", "deployMode"])
        let mode: GlobalContractMode
        switch try params.requiredText("deployMode", bytesMax: typeBytesMax) {
        case "CodeHash": mode = .codeHash
        case "AccountId": mode = .accountID
        default: throw .invalid("deployMode must be CodeHash or AccountId")
        }
        return .deployGlobalContract(code: try code(params), mode: mode)
    }

    private static func useGlobalContract(_ params: NEP413Members) throws(NEARRefusal) -> Self {
        try params.requireOnly(["contractIdentifier"])
        guard let identifier = try params.object("contractIdentifier") else {
            throw .invalid("contractIdentifier is missing")
        }
        try identifier.requireOnly(["accountId", "codeHash"])
        switch (identifier.value("accountId"), identifier.value("codeHash")) {
        case (.some, nil):
            return .useGlobalContract(.account(try identifier.accountID("accountId")))
        case (nil, .some(let hash)):
            return .useGlobalContract(.codeHash(try NEARNumber.hash(hash, "codeHash")))
        default: throw .invalid("contractIdentifier must have accountId or codeHash")
        }
    }
}

extension FunctionCall {
    fileprivate init(_ params: NEP413Members) throws(NEARRefusal) {
        try params.requireOnly(["methodName", "args", "gas", "deposit"])
        self.init(
            method: try params.requiredText(
                "methodName", bytesMax: TransactionLimits.textBytesMax),
            args: try Self.args(params),
            gas: try NEARNumber.u64(params.value("gas"), "gas"),
            deposit: try NEARNumber.u128(params.value("deposit"), "deposit"))
    }

    /// Returns the arguments of a call as bytes.
    ///
    /// A text is Base64, which pages use for bytes and for JSON. Any other value is serialized as
    /// by `JSON.stringify`. A missing value is empty.
    private static func args(_ params: NEP413Members) throws(NEARRefusal) -> [UInt8] {
        guard let json = params.literal("args") else { return [] }
        guard json.text != nil else { return json.write() }
        return try ByteForm.read(json, "args", countMax: TransactionLimits.bytesMax)
    }
}

extension AccessKey {
    fileprivate init(_ params: NEP413Members) throws(NEARRefusal) {
        guard let members = try params.object("accessKey") else {
            throw .invalid("accessKey is missing")
        }
        try members.requireOnly(["nonce", "permission"])
        self.init(
            nonce: try members.optionalNumber("nonce") ?? 0, permission: try Permission(members))
    }
}

extension AccessKey.Permission {
    fileprivate init(_ members: NEP413Members) throws(NEARRefusal) {
        if members.value("permission")?.text == "FullAccess" {
            self = .fullAccess
            return
        }
        guard let bounds = try members.object("permission") else {
            throw .invalid("permission must be FullAccess or an object")
        }
        try bounds.requireOnly(["receiverId", "allowance", "methodNames"])
        self = .functionCall(
            FunctionCallPermission(
                allowance: try bounds.value("allowance").map { (json) throws(NEARRefusal) in
                    try NEARNumber.u128(json, "allowance")
                },
                receiver: try bounds.accountID("receiverId"),
                methods: try bounds.texts("methodNames", countMax: TransactionLimits.methodsMax)))
    }
}
