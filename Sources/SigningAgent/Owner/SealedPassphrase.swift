// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCrypto

/// A passphrase on its way to the agent, sealed to the key that the agent made at its start.
///
/// It is in the clear nowhere between the terminal and the agent's guarded memory: not in a body
/// of HTTP, nor in any copy that a library made of one.
package struct SealedPassphrase: Sendable {
    /// The longest passphrase, in bytes.
    package static let passphraseBytesMax = 4_096

    let box: [UInt8]

    /// Reads it as it stands in JSON; nil where the text is none.
    package init?(_ text: String?) {
        let countMax = Self.passphraseBytesMax + SealedBoxKey.overheadCount
        guard let text, let box = try? Base64.decode(text, countMax: countMax),
            box.count > SealedBoxKey.overheadCount
        else { return nil }
        self.box = box
    }

    /// Seals one to the public key of an agent.
    package init(
        sealing passphrase: borrowing SecretBytes, to publicKey: [UInt8]
    ) throws(CryptoError) {
        box = try SealedBoxKey.seal(passphrase, to: publicKey.span)
    }

    /// As it stands in JSON.
    package var text: String { Base64.encode(box.span) }
}
