// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// The key that seals every record of a vault; in memory only while the vault is unlocked.
package final class VaultKey: Sendable {
    let secret: SecretBytes

    /// Creates a new key.
    init() {
        secret = SecretBytes.random(count: AEAD.keyCount)
    }

    /// Makes a key from its 32 bytes.
    package init(_ secret: consuming SecretBytes) {
        self.secret = secret
    }

    /// Encrypts a secret, which can then be decrypted only with an equal label.
    package func seal(
        _ secret: borrowing SecretBytes, label: RecordLabel
    ) throws(VaultError) -> [UInt8] {
        do throws(CryptoError) {
            return try AEAD.seal(secret, key: self.secret, associatedData: label.bytes.span)
        } catch {
            throw VaultError(opening: label.name, error)
        }
    }

    /// Decrypts a secret; throws unless it was encrypted with this key and an equal label.
    package func open(_ sealed: [UInt8], label: RecordLabel) throws(VaultError) -> SecretBytes {
        do throws(CryptoError) {
            return try AEAD.open(sealed.span, key: secret, associatedData: label.bytes.span)
        } catch {
            throw VaultError(opening: label.name, error)
        }
    }

    /// The authentication code of a list of accounts; the order of the accounts does not matter.
    func authenticationCode(of accounts: [Account]) -> [UInt8] {
        let key = secret.derivedKey(for: "countersign account list v1")
        return key.withSpan { Digest.hmacSHA256(key: $0, Self.message(of: accounts).span) }
    }

    /// The encoding of a list of accounts; the order of the accounts does not matter.
    static func message(of accounts: [Account]) -> [UInt8] {
        let ordered = accounts.sorted { $0.id.text.utf8.lexicographicallyPrecedes($1.id.text.utf8) }
        var message: [UInt8] = []
        for account in ordered {
            message.append(lengthPrefixed: RecordLabel(account).bytes)
            // The encoding of an account without tags or members is the same as in versions that
            // did not have these.
            if !account.tags.isEmpty {
                message.append(lengthPrefixed: "tags".utf8)
                message.append(lengthPrefixed: account.tags.joined(separator: " ").utf8)
            }
            if let members = account.multisig {
                message.append(lengthPrefixed: "members".utf8)
                message.append(lengthPrefixed: members.record)
            }
            if let key = account.signedBy {
                message.append(lengthPrefixed: "signed by".utf8)
                message.append(lengthPrefixed: key)
            }
        }
        return message
    }
}

/// The data that a sealed secret is bound to: the secret cannot be decrypted with other data.
package struct RecordLabel {
    /// The name of the record in messages.
    let name: String
    /// The encoded fields; different fields never have the same encoding.
    let bytes: [UInt8]

    /// Makes a label from encoded fields.
    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The label of a key.
    init(_ account: Account) {
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: "countersign key v1".utf8)
        bytes.append(lengthPrefixed: account.id.text.utf8)
        bytes.append(lengthPrefixed: account.name.utf8)
        bytes.append(lengthPrefixed: account.protocolID.name.utf8)
        bytes.append(lengthPrefixed: account.algorithm.id.utf8)
        bytes.append(lengthPrefixed: account.publicKey)
        bytes.append(lengthPrefixed: account.address.utf8)
        bytes.append(account.network == nil ? 0 : 1)
        bytes.append(lengthPrefixed: (account.network ?? "").utf8)
        name = account.name
        self.bytes = bytes
    }

    /// The label of the words from which a key was made; it does not contain the key's name, which
    /// may change.
    init(phraseOf account: Account) {
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: "countersign phrase v1".utf8)
        bytes.append(lengthPrefixed: account.id.text.utf8)
        bytes.append(lengthPrefixed: account.protocolID.name.utf8)
        bytes.append(lengthPrefixed: account.algorithm.id.utf8)
        bytes.append(lengthPrefixed: account.publicKey)
        name = account.name
        self.bytes = bytes
    }

    /// The label of the key that signs checkpoints of the audit chain.
    ///
    /// Version 1 is that of old vaults, whose state was not sealed as a whole.
    init(logPublicKey: [UInt8], version: Int = 2) {
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: "countersign log key v\(version)".utf8)
        bytes.append(lengthPrefixed: logPublicKey)
        name = SealedLogKey.name
        self.bytes = bytes
    }

    /// The label of the vault key, which is encrypted with a key derived from the passphrase.
    init(salt: [UInt8], parameters: Argon2Parameters) {
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: "countersign vault key v1".utf8)
        bytes.append(lengthPrefixed: salt)
        bytes.append(bigEndian: UInt64(truncatingIfNeeded: parameters.memoryKiB))
        bytes.append(bigEndian: UInt64(truncatingIfNeeded: parameters.passes))
        name = "vault key"
        self.bytes = bytes
    }
}
