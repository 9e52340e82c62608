// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// An access key of a NEAR account in a final block.
public struct AccessKeyView: Hashable, Sendable {
    /// The last nonce that the key has used.
    public let nonce: UInt64
    /// The permissions of the key.
    public let permission: AccessKeyPermission
    /// The height of the block.
    public let blockHeight: UInt64
    /// The hash of the block, 32 bytes.
    public let blockHash: [UInt8]

    init(_ json: JSON) throws(RPCError) {
        nonce = try json.unsigned("nonce")
        permission = try AccessKeyPermission(json.member("permission"))
        blockHeight = try json.unsigned("block_height")
        blockHash = try json.hash("block_hash")
    }
}

/// The permissions of an access key.
public enum AccessKeyPermission: Hashable, Sendable {
    /// Full access.
    case fullAccess
    /// Calls of one contract, with gas up to the allowance, if any; no methods means all methods.
    case functionCall(receiver: String, methods: [String], allowance: UInt128?)
    /// Full access, with a gas balance and several nonces.
    case gasKeyFullAccess(balance: UInt128, nonceCount: UInt64)
    /// Calls of one contract, with a gas balance and several nonces.
    case gasKeyFunctionCall(
        receiver: String, methods: [String], allowance: UInt128?, balance: UInt128,
        nonceCount: UInt64)

    init(_ json: JSON) throws(RPCError) {
        if json.text == "FullAccess" {
            self = .fullAccess
            return
        }
        // With two kinds in one object, programs could disagree which one is meant.
        guard let members = json.object?.members, members.count == 1 else {
            throw .malformed("permission is of an unknown kind")
        }
        let details = members[0].value
        switch members[0].name {
        case "FunctionCall":
            self = .functionCall(
                receiver: try details.text("receiver_id"), methods: try Self.methods(details),
                allowance: try Self.allowance(details))
        case "GasKeyFullAccess":
            self = .gasKeyFullAccess(
                balance: try details.amount("balance"),
                nonceCount: try details.unsigned("num_nonces"))
        case "GasKeyFunctionCall":
            self = .gasKeyFunctionCall(
                receiver: try details.text("receiver_id"), methods: try Self.methods(details),
                allowance: try Self.allowance(details), balance: try details.amount("balance"),
                nonceCount: try details.unsigned("num_nonces"))
        default: throw .malformed("permission is of an unknown kind")
        }
    }

    private static func methods(_ json: JSON) throws(RPCError) -> [String] {
        var names: [String] = []
        for element in try json.list("method_names") {
            guard let name = element.text else { throw .malformed("a method name is not a string") }
            names.append(name)
        }
        return names
    }

    /// Returns the allowance; nil is unlimited, and nodes may omit the member then.
    private static func allowance(_ json: JSON) throws(RPCError) -> UInt128? {
        guard let allowance = json["allowance"], !allowance.isNull else { return nil }
        return try json.amount("allowance")
    }
}

/// A NEAR account in a final block.
public struct AccountView: Hashable, Sendable {
    /// The balance that the account can spend, in yoctoNEAR.
    public let amount: UInt128
    /// The amount that the account has staked, in yoctoNEAR.
    public let locked: UInt128
    /// The hash of the account's contract in Base58; only the digit 1 if it has no contract.
    public let codeHash: String
    /// The number of bytes of state that the account pays for.
    public let storageUsage: UInt64

    init(_ json: JSON) throws(RPCError) {
        amount = try json.amount("amount")
        locked = try json.amount("locked")
        codeHash = try json.text("code_hash")
        storageUsage = try json.unsigned("storage_usage")
    }
}
