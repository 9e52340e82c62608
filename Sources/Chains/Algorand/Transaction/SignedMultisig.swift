// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// The multisignature of a signed transaction, complete or not.
public struct SignedMultisig: Hashable {
    package let account: Multisig
    /// One signature for each member; nil for a member that has not signed.
    package let signatures: [[UInt8]?]

    /// The number of member positions with a signature.
    package var signedCount: Int { signatures.count { $0 != nil } }
    /// True if the threshold is reached; the signatures are not verified.
    package var isComplete: Bool { signedCount >= Int(account.threshold) }

    /// Reads the canonical form.
    package init(_ members: [MessagePackMember]) throws(AlgorandRefusal) {
        var version: UInt64 = 0
        var threshold: UInt64 = 0
        var keys: [[UInt8]] = []
        var signatures: [[UInt8]?] = []
        for member in members {
            switch (member.name, member.value) {
            case ("v", .unsigned(let number)): version = number
            case ("thr", .unsigned(let number)): threshold = number
            case ("subsig", .array(let list)):
                for element in list {
                    let (key, signature) = try Self.member(element)
                    keys.append(key)
                    signatures.append(signature)
                }
            default: throw .invalid("msig has a field that is wrong or unknown")
            }
        }
        account = try Multisig(version: version, threshold: threshold, keys: keys)
        self.signatures = signatures
    }

    private static func member(
        _ value: MessagePack
    ) throws(AlgorandRefusal) -> (key: [UInt8], signature: [UInt8]?) {
        guard case .map(let fields) = value, (1...2).contains(fields.count),
            fields[0].name == "pk", case .binary(let key) = fields[0].value,
            key.count == AlgorandAddress.keyCount
        else { throw .invalid("an entry of subsig in msig has a field that is wrong or unknown") }
        guard fields.count == 2 else { return (key, nil) }
        guard fields[1].name == "s", case .binary(let signature) = fields[1].value,
            signature.count == SignedTransaction.signatureCount
        else { throw .invalid("an entry of subsig in msig has a field that is wrong or unknown") }
        guard SignedTransaction.isSignature(signature) else {
            throw .invalid("a signature in msig is zero and must be left out")
        }
        return (key, signature)
    }
}
