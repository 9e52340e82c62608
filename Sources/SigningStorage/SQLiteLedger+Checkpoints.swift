// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

extension SQLiteLedger {
    /// Where the audit chain ends, unchecked.
    func auditHead() throws(LedgerError) -> AuditHead {
        try database.read { access throws(LedgerError) in try access.auditHead() }
    }

    /// Where the audit chain ends, having checked every entry after a checkpoint.
    func checkedHead(after checkpoint: AuditCheckpoint?) throws(LedgerError) -> AuditHead {
        try database.read { access throws(LedgerError) in
            var head = AuditHead.empty
            if let checkpoint {
                head.sequence = checkpoint.sequence
                head.hash = checkpoint.headHash
                // The ledger itself must hold the entry the checkpoint speaks of.
                guard
                    try access.entries(after: head.sequence - 1, countMax: 1).first?.hash
                        == head.hash
                else { throw .corrupt("the audit chain does not hold its last checkpoint") }
            }
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
