// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The tables, made again from the entries.
extension Index {
    /// Deletes every row that follows from entries, and applies all entries in their order.
    ///
    /// Foreign keys must be off. The caller verifies the record before it keeps the change. Values
    /// that no entry states are taken from the present rows; throws if the bytes of an item for a
    /// network are missing. A connection whose address is missing ends. Throws if the present rows
    /// prove that entries were removed: otherwise a freeze, a revoked answer or used limits would
    /// be undone.
    func replay(besides ledgerPath: String) throws(LedgerError) {
        let present = try PresentRows(of: access)
        let proof = try ProofOfEntries(in: access)
        let segments = try access.segments()
        let archived = segments.last?.last ?? 0
        let kept = Set(try access.keptEntries(upTo: archived).map(\.sequence))
        for table in Self.tables { try access.run("DELETE FROM \(table)") }
        for name in Self.values { try clear(name) }
        var head = AuditHead.empty
        for segment in segments {
            let lines = try SegmentLines(segment, besides: ledgerPath)
            while let line = try lines.next() {
                guard let content = try? EntryBody(line) else {
                    throw .corrupt("\(segment.fileName) was altered")
                }
                let entry = AuditEntry(archived: line, content, after: head)
                // A result looks for the entry of its intent.
                if !kept.contains(entry.sequence) { try access.insert(entry) }
                try apply(content.entry, at: entry.head, beside: present)
                head = entry.head
            }
        }
        while true {
            let batch = try access.entries(
                after: head.sequence, countMax: AuditEntry.batchCount)
            if batch.isEmpty { break }
            for entry in batch {
                guard let content = entry.statedContent else {
                    throw .corrupt("entry \(entry.sequence) was changed")
                }
                try apply(content.entry, at: entry.head, beside: present)
                head = entry.head
            }
        }
        let numbers = kept.sorted().map { String($0) }.joined(separator: ",")
        try access.run(
            "DELETE FROM audit WHERE sequence <= ? AND sequence NOT IN (\(numbers))",
            .integer(archived))
        try present.complete(access)
        try proof.check(access, length: head.sequence)
    }

    private func apply(
        _ entry: Entry, at head: AuditHead, beside present: PresentRows
    ) throws(LedgerError) {
        try apply(entry, at: head, present.unstated)
        if case .archive(let archive) = entry { try dropRows(of: archive.segment) }
    }

    /// The tables whose rows follow from entries.
    private static var tables: [String] {
        [
            "uses", "replay_tokens", "serial_uses", "results", "grants", "sessions", "outbox",
            "intents", "accepted", "segments", "hubs", "retired_approvers",
        ]
    }

    /// The values that follow from entries.
    private static var values: [String] { ["frozen", "policy", "clock", "moved", "own approvers"] }
}

/// The present rows of a ledger, as far as its entries do not state them.
private struct PresentRows {
    private(set) var unstated = Unstated.nothing
    /// The items that may have been sent.
    private var unknownItems: [String] = []
    /// The retired approver keys; older versions retired them without an entry.
    private var retired: [(key: [UInt8], time: Int64)] = []

    init(of access: borrowing Access<LedgerError>) throws(LedgerError) {
        unstated.connections = try access.all(
            "SELECT id, protocol, client, network, key_id, address, time FROM sessions"
        ) { row throws(LedgerError) in
            .opens(
                ClientConnection(
                    id: try row.bytes(0), protocolID: ProtocolID(try row.text(1)),
                    client: Client(id: try row.text(2), name: nil, proof: .claimed),
                    network: try row.text(3), key: KeyID(try row.text(4)),
                    address: try row.text(5), started: Timestamp(seconds: try row.integer(6))))
        }
        unstated.items = try access.all("SELECT id, sender, bytes FROM outbox") {
            row throws(LedgerError) in
            Broadcast.Item(
                id: try row.text(0), sender: try row.text(1), bytes: try row.bytes(2))
        }
        unknownItems = try access.all("SELECT id FROM outbox WHERE state = 'unknown'") {
            row throws(LedgerError) in try row.text(0)
        }
        retired = try access.all("SELECT public_key, time FROM retired_approvers") {
            row throws(LedgerError) in (key: try row.bytes(0), time: try row.integer(1))
        }
    }

    /// Adds what applying the entries left out.
    func complete(_ access: borrowing Access<LedgerError>) throws(LedgerError) {
        let items = try access.all("SELECT id FROM outbox") { row throws(LedgerError) in
            try row.text(0)
        }
        guard items.allSatisfy({ unstated.item($0) != nil }) else {
            throw .corrupt("a transaction that may not have arrived is missing")
        }
        for id in unknownItems {
            try access.run("UPDATE outbox SET state = 'unknown' WHERE id = ?", .text(id))
        }
        try access.run("DELETE FROM sessions WHERE address = ''")
        for (key, time) in retired {
            try access.run(
                "INSERT OR IGNORE INTO retired_approvers (public_key, time) VALUES (?, ?)",
                .bytes(key), .integer(time))
        }
    }
}

/// The rows that only entries can have made; they prove that these entries existed.
private struct ProofOfEntries {
    /// The highest number of an entry that a row names.
    private var sequence: Int64 = 0
    private let isFrozen: Bool
    private let revoked: Set<[UInt8]>

    init(in access: borrowing Access<LedgerError>) throws(LedgerError) {
        for table in ["intents", "results", "uses", "grants", "sessions", "outbox"] {
            let newest = try access.first("SELECT coalesce(max(sequence), 0) FROM \(table)") {
                row throws(LedgerError) in try row.integer(0)
            }
            sequence = max(sequence, newest ?? 0)
        }
        isFrozen = try Self.isFrozen(access)
        revoked = try Self.grants(access, that: "IS NOT NULL")
    }

    /// Throws if the tables that the entries led to lack what the rows proved.
    func check(
        _ access: borrowing Access<LedgerError>, length: Int64
    ) throws(LedgerError) {
        guard sequence <= length else {
            throw .corrupt("entries after number \(length) were removed")
        }
        let isStillFrozen = try Self.isFrozen(access)
        guard isStillFrozen || !isFrozen else {
            throw .corrupt("the entry of a freeze was removed")
        }
        guard try Self.grants(access, that: "IS NULL").isDisjoint(with: revoked) else {
            throw .corrupt("the entry that revoked a remembered answer was removed")
        }
    }

    private static func isFrozen(
        _ access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> Bool {
        try access.first("SELECT 1 FROM meta WHERE name = 'frozen'") {
            _ throws(LedgerError) in true
        } ?? false
    }

    private static func grants(
        _ access: borrowing Access<LedgerError>, that condition: String
    ) throws(LedgerError) -> Set<[UInt8]> {
        Set(
            try access.all("SELECT id FROM grants WHERE revoked \(condition)") {
                row throws(LedgerError) in try row.bytes(0)
            })
    }
}
