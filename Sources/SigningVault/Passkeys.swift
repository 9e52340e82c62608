// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// A passkey with its sealed secret.
struct SealedPasskey: Sendable {
    let passkey: Passkey
    let sealed: [UInt8]

    /// The label of a passkey's sealed secret: the secret does not open if this data changes.
    static func label(of passkey: Passkey) -> RecordLabel {
        var bytes: [UInt8] = []
        bytes.append(lengthPrefixed: "countersign passkey v1".utf8)
        bytes.append(lengthPrefixed: passkey.credential)
        bytes.append(lengthPrefixed: passkey.publicKey)
        bytes.append(lengthPrefixed: passkey.host.utf8)
        bytes.append(lengthPrefixed: passkey.protocolID.name.utf8)
        bytes.append(lengthPrefixed: passkey.address.utf8)
        bytes.append(lengthPrefixed: passkey.name.utf8)
        bytes.append(bigEndian: UInt64(bitPattern: passkey.created.seconds))
        return RecordLabel(name: passkey.name, bytes: bytes)
    }

    init(_ passkey: Passkey, sealed: [UInt8]) {
        self.passkey = passkey
        self.sealed = sealed
    }

    /// Seals the secret of a passkey together with its data.
    init(
        _ passkey: Passkey, _ secret: borrowing SecretBytes, with vaultKey: VaultKey
    ) throws(VaultError) {
        self.init(passkey, sealed: try vaultKey.seal(secret, label: Self.label(of: passkey)))
    }

    /// Decrypts the secret; throws if it does not match the data of the passkey.
    func secret(with vaultKey: VaultKey) throws(VaultError) -> SecretBytes {
        try vaultKey.open(sealed, label: Self.label(of: passkey))
    }

    /// Opens the key, ready to sign.
    func open(with vaultKey: VaultKey) throws(VaultError) -> KeySlot {
        let secret = try secret(with: vaultKey)
        do throws(CryptoError) {
            let key = try SigningAlgorithm.open(.p256, secret)
            guard key.publicKey == passkey.publicKey else { throw .invalidSecretKey }
            return KeySlot(account, key)
        } catch {
            throw .corruptedRecord(passkey.name)
        }
    }

    /// The passkey as an account, for the checks of domains.
    var account: Account {
        Account(
            id: KeyID("passkey"), name: passkey.name, protocolID: passkey.protocolID,
            algorithm: .p256, publicKey: passkey.publicKey, address: passkey.address,
            network: nil)
    }
}

extension SealedPasskey {
    /// All passkeys, oldest first.
    static func all(in access: borrowing Access<VaultError>) throws(VaultError) -> [SealedPasskey] {
        try access.all(
            """
            SELECT credential, public_key, host, protocol, address, name, created, sealed
            FROM passkeys ORDER BY rowid
            """
        ) { row throws(VaultError) in
            SealedPasskey(
                Passkey(
                    credential: try row.bytes(0), publicKey: try row.bytes(1),
                    host: try row.text(2), protocolID: ProtocolID(try row.text(3)),
                    address: try row.text(4), name: try row.text(5),
                    created: Timestamp(seconds: try row.integer(6))),
                sealed: try row.bytes(7))
        }
    }

    /// The encoding of all passkeys for the digest in the vault state.
    static func message(of passkeys: [SealedPasskey]) -> [UInt8] {
        var message: [UInt8] = []
        for passkey in passkeys {
            message.append(lengthPrefixed: label(of: passkey.passkey).bytes)
            message.append(lengthPrefixed: passkey.sealed)
        }
        return message
    }
}

extension Vault {
    /// The maximum number of passkeys in a vault.
    package static let passkeysMax = 1_000
    /// The maximum number of passkeys of an account for one host, also those that the host does not
    /// know any more.
    package static let passkeysPerHostMax = 16

    /// The public data of all passkeys, oldest first, without unlocking.
    ///
    /// While the vault is locked the data is not authenticated; unlocking checks it.
    package func passkeys() throws(KeyStoreError) -> [Passkey] {
        do throws(VaultError) { return try sealedPasskeys().map(\.passkey) } catch {
            throw KeyStoreError(error)
        }
    }

    /// Renames a passkey; its record is sealed again with the name.
    package func renamePasskey(_ name: String, to newName: String) throws(VaultError) {
        try VaultName.check(newName)
        let vaultKey = try openVaultKey()
        let old = try sealedPasskey(named: name)
        let before = old.passkey
        let renamed = try SealedPasskey(
            Passkey(
                credential: before.credential, publicKey: before.publicKey, host: before.host,
                protocolID: before.protocolID, address: before.address, name: newName,
                created: before.created),
            old.secret(with: vaultKey), with: vaultKey)
        try change(.passkeys, with: vaultKey) { access throws(VaultError) in
            try access.checkIsFree(newName)
            try access.run(
                "UPDATE passkeys SET name = ?, sealed = ? WHERE credential = ? AND sealed = ?",
                .text(newName), .bytes(renamed.sealed), .bytes(before.credential),
                .bytes(old.sealed))
        }
    }

    /// Deletes a passkey irrevocably; the host may still list it.
    package func removePasskey(_ name: String) throws(VaultError) {
        let vaultKey = try openVaultKey()
        let passkey = try sealedPasskey(named: name).passkey
        try change(.passkeys, with: vaultKey) { access throws(VaultError) in
            try access.run(
                "DELETE FROM passkeys WHERE credential = ?", .bytes(passkey.credential))
        }
    }

    private func sealedPasskeys() throws(VaultError) -> [SealedPasskey] {
        let (content, damage) = try content()
        if let damage { try Self.check(.passkeys, against: damage) }
        return content.passkeys
    }

    private func sealedPasskey(named name: String) throws(VaultError) -> SealedPasskey {
        guard let found = try sealedPasskeys().first(where: { $0.passkey.name == name }) else {
            throw .unknownPasskey(name: name)
        }
        return found
    }
}
