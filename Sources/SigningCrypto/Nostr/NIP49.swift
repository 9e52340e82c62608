// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// Nostr secrets encrypted under a password: `ncryptsec1...` (NIP-49).
public enum NIP49 {
    /// The cost of new texts: 2^18 rounds of scrypt, 256 MiB.
    public static let logNDefault = 18
    /// The highest cost that is read or written: 1 GiB.
    public static let logNMax = 20
    /// The lowest cost that is written.
    public static let logNMin = 16

    /// The known history of the secret's safety.
    public enum KeySecurity: UInt8, Sendable {
        /// The secret was stored or sent in clear text.
        case knownInsecure = 0
        /// The secret was never in clear text, as far as is known.
        case notKnownInsecure = 1
        /// The history of the secret was not tracked.
        case untracked = 2
    }

    /// The reasons that a text gives no secret.
    public enum ParseError: Error, Hashable, Sendable {
        /// The text is not an ncryptsec of 91 bytes.
        case malformed
        /// The version of the text is not 2, or the security byte is unknown.
        case unsupportedVersion
        /// Decryption needs more memory than the caller permits.
        case tooExpensive(logN: Int, max: Int)
        /// The password is wrong, or the text was changed.
        case wrongPassword
        /// The password is longer than 1024 bytes or not UTF-8.
        case unusablePassword
        /// The content is not a secret key.
        case invalidSecretKey
        /// There is not enough memory.
        case outOfMemory
    }

    /// Returns whether a text has this form, by its prefix.
    public static func isEncrypted(_ text: borrowing SecretBytes) -> Bool {
        text.withSpan { text in
            let content = SecretText.content(of: text)
            let prefix = "\(hrp)1".utf8.span
            guard content.count > prefix.count else { return false }
            for index in prefix.indices
            where text[content.lowerBound + index] | 0x20 != prefix[index] | 0x20 { return false }
            return true
        }
    }

    /// Decrypts the secret; form, version and cost are checked before the cost is paid.
    public static func decrypt(
        _ text: borrowing SecretBytes, password: borrowing SecretBytes,
        logNMax: Int = Self.logNMax
    ) throws(ParseError) -> SecretBytes {
        let box = try box(text)
        let logN = Int(box[1])
        guard box[0] == version, KeySecurity(rawValue: box[securityPlace]) != nil else {
            throw .unsupportedVersion
        }
        guard logN <= logNMax else { throw .tooExpensive(logN: logN, max: logNMax) }
        guard logN > 0 else { throw .malformed }
        let key = try key(password, salt: box.span.extracting(saltPlace), logN: logN)
        let sealed = Array(box[noncePlace] + box[ciphertextPlace])
        let secret: SecretBytes
        do throws(CryptoError) {
            secret = try AEAD.open(
                sealed.span, key: key, associatedData: box.span.extracting(securityRange))
        } catch {
            throw .wrongPassword
        }
        guard (try? Secp256k1Key(secret: secret)) != nil else { throw .invalidSecretKey }
        return secret
    }

    /// Encrypts a secret under a password; the result is no longer secret.
    public static func encrypt(
        _ secret: borrowing SecretBytes, password: borrowing SecretBytes,
        logN: Int = Self.logNDefault, security: KeySecurity
    ) throws(ParseError) -> String {
        guard secret.count == Secp256k1Key.secretCount else { throw .invalidSecretKey }
        guard logN <= logNMax else { throw .tooExpensive(logN: logN, max: logNMax) }
        let salt = Randomness.bytes(saltPlace.count)
        let key = try key(password, salt: salt.span, logN: logN)
        let sealed: [UInt8]
        do throws(CryptoError) {
            sealed = try AEAD.seal(
                secret, key: key, associatedData: [security.rawValue].span)
        } catch {
            throw .outOfMemory
        }
        let box =
            [version, UInt8(logN)] + salt + sealed.prefix(noncePlace.count) + [security.rawValue]
            + sealed.dropFirst(noncePlace.count)
        return Bech32.encode(hrp: hrp, box.span)
    }

    private static func box(_ text: borrowing SecretBytes) throws(ParseError) -> [UInt8] {
        do throws(CodecError) {
            return try text.withSpan { text throws(CodecError) in
                let content = SecretText.content(of: text)
                var box = [UInt8](repeating: 0, count: boxCount)
                var span = box.mutableSpan
                let count = try Bech32.decode(text.extracting(content), hrp: hrp, into: &span)
                guard count == boxCount else { throw .truncated }
                return box
            }
        } catch {
            throw .malformed
        }
    }

    private static func key(
        _ password: borrowing SecretBytes, salt: Span<UInt8>, logN: Int
    ) throws(ParseError) -> SecretBytes {
        let normal: SecretBytes
        do throws(CryptoError) {
            normal = try UnicodeNormalization.apply(.nfkc, to: password)
        } catch {
            throw .unusablePassword
        }
        guard let key = Scrypt.derive(password: normal, salt: salt, logN: logN) else {
            throw .outOfMemory
        }
        return key
    }

    private static let hrp = "ncryptsec"
    private static let version: UInt8 = 2
    /// Version, cost, salt, nonce, security byte, ciphertext with its tag.
    private static let boxCount = 91
    private static let saltPlace = 2..<18
    private static let noncePlace = 18..<42
    private static let securityPlace = 42
    private static let securityRange = 42..<43
    private static let ciphertextPlace = 43..<91
}
