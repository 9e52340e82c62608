// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// Nostr secrets under a password: `ncryptsec1...` (NIP-49).
public enum NIP49 {
    /// The cost that is written: 2^18 rounds of scrypt, 256 MiB.
    public static let logNDefault = 18
    /// The highest cost that is read or written: 1 GiB.
    public static let logNMax = 20
    /// The lowest cost that is written.
    public static let logNMin = 16

    /// What is known about the safety of the secret before.
    public enum KeySecurity: UInt8, Sendable {
        /// It was in the clear somewhere.
        case knownInsecure = 0
        /// It never was, as far as is known.
        case notKnownInsecure = 1
        /// Nobody kept track.
        case untracked = 2
    }

    /// Why a text gives no secret.
    public enum ParseError: Error, Hashable, Sendable {
        /// It is no ncryptsec of 91 bytes.
        case malformed
        /// Another version than 2, or a mark that version does not have.
        case unsupportedVersion
        /// It asks for more memory than is given.
        case tooExpensive(logN: Int, max: Int)
        /// The password is not the one it was written with, or somebody changed it.
        case wrongPassword
        /// The password is longer than 1024 bytes or not UTF-8.
        case unusablePassword
        /// It holds no secret key.
        case invalidSecretKey
        /// There is not enough memory.
        case outOfMemory
    }

    /// Whether a text is of this form, by its beginning.
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

    /// Takes the secret out; form, version and cost are checked before the cost is paid.
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

    /// Writes a secret under a password; what comes out is no secret any more.
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
    /// Version, cost, salt, nonce, mark of safety, ciphertext with its tag.
    private static let boxCount = 91
    private static let saltPlace = 2..<18
    private static let noncePlace = 18..<42
    private static let securityPlace = 42
    private static let securityRange = 42..<43
    private static let ciphertextPlace = 43..<91
}
