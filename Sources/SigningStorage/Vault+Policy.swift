// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import SigningCrypto

/// The policy in force, as its owner attested it with the passphrase.
public struct AttestedPolicy: Hashable, Sendable {
    /// The text of the file.
    public let source: [UInt8]
    /// The hash of its rules, 32 bytes.
    public let hash: [UInt8]
    /// When it was attested.
    public let time: Timestamp
    let seal: [UInt8]
}

extension Vault {
    /// The policy in force; nil where none was ever attested.
    ///
    /// While the vault is locked nothing vouches for it. Unlocking checks it, so that no key is
    /// used by the word of a policy that somebody else put there.
    public func attestedPolicy() throws(VaultError) -> AttestedPolicy? {
        try database.read { access throws(VaultError) in try access.attestedPolicy() }
    }

    /// Whether the policy in force is still the one of this hash; cheap.
    public func isInForce(policyHash: [UInt8]) throws(VaultError) -> Bool {
        try database.read { access throws(VaultError) in
            try access.exists("SELECT 1 FROM policy WHERE hash = ?", .bytes(policyHash))
        }
    }

    /// Puts a policy in force; needs an unlocked vault.
    public func attest(
        policy source: [UInt8], hash: [UInt8], at time: Timestamp
    ) throws(VaultError) {
        let vaultKey = try openVaultKey()
        let seal = vaultKey.authenticationCode(ofPolicy: source, hash: hash, at: time)
        try database.write { access throws(VaultError) in
            try access.run(
                """
                INSERT OR REPLACE INTO policy (id, source, hash, time, seal)
                VALUES (1, ?, ?, ?, ?)
                """,
                .bytes(source), .bytes(hash), .integer(time.seconds), .bytes(seal))
        }
    }
}

extension AttestedPolicy {
    /// Refuses a policy that is not what the owner of this key attested.
    func check(with vaultKey: VaultKey) throws(VaultError) {
        let expected = vaultKey.authenticationCode(ofPolicy: source, hash: hash, at: time)
        guard ConstantTime.isEqual(seal.span, expected.span) else {
            throw .corruptedRecord("attested policy")
        }
    }
}

extension VaultKey {
    fileprivate func authenticationCode(
        ofPolicy source: [UInt8], hash: [UInt8], at time: Timestamp
    ) -> [UInt8] {
        var message: [UInt8] = []
        message.append(lengthPrefixed: source)
        message.append(lengthPrefixed: hash)
        message.append(bigEndian: UInt64(bitPattern: time.seconds))
        let key = secret.derivedKey(for: "countersign policy v1")
        return key.withSpan { Digest.hmacSHA256(key: $0, message.span) }
    }
}

extension Access<VaultError> {
    func attestedPolicy() throws(VaultError) -> AttestedPolicy? {
        try first("SELECT source, hash, time, seal FROM policy WHERE id = 1") {
            row throws(VaultError) in
            AttestedPolicy(
                source: try row.bytes(0), hash: try row.bytes(1),
                time: Timestamp(seconds: try row.integer(2)), seal: try row.bytes(3))
        }
    }
}
