// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import SigningDigests

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
