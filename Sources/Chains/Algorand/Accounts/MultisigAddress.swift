// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import SigningDigests

extension AlgorandAddress {
    /// The only version of multisignature accounts.
    public static let multisigVersion: UInt8 = 1
    /// The most members of a multisignature account.
    public static let multisigKeyCountMax = 255
    private static let multisigPrefix: [UInt8] = Array("MultisigAddr".utf8)

    /// The 32 bytes that stand for the key of a multisignature account, written as its address.
    ///
    /// The order of the members matters, and so does whether one is repeated.
    public static func publicKey(
        of members: MultisigMembers
    ) -> [UInt8] {
        let preimage =
            multisigPrefix + [members.version, members.threshold] + members.keys.joined()
        return Digest.sha512_256(preimage.span)
    }
}
