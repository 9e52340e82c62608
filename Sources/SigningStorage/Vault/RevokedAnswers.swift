// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The remembered answers that were taken back, as the vault lists them.
///
/// At the limit the earliest given are forgotten, and with them every answer that was given no
/// later: none of these counts any more.
struct RevokedAnswers: Sendable {
    /// When each was given at the latest; nil where an earlier version listed it.
    private let given: [[UInt8]: Timestamp?]
    /// No answer counts that was given until then.
    let until: Timestamp?

    /// The most that are listed.
    static let countMax = 4_096

    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        let rows = try access.all("SELECT id, created FROM revoked") { row throws(VaultError) in
            (try row.bytes(0), try row.optionalInteger(1).map { Timestamp(seconds: $0) })
        }
        until = rows.first { $0.0.isEmpty }.flatMap { $0.1 }
        given = Dictionary(rows.filter { !$0.0.isEmpty }) { first, _ in first }
    }

    /// Whether a yes was taken back, or may have been.
    func cover(_ grant: Grant) -> Bool {
        given[grant.id] != nil || until.map { grant.created <= $0 } ?? false
    }

    /// What is sealed of the list.
    var message: [UInt8] {
        var rows = given.map { ($0.key, $0.value) }
        if let until { rows.append(([], until)) }
        var message: [UInt8] = []
        for (id, time) in rows.sorted(by: { $0.0.lexicographicallyPrecedes($1.0) }) {
            var row = id
            if let time { row.append(bigEndian: UInt64(bitPattern: time.seconds)) }
            message.append(lengthPrefixed: row)
        }
        return message
    }
}

extension Access<VaultError> {
    /// Lists answers that were taken back, with when each was given at the latest.
    func list(revoked: [[UInt8]: Timestamp]) throws(VaultError) {
        let until = try RevokedAnswers(in: self).until
        for (id, given) in revoked where until.map({ given > $0 }) ?? true {
            try run(
                "INSERT OR IGNORE INTO revoked (id, created) VALUES (?, ?)", .bytes(id),
                .integer(given.seconds))
        }
        // Of what an earlier version listed nobody knows when it was given: it stays.
        let last = try first(
            """
            SELECT created FROM revoked WHERE id <> x'' AND created IS NOT NULL
            ORDER BY created DESC LIMIT 1 OFFSET ?
            """, .integer(Int64(RevokedAnswers.countMax))
        ) { row throws(VaultError) in try row.integer(0) }
        guard let last else { return }
        try run("DELETE FROM revoked WHERE created <= ?", .integer(last))
        try run("INSERT INTO revoked (id, created) VALUES (x'', ?)", .integer(last))
    }
}
