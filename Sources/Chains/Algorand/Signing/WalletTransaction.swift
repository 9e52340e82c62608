// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// One item of `txns` (ARC-1 WalletTransaction), with every member parsed.
package struct WalletTransaction: Hashable, Sendable {
    /// The canonical transaction.
    package let bytes: [UInt8]
    /// The parsed transaction.
    package let transaction: Transaction
    /// The key that the account is rekeyed to, according to the client.
    package let authAddress: [UInt8]?
    package let multisig: Multisig?
    /// The signers; an empty list means "do not sign", nil leaves the choice to the wallet.
    package let signers: [[UInt8]]?
    /// The transaction as signed by another party, to be passed on.
    package let signed: [UInt8]?
    package let message: String?
    package let groupMessage: String?

    /// Reads an item; names that begin with "_" are for other wallets and ignored.
    package init(_ json: JSON) throws(AlgorandRefusal) {
        guard let object = json.object?.withoutNulls else { throw .invalid("not an object") }
        for member in object.members
        where !Self.names.contains(member.name) && !member.name.hasPrefix("_") {
            throw .invalid("unknown member; only names that begin with _ are free")
        }
        guard let encoded = object["txn"] else { throw .invalid("txn is missing") }
        bytes = try Self.base64(encoded, "txn")
        transaction = try Self.transaction(bytes)
        authAddress = try Self.address(object)
        multisig = try Self.multisig(object)
        signers = try Self.signers(object)
        signed = try Self.signed(object)
        message = try Self.text(object, "message")
        groupMessage = try Self.text(object, "groupMessage")
    }

    private static let names = [
        "txn", "authAddr", "msig", "signers", "stxn", "message", "groupMessage",
    ]

    private static func transaction(_ bytes: [UInt8]) throws(AlgorandRefusal) -> Transaction {
        do throws(AlgorandRefusal) {
            return try Transaction(canonical: bytes.span)
        } catch {
            throw error.at("txn")
        }
    }

    private static func address(
        _ object: JSONObject
    ) throws(AlgorandRefusal) -> [UInt8]? {
        guard let value = object["authAddr"] else { return nil }
        return try address(value, "authAddr")
    }

    private static func multisig(
        _ object: JSONObject
    ) throws(AlgorandRefusal) -> Multisig? {
        guard let value = object["msig"] else { return nil }
        return try Multisig(value)
    }

    private static func signers(
        _ object: JSONObject
    ) throws(AlgorandRefusal) -> [[UInt8]]? {
        guard let value = object["signers"] else { return nil }
        guard let list = value.list else { throw .invalid("signers is not a list") }
        return try addresses(list, "signers")
    }

    private static func signed(_ object: JSONObject) throws(AlgorandRefusal) -> [UInt8]? {
        guard let value = object["stxn"] else { return nil }
        return try base64(value, "stxn")
    }

    /// Reads a list of addresses.
    package static func addresses(
        _ list: [JSON], _ name: String
    ) throws(AlgorandRefusal) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        keys.reserveCapacity(list.count)
        for element in list { keys.append(try address(element, name)) }
        return keys
    }

    private static func address(
        _ json: JSON, _ name: String
    ) throws(AlgorandRefusal) -> [UInt8] {
        guard let text = json.text else { throw .invalid("\(name) is not text") }
        do throws(CodecError) {
            return try AlgorandAddress.parse(text)
        } catch {
            throw .invalid("\(name) is not an address: \(error.text)")
        }
    }

    private static func base64(_ json: JSON, _ name: String) throws(AlgorandRefusal) -> [UInt8] {
        guard let text = json.text else { throw .invalid("\(name) is not text") }
        do throws(CodecError) {
            return try Base64.decode(text, alphabet: .either, padding: .optional)
        } catch {
            throw .invalid("\(name) is not base64: \(error.text)")
        }
    }

    private static func text(
        _ object: JSONObject, _ name: String
    ) throws(AlgorandRefusal) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.text else { throw .invalid("\(name) is not text") }
        return text
    }
}

extension JSONObject {
    /// The object without null members: JavaScript clients write null for a missing value.
    package var withoutNulls: JSONObject { JSONObject(members.filter { !$0.value.isNull }) }
}
