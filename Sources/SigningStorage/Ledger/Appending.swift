// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension Access<LedgerError> {
    /// The last entry of the audit chain.
    func auditHead() throws(LedgerError) -> AuditHead {
        let last = try first(
            "SELECT sequence, time, hash FROM audit ORDER BY sequence DESC LIMIT 1"
        ) { row throws(LedgerError) in
            AuditHead(
                sequence: try row.integer(0), time: Timestamp(seconds: try row.integer(1)),
                hash: try row.bytes(2))
        }
        guard let last else { return .empty }
        guard last.sequence > 0 else { throw .corrupt("the audit chain does not begin with 1") }
        // The numbers of later entries are computed from this one and must not overflow.
        guard last.sequence < .max else { throw .corrupt("the audit chain cannot grow") }
        return last
    }

    /// Appends an entry to the chain and makes the changes that it stands for.
    ///
    /// The entry's time is never before `timeFloor`. Otherwise a limit could be used again after
    /// the clock was set back.
    func append(
        _ entry: Entry, at clock: Timestamp, _ bytes: NamedBytes = .none
    ) throws(LedgerError) -> AuditHead {
        try append(EntryDraft(entry, at: clock), at: max(clock, timeFloor()), bytes)
    }

    /// Appends an entry with exactly this time to the chain, even if it is before `timeFloor`.
    ///
    /// `used` is the used amount of each claim's counter before an intent.
    func append(
        _ draft: EntryDraft, at time: Timestamp, used: [Int128] = [],
        _ bytes: NamedBytes = .none
    ) throws(LedgerError) -> AuditHead {
        let head = try auditHead()
        let sequence = head.sequence + 1
        let body = draft.body(at: time, used: used)
        let entry = AuditEntry(
            sequence: sequence, time: time, kind: draft.entry.kind.rawValue,
            body: String(decoding: body, as: UTF8.self), previousHash: head.hash,
            hash: AuditChain.hash(after: head.hash, sequence: sequence, body: body))
        try insert(entry)
        try Index(of: self).apply(draft.entry, at: entry.head, bytes)
        return entry.head
    }

    /// Stores an entry, and nothing that it stands for.
    func insert(_ entry: AuditEntry) throws(LedgerError) {
        try run(
            """
            INSERT INTO audit (sequence, time, kind, body, previous_hash, hash)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            .integer(entry.sequence), .integer(entry.time.seconds), .text(entry.kind),
            .text(entry.body), .bytes(entry.previousHash), .bytes(entry.hash))
    }
}
