// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension Schema {
    /// The name of the table for the policy text in older formats.
    static let olderTable = "policy_text"

    /// Puts the policy text of an older version on record.
    ///
    /// If other hubs share the record, the first one that writes does this: hubs that did it for
    /// themselves would end up with different chains.
    static func carryPolicyText(_ connection: SQLiteConnection) throws(SQLiteError) {
        try carry(connection) { access throws(LedgerError) in try access.carryOlderText() }
    }

    /// Puts the rows of an older version on record that no entry states.
    static func carryRows(_ connection: SQLiteConnection) throws(SQLiteError) {
        try carry(connection) { access throws(LedgerError) in
            try access.carryOlderRows(isConversion: true)
        }
    }

    private static func carry(
        _ connection: SQLiteConnection,
        _ body: (borrowing Access<LedgerError>) throws(LedgerError) -> Void
    ) throws(SQLiteError) {
        do throws(LedgerError) {
            let access = Access<LedgerError>(connection)
            guard try access.local(.mark) == nil else { return }
            try body(access)
        } catch {
            switch error {
            case .corrupt(let text): throw .notConverted(text, isDamaged: true)
            case .unavailable(let text): throw .notConverted(text, isDamaged: false)
            default: throw .notConverted("\(error)", isDamaged: false)
            }
        }
    }
}

/// The table `policy_text`, in which older versions kept the text of the policy in force, and which
/// no entry stated.
///
/// A shared ledger keeps it until a hub has put the text on record.
extension Access<LedgerError> {
    func hasOlderTable() throws(LedgerError) -> Bool {
        try exists("SELECT 1 FROM sqlite_schema WHERE name = 'policy_text'")
    }

    /// The text of the policy that this entry of an older version put in force; nil if it is not
    /// stored.
    func olderText(of sequence: Int64) throws(LedgerError) -> [UInt8]? {
        guard try hasOlderTable() else { return nil }
        return try first("SELECT source FROM policy_text WHERE sequence = ?", .integer(sequence)) {
            row throws(LedgerError) in try row.bytes(0)
        }
    }

    /// Puts the text on record if the newest policy has no other, and removes the table.
    func carryOlderText() throws(LedgerError) {
        guard try hasOlderTable() else { return }
        if let newest = try newestEntry(of: .attest).flatMap({ AttestingEntry($0) }),
            let text = try olderText(of: newest.sequence)
        {
            try carry(text, of: newest)
        }
        try run("DROP TABLE policy_text")
    }

    /// Removes the table once another hub has put the text on record.
    func dropCarriedText() throws(LedgerError) {
        guard try hasOlderTable() else { return }
        let isCarried = try exists(
            """
            SELECT 1 FROM policies
            WHERE sequence >= (SELECT ifnull(max(sequence), 0) FROM policy_text)
            """)
        if isCarried { try run("DROP TABLE policy_text") }
    }

    /// Puts the text of the newest policy on record if its entry does not name it.
    ///
    /// The new entry has the time of the last one, as a conversion reads no clock.
    func carry(_ text: [UInt8], of newest: AttestingEntry) throws(LedgerError) {
        guard newest.textDigest == nil, text.count <= PolicyText.bytesMax,
            try !exists("SELECT 1 FROM policies WHERE sequence = ?", .integer(newest.sequence))
        else { return }
        let carried = CarryEntry.PolicyText(
            sequence: newest.sequence, digest: try keep(blob: text))
        let time = try auditHead().time
        _ = try append(
            EntryDraft(.carry(CarryEntry(policies: [carried])), at: time), at: time)
    }
}
