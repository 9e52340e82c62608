// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SQLiteLedger {
    /// Records that the secret of a key is about to be shown to its owner.
    ///
    /// If the policy in force demands approvers, they must have approved this key and form.
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

    /// Records that a key is about to get another name or other tags for rules.
    package func recordChange(
        of account: Account, to name: String, tags: [String], at time: Timestamp
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            _ = try access.append(
                AuditRecord(changing: account, to: name, tags: tags, at: time))
        }
    }
}
