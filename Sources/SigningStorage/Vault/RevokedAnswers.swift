// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The revoked grants, as listed in the vault.
///
/// At the limit the earliest are removed from the list, and every grant created no later than these
/// becomes invalid.
struct RevokedAnswers: Sendable {
    /// The latest possible time of each grant; nil if an earlier version listed it.
    private let given: [[UInt8]: Timestamp?]
    /// Grants from before this time are invalid; nil for no such time.
    let until: Timestamp?

    /// The most grants in the list.
    static let countMax = 4_096

    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        let rows = try access.all("SELECT id, created FROM revoked") { row throws(VaultError) in
            (try row.bytes(0), try row.optionalInteger(1).map { Timestamp(seconds: $0) })
        }
        until = rows.first { $0.0.isEmpty }.flatMap { $0.1 }
        given = Dictionary(rows.filter { !$0.0.isEmpty }) { first, _ in first }
    }

    /// Whether a yes was revoked, or may have been.
    func cover(_ grant: Grant) -> Bool {
        given[grant.id] != nil || until.map { grant.created <= $0 } ?? false
    }

    /// The message over the list that is sealed.
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
    /// Adds revoked grants, each with its latest possible time.
    func list(revoked: [[UInt8]: Timestamp]) throws(VaultError) {
        let until = try RevokedAnswers(in: self).until
        for (id, given) in revoked where until.map({ given > $0 }) ?? true {
            try run(
                "INSERT OR IGNORE INTO revoked (id, created) VALUES (?, ?)", .bytes(id),
                .integer(given.seconds))
        }
        // The times of grants that an earlier version listed are unknown, so these stay.
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
