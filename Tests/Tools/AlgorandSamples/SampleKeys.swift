// SPDX-License-Identifier: Apache-2.0

import Algorand
package import SigningCore
import SigningCrypto

/// The keys of the vectors and of other accounts; public, never to be funded.
package enum SampleKeys {
    /// The seed 00..1f of the vectors.
    package static let a = [UInt8](0..<32)
    package static let b = [UInt8](1..<33)
    package static let c = [UInt8](2..<34)

    package static func publicKey(seed: [UInt8]) throws -> [UInt8] {
        try Ed25519Key(seed: SecretBytes(copying: seed.span)).publicKey
    }

    package static func sign(_ message: [UInt8], seed: [UInt8]) throws -> [UInt8] {
        try Ed25519Key(seed: SecretBytes(copying: seed.span)).sign(message.span)
    }

    package static func address(seed: [UInt8]) throws -> String {
        let key = try publicKey(seed: seed)
        return AlgorandAddress.text(publicKey: key.span)
    }

    /// One account for each seed, the first named `a`.
    package static func accounts(_ seeds: [[UInt8]], network: String? = nil) throws -> [Account] {
        try seeds.enumerated().map { index, seed in
            Account(
                id: KeyID("key-\(index)"), name: index == 0 ? "a" : "key \(index)",
                protocolID: .algorand, algorithm: .ed25519, publicKey: try publicKey(seed: seed),
                address: try address(seed: seed), network: network)
        }
    }
}
