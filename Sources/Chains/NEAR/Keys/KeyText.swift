// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

/// A public key in the text form of NEAR: the curve, a colon, Base58.
package struct KeyText: Hashable, Sendable {
    /// The Borsh number of ML-DSA-65 keys, which are not supported.
    static let postQuantumTag: UInt8 = 2
    private static let postQuantumPrefix = "ml-dsa-65:"

    /// The curves of supported public keys.
    package enum Curve: String, CaseIterable, Sendable {
        case ed25519, secp256k1

        /// The number of the curve in Borsh.
        var tag: UInt8 { self == .ed25519 ? 0 : 1 }
        package var prefix: String { "\(rawValue):" }
        package var keyCount: Int { scheme.publicKeyCount }
        /// The number of bytes of a signature; secp256k1 adds a recovery id.
        package var signatureCount: Int { scheme.signatureCount }
        package var scheme: SignatureScheme { self == .ed25519 ? .ed25519 : .ecdsaSecp256k1 }
    }

    package let curve: Curve
    package let bytes: [UInt8]

    /// Returns the text form of an Ed25519 key.
    package static func ed25519(_ key: [UInt8]) -> String {
        KeyText(curve: .ed25519, bytes: key).text
    }

    /// The text form of the key.
    package var text: String { curve.prefix + Base58.encode(bytes.span) }

    package init(curve: Curve, bytes: [UInt8]) {
        self.curve = curve
        self.bytes = bytes
    }

    /// Parses a key; without a prefix its length decides the curve.
    package init(reading text: String) throws(NEARRefusal) {
        guard !text.hasPrefix(Self.postQuantumPrefix) else { throw .postQuantum }
        let named = Curve.allCases.first { text.hasPrefix($0.prefix) }
        let digits = String(text.dropFirst(named?.prefix.count ?? 0))
        guard let bytes = try? Base58.decode(digits, countMax: Curve.secp256k1.keyCount),
            let curve = named ?? Curve.allCases.first(where: { $0.keyCount == bytes.count }),
            bytes.count == curve.keyCount
        else {
            throw .invalid("publicKey must be ed25519: or secp256k1: followed by base58")
        }
        self.curve = curve
        self.bytes = bytes
    }
}
