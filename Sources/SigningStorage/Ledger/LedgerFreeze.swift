// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
package import SigningFiles

extension SQLiteLedger {
    /// Stops all signing until `thaw`, in every process that uses this ledger.
    package func freeze(_ reason: String, at time: Timestamp) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            _ = try access.append(.freeze(FreezeEntry(reason: Entry.clipped(reason))), at: time)
        }
    }

    /// Records the freeze that the mark file contains and clears the file; does nothing without
    /// one.
    package func recordFreezeMark() throws(LedgerError) {
        let mark = FreezeMark(besideLedger: database.path)
        guard let noted = try mark.read() else { return }
        try freeze(noted.reason, at: noted.time)
        guard mark.clear() else { throw .unavailable("freeze.mark cannot be written") }
    }

    /// Ends the freeze by an entry that the log key signs; false if signing was not frozen.
    ///
    /// If the policy in force demands approvers, they must have approved the end of the newest
    /// freeze.
    @discardableResult
    package func thaw(
        at time: Timestamp, _ consent: ActConsent = .none, signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) -> Bool {
        try recordFreezeMark()
        return try database.write { access throws(LedgerError) in
            guard try access.freezeReason() != nil else { return false }
            let freeze = try access.newestEntry(of: .freeze)?.hash ?? []
            // Without the entry, which an earlier version of this program may have archived, the
            // approval cannot be for this freeze.
            guard !freeze.isEmpty || consent.question == nil else {
                throw .notApproved("the entry of the freeze is not in the record: freeze again")
            }
            let used = try access.use(consent, for: .thaw(freeze: freeze), at: time)
            let thaw = try ThawEntry(freeze, used, after: access.auditHead(), signedBy: key)
            _ = try access.append(.thaw(thaw), at: time)
            return true
        }
    }

    /// The freezes since the last thaw, newest first; empty if signing is not frozen.
    package func freezes() throws(LedgerError) -> [Freeze] {
        try read { access throws(LedgerError) in
            guard try access.freezeReason() != nil else { return [] }
            let thawed = try access.newestEntry(of: .thaw)?.sequence ?? 0
            let hubs = try access.hubs()
            let freezes = try access.newestEntries(
                of: .freeze, after: thawed, countMax: Freeze.countMax)
            return try freezes.map { (entry) throws(LedgerError) in
                let hub = try access.writer(of: entry.sequence)
                return Freeze(
                    entry, by: hub.flatMap { number in hubs.first { $0.number == number }?.name })
            }
        }
    }

    /// The reason that signing is frozen; nil if it is not.
    package func freezeReason() throws(LedgerError) -> String? {
        try database.read { access throws(LedgerError) in try access.freezeReason() }
    }
}

extension Home {
    /// Creates the mark file, for a freeze while the record cannot be written.
    package func prepareFreezeMark() { freezeMark.prepare() }

    /// The path of the mark file.
    package var freezeMarkPath: String { freezeMark.path }

    private var freezeMark: FreezeMark { FreezeMark(besideLedger: ledgerPath) }

    /// Stops all signing in this home until `thaw`.
    ///
    /// Returns nil if the freeze was recorded. If only the mark file could store it, returns the
    /// error of the ledger.
    package func freeze(
        _ reason: String, at time: Timestamp
    ) throws(LedgerError) -> LedgerError? {
        do throws(LedgerError) {
            try SQLiteLedger.openPatiently(self).freeze(reason, at: time)
            return nil
        } catch {
            let mark = FreezeMark.Content(time: time, reason: Entry.clipped(reason))
            guard freezeMark.set(mark) else { throw error }
            return error
        }
    }
}

/// A freeze of signing.
package struct Freeze: Hashable, Sendable {
    /// The hash of the freeze's entry; an approval to end the freeze names this hash.
    package let entryHash: [UInt8]
    package let time: Timestamp
    package let reason: String
    /// The hub that froze signing; nil if the record is not shared.
    package let hub: String?

    /// The maximum number of freezes that are listed.
    package static let countMax = 100

    fileprivate init(_ entry: AuditEntry, by hub: String?) {
        entryHash = entry.hash
        time = entry.time
        reason = if case .freeze(let freeze)? = entry.change { freeze.reason } else { "" }
        self.hub = hub
    }
}

extension Access<LedgerError> {
    /// Throws if signing is frozen, or if a freeze or a policy was recorded since a request was
    /// judged, even if signing was unfrozen or the policy was put back in the meantime.
    func checkUndisturbed(since judged: RecordLength?) throws(LedgerError) {
        guard try freezeReason() == nil else { throw .frozen }
        guard let judged else { return }
        let query = "SELECT kind FROM audit WHERE sequence > ? AND kind IN ('attest', 'freeze') "
        let kind = try first(query + "ORDER BY kind DESC", .integer(judged.entries)) {
            row throws(LedgerError) in try row.text(0)
        }
        guard let kind else { return }
        throw kind == AuditKind.freeze.rawValue ? LedgerError.frozen : .policyChanged
    }

    /// The reason that signing is frozen, from the mark file or the record; nil if it is not
    /// frozen.
    func freezeReason() throws(LedgerError) -> String? {
        if let noted = try FreezeMark(besideLedger: path).read() { return noted.reason }
        return try first("SELECT value FROM meta WHERE name = 'frozen'") {
            row throws(LedgerError) in try row.text(0)
        }
    }
}
