// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto

extension SecretText {
    /// Returns the `ed25519:` text of a NEAR key: Base58 of seed and public key.
    static func near(of seed: borrowing SecretBytes) throws(CryptoError) -> SecretBytes {
        let publicKey = try Ed25519Key(seed: seed).publicKey
        let both = SecretBytes(count: seed.count + publicKey.count) { both in
            seed.withSpan { seed in for index in seed.indices { both[index] = seed[index] } }
            for index in publicKey.indices { both[seed.count + index] = publicKey[index] }
        }
        let digits = both.withSpan { both in
            SecretBytes(countMax: Base58.textCountMax(count: both.count)) { text in
                Base58.encode(both, into: &text)
            }
        }
        return joined(nearPrefix, digits, "")
    }

    /// Returns the key file of NEAR's command-line tools, on one line.
    static func nearCredentials(
        of seed: borrowing SecretBytes, account: String
    ) throws(CryptoError) -> SecretBytes {
        let key = try Ed25519Key(seed: seed)
        let publicKey = nearPrefix + Base58.encode(key.publicKey.span)
        var head: [UInt8] = []
        for (name, value) in [("{\"account_id\":", account), (",\"public_key\":", publicKey)] {
            head += name.utf8
            JSONText.appendQuoted(value, to: &head)
        }
        head += ",\"private_key\":\"".utf8
        let secret = try near(of: seed)
        return joined(String(decoding: head, as: UTF8.self), secret, "\"}")
    }

    private static func joined(
        _ head: String, _ secret: borrowing SecretBytes, _ tail: String
    ) -> SecretBytes {
        let (head, tail) = (Array(head.utf8), Array(tail.utf8))
        return SecretBytes(count: head.count + secret.count + tail.count) { text in
            for index in head.indices { text[index] = head[index] }
            secret.withSpan { secret in
                for index in secret.indices { text[head.count + index] = secret[index] }
            }
            for index in tail.indices { text[head.count + secret.count + index] = tail[index] }
        }
    }
}
