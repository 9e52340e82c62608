// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension SigningItem {
    /// Returns the signed transaction; nil if no key signs.
    ///
    /// `signatures` are in the order of `decision.signers`.
    package func signed(_ signatures: [[UInt8]]) -> [UInt8]? {
        switch decision {
        case .leave: nil
        case .pass(let bytes): bytes
        case .sign(let account):
            SignedTransaction.encode(
                transaction: wire.bytes, signature: signatures[0],
                signer: otherSigner(account.publicKey))
        case .share(let share):
            SignedTransaction.encode(
                transaction: wire.bytes, multisig: share.multisig,
                signatures: Dictionary(
                    zip(share.signers.map(\.publicKey), signatures), uniquingKeysWith: { $1 }),
                signer: otherSigner(authority.key))
        }
    }

    /// True if one signature of the sender is the whole proof.
    package var isBare: Bool {
        switch decision {
        case .leave: true
        case .sign(let account): account.publicKey == wire.transaction.sender
        case .pass, .share: false
        }
    }

    /// True if another account than the sender must sign, according to the client, the owner or a
    /// node.
    ///
    /// Only the network knows for sure.
    package var isRekeyed: Bool { authority.key != wire.transaction.sender }

    /// Returns the signer to write; nil if it equals the sender, which every network rejects.
    private func otherSigner(_ key: [UInt8]) -> [UInt8]? {
        key == wire.transaction.sender ? nil : key
    }
}

extension SigningItem {
    /// An upper bound of the size of the signed transaction, in bytes.
    package var signedBytesMax: Int {
        switch decision {
        case .leave: 8
        case .pass(let bytes): bytes.count
        case .sign: wire.bytes.count + Self.proofBytesMax
        case .share(let share):
            wire.bytes.count + Self.proofBytesMax + share.multisig.keys.count * Self.memberBytesMax
        }
    }

    /// The sizes of a signature with a signer, and of one member of a multisignature, in bytes.
    private static let proofBytesMax = 128
    private static let memberBytesMax = 112
}

extension RequestedOperation {
    /// The id of the signed transaction, or the SHA-256 of the signed message in hex; otherwise
    /// nil.
    package var signedID: String? {
        guard case .sign(let input) = operation else { return nil }
        guard input.domain == SigningDomain.algorandTransaction.id else {
            return Hex.encode(Digest.sha256(input.preimage.span).span)
        }
        return Base32.encode(Digest.sha512_256(input.preimage.span).span)
    }
}
