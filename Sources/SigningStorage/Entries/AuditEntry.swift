// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// One entry of the audit chain.
package struct AuditEntry: Hashable, Sendable {
    /// The entry's number, counted from 1 without gaps.
    package let sequence: Int64
    /// The time of writing; never earlier than the time of the newest intent before this entry.
    package let time: Timestamp
    /// `intent`, `result`, `refusal`, `freeze`, `thaw`, `revoke`, `attest`, `export`,
    /// `broadcast`, `accept`, `repair`, `archive`, `hub`, `approver`, `key` or `carry`.
    package let kind: String
    /// The content: JSON without white space, names sorted.
    package let body: String
    /// The hash of the previous entry.
    package let previousHash: [UInt8]
    /// SHA-256 of previous hash, sequence (u64, big-endian) and body.
    package let hash: [UInt8]

    /// The maximum number of entries that one query reads when the whole chain is read.
    static let batchCount = 256

    var head: AuditHead { AuditHead(sequence: sequence, time: time, hash: hash) }

    /// The number and the hash of the previous entry; its time is unknown.
    var predecessor: AuditHead {
        // A row or a receipt may contain any number.
        let (place, hasOverflown) = sequence.subtractingReportingOverflow(1)
        return AuditHead(
            sequence: hasOverflown ? .min : place, time: AuditHead.empty.time, hash: previousHash)
    }

    /// True if the hash is correct for the entry's number.
    var isIntact: Bool { fits(at: sequence) }

    /// Whether the hash is correct for the given number.
    func fits(at sequence: Int64) -> Bool {
        hash == AuditChain.hash(after: previousHash, sequence: sequence, body: Array(body.utf8))
    }

    /// The decoded body; nil if it is not exactly the encoding of an entry.
    var content: EntryBody? { try? EntryBody(Array(body.utf8)) }

    /// The decoded body; nil also if its kind or its time differs from the columns.
    ///
    /// The hash does not cover the columns, which limits and archives use.
    var statedContent: EntryBody? {
        guard let content, content.entry.kind.rawValue == kind, content.time == time else {
            return nil
        }
        return content
    }

    /// The change that the body states; the columns do not matter.
    var change: Entry? { content?.entry }

    /// True if this entry follows `head`.
    func continues(_ head: AuditHead) -> Bool {
        sequence == head.sequence + 1 && previousHash == head.hash && isIntact
    }
}

extension Access<LedgerError> {
    /// The entries after a number, oldest first.
    func entries(after sequence: Int64, countMax: Int) throws(LedgerError) -> [AuditEntry] {
        try all(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE sequence > ? ORDER BY sequence LIMIT ?
            """,
            .integer(sequence), .integer(Int64(countMax))
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// The entries of a kind after a number, up to another, oldest first.
    func entries(
        of kind: AuditKind, after sequence: Int64, upTo last: Int64
    ) throws(LedgerError) -> [AuditEntry] {
        try all(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE sequence > ? AND sequence <= ? AND kind = ? ORDER BY sequence
            """,
            .integer(sequence), .integer(last), .text(kind.rawValue)
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// The newest entry whose kind column has this value.
    func newestEntry(of kind: AuditKind) throws(LedgerError) -> AuditEntry? {
        try first(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE kind = ? ORDER BY sequence DESC LIMIT 1
            """, .text(kind.rawValue)
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// The newest entry before a number whose kind column has this value.
    func newestEntry(
        of kind: AuditKind, before sequence: Int64
    ) throws(LedgerError) -> AuditEntry? {
        try first(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE kind = ? AND sequence < ? ORDER BY sequence DESC LIMIT 1
            """, .text(kind.rawValue), .integer(sequence)
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// The entries of a kind after a number, newest first.
    func newestEntries(
        of kind: AuditKind, after sequence: Int64, countMax: Int
    ) throws(LedgerError) -> [AuditEntry] {
        try all(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE kind = ? AND sequence > ? ORDER BY sequence DESC LIMIT ?
            """, .text(kind.rawValue), .integer(sequence), .integer(Int64(countMax))
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// The entries up to a number that the ledger still contains although they are archived, oldest
    /// first.
    func keptEntries(upTo sequence: Int64) throws(LedgerError) -> [AuditEntry] {
        try all(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE sequence <= ? ORDER BY sequence
            """, .integer(sequence)
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// The entry of an intent without a result; nil if the ledger does not contain it.
    func intentEntry(_ id: [UInt8]) throws(LedgerError) -> IntentEntry? {
        let entry = try first(
            """
            SELECT sequence, audit.time, kind, CAST(body AS BLOB), previous_hash, hash
            FROM audit JOIN open_intents USING (sequence) WHERE id = ?
            """, .bytes(id)
        ) { row throws(LedgerError) in try row.auditEntry() }
        guard let entry else { return nil }
        guard case .intent(let intent)? = entry.change else {
            throw .corrupt("the entry of an intent has an unknown form")
        }
        return intent
    }

    /// The number of entries in the ledger.
    func entryCount() throws(LedgerError) -> Int64 {
        try first("SELECT count(*) FROM audit") { row throws(LedgerError) in
            try row.integer(0)
        } ?? 0
    }

    /// The entries before a sequence number whose body contains a text, newest first.
    ///
    /// Leaves out archived entries. An empty text selects all entries.
    func entries(
        before sequence: Int64, countMax: Int, containing text: String = ""
    ) throws(LedgerError) -> [AuditEntry] {
        try all(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE sequence < ? AND sequence > (SELECT ifnull(max(last), 0) FROM segments)
            AND (? = '' OR instr(body, ?))
            ORDER BY sequence DESC LIMIT ?
            """,
            .integer(sequence), .text(text), .text(text), .integer(Int64(countMax))
        ) { row throws(LedgerError) in try row.auditEntry() }
    }
}

extension Row<LedgerError> {
    func auditEntry() throws(LedgerError) -> AuditEntry {
        AuditEntry(
            sequence: try integer(0), time: Timestamp(seconds: try integer(1)),
            kind: try text(2),
            // Invalid UTF-8 is replaced, so the hash of such an entry does not match.
            body: String(decoding: try bytes(3), as: UTF8.self),
            previousHash: try bytes(4), hash: try bytes(5))
    }
}
