// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles
package import SigningVault

/// The text of the policy that was put in force last, as stored in the record.
package struct PolicyText: Hashable, Sendable {
    /// The text of the file.
    package let source: [UInt8]
    /// The hash of its rules, 32 bytes.
    package let hash: [UInt8]
    /// The time at which it was put in force.
    package let time: Timestamp
    /// The approvers that the entry demands for the owner's acts.
    package var governance: Governance { entry.governance }
    /// The entry that put it in force.
    let entry: AttestingEntry

    /// The longest text that the record keeps, in bytes; a longer one is in the vault only.
    package static let bytesMax = 512 << 10
}

extension SQLiteLedger {
    /// The policy that was put in force last; nil if there is none, or if its text is not stored.
    ///
    /// Throws if the log key did not sign its entry, or if the entry lacks required approvals.
    package func policyText(signedBy logPublicKey: [UInt8]) throws(LedgerError) -> PolicyText? {
        guard let newest = try newestAttesting() else { return nil }
        let (entry, source, isApproved) = try read { access throws(LedgerError) in
            let entry = try access.entries(after: newest.sequence - 1, countMax: 1).first
            return (
                entry, try access.policySource(of: newest.sequence),
                try entry.map { (entry) throws(LedgerError) in try access.isApproved(entry) }
            )
        }
        guard let entry, let source else { return nil }
        guard newest.isSigned(by: logPublicKey) else {
            throw .corrupt("the policy of entry \(entry.sequence) was not signed by the owner")
        }
        guard isApproved == true else {
            throw .notApproved(
                "entry \(entry.sequence) put a policy in force on another hub "
                    + "without the required approvals")
        }
        return PolicyText(
            source: source, hash: newest.policyHash, time: entry.time, entry: newest)
    }

    /// Stores the text of the vault's policy in the record if it is missing there.
    ///
    /// Older versions did not name it in their entry.
    package func keepText(of policy: AttestedPolicy) throws(LedgerError) {
        guard let newest = try newestAttesting(), newest.policyHash == policy.hash else { return }
        try database.write { access throws(LedgerError) in
            try access.carry(policy.source, of: newest)
        }
    }
}

extension Access<LedgerError> {
    /// The text of the policy that this entry put in force; nil if it is not stored.
    func policySource(of sequence: Int64) throws(LedgerError) -> [UInt8]? {
        let digest = try first(
            "SELECT sha256 FROM policies WHERE sequence = ?", .integer(sequence)
        ) { row throws(LedgerError) in try row.bytes(0) }
        guard let digest else { return try olderText(of: sequence) }
        return try blob(digest)
    }
}

extension Vault {
    /// Puts a policy in force that another hub recorded; needs an unlocked vault.
    package func adopt(_ policy: PolicyText) throws(VaultError) {
        try adopt(
            policy: policy.source, hash: policy.hash, at: policy.time, recordedIn: policy.entry.head
        )
    }
}
