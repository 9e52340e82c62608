// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import Synchronization

extension Vault {
    /// Stores a new key; needs an unlocked vault.
    ///
    /// The public key is derived from the secret. `address` and `phrase`, the words from which the
    /// key was made, are not checked. With `servesAccounts`, the same key may be stored once for
    /// each account and network of its protocol, otherwise only once.
    @discardableResult
    package func add(
        name: String, protocolID: ProtocolID, algorithm: KeyAlgorithm, address: String,
        network: String?, secret: borrowing SecretBytes, phrase: consuming KeyPhrase? = nil,
        servesAccounts: Bool = false
    ) throws(VaultError) -> Account {
        try VaultName.check(name)
        let vaultKey = try openVaultKey()
        let known = try self.algorithm(algorithm, of: name)
        let publicKey: [UInt8]
        do throws(CryptoError) { publicKey = try known.open(secret).publicKey } catch {
            throw .invalidSecret
        }
        let account = Account(
            id: Self.makeKeyID(), name: name, protocolID: protocolID, algorithm: algorithm,
            publicKey: publicKey, address: address, network: network)
        let sealed = try vaultKey.seal(secret, label: RecordLabel(account))
        var sealedPhrase: [UInt8]?
        if let phrase = phrase.take() {
            sealedPhrase = try vaultKey.seal(phrase.record, label: RecordLabel(phraseOf: account))
        }
        try changeAccounts(with: vaultKey) { access throws(VaultError) in
            try access.checkIsFree(name)
            try access.checkIsNew(account, servesAccounts)
            try access.insert(account, sealed)
            guard let sealedPhrase else { return }
            try access.run(
                "INSERT INTO phrases (key_id, sealed) VALUES (?, ?)", .text(account.id.text),
                .bytes(sealedPhrase))
        }
        return account
    }

    /// Renames a key; needs an unlocked vault, as the secret is sealed again with the new name.
    @discardableResult
    package func rename(_ name: String, to newName: String) throws(VaultError) -> Account {
        try VaultName.check(newName)
        let vaultKey = try openVaultKey()
        let old = try account(named: name)
        let before = try sealedSecret(of: old)
        let account = Account(
            id: old.id, name: newName, protocolID: old.protocolID, algorithm: old.algorithm,
            publicKey: old.publicKey, address: old.address, network: old.network, tags: old.tags,
            multisig: old.multisig, signedBy: old.signedBy)
        // A watch-only account has no secret to seal.
        let sealed =
            old.isWatchOnly
            ? before
            : try vaultKey.seal(
                vaultKey.open(before, label: RecordLabel(old)), label: RecordLabel(account))
        try changeAccounts(with: vaultKey) { access throws(VaultError) in
            guard try access.sealedSecret(of: old) == before else {
                throw .storage("another process changed the key meanwhile")
            }
            try access.checkIsFree(newName)
            try access.run("DELETE FROM keys WHERE id = ?", .text(old.id.text))
            try access.insert(account, sealed)
        }
        return account
    }

    /// Replaces the tags of a key; needs an unlocked vault.
    @discardableResult
    package func tag(_ name: String, with tags: [String]) throws(VaultError) -> Account {
        let text = try Self.normalTags(tags).joined(separator: " ")
        let vaultKey = try openVaultKey()
        let account = try account(named: name)
        try changeAccounts(with: vaultKey) { access throws(VaultError) in
            try access.run(
                "UPDATE keys SET tags = ? WHERE id = ?", .text(text), .text(account.id.text))
        }
        state.withLock { $0.slots[account.id] = nil }
        return try self.account(named: name)
    }

    /// The tags, sorted and without duplicates; throws if a tag is not a valid name or there are
    /// too many tags.
    package static func normalTags(_ tags: [String]) throws(VaultError) -> [String] {
        for tag in tags { try VaultName.check(tag) }
        guard tags.count <= tagsMax else { throw .storage("a key has \(tagsMax) tags at most") }
        return Set(tags).sorted()
    }

    /// Throws if a name is not valid, or if a key or a passkey has it already.
    package func checkMayBeCalled(_ name: String) throws(VaultError) {
        try VaultName.check(name)
        try database.read { access throws(VaultError) in try access.checkIsFree(name) }
    }

    /// The maximum number of tags of one key.
    package static let tagsMax = 16

    /// Deletes a key irrevocably; needs an unlocked vault, as the list is sealed again.
    package func remove(_ name: String) throws(VaultError) {
        let vaultKey = try openVaultKey()
        let account = try account(named: name)
        try changeAccounts(with: vaultKey) { access throws(VaultError) in
            try access.run("DELETE FROM keys WHERE id = ?", .text(account.id.text))
            try access.run("DELETE FROM phrases WHERE key_id = ?", .text(account.id.text))
        }
        state.withLock { $0.slots[account.id] = nil }
    }

    /// The sealed secret of a key.
    func sealedSecret(of account: Account) throws(VaultError) -> [UInt8] {
        try database.read { access throws(VaultError) in try access.sealedSecret(of: account) }
    }

    private static let keyIDCount = 16

    /// Creates a random id for an account.
    static func makeKeyID() -> KeyID {
        KeyID(Hex.encode(Randomness.bytes(keyIDCount).span))
    }
}

extension Access<VaultError> {
    /// Throws if a key or a passkey has the name.
    func checkIsFree(_ name: String) throws(VaultError) {
        guard try isFree(name) else { throw .alreadyExists(name) }
    }

    func isFree(_ name: String) throws(VaultError) -> Bool {
        for table in ["keys", "passkeys"]
        where try exists("SELECT 1 FROM \(table) WHERE name = ?", .text(name)) {
            return false
        }
        return true
    }

    /// Throws if the vault contains the account's key already, with the exceptions below.
    ///
    /// With `servesAccounts`, the key may be stored again for another address, or for the same
    /// address on another network, but always for the same protocol: a signature for one protocol
    /// must not be valid in another. An account without a network is for all networks, so there can
    /// be no second one with its address.
    func checkIsNew(
        _ account: Account, _ servesAccounts: Bool
    ) throws(VaultError) {
        let held = try all(
            "SELECT name, protocol, address, network FROM keys"
                + " WHERE algorithm = ? AND public_key = ? ORDER BY name",
            .text(account.algorithm.id), .bytes(account.publicKey)
        ) { row throws(VaultError) in
            (
                name: try row.text(0), protocolName: try row.text(1), address: try row.text(2),
                network: try row.optionalText(3)
            )
        }
        for key in held {
            guard servesAccounts, key.protocolName == account.protocolID.name else {
                throw .duplicateKey(name: key.name)
            }
            let isApart =
                key.network != nil && account.network != nil && key.network != account.network
            guard key.address != account.address || isApart else {
                throw .duplicateAccount(name: key.name)
            }
        }
    }

    func insert(_ account: Account, _ sealed: [UInt8]) throws(VaultError) {
        try run(
            """
            INSERT INTO keys
                (id, name, protocol, algorithm, public_key, address, network, tags, members,
                sealed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .text(account.id.text), .text(account.name), .text(account.protocolID.name),
            .text(account.algorithm.id), .bytes(account.publicKey), .text(account.address),
            .optional(account.network), .text(account.tags.joined(separator: " ")),
            (account.multisig?.record ?? account.signedBy).map { .bytes($0) } ?? .null,
            .bytes(sealed))
    }

    fileprivate func sealedSecret(of account: Account) throws(VaultError) -> [UInt8] {
        let sealed = try first(
            "SELECT sealed FROM keys WHERE id = ?", .text(account.id.text)
        ) { row throws(VaultError) in try row.bytes(0) }
        guard let sealed else { throw .unknownKey(name: account.name) }
        return sealed
    }
}
