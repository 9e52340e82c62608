// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

extension SQLiteLedger {
    /// Where the audit chain ends, having checked only that it holds a checkpoint's entry.
    func head(holding checkpoint: AuditCheckpoint) throws(LedgerError) -> AuditHead {
        try database.read { access throws(LedgerError) in try access.head(holding: checkpoint) }
    }

    /// Where the audit chain ends, having checked every entry after a checkpoint.
    func checkedHead(after checkpoint: AuditCheckpoint) throws(LedgerError) -> AuditHead {
        try database.read { access throws(LedgerError) in
            _ = try access.head(holding: checkpoint)
            var head = AuditHead.empty
            head.sequence = checkpoint.sequence
            head.hash = checkpoint.headHash
            while true {
                let batch = try access.entries(
                    after: head.sequence, countMax: AuditEntry.batchCount)
                if batch.isEmpty { return head }
                for entry in batch {
                    guard entry.continues(head) else {
                        throw .corrupt("entry \(head.sequence + 1) of the audit chain is wrong")
                    }
                    head = entry.head
                }
            }
        }
    }

    /// Keeps a checkpoint beside the entries it covers.
    func keep(_ checkpoint: AuditCheckpoint) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            try access.run(
                """
                INSERT OR IGNORE INTO checkpoints (sequence, head_hash, time, signature)
                VALUES (?, ?, ?, ?)
                """,
                .integer(checkpoint.sequence), .bytes(checkpoint.headHash),
                .integer(checkpoint.time.seconds), .bytes(checkpoint.signature))
        }
    }
}

extension Access<LedgerError> {
    fileprivate func head(
        holding checkpoint: AuditCheckpoint
    ) throws(LedgerError) -> AuditHead {
        let head = try auditHead()
        guard head.sequence >= checkpoint.sequence else {
            throw .corrupt("the ledger ends before its last checkpoint")
        }
        guard try hash(at: checkpoint.sequence) == checkpoint.headHash else {
            throw .corrupt("the audit chain does not hold its last checkpoint")
        }
        return head
    }

    private func hash(at sequence: Int64) throws(LedgerError) -> [UInt8]? {
        guard sequence != AuditHead.empty.sequence else { return AuditHead.empty.hash }
        return try first("SELECT hash FROM audit WHERE sequence = ?", .integer(sequence)) {
            row throws(LedgerError) in try row.bytes(0)
        }
    }
}
