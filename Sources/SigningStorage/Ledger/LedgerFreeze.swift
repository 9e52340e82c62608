// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore

extension SQLiteLedger {
    /// Stops all signing until `thaw`, in every process that uses this ledger.
    package func freeze(_ reason: String, at time: Timestamp) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            _ = try access.append(AuditRecord(freezing: reason, at: time))
            try access.run(
                "INSERT OR REPLACE INTO meta (name, value) VALUES ('frozen', ?)",
                .text(AuditRecord.clipped(reason)))
        }
    }

    /// Puts a freeze that was noted beside the record on record, where there is one.
    package func recordFreezeMark() throws(LedgerError) {
        let mark = FreezeMark(besideLedger: database.path)
        guard let noted = try mark.read() else { return }
        try freeze(noted.reason, at: noted.time)
        guard mark.clear() else { throw .unavailable("freeze.mark cannot be written") }
    }

    /// Lets signing go on, where the policy in force wants it approved by the yes of several
    /// people to the end of the newest freeze; false where nothing was frozen.
    @discardableResult
    package func thaw(
        at time: Timestamp, _ consent: ActConsent = .none
    ) throws(LedgerError) -> Bool {
        try recordFreezeMark()
        return try database.write { access throws(LedgerError) in
            guard try access.freezeReason() != nil else { return false }
            let freeze = try access.newestEntry(of: .freeze)?.hash ?? []
            // An earlier version archived it.
            guard !freeze.isEmpty || consent.question == nil else {
                throw .notApproved("the entry of the freeze is not in the record: freeze again")
            }
            let used = try access.use(consent, for: .thaw(freeze: freeze), at: time)
            let record = AuditRecord(thawing: used == nil ? nil : freeze, at: time)
            _ = try access.append(record.approved(used))
            try access.run("DELETE FROM meta WHERE name = 'frozen'")
            return true
        }
    }

    /// The freezes since signing went on last, newest first; none where nothing is frozen.
    package func freezes() throws(LedgerError) -> [Freeze] {
        try read { access throws(LedgerError) in
            guard try access.freezeReason() != nil else { return [] }
            let thawed = try access.newestEntry(of: .thaw)?.sequence ?? 0
            let hubs = try access.hubs()
            return try access.freezes(after: thawed).map { (entry) throws(LedgerError) in
                let hub = try access.writer(of: entry.sequence)
                return Freeze(
                    entry, by: hub.flatMap { number in hubs.first { $0.number == number }?.name })
            }
        }
    }

    /// Why signing is stopped; nil where it is not.
    package func freezeReason() throws(LedgerError) -> String? {
        try database.read { access throws(LedgerError) in try access.freezeReason() }
    }
}

extension Home {
    /// Makes room for a freeze that the record has no room for.
    package func prepareFreezeMark() { freezeMark.prepare() }

    /// The file that a freeze is noted in.
    var freezeMarkPath: String { freezeMark.path }

    private var freezeMark: FreezeMark { FreezeMark(besideLedger: ledgerPath) }

    /// Stops all signing in this home until `thaw`; nil where the freeze is on record, else why it
    /// is only noted beside the record.
    package func freeze(
        _ reason: String, at time: Timestamp
    ) throws(LedgerError) -> LedgerError? {
        do throws(LedgerError) {
            try SQLiteLedger.openPatiently(self).freeze(reason, at: time)
            return nil
        } catch {
            let noted = FreezeMark.Content(time: time, reason: AuditRecord.clipped(reason))
            guard freezeMark.set(noted) else { throw error }
            return error
        }
    }
}

/// One time that signing was stopped.
package struct Freeze: Hashable, Sendable {
    /// By which its end is asked for.
    package let entryHash: [UInt8]
    package let time: Timestamp
    package let reason: String
    /// The hub that did it; nil where the record is one machine's alone.
    package let hub: String?

    /// The most that are told of.
    package static let countMax = 100

    fileprivate init(_ entry: AuditEntry, by hub: String?) {
        entryHash = entry.hash
        time = entry.time
        let body = try? JSON.parse(Array(entry.body.utf8).span)
        reason = body?["reason"]?.text ?? ""
        self.hub = hub
    }
}

extension Access<LedgerError> {
    fileprivate func freezes(after sequence: Int64) throws(LedgerError) -> [AuditEntry] {
        try newestEntries(of: .freeze, after: sequence, countMax: Freeze.countMax)
    }

    /// Refuses while signing is stopped, and where it was stopped, or a policy put in force, since
    /// a request was judged: also where that was undone by now.
    func checkUndisturbed(since judged: RecordLength?) throws(LedgerError) {
        guard try freezeReason() == nil else { throw .frozen }
        guard let judged else { return }
        let kind = try first(
            "SELECT max(kind) FROM audit WHERE sequence > ? AND kind IN ('attest', 'freeze')",
            .integer(judged.entries)
        ) { row throws(LedgerError) in try row.optionalText(0) }
        guard let kind = kind ?? nil else { return }
        throw kind == AuditKind.freeze.rawValue ? LedgerError.frozen : .policyChanged
    }

    /// Why signing is stopped, by the record or by the mark beside it; nil where it is not.
    func freezeReason() throws(LedgerError) -> String? {
        if let noted = try FreezeMark(besideLedger: path).read() { return noted.reason }
        let query = "SELECT value FROM meta WHERE name = 'frozen'"
        return try first(query) { row throws(LedgerError) in try row.text(0) }
    }
}
