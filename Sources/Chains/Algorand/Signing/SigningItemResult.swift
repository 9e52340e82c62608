// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension SigningItem {
    /// The signed transaction; nil where nobody was to sign.
    ///
    /// `signatures` are those of `decision.signers`, in that order.
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

    /// Whether a signature of the sender says everything.
    package var isBare: Bool {
        switch decision {
        case .leave: true
        case .sign(let account): account.publicKey == wire.transaction.sender
        case .pass, .share: false
        }
    }

    /// True if another account than the sender must sign, as the client, the owner or a node says;
    /// only the network knows.
    package var isRekeyed: Bool { authority.key != wire.transaction.sender }

    /// A signer equal to the sender must not be written: no network takes that.
    private func otherSigner(_ key: [UInt8]) -> [UInt8]? {
        key == wire.transaction.sender ? nil : key
    }
}

extension SigningItem {
    /// No fewer bytes than the signed transaction has.
    package var signedBytesMax: Int {
        switch decision {
        case .leave: 8
        case .pass(let bytes): bytes.count
        case .sign: wire.bytes.count + Self.proofBytesMax
        case .share(let share):
            wire.bytes.count + Self.proofBytesMax + share.multisig.keys.count * Self.memberBytesMax
        }
    }

    /// Bytes of a signature with a signer, and of one member's place.
    private static let proofBytesMax = 128
    private static let memberBytesMax = 112
}
