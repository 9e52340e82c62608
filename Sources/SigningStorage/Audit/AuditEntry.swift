// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// One entry of the audit chain.
package struct AuditEntry: Hashable, Sendable {
    /// Its place, counted from 1 without gaps.
    package let sequence: Int64
    /// When it was written; never before the newest intent in front of it.
    package let time: Timestamp
    /// `intent`, `result`, `refusal`, `freeze`, `thaw`, `revoke`, `attest`, `export`,
    /// `broadcast`, `accept`, `repair`, `archive`, `hub`, `approver` or `key`.
    package let kind: String
    /// What happened: JSON without white space, names sorted.
    package let body: String
    /// The hash of the entry in front of it.
    package let previousHash: [UInt8]
    /// SHA-256 of previous hash, sequence (u64, big-endian) and body.
    package let hash: [UInt8]

    /// How many entries are read at once.
    static let batchCount = 256

    var head: AuditHead { AuditHead(sequence: sequence, time: time, hash: hash) }

    /// The end of the chain as it was before this entry; its time is not known.
    var predecessor: AuditHead {
        // A row or a receipt may claim any place.
        let (place, hasOverflown) = sequence.subtractingReportingOverflow(1)
        return AuditHead(
            sequence: hasOverflown ? .min : place, time: AuditHead.empty.time, hash: previousHash)
    }

    /// Whether the hash is right for this place.
    var isIntact: Bool { fits(at: sequence) }

    /// Whether the hash is right for the given place.
    func fits(at sequence: Int64) -> Bool {
        hash == AuditChain.hash(after: previousHash, sequence: sequence, body: Array(body.utf8))
    }

    /// Whether this is the entry after `head`.
    func continues(_ head: AuditHead) -> Bool {
        sequence == head.sequence + 1 && previousHash == head.hash && isIntact
    }
}

extension Access<LedgerError> {
    /// The entries behind a place, oldest first.
    func entries(after sequence: Int64, countMax: Int) throws(LedgerError) -> [AuditEntry] {
        try all(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE sequence > ? ORDER BY sequence LIMIT ?
            """,
            .integer(sequence), .integer(Int64(countMax))
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// The newest entry whose column says that it is of this kind.
    func newestEntry(of kind: AuditKind) throws(LedgerError) -> AuditEntry? {
        try first(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE kind = ? ORDER BY sequence DESC LIMIT 1
            """, .text(kind.rawValue)
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// The newest before a place whose column says that it is of this kind.
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

    /// The newest of a kind behind a place, newest first.
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

    /// Archived entries that stand here as well, oldest first.
    func keptEntries(upTo sequence: Int64) throws(LedgerError) -> [AuditEntry] {
        try all(
            """
            SELECT sequence, time, kind, CAST(body AS BLOB), previous_hash, hash FROM audit
            WHERE sequence <= ? ORDER BY sequence
            """, .integer(sequence)
        ) { row throws(LedgerError) in try row.auditEntry() }
    }

    /// How many entries there are.
    func entryCount() throws(LedgerError) -> Int64 {
        try first("SELECT count(*) FROM audit") { row throws(LedgerError) in
            try row.integer(0)
        } ?? 0
    }

    /// The entries before a place, newest first, that are not archived, with a text in their body.
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
            // Invalid text is repaired here and then does not meet its hash.
            body: String(decoding: try bytes(3), as: UTF8.self),
            previousHash: try bytes(4), hash: try bytes(5))
    }
}
