// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
package import SigningFiles
internal import Synchronization

/// The policy in force, which the owner attested with the passphrase.
package struct AttestedPolicy: Hashable, Sendable {
    /// The text of the file.
    package let source: [UInt8]
    /// The hash of its rules, 32 bytes.
    package let hash: [UInt8]
    /// The time at which it was attested.
    package let time: Timestamp
    /// The number of the entry that put the policy in force; 0 in a vault of an old version.
    package let sequence: Int64
    /// The hash of that entry.
    package let entryHash: [UInt8]
    fileprivate(set) var seal: [UInt8]
}

extension Vault {
    /// The policy in force; nil if none was ever attested.
    ///
    /// The policy is not authenticated here. Unlocking checks it, so that keys are never used under
    /// a policy that the owner did not attest.
    package func attestedPolicy() throws(VaultError) -> AttestedPolicy? {
        try database.read { access throws(VaultError) in try access.attestedPolicy() }
    }

    /// Whether the policy in force has this hash; usually answered from memory.
    package func isInForce(policyHash: [UInt8]) throws(VaultError) -> Bool {
        // Values read from the file are current as long as its stamp is unchanged. Whether the file
        // was replaced is checked at the first read of a request, and before a key is used.
        if let stamp = database.stamp {
            let known = state.withLock { $0.stamp == stamp ? $0.content?.content : nil }
            if let known { return known.policy?.hash == policyHash }
        }
        return try database.read { access throws(VaultError) in
            try access.exists("SELECT 1 FROM policy WHERE hash = ?", .bytes(policyHash))
        }
    }

    /// Puts a policy in force after `record` has recorded it; needs an unlocked vault.
    ///
    /// `record` gets the log key and returns the entry. Other writers of the vault wait until both
    /// are done, so that of two policies the one that was recorded last is in force. After a crash
    /// between record and vault, keys cannot be used until a policy is attested again.
    package func attest(
        policy source: [UInt8], hash: [UInt8], at time: Timestamp,
        recording record: (borrowing Ed25519Key) throws(LedgerError) -> AuditHead
    ) throws(AttestingError) {
        var failure: LedgerError?
        do throws(VaultError) {
            let vaultKey = try openVaultKey()
            let logKey = try openLogKey()
            try change(.policy, with: vaultKey, replaces: true) { access throws(VaultError) in
                let entry: AuditHead
                do throws(LedgerError) { entry = try record(logKey) } catch {
                    failure = error
                    throw .storage("the ledger does not accept the entry")
                }
                try access.write(AttestedPolicy(source, hash, time, entry, sealedBy: vaultKey))
            }
        } catch {
            throw failure.map { .ledger($0) } ?? .vault(error)
        }
    }

    /// Puts a policy in force that this entry recorded; needs an unlocked vault.
    package func adopt(
        policy source: [UInt8], hash: [UInt8], at time: Timestamp, recordedIn entry: AuditHead
    ) throws(VaultError) {
        let vaultKey = try openVaultKey()
        try change(.policy, with: vaultKey, replaces: true) { access throws(VaultError) in
            try access.write(AttestedPolicy(source, hash, time, entry, sealedBy: vaultKey))
        }
    }

    /// Adds to the stored policy the entry that put it in force, in a vault of a version that did
    /// not store the entry.
    package func bind(_ policy: AttestedPolicy, to entry: AuditHead) throws(VaultError) {
        let vaultKey = try openVaultKey()
        try change(.policy, with: vaultKey) { access throws(VaultError) in
            guard try access.attestedPolicy() == policy else { return }
            try access.write(
                AttestedPolicy(policy.source, policy.hash, policy.time, entry, sealedBy: vaultKey))
        }
    }
}

/// An error in putting a policy in force.
package enum AttestingError: Error, Hashable, Sendable {
    /// The vault is locked, or could not be written.
    case vault(VaultError)
    /// The ledger could not be written.
    case ledger(LedgerError)
}

extension AttestedPolicy {
    init(
        _ source: [UInt8], _ hash: [UInt8], _ time: Timestamp, _ entry: AuditHead,
        sealedBy vaultKey: VaultKey
    ) {
        self.init(
            source: source, hash: hash, time: time, sequence: entry.sequence,
            entryHash: entry.hash, seal: [])
        seal = vaultKey.authenticationCode(of: self)
    }

    /// Throws if the policy was not sealed with this vault key.
    func check(with vaultKey: VaultKey) throws(VaultError) {
        let expected = vaultKey.authenticationCode(of: self)
        guard ConstantTime.isEqual(seal.span, expected.span) else {
            throw .corruptedRecord(VaultPart.policy.rawValue)
        }
    }

    /// The encoding of the policy that is sealed; without an entry, the same as in versions that
    /// did not store the entry.
    var message: [UInt8] {
        var message: [UInt8] = []
        message.append(lengthPrefixed: source)
        message.append(lengthPrefixed: hash)
        message.append(bigEndian: UInt64(bitPattern: time.seconds))
        guard sequence != 0 else { return message }
        message.append(bigEndian: UInt64(bitPattern: sequence))
        message.append(lengthPrefixed: entryHash)
        return message
    }
}

extension VaultKey {
    fileprivate func authenticationCode(of policy: AttestedPolicy) -> [UInt8] {
        let version = policy.sequence == 0 ? 1 : 2
        let key = secret.derivedKey(for: "countersign policy v\(version)")
        return key.withSpan { Digest.hmacSHA256(key: $0, policy.message.span) }
    }
}

extension Access<VaultError> {
    /// The policy in the file, not authenticated; nil if there is none.
    package func attestedPolicy() throws(VaultError) -> AttestedPolicy? {
        try first(
            "SELECT source, hash, time, sequence, entry_hash, seal FROM policy WHERE id = 1"
        ) { row throws(VaultError) in
            AttestedPolicy(
                source: try row.bytes(0), hash: try row.bytes(1),
                time: Timestamp(seconds: try row.integer(2)), sequence: try row.integer(3),
                entryHash: try row.bytes(4), seal: try row.bytes(5))
        }
    }

    func write(_ policy: AttestedPolicy) throws(VaultError) {
        try run(
            """
            INSERT OR REPLACE INTO policy (id, source, hash, time, sequence, entry_hash, seal)
            VALUES (1, ?, ?, ?, ?, ?, ?)
            """,
            .bytes(policy.source), .bytes(policy.hash), .integer(policy.time.seconds),
            .integer(policy.sequence), .bytes(policy.entryHash), .bytes(policy.seal))
    }
}
