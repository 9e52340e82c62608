// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
public import SigningCrypto

/// The words a key was made from, which cannot be had from the key itself.
public struct KeyPhrase: ~Copyable, Sendable {
    /// The entropy the words stand for (BIP-39).
    public let entropy: SecretBytes
    /// The number of the account on the path to the key.
    public let account: UInt32
    /// Whether a passphrase belongs to the words; it is not kept.
    public let hasPassphrase: Bool

    /// Puts both together.
    public init(entropy: consuming SecretBytes, account: UInt32, hasPassphrase: Bool) {
        self.entropy = entropy
        self.account = account
        self.hasPassphrase = hasPassphrase
    }

    private static let version: UInt8 = 1
    private static let headCount = 6

    /// As it is sealed: version, whether there is a passphrase, account, entropy.
    var record: SecretBytes {
        SecretBytes(count: Self.headCount + entropy.count) { bytes in
            bytes[0] = Self.version
            bytes[1] = hasPassphrase ? 1 : 0
            for shift in 0..<4 {
                bytes[2 + shift] = UInt8(truncatingIfNeeded: account >> (24 - 8 * shift))
            }
            entropy.withSpan { entropy in
                for index in entropy.indices { bytes[Self.headCount + index] = entropy[index] }
            }
        }
    }

    init?(record: borrowing SecretBytes) {
        let head = record.withSpan { bytes in bytes.indices.prefix(Self.headCount).map { bytes[$0] }
        }
        guard record.count > Self.headCount, head[0] == Self.version, head[1] <= 1 else {
            return nil
        }
        account = head[2...].reduce(0) { $0 << 8 | UInt32($1) }
        hasPassphrase = head[1] == 1
        entropy = record.withSpan {
            SecretBytes(copying: $0.extracting(Self.headCount..<$0.count))
        }
    }
}

extension Vault {
    /// Lends the secret of a key to its owner, who proves to be one by the passphrase, again.
    ///
    /// The caller puts it on record first; no request of a client leads here.
    public func exportSecret(
        of name: String, passphrase: borrowing SecretBytes
    ) throws(VaultError) -> SecretBytes {
        let (account, vaultKey) = try proveOwner(of: name, passphrase)
        return try vaultKey.open(try sealedSecret(of: account), label: RecordLabel(account))
    }

    /// The words a key was made from; nil where it was not made from words.
    public func exportPhrase(
        of name: String, passphrase: borrowing SecretBytes
    ) throws(VaultError) -> KeyPhrase? {
        let (account, vaultKey) = try proveOwner(of: name, passphrase)
        let sealed = try database.read { access throws(VaultError) in
            try access.first(
                "SELECT sealed FROM phrases WHERE key_id = ?", .text(account.id.text)
            ) { row throws(VaultError) in try row.bytes(0) }
        }
        guard let sealed else { return nil }
        let record = try vaultKey.open(sealed, label: RecordLabel(phraseOf: account))
        guard let phrase = KeyPhrase(record: record) else { throw .corruptedRecord(name) }
        return phrase
    }

    /// Opens the vault key anew, whether or not the vault is unlocked.
    private func proveOwner(
        of name: String, _ passphrase: borrowing SecretBytes
    ) throws(VaultError) -> (Account, VaultKey) {
        let vaultKey = try openVaultKey(with: passphrase)
        let list = try database.read { access throws(VaultError) in try AccountList(in: access) }
        try list.check(with: vaultKey)
        guard let account = list.accounts.first(where: { $0.name == name }) else {
            throw .unknownKey(name: name)
        }
        return (account, vaultKey)
    }
}
