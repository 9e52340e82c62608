// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Results, and what is remembered.
extension Index {
    func apply(
        _ result: ResultEntry, at head: AuditHead, _ bytes: NamedBytes
    ) throws(LedgerError) {
        switch result.outcome {
        case .done(let done):
            try insert(done.remembers, at: head)
            try apply(done, of: result.id, at: head, bytes)
        case .notUsed: try giveBack(result.id, bytes)
        case .failed: break
        }
        try access.run("DELETE FROM open_intents WHERE id = ?", .bytes(result.id))
    }

    /// The entry of a result's intent; nil if it is not known.
    func intent(
        of result: [UInt8], _ bytes: NamedBytes
    ) throws(LedgerError) -> IntentEntry? {
        if let intent = bytes.intent { return intent }
        return try access.intentEntry(result)
    }

    /// Stores grants.
    func insert(_ grants: [GrantEntry], at head: AuditHead) throws(LedgerError) {
        for stated in grants {
            guard let grant = GrantRecord.grant(stated.body) else {
                throw .corrupt("a remembered answer has an unknown form")
            }
            try access.run(
                """
                INSERT INTO grants (id, sequence, scope_hash, body, seal) VALUES (?, ?, ?, ?, ?)
                """,
                .bytes(grant.id), .integer(head.sequence),
                .bytes(GrantRecord.hash(of: grant.scope)), .text(stated.body), .bytes(stated.seal))
        }
    }

    /// Marks grants as revoked.
    func revoke(_ ids: [[UInt8]], at time: Timestamp) throws(LedgerError) {
        for id in ids {
            try access.run(
                "UPDATE grants SET revoked = ? WHERE id = ?", .integer(time.seconds), .bytes(id))
        }
    }
}
