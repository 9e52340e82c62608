// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
public import SigningCore
import SigningDigests

/// A multisignature account that a request names.
package struct Multisig: Hashable, Sendable {
    package let version: UInt8
    package let threshold: UInt8
    package let keys: [[UInt8]]

    private static let keyCountMax = AlgorandAddress.multisigKeyCountMax
    private static let versionOffered = AlgorandAddress.multisigVersion

    /// Reads the `msig` member of an item.
    package init(_ json: JSON) throws(AlgorandRefusal) {
        guard let object = json.object else { throw .invalid("msig is not an object") }
        guard object.members.count == 3, let version = object["version"],
            let threshold = object["threshold"], let addresses = object["addrs"]
        else { throw .invalid("msig has exactly the members version, threshold and addrs") }
        guard version.integerValue == Int64(Self.versionOffered) else {
            throw .invalid("msig.version is not 1")
        }
        guard let list = addresses.list, (1...Self.keyCountMax).contains(list.count) else {
            throw .invalid("msig.addrs is not a list of 1 to \(Self.keyCountMax) addresses")
        }
        guard let count = threshold.integerValue, (1...Int64(list.count)).contains(count) else {
            throw .invalid("msig.threshold must be 1 to the number of addresses")
        }
        self.version = Self.versionOffered
        self.threshold = UInt8(count)
        keys = try WalletTransaction.addresses(list, "msig.addrs")
    }

    /// Creates an account from the fields of a signed transaction.
    package init(version: UInt64, threshold: UInt64, keys: [[UInt8]]) throws(AlgorandRefusal) {
        guard version == Self.versionOffered, (1...Self.keyCountMax).contains(keys.count),
            (1...UInt64(keys.count)).contains(threshold)
        else { throw .invalid("msig is not a multisignature account") }
        self.version = UInt8(version)
        self.threshold = UInt8(threshold)
        self.keys = keys
    }

    /// Returns the 32 bytes that identify the account; order and repetition of keys matter.
    package func publicKey() -> [UInt8] {
        AlgorandAddress.publicKey(
            of: MultisigMembers(version: version, threshold: threshold, keys: keys))
    }
}

extension AlgorandAddress {
    /// The only supported version of multisignature accounts.
    public static let multisigVersion: UInt8 = 1
    /// The maximum number of members of a multisignature account.
    public static let multisigKeyCountMax = 255
    private static let multisigPrefix: [UInt8] = Array("MultisigAddr".utf8)

    /// Returns the 32 bytes that identify a multisignature account and that its address encodes.
    ///
    /// The order of the members and repeated members change the result.
    public static func publicKey(
        of members: MultisigMembers
    ) -> [UInt8] {
        let preimage =
            multisigPrefix + [members.version, members.threshold] + members.keys.joined()
        return Digest.sha512_256(preimage.span)
    }
}
