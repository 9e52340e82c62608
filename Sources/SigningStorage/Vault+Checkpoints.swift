// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto

extension Vault {
    /// The key that checkpoints of the audit chain verify with.
    public func logPublicKey() throws(VaultError) -> [UInt8] {
        try database.read { access throws(VaultError) in try SealedLogKey(in: access).publicKey }
    }

    /// The newest checkpoint that was made; kept here so that a shortened ledger is noticed.
    public func lastCheckpoint() throws(VaultError) -> AuditCheckpoint? {
        try database.read { access throws(VaultError) in try access.lastCheckpoint() }
    }

    /// Signs where the audit chain stands; the log key signs nothing else.
    func signCheckpoint(_ head: AuditHead, at time: Timestamp) throws(VaultError) -> AuditCheckpoint
    {
        let vaultKey = try openVaultKey()
        let sealed = try database.read { access throws(VaultError) in
            try SealedLogKey(in: access)
        }
        let seed = try sealed.open(with: vaultKey)
        let message = AuditCheckpoint.message(
            sequence: head.sequence, headHash: head.hash, time: time)
        do throws(CryptoError) {
            let key = try Ed25519Key(seed: seed)
            guard key.publicKey == sealed.publicKey else { throw .invalidSecretKey }
            return AuditCheckpoint(
                sequence: head.sequence, headHash: head.hash, time: time,
                signature: try key.sign(message.span))
        } catch {
            throw .corruptedRecord(sealed.label.name)
        }
    }

    /// Keeps a checkpoint, unless another process has kept a newer one.
    func keep(_ checkpoint: AuditCheckpoint) throws(VaultError) {
        try database.write { access throws(VaultError) in
            let last = try access.lastCheckpoint()
            guard last.map({ $0.sequence < checkpoint.sequence }) ?? true else { return }
            try access.run(
                """
                INSERT OR REPLACE INTO last_checkpoint (id, sequence, head_hash, time, signature)
                VALUES (1, ?, ?, ?, ?)
                """,
                .integer(checkpoint.sequence), .bytes(checkpoint.headHash),
                .integer(checkpoint.time.seconds), .bytes(checkpoint.signature))
        }
    }
}

extension Access<VaultError> {
    fileprivate func lastCheckpoint() throws(VaultError) -> AuditCheckpoint? {
        try first("SELECT sequence, head_hash, time, signature FROM last_checkpoint") {
            row throws(VaultError) in try row.checkpoint()
        }
    }
}

/// The log key as it stands in the file.
struct SealedLogKey: Sendable {
    let publicKey: [UInt8]
    let sealed: [UInt8]

    var label: RecordLabel { RecordLabel(logPublicKey: publicKey) }

    /// Makes a fresh key.
    init(sealedUnder vaultKey: VaultKey) throws(VaultError) {
        let seed = SecretBytes.random(count: Ed25519Key.seedCount)
        do throws(CryptoError) {
            publicKey = try Ed25519Key(seed: seed).publicKey
        } catch {
            throw .invalidSecret
        }
        sealed = try vaultKey.seal(seed, label: RecordLabel(logPublicKey: publicKey))
    }

    /// Reads the key that is in the file.
    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        let found = try access.first("SELECT public_key, sealed FROM log_key") {
            row throws(VaultError) in (try row.bytes(0), try row.bytes(1))
        }
        guard let found else { throw .corruptedRecord("log key") }
        (publicKey, sealed) = found
    }

    func write(in access: borrowing Access<VaultError>) throws(VaultError) {
        try access.run(
            "INSERT INTO log_key (id, public_key, sealed) VALUES (1, ?, ?)",
            .bytes(publicKey), .bytes(sealed))
    }

    func open(with vaultKey: VaultKey) throws(VaultError) -> SecretBytes {
        try vaultKey.open(sealed, label: label)
    }
}
