// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// A passkey that a permit has created, before it is stored.
struct NewPasskey: ~Copyable {
    let host: String
    let account: Account
    /// The credential id of the passkey that the new one replaces; nil if it replaces none.
    let replacing: [UInt8]?
    let publicKey: [UInt8]
    let secret: SecretBytes

    /// The longest host, in bytes.
    private static let hostBytesMax = 253
    /// The maximum number of random scalars that are tried; one in 2^32 is not a valid key.
    private static let drawsMax = 8

    init(of account: Account, for host: String, replacing: [UInt8]?) throws(KeyStoreError) {
        guard !account.isWatchOnly, (1...Self.hostBytesMax).contains(host.utf8.count) else {
            throw .unsupportedOperation
        }
        for _ in 0..<Self.drawsMax {
            let secret = SecretBytes.random(count: P256Key.secretCount)
            guard let key = try? P256Key(secret: secret) else { continue }
            publicKey = key.publicKey
            self.secret = secret
            self.host = host
            self.account = account
            self.replacing = replacing
            return
        }
        throw .failed
    }

    /// The credential id, by which the host refers to the passkey.
    var credential: [UInt8] { Digest.sha256(publicKey.span) }
}

extension Vault {
    /// Stores a new passkey; call this method before the host receives the public key.
    ///
    /// Other passkeys for the same host stay.
    func keep(_ new: borrowing NewPasskey) throws(KeyStoreError) {
        do throws(VaultError) {
            let vaultKey = try openVaultKey()
            let created = SystemEnvironment().now()
            try change(.passkeys, with: vaultKey) { access throws(VaultError) in
                try access.insert(new, at: created, with: vaultKey)
            }
        } catch {
            // Throws `failed`, which does not say that no key was used: another operation of the
            // permit may have used one.
            throw .failed
        }
    }
}

extension Access<VaultError> {
    fileprivate func insert(
        _ new: borrowing NewPasskey, at created: Timestamp, with vaultKey: VaultKey
    ) throws(VaultError) {
        let held = try SealedPasskey.all(in: self).map(\.passkey)
        let host = new.host
        let account = new.account
        let old = held.filter {
            $0.host == host && $0.address == account.address
                && $0.protocolID == account.protocolID
        }
        guard old.last?.credential == new.replacing else {
            throw .storage("another passkey was made for this host meanwhile: try again")
        }
        guard held.count < Vault.passkeysMax else {
            throw .storage("there are \(Vault.passkeysMax) passkeys already")
        }
        let passkey = Passkey(
            credential: new.credential, publicKey: new.publicKey, host: host,
            protocolID: account.protocolID, address: account.address,
            name: try freeName(for: host, account),
            created: created)
        let record = try SealedPasskey(passkey, new.secret, with: vaultKey)
        // Old passkeys for the host are not deleted, as it is not known which of them the host
        // accepts.
        guard old.count < Vault.passkeysPerHostMax else {
            throw .storage("there are \(Vault.passkeysPerHostMax) passkeys for this host already")
        }
        try run(
            """
            INSERT INTO passkeys
                (credential, public_key, host, protocol, address, name, created, sealed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .bytes(passkey.credential), .bytes(passkey.publicKey), .text(passkey.host),
            .text(passkey.protocolID.name), .text(passkey.address), .text(passkey.name),
            .integer(passkey.created.seconds), .bytes(record.sealed))
    }

    /// A free name for a passkey: the start of the host, a dot, the name of the account, and a
    /// number if this name is taken.
    private func freeName(for host: String, _ account: Account) throws(VaultError) -> String {
        let start = host.map { $0 == ":" || $0 == "[" || $0 == "]" ? "-" : $0 }
            .prefix(VaultName.countMax / 2)
        let whole = (String(start) + "." + account.name).prefix(VaultName.countMax - 5)
        var name = String(whole)
        var number = 1
        while try !isFree(name) {
            number += 1
            name = "\(whole)-\(number)"
        }
        return name
    }
}
