// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
package import SigningFiles

extension Vault {
    /// The public key that verifies checkpoints of the audit chain.
    package func logPublicKey() throws(VaultError) -> [UInt8] {
        try database.read { access throws(VaultError) in try SealedLogKey(in: access).publicKey }
    }

    /// The newest checkpoint, not verified; nil only if it was removed by tampering.
    ///
    /// The vault stores it so that a truncated ledger is noticed.
    package func lastCheckpoint() throws(VaultError) -> AuditCheckpoint? {
        try database.read { access throws(VaultError) in try access.lastCheckpoint() }
    }

    /// The newest checkpoint; throws if it is missing or not signed by the sealed log key.
    package func checkedLastCheckpoint() throws(VaultError) -> AuditCheckpoint {
        let logPublicKey = try openLogKey().publicKey
        let (content, damage) = try content()
        try Self.check(.checkpoint, against: damage ?? [])
        guard let last = content.checkpoint, last.sequence >= 0,
            last.isSigned(by: logPublicKey)
        else { throw .corruptedRecord("last checkpoint") }
        return last
    }

    /// Signs a checkpoint for the last entry of the audit chain.
    package func signCheckpoint(
        _ head: AuditHead, at time: Timestamp
    ) throws(VaultError) -> AuditCheckpoint {
        try openLogKey().signCheckpoint(head, at: time)
    }

    /// Stores a checkpoint, and the grants that were revoked up to the checkpoint's entry.
    ///
    /// `revoked` has for each grant the latest time at which it can have been created. If another
    /// process has stored a newer checkpoint, that one stays.
    package func keep(
        _ checkpoint: AuditCheckpoint, revoking revoked: [[UInt8]: Timestamp] = [:]
    ) throws(VaultError) {
        let vaultKey = try openVaultKey()
        if !revoked.isEmpty {
            // The revocations are stored before the checkpoint: entries up to a checkpoint are not
            // read again.
            try change(.revoked, with: vaultKey) { access throws(VaultError) in
                try access.list(revoked: revoked)
            }
        }
        try change(.checkpoint, with: vaultKey) { access throws(VaultError) in
            let last = try access.lastCheckpoint()
            guard last.map({ $0.sequence < checkpoint.sequence }) ?? true else { return }
            try access.write(checkpoint)
        }
    }

    /// The time up to which every remembered yes is invalid; nil if there is no such time, if the
    /// list of revoked grants is not authentic, or while the vault is locked.
    package func revokedUntil() throws(VaultError) -> Timestamp? {
        let (content, damage) = try content()
        let isSealed = damage.map {
            !$0.contains(VaultPart.revoked.rawValue) && !$0.contains(VaultState.name)
        }
        return isSealed == true ? content.revoked.until : nil
    }

    /// Signs the number of the vault's current state with the log key.
    package func signState() throws(VaultError) -> (generation: Int64, signature: [UInt8]) {
        let vaultKey = try openVaultKey()
        let content = try content().0
        guard let state = content.state else { throw .corruptedRecord(VaultState.name) }
        try state.check(with: vaultKey)
        let key = try content.logKey.open(with: vaultKey)
        do throws(LedgerError) {
            let statement = LogStatement.vaultState(generation: state.generation)
            return (state.generation, try statement.signed(by: key))
        } catch {
            throw .corruptedRecord(SealedLogKey.name)
        }
    }

    /// Decrypts the log key; needs an unlocked vault.
    package func openLogKey() throws(VaultError) -> Ed25519Key {
        let vaultKey = try openVaultKey()
        let sealed = try database.read { access throws(VaultError) in
            try SealedLogKey(in: access)
        }
        return try sealed.open(with: vaultKey)
    }
}

extension Ed25519Key {
    /// Signs a checkpoint for the last entry of the audit chain.
    borrowing func signCheckpoint(
        _ head: AuditHead, at time: Timestamp
    ) throws(VaultError) -> AuditCheckpoint {
        do throws(CryptoError) {
            return try AuditCheckpoint(head, at: time, signedBy: self)
        } catch {
            throw .corruptedRecord(SealedLogKey.name)
        }
    }
}

extension Access<VaultError> {
    /// The newest checkpoint, not verified; nil if there is none.
    package func lastCheckpoint() throws(VaultError) -> AuditCheckpoint? {
        try first("SELECT sequence, head_hash, time, signature FROM last_checkpoint") {
            row throws(VaultError) in try row.checkpoint()
        }
    }

    /// Stores a checkpoint in place of the old one.
    func write(_ checkpoint: AuditCheckpoint) throws(VaultError) {
        try run(
            """
            INSERT OR REPLACE INTO last_checkpoint (id, sequence, head_hash, time, signature)
            VALUES (1, ?, ?, ?, ?)
            """,
            .integer(checkpoint.sequence), .bytes(checkpoint.headHash),
            .integer(checkpoint.time.seconds), .bytes(checkpoint.signature))
    }
}

/// The log key as stored in the file.
struct SealedLogKey: Sendable {
    let publicKey: [UInt8]
    let sealed: [UInt8]

    /// The name of the record in messages.
    static let name = "log key"

    /// Creates a new key.
    init(sealedUnder vaultKey: VaultKey) throws(VaultError) {
        let seed = SecretBytes.random(count: Ed25519Key.seedCount)
        do throws(CryptoError) { publicKey = try Ed25519Key(seed: seed).publicKey } catch {
            throw .invalidSecret
        }
        sealed = try vaultKey.seal(seed, label: RecordLabel(logPublicKey: publicKey))
    }

    /// Reads the key from the file.
    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        let found = try access.first("SELECT public_key, sealed FROM log_key") {
            row throws(VaultError) in (try row.bytes(0), try row.bytes(1))
        }
        guard let found else { throw .corruptedRecord(Self.name) }
        (publicKey, sealed) = found
    }

    func write(in access: borrowing Access<VaultError>) throws(VaultError) {
        try access.run(
            "INSERT OR REPLACE INTO log_key (id, public_key, sealed) VALUES (1, ?, ?)",
            .bytes(publicKey), .bytes(sealed))
    }

    /// Opens the key; its public key must match the one in the file.
    func open(with vaultKey: VaultKey) throws(VaultError) -> Ed25519Key {
        try open(with: vaultKey, RecordLabel(logPublicKey: publicKey))
    }

    /// Decrypts the key in a vault of a version that did not seal its state; nil if that fails.
    func openOld(with vaultKey: VaultKey) -> Ed25519Key? {
        try? open(with: vaultKey, RecordLabel(logPublicKey: publicKey, version: 1))
    }

    /// The key of such an old vault, sealed in the current form.
    func resealed(with vaultKey: VaultKey) throws(VaultError) -> SealedLogKey {
        let seed = try vaultKey.open(
            sealed, label: RecordLabel(logPublicKey: publicKey, version: 1))
        return SealedLogKey(
            publicKey: publicKey,
            sealed: try vaultKey.seal(seed, label: RecordLabel(logPublicKey: publicKey)))
    }

    private init(publicKey: [UInt8], sealed: [UInt8]) {
        self.publicKey = publicKey
        self.sealed = sealed
    }

    private func open(
        with vaultKey: VaultKey, _ label: RecordLabel
    ) throws(VaultError) -> Ed25519Key {
        let seed = try vaultKey.open(sealed, label: label)
        do throws(CryptoError) {
            let key = try Ed25519Key(seed: seed)
            guard key.publicKey == publicKey else { throw .invalidSecretKey }
            return key
        } catch {
            throw .corruptedRecord(Self.name)
        }
    }
}
