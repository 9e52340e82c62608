// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SQLiteLedger {
    /// Writes that the secret of a key is about to be shown to its owner, before it is; where the
    /// policy in force wants it approved, by the yes of several people to this key and form.
    package func recordExport(
        of account: Account, form: String, at time: Timestamp, _ consent: ActConsent = .none
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            guard try access.freezeReason() == nil else { throw .frozen }
            let act = GovernedAct.export(account.id, form: form)
            let used = try access.use(consent, for: act, at: time)
            let record = AuditRecord(exporting: account, form: form, at: time)
            _ = try access.append(record.approved(used))
        }
    }

    /// Writes that rules are about to see another name or other groups of a key, before they do.
    package func recordChange(
        of account: Account, to name: String, tags: [String], at time: Timestamp
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            _ = try access.append(
                AuditRecord(changing: account, to: name, tags: tags, at: time))
        }
    }
}
