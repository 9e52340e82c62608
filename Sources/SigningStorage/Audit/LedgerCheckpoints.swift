// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
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
        // The hash does not cover the kind column, so the body is searched.
        if entry.says(.attest) { try take(attesting: entry, logPublicKey) }
        if entry.says(.revoke) {
            try take(revoking: entry, isChecked: logPublicKey != nil, in: access)
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
        revoking entry: AuditEntry, isChecked: Bool, in access: borrowing Access<LedgerError>
    ) throws(LedgerError) {
        let body = try? JSON.parse(Array(entry.body.utf8).span)
        for item in body?["grants"]?.list ?? [] {
            guard let id = item.text.flatMap({ try? Hex.decode($0) }) else { continue }
            let row = try access.first(
                "SELECT body, revoked IS NULL FROM grants WHERE id = ?", .bytes(id)
            ) { row throws(LedgerError) in
                (grant: GrantRecord.grant(try row.text(0)), isOpen: try row.integer(1) == 1)
            }
            guard row?.isOpen != true || !isChecked else {
                throw .corrupt("a remembered answer that was revoked is active again")
            }
            revoked[id] = Revocation(at: entry.time, of: row?.grant)
        }
    }
}

extension AuditEntry {
    /// Whether the body contains the text `"kind":"..."` with this kind.
    ///
    /// Texts of a client in the body cannot cause a match, as their quotes are escaped.
    func says(_ kind: AuditKind) -> Bool {
        let pattern = Array(#""kind":"\#(kind.rawValue)""#.utf8)
        let text = Array(body.utf8)
        guard text.count >= pattern.count else { return false }
        return (0...(text.count - pattern.count)).contains { start in
            text[start] == pattern[0] && text[start..<start + pattern.count].elementsEqual(pattern)
        }
    }
}

extension AuditEntry {
    /// The first kind in the body that is one of `kinds`; nil if there is none.
    func said(of kinds: [AuditKind]) -> AuditKind? {
        let text = Array(body.utf8)
        var start = 0
        while text.count - start > Self.kindPrefix.count {
            guard text[start] == Self.kindPrefix[0],
                text[start..<start + Self.kindPrefix.count].elementsEqual(Self.kindPrefix)
            else {
                start += 1
                continue
            }
            start += Self.kindPrefix.count
            let word = text[start...].prefix { $0 != UInt8(ascii: "\"") }
            if let kind = kinds.first(where: { word.elementsEqual($0.rawValue.utf8) }) {
                return kind
            }
        }
        return nil
    }

    private static let kindPrefix = Array(#""kind":""#.utf8)
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
                guard let body = try? JSON.parse(line.span),
                    let entry = AuditEntry(archived: line, body, after: head)
                else { throw .unavailable("\(segment.fileName) was altered") }
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
