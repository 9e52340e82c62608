// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The revocation of a grant.
struct Revocation: Hashable, Sendable {
    let time: Timestamp
    /// The later of the times when the grant was created and when it was revoked.
    let given: Timestamp

    init(at time: Timestamp, of grant: Grant?) {
        self.time = time
        given = max(time, grant?.created ?? time)
    }
}

/// The result of verifying the entries of the audit chain after a checkpoint.
struct LedgerWalk: Sendable {
    /// The last entry that was verified.
    var head: AuditHead
    /// The grants that these entries revoke, by id.
    var revoked: [[UInt8]: Revocation] = [:]
    /// The newest of these entries that put a policy in force; nil if there is none.
    var attesting: AttestingEntry?

    /// Verifies the next entry and adds its effects; throws if it does not follow the last one.
    ///
    /// With a log key, also throws if a policy entry is not signed by that key, or if a grant that
    /// the entry revokes is in force. Nil skips these checks while the owner repairs the home.
    mutating func take(
        _ entry: AuditEntry, logPublicKey: [UInt8]?, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) {
        guard entry.continues(head) else {
            throw .corrupt("entry \(head.sequence + 1) of the audit chain is wrong")
        }
        head = entry.head
        // The hash does not cover the kind column, so the body counts.
        switch entry.change {
        case .attest: try take(attesting: entry, logPublicKey)
        case .revoke(let revoke):
            try take(revoke, at: entry.time, isChecked: logPublicKey != nil, in: access)
        case nil: throw .corrupt("entry \(entry.sequence) of the audit chain has an unknown form")
        default: break
        }
    }

    private mutating func take(
        attesting entry: AuditEntry, _ logPublicKey: [UInt8]?
    ) throws(LedgerError) {
        guard let logPublicKey else { return attesting = AttestingEntry(entry) }
        guard let found = AttestingEntry(entry), found.isSigned(by: logPublicKey) else {
            throw .corrupt("the policy of entry \(entry.sequence) was not signed by the owner")
        }
        attesting = found
    }

    private mutating func take(
        _ revoke: RevokeEntry, at time: Timestamp, isChecked: Bool,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) {
        for id in revoke.grants {
            let row = try access.first(
                "SELECT body, revoked IS NULL FROM grants WHERE id = ?", .bytes(id)
            ) { row throws(LedgerError) in
                (grant: GrantRecord.grant(try row.text(0)), isOpen: try row.integer(1) == 1)
            }
            guard row?.isOpen != true || !isChecked else {
                throw .corrupt("a remembered answer that was revoked is active again")
            }
            revoked[id] = Revocation(at: time, of: row?.grant)
        }
    }
}

extension SQLiteLedger {
    /// The last entry of the audit chain.
    ///
    /// Throws if the chain does not contain the checkpoint's entry; checks nothing else.
    func head(holding checkpoint: AuditCheckpoint) throws -> AuditHead {
        try examining { access throws(LedgerError) in
            try access.head(holding: checkpoint, besides: database.path)
        }
    }

    /// Reads the chain; damage that it finds is an error of the chain.
    private func examining<R: Sendable>(
        _ body: (borrowing Access<LedgerError>) throws(LedgerError) -> R
    ) throws -> R {
        do throws(LedgerError) {
            try flush()
            return try database.read(body)
        } catch .corrupt(let text) {
            throw CheckpointError.brokenChain(text)
        }
    }

    /// Verifies the entries after a checkpoint; without a checkpoint, all that are not archived.
    func walk(after checkpoint: AuditCheckpoint?, logPublicKey: [UInt8]?) throws -> LedgerWalk {
        try examining { access throws(LedgerError) in
            var start = try access.archivedHead()
            if let checkpoint {
                _ = try access.head(holding: checkpoint, besides: database.path)
                start.sequence = checkpoint.sequence
                start.hash = checkpoint.headHash
            }
            var walk = LedgerWalk(head: start)
            // Another hub may have archived entries that this hub's vault has not seen yet.
            try access.archived(after: start.sequence, besides: database.path) {
                entry throws(LedgerError) in
                try walk.take(entry, logPublicKey: logPublicKey, in: access)
            }
            while true {
                let batch = try access.entries(
                    after: walk.head.sequence, countMax: AuditEntry.batchCount)
                if batch.isEmpty { return walk }
                for entry in batch {
                    try walk.take(entry, logPublicKey: logPublicKey, in: access)
                }
            }
        }
    }

    /// Stores a checkpoint in the ledger, in addition to the vault.
    ///
    /// The checkpoint stays on this machine even if the ledger is shared with other hubs.
    func keep(_ checkpoint: AuditCheckpoint) throws(LedgerError) {
        try database.writeLocally { access, _ throws(LedgerError) in
            try access.run(
                """
                INSERT OR IGNORE INTO checkpoints (sequence, head_hash, time, signature)
                VALUES (?, ?, ?, ?)
                """,
                .integer(checkpoint.sequence), .bytes(checkpoint.headHash),
                .integer(checkpoint.time.seconds), .bytes(checkpoint.signature))
        }
    }

    /// The newest stored checkpoint that the log key signed; nil if absent.
    func newestCheckpoint(
        signedBy logPublicKey: [UInt8]
    ) throws(LedgerError) -> AuditCheckpoint? {
        // A row without the log key's signature was put there by another program; it must not hide
        // a valid one.
        try database.query { access throws(LedgerError) in
            try access.all(
                """
                SELECT sequence, head_hash, time, signature FROM checkpoints
                ORDER BY sequence DESC LIMIT 16
                """
            ) { row throws(LedgerError) in try row.checkpoint() }
        }.first { $0.isSigned(by: logPublicKey) }
    }
}

extension Access<LedgerError> {
    /// The last archived entry; the entry after it is the first that is only in the ledger.
    func archivedHead() throws(LedgerError) -> AuditHead {
        AuditHead(behind: try segments().last)
    }

    fileprivate func head(
        holding checkpoint: AuditCheckpoint, besides ledgerPath: String
    ) throws(LedgerError) -> AuditHead {
        let head = try auditHead()
        guard head.sequence >= checkpoint.sequence else {
            throw .corrupt("the ledger ends before its last checkpoint")
        }
        guard try hash(at: checkpoint.sequence, besides: ledgerPath) == checkpoint.headHash else {
            throw .corrupt("the audit chain does not contain its last checkpoint")
        }
        return head
    }

    private func hash(
        at sequence: Int64, besides ledgerPath: String
    ) throws(LedgerError) -> [UInt8]? {
        let archived = try archivedHead()
        guard sequence != archived.sequence else { return archived.hash }
        let found = try first("SELECT hash FROM audit WHERE sequence = ?", .integer(sequence)) {
            row throws(LedgerError) in try row.bytes(0)
        }
        guard found == nil, 0 < sequence, sequence < archived.sequence else { return found }
        var hash: [UInt8]?
        try self.archived(after: sequence - 1, besides: ledgerPath) { entry throws(LedgerError) in
            if entry.sequence == sequence { hash = entry.hash }
        }
        return hash
    }

    /// Calls `take` with each archived entry after a number.
    ///
    /// Throws if the last entry of a file is not the one that the ledger names for this file.
    fileprivate func archived(
        after place: Int64, besides ledgerPath: String,
        _ take: (AuditEntry) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        var earlier: ArchivedSegment?
        for segment in try segments() {
            defer { earlier = segment }
            guard segment.last > place else { continue }
            let lines = try SegmentLines(segment, besides: ledgerPath)
            var head = AuditHead(behind: earlier)
            var found: [AuditEntry] = []
            while let line = try lines.next() {
                guard let content = try? EntryBody(line) else {
                    throw .unavailable("\(segment.fileName) was altered")
                }
                let entry = AuditEntry(archived: line, content, after: head)
                head = entry.head
                if entry.sequence > place { found.append(entry) }
            }
            guard head.sequence == segment.last, head.hash == segment.headHash else {
                throw .unavailable("\(segment.fileName) was altered")
            }
            for entry in found { try take(entry) }
        }
    }
}
