// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
package import SigningCrypto
import SigningDigests

/// The keys of the vectors and of a contact; public, never to be used.
package enum NostrKeys {
    package static let aliceSecret =
        "7f7ff03d123792d6ac594bfa67bf6d0c0ab55b6b1fdb6249303fe861f1ccba9a"
    package static let aliceHex = "17162c921dc4d2518f9a101db33695df1afb56ab82f5ff3e5da6eec3ca5cd917"
    package static let bobSecret =
        "0000000000000000000000000000000000000000000000000000000000000006"
    package static let bobHex = "fff97bd5755eeea420453a14355235d382f6472f8568a18b2f057a1460297556"

    package static func key(_ secret: String) throws -> Secp256k1Key {
        let bytes = try Hex.decode(secret)
        return try Secp256k1Key(secret: SecretBytes(copying: bytes.span))
    }

    /// An account for each secret; the first has the id `key0` and the name `account0`.
    package static func accounts(_ secrets: [String]) throws -> [Account] {
        try secrets.enumerated().map { index, secret in
            let key = try key(secret).publicKey
            return Account(
                id: KeyID("key\(index)"), name: "account\(index)",
                protocolID: ProtocolID("nostr"), algorithm: .bip340, publicKey: key,
                address: Hex.encode(key.span), network: nil)
        }
    }
}

/// True if every signature of a statement is valid.
package func holds(_ statement: SignedStatement) -> Bool {
    statement.signatures.allSatisfy { holds($0) }
}

/// True if one signature is valid.
package func holds(_ claim: SignatureClaim) -> Bool {
    claim.readings.contains { reading in
        let message = Digest.sha256(reading.preimage.span)
        return claim.statedMessage.map { $0 == message } ?? true
            && Signatures.isValidBIP340(
                signature: claim.signature.span, message: message.span,
                publicKey: claim.publicKey.span)
    }
}
