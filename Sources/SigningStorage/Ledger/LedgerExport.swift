// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

extension SQLiteLedger {
    /// Records the export of a secret key; call this method before the owner sees the secret.
    ///
    /// If the policy in force demands approvers, they must have approved the export of this key in
    /// this form.
    package func recordExport(
        of account: Account, form: String, at time: Timestamp, _ consent: ActConsent = .none
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            guard try access.freezeReason() == nil else { throw .frozen }
            let act = GovernedAct.export(account.id, form: form)
            let used = try access.use(consent, for: act, at: time)
            let export = ExportEntry(
                key: account.id, name: account.name, form: form, approval: used)
            _ = try access.append(.export(export), at: time)
        }
    }

    /// Records the new name and tags of a key; call this method before they are changed.
    ///
    /// `consent` is that to tags by which other rules apply to the key; nil if none do.
    package func recordChange(
        of account: Account, to name: String, tags: [String], at time: Timestamp,
        _ consent: ActConsent? = nil
    ) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            let act = GovernedAct.tags(account.id, from: account.tags, to: tags)
            var used: ApprovalEntry?
            if let consent { used = try access.use(consent, for: act, at: time) }
            let change = KeyEntry(
                key: account.id, name: name, tags: tags, oldName: account.name,
                oldTags: account.tags, approval: used)
            _ = try access.append(.key(change), at: time)
        }
    }
}
