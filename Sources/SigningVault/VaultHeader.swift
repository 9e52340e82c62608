// SPDX-License-Identifier: Apache-2.0

internal import SigningCrypto
internal import SigningFiles

/// The vault key as stored in the file, encrypted with a key derived from the passphrase.
struct VaultHeader: Sendable {
    let salt: [UInt8]
    let parameters: Argon2Parameters
    let sealed: [UInt8]
    /// A checksum to tell a damaged file from a wrong passphrase; it does not protect from
    /// tampering.
    let checksum: [UInt8]

    /// Encrypts a vault key with the passphrase and a new salt.
    init(
        sealing key: VaultKey, passphrase: borrowing SecretBytes, parameters: Argon2Parameters
    ) throws(VaultError) {
        guard parameters.isSupported else {
            throw .storage("the cost parameters of the passphrase are outside the accepted range")
        }
        salt = PasswordHash.makeSalt()
        self.parameters = parameters
        let label = RecordLabel(salt: salt, parameters: parameters)
        let wrapping = try Self.wrappingKey(passphrase, salt: salt, parameters: parameters)
        sealed = try wrapping.seal(key.secret, label: label)
        checksum = Self.checksum(of: sealed, label: label)
    }

    /// Reads the header from the file.
    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        let header = try access.first(
            "SELECT salt, memory_kib, passes, sealed, checksum FROM vault_key"
        ) { row throws(VaultError) in
            VaultHeader(
                salt: try row.bytes(0),
                parameters: Argon2Parameters(
                    memoryKiB: Int(try row.integer(1)), passes: Int(try row.integer(2))),
                sealed: try row.bytes(3), checksum: try row.bytes(4))
        }
        guard let header else { throw .corruptedRecord(Self.name) }
        self = header
    }

    /// Writes the header in place of the old one.
    func write(in access: borrowing Access<VaultError>) throws(VaultError) {
        try access.run(
            """
            INSERT OR REPLACE INTO vault_key (id, salt, memory_kib, passes, sealed, checksum)
            VALUES (1, ?, ?, ?, ?, ?)
            """,
            .bytes(salt), .integer(Int64(parameters.memoryKiB)),
            .integer(Int64(parameters.passes)), .bytes(sealed), .bytes(checksum))
    }

    /// The encoding of the header for the digest in the vault state.
    var message: [UInt8] { RecordLabel(salt: salt, parameters: parameters).bytes + sealed }

    /// Decrypts the vault key; slow by design.
    func open(passphrase: borrowing SecretBytes) throws(VaultError) -> VaultKey {
        let label = RecordLabel(salt: salt, parameters: parameters)
        // Parameters that this program never writes, such as weak ones, count as damage of the
        // file.
        guard parameters.isSupported, checksum == Self.checksum(of: sealed, label: label) else {
            throw .corruptedRecord(Self.name)
        }
        let wrapping = try Self.wrappingKey(passphrase, salt: salt, parameters: parameters)
        do throws(VaultError) {
            return VaultKey(try wrapping.open(sealed, label: label))
        } catch .corruptedRecord {
            throw .wrongPassphrase
        }
    }

    private init(
        salt: [UInt8], parameters: Argon2Parameters, sealed: [UInt8], checksum: [UInt8]
    ) {
        self.salt = salt
        self.parameters = parameters
        self.sealed = sealed
        self.checksum = checksum
    }

    private static let name = "vault key"

    private static func wrappingKey(
        _ passphrase: borrowing SecretBytes, salt: [UInt8], parameters: Argon2Parameters
    ) throws(VaultError) -> VaultKey {
        do throws(CryptoError) {
            return VaultKey(
                try PasswordHash.argon2id(
                    passphrase: passphrase, salt: salt.span, parameters: parameters))
        } catch {
            throw VaultError(opening: name, error)
        }
    }

    private static func checksum(of sealed: [UInt8], label: RecordLabel) -> [UInt8] {
        Digest.sha256((label.bytes + sealed).span)
    }
}
