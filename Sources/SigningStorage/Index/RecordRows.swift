// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles

/// The policy in force, the clock, hubs, approver keys and archived segments.
extension Index {
    func apply(_ attest: AttestEntry, at head: AuditHead) throws(LedgerError) {
        try mark(attest.policyHash, at: head.sequence)
        if let digest = attest.textDigest { try insert(text: digest, of: head.sequence) }
    }

    func apply(_ repair: RepairEntry, at head: AuditHead) throws(LedgerError) {
        if repair.part == RepairEntry.clock { try repairClock(at: head) }
        for digest in repair.lostTexts { try lose(digest) }
    }

    func insert(text digest: [UInt8], of sequence: Int64) throws(LedgerError) {
        // A replay after a missing archive file has the row already.
        try access.run(
            "INSERT OR REPLACE INTO policies (sequence, sha256) VALUES (?, ?)",
            .integer(sequence), .bytes(digest))
    }

    /// Stores the mark of the policy in force.
    func mark(_ policyHash: [UInt8], at sequence: Int64) throws(LedgerError) {
        try set("policy", to: "\(sequence) \(Hex.encode(policyHash.span))")
    }

    /// Sets the time floor back to that of a repair's entry; uses with a later time still count,
    /// from then on.
    func repairClock(at head: AuditHead) throws(LedgerError) {
        try setFloor(to: head.time)
        for table in ["uses", "open_intents"] {
            try access.run(
                "UPDATE \(table) SET time = ? WHERE time > ? AND sequence < ?",
                .integer(head.time.seconds), .integer(head.time.seconds), .integer(head.sequence))
        }
    }

    /// Stores the earliest time that new entries can have.
    func setFloor(to time: Timestamp) throws(LedgerError) {
        // Many intents have the second of the one before: these change no page.
        try access.run(
            """
            INSERT INTO meta (name, value) VALUES ('floor', ?)
            ON CONFLICT (name) DO UPDATE SET value = excluded.value WHERE value <> excluded.value
            """, .text(String(time.seconds)))
    }

    func apply(_ hub: HubEntry, at head: AuditHead) throws(LedgerError) {
        switch hub.change {
        case .share, .join, .invite:
            try access.run(
                """
                INSERT INTO hubs (number, name, public_key, joined, answers_only)
                VALUES (?, ?, ?, ?, ?)
                """,
                .integer(Int64(hub.number)), .text(hub.name), .bytes(hub.publicKey),
                .integer(head.sequence), .integer(hub.change == .invite ? 1 : 0))
            // A record that is shared anew continues here.
            if hub.change == .share { try clear("moved") }
        case .retire:
            try access.run(
                "UPDATE hubs SET retired = ? WHERE number = ?", .integer(head.time.seconds),
                .integer(Int64(hub.number)))
        case .move:
            try access.run(
                "UPDATE hubs SET retired = ? WHERE retired IS NULL", .integer(head.time.seconds))
            try set("moved", to: String(hub.number))
        case .acceptLoss, .snapshot, .cut: break
        }
    }

    func apply(_ approver: ApproverEntry, at head: AuditHead) throws(LedgerError) {
        switch approver {
        case .retires(let key):
            try access.run(
                "INSERT INTO retired_approvers (public_key, time) VALUES (?, ?)", .bytes(key),
                .integer(head.time.seconds))
        case .holds(let keys):
            let all = try access.ownApprovers().union(keys).map(\.hexText).sorted()
            try set("own approvers", to: all.joined(separator: " "))
        }
    }

    func insert(_ segment: ArchivedSegment) throws(LedgerError) {
        try access.run(
            """
            INSERT INTO segments
                (number, first, last, head_hash, folded, bytes, sha256, signature, state)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .integer(segment.number), .integer(segment.first), .integer(segment.last),
            .bytes(segment.headHash), .integer(segment.foldedSequence),
            .integer(segment.byteCount), .bytes(segment.digest), .bytes(segment.signature),
            segment.stateDigest.map { .bytes($0) } ?? .null)
    }

    /// Deletes the entries of a segment and the rows that are not needed without them; foreign
    /// keys must be off.
    ///
    /// In a shared ledger the rows are deleted after the other hubs have the segment's entry.
    func drop(_ segment: ArchivedSegment) throws(LedgerError) {
        try dropRows(of: segment)
        try access.run(
            "DELETE FROM checkpoints WHERE sequence <= ?", .integer(segment.last))
        // The newest policy and the newest freeze stay, as later entries are checked against them.
        try access.run(
            """
            DELETE FROM audit WHERE sequence <= ? AND kind <> 'repair'
            AND sequence <> (SELECT ifnull(max(sequence), 0) FROM audit WHERE kind = 'attest')
            AND sequence <> (SELECT ifnull(max(sequence), 0) FROM audit WHERE kind = 'freeze')
            """, .integer(segment.last))
    }

    /// Deletes the rows that are not needed without the entries of a segment.
    func dropRows(of segment: ArchivedSegment) throws(LedgerError) {
        // The uses of a counter are in the order of the record: the last one deleted holds the
        // total.
        try access.run(
            """
            DELETE FROM uses WHERE sequence <= ?1 AND EXISTS (
                SELECT 1 FROM uses AS later
                WHERE later.counter = uses.counter AND later.sequence <= ?1
                AND (later.time, later.sequence, later.position)
                    > (uses.time, uses.sequence, uses.position))
            """, .integer(segment.foldedSequence))
        try access.run("DELETE FROM open_intents WHERE sequence <= ?", .integer(segment.last))
    }
}
