// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The list of revoked grants in the vault.
///
/// If the list is full, the oldest entries are removed. The grants of removed entries must not
/// become valid again, so every yes that is not newer than these entries becomes invalid.
struct RevokedAnswers: Sendable {
    /// The revoked grants by id, each with the latest time at which it can have been created; nil
    /// for grants that an earlier version of this program listed.
    private let given: [[UInt8]: Timestamp?]
    /// The time up to which every yes is invalid; nil if there is no such time.
    let until: Timestamp?

    /// The maximum number of grants in the list.
    static let countMax = 4_096

    init(in access: borrowing Access<VaultError>) throws(VaultError) {
        let rows = try access.all("SELECT id, created FROM revoked") { row throws(VaultError) in
            (try row.bytes(0), try row.optionalInteger(1).map { Timestamp(seconds: $0) })
        }
        until = rows.first { $0.0.isEmpty }.flatMap { $0.1 }
        given = Dictionary(rows.filter { !$0.0.isEmpty }) { first, _ in first }
    }

    /// Whether the grant is in the list, or may have been removed from it.
    func cover(_ grant: Grant) -> Bool {
        given[grant.id] != nil || until.map { grant.created <= $0 } ?? false
    }

    /// The encoding of the list for the digest in the vault state.
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
    /// Adds revoked grants, each with the latest time at which it can have been created.
    func list(revoked: [[UInt8]: Timestamp]) throws(VaultError) {
        let until = try RevokedAnswers(in: self).until
        for (id, given) in revoked where until.map({ given > $0 }) ?? true {
            try run(
                "INSERT OR IGNORE INTO revoked (id, created) VALUES (?, ?)", .bytes(id),
                .integer(given.seconds))
        }
        // Grants without a time, which an earlier version listed, are never removed.
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
