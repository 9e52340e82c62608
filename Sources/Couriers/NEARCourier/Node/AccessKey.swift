// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A key of a NEAR account as a final block shows it.
public struct AccessKeyView: Hashable, Sendable {
    /// The last nonce the key has used.
    public let nonce: UInt64
    /// What the key may do.
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

/// What a key of a NEAR account may do.
public enum AccessKeyPermission: Hashable, Sendable {
    /// Everything.
    case fullAccess
    /// Calls of one contract, for gas up to an allowance if there is one; no methods mean all.
    case functionCall(receiver: String, methods: [String], allowance: UInt128?)
    /// Everything, for gas from a balance of its own and with many nonces.
    case gasKeyFullAccess(balance: UInt128, nonceCount: UInt64)
    /// Calls of one contract, for gas from a balance of its own and with many nonces.
    case gasKeyFunctionCall(
        receiver: String, methods: [String], allowance: UInt128?, balance: UInt128,
        nonceCount: UInt64)

    init(_ json: JSON) throws(RPCError) {
        if json.text == "FullAccess" {
            self = .fullAccess
            return
        }
        // Two kinds in one could be read in two ways.
        guard let members = json.object?.members, members.count == 1 else {
            throw .malformed("permission is of no known kind")
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
        default: throw .malformed("permission is of no known kind")
        }
    }

    private static func methods(_ json: JSON) throws(RPCError) -> [String] {
        var names: [String] = []
        for element in try json.list("method_names") {
            guard let name = element.text else { throw .malformed("a method name is no string") }
            names.append(name)
        }
        return names
    }

    /// No allowance is one without an end, and nodes may leave the member out then.
    private static func allowance(_ json: JSON) throws(RPCError) -> UInt128? {
        guard let allowance = json["allowance"], !allowance.isNull else { return nil }
        return try json.amount("allowance")
    }
}

/// A NEAR account as a final block shows it.
public struct AccountView: Hashable, Sendable {
    /// What the account owns and can spend, in yoctoNEAR.
    public let amount: UInt128
    /// What the account has staked, in yoctoNEAR.
    public let locked: UInt128
    /// The hash of its contract in base58, which is all ones where it has none.
    public let codeHash: String
    /// The bytes of state it pays for.
    public let storageUsage: UInt64

    init(_ json: JSON) throws(RPCError) {
        amount = try json.amount("amount")
        locked = try json.amount("locked")
        codeHash = try json.text("code_hash")
        storageUsage = try json.unsigned("storage_usage")
    }
}
