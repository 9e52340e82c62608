// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCrypto

/// A passphrase sealed to the key that the agent created at its start.
///
/// Between the terminal and the agent's guarded memory it is never in clear text: not in an HTTP
/// body, nor in a copy that a library made of it.
package struct SealedPassphrase: Sendable {
    /// The longest passphrase, in bytes.
    package static let passphraseBytesMax = 4_096

    let box: [UInt8]

    /// Parses the form used in JSON; nil if the text is malformed.
    package init?(_ text: String?) {
        let countMax = Self.passphraseBytesMax + SealedBoxKey.overheadCount
        guard let text, let box = try? Base64.decode(text, countMax: countMax),
            box.count > SealedBoxKey.overheadCount
        else { return nil }
        self.box = box
    }

    /// Seals a passphrase to the public key of an agent.
    package init(
        sealing passphrase: borrowing SecretBytes, to publicKey: [UInt8]
    ) throws(CryptoError) {
        box = try SealedBoxKey.seal(passphrase, to: publicKey.span)
    }

    /// The form used in JSON.
    package var text: String { Base64.encode(box.span) }

    /// The body of a request; with `forTerminal` the agent remembers the terminal of the sender.
    package func body(forTerminal: Bool) -> JSON {
        forTerminal
            ? ["passphrase": .string(text), "terminal": true] : ["passphrase": .string(text)]
    }
}
