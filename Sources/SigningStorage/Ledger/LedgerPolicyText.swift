// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles
package import SigningVault

/// The text of a policy that was put in force, as stored in the record for other hubs.
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

    /// The longest text that is passed to other hubs, in bytes.
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
    /// Versions that did not store texts in the record left it out.
    package func keepText(of policy: AttestedPolicy) throws(LedgerError) {
        guard let newest = try newestAttesting(), newest.policyHash == policy.hash else { return }
        try database.write { access throws(LedgerError) in
            guard try access.policySource(of: newest.sequence) == nil else { return }
            try access.keep(policySource: policy.source, of: newest.sequence)
        }
    }
}

extension Access<LedgerError> {
    /// Stores the text of the policy that an entry put in force, in place of the previous text.
    func keep(policySource: [UInt8], of sequence: Int64) throws(LedgerError) {
        guard policySource.count <= PolicyText.bytesMax else {
            // A longer text is stored in the vault only; a shared record does not accept it.
            return try run("DELETE FROM policy_text")
        }
        try run(
            "INSERT OR REPLACE INTO policy_text (id, sequence, source) VALUES (1, ?, ?)",
            .integer(sequence), .bytes(policySource))
    }

    fileprivate func policySource(of sequence: Int64) throws(LedgerError) -> [UInt8]? {
        try first("SELECT source FROM policy_text WHERE sequence = ?", .integer(sequence)) {
            row throws(LedgerError) in try row.bytes(0)
        }
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
