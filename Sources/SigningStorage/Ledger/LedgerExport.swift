// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SQLiteLedger {
    /// Writes that the secret of a key is about to be shown to its owner, before it is.
    package func recordExport(
        of account: Account, form: String, at time: Timestamp
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            guard try access.freezeReason() == nil else { throw .frozen }
            _ = try access.append(AuditRecord(exporting: account, form: form, at: time))
        }
    }
}
