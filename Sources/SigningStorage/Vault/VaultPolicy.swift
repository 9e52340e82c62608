// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import Synchronization

/// The policy in force, as its owner attested it with the passphrase.
package struct AttestedPolicy: Hashable, Sendable {
    /// The text of the file.
    package let source: [UInt8]
    /// The hash of its rules, 32 bytes.
    package let hash: [UInt8]
    /// When it was attested.
    package let time: Timestamp
    /// The entry of the audit chain that put it in force; 0 where none was named yet.
    let sequence: Int64
    /// That entry's hash.
    let entryHash: [UInt8]
    fileprivate(set) var seal: [UInt8]
}

extension Vault {
    /// The policy in force; nil where none was ever attested.
    ///
    /// While the vault is locked nothing vouches for it. Unlocking checks it, so that no key is
    /// used by the word of a policy that somebody else put there.
    package func attestedPolicy() throws(VaultError) -> AttestedPolicy? {
        try database.read { access throws(VaultError) in try access.attestedPolicy() }
    }

    /// Whether the policy in force is still the one of this hash; cheap.
    package func isInForce(policyHash: [UInt8]) throws(VaultError) -> Bool {
        // What was told of the file is true of it as long as its stamp is the same. Whether it is
        // in its place is looked at with the request's first look, and before a key is used.
        if let stamp = database.stamp {
            let known = state.withLock { $0.stamp == stamp ? $0.content?.content : nil }
            if let known { return known.policy?.hash == policyHash }
        }
        return try database.read { access throws(VaultError) in
            try access.exists("SELECT 1 FROM policy WHERE hash = ?", .bytes(policyHash))
        }
    }

    /// Puts a policy in force, on record first; needs an unlocked vault.
    ///
    /// The file of the vault is kept from other writers meanwhile, so that of two policies the
    /// one on record last is the one in force. A crash between record and vault keeps keys shut
    /// until a policy is attested again. `governance` is what the policy says of its owner's acts,
    /// `consent` by what this one is done.
    package func attest(
        policy source: [UInt8], hash: [UInt8], demanding governance: Governance = .none,
        at time: Timestamp, _ consent: ActConsent = .none, in ledger: SQLiteLedger
    ) throws(AttestingError) {
        var failure: LedgerError?
        do throws(VaultError) {
            let vaultKey = try openVaultKey()
            let logKey = try openLogKey()
            try change(.policy, with: vaultKey, replaces: true) { access throws(VaultError) in
                let entry: AuditHead
                do throws(LedgerError) {
                    entry = try ledger.recordAttesting(
                        policyHash: hash, demanding: governance, source: source, at: time,
                        consent, signedBy: logKey)
                } catch {
                    failure = error
                    throw .storage("the ledger does not take the record")
                }
                try access.write(
                    AttestedPolicy(
                        source: source, hash: hash, time: time, sequence: entry.sequence,
                        entryHash: entry.hash, sealedBy: vaultKey))
            }
        } catch {
            throw failure.map { .ledger($0) } ?? .vault(error)
        }
    }

    /// Names the entry that put the policy in force, in a vault from before it was named.
    func bind(
        _ policy: AttestedPolicy, to entry: AttestingEntry
    ) throws(VaultError) {
        let vaultKey = try openVaultKey()
        try change(.policy, with: vaultKey) { access throws(VaultError) in
            guard try access.attestedPolicy() == policy else { return }
            try access.write(
                AttestedPolicy(
                    source: policy.source, hash: policy.hash, time: policy.time,
                    sequence: entry.sequence, entryHash: entry.entryHash, sealedBy: vaultKey))
        }
    }
}

/// Why a policy was not put in force.
package enum AttestingError: Error, Hashable, Sendable {
    /// The vault is locked, or could not be written.
    case vault(VaultError)
    /// The ledger could not be written.
    case ledger(LedgerError)
}

extension AttestedPolicy {
    init(
        source: [UInt8], hash: [UInt8], time: Timestamp, sequence: Int64, entryHash: [UInt8],
        sealedBy vaultKey: VaultKey
    ) {
        self.init(
            source: source, hash: hash, time: time, sequence: sequence, entryHash: entryHash,
            seal: [])
        seal = vaultKey.authenticationCode(of: self)
    }

    /// Refuses a policy that is not what the owner of this key attested.
    func check(with vaultKey: VaultKey) throws(VaultError) {
        let expected = vaultKey.authenticationCode(of: self)
        guard ConstantTime.isEqual(seal.span, expected.span) else {
            throw .corruptedRecord(VaultPart.policy.rawValue)
        }
    }

    /// Everything it says; policies that name no entry say what they always did.
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
    func attestedPolicy() throws(VaultError) -> AttestedPolicy? {
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
