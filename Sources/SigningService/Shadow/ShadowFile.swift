// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import SigningCore
package import SigningFiles

/// The file with the shadow policy of a home: its text, and the requests that it judges otherwise
/// than the policy in force.
///
/// The file is neither sealed nor part of the record. No verdict depends on it.
package final class ShadowFile: Sendable {
    /// The most kinds of differences; requests of further kinds are only counted.
    package static let kindsMax = 1_000

    private let database: Database<ShadowError>

    /// Whether the home at a path has a shadow policy.
    package static func isThere(in home: Home) -> Bool {
        (try? Home.status(of: home.shadowPath)) != nil
    }

    /// Opens the file of a home; throws if it is missing, damaged or not private.
    package convenience init(of home: Home) throws(ShadowError) {
        do throws(HomeError) {
            guard let status = try Home.status(of: home.shadowPath) else {
                throw HomeError.missing(path: home.shadowPath)
            }
            try status.checkIsPrivate()
        } catch {
            throw ShadowError(text: error.text)
        }
        try self.init(home.shadowPath, .existing)
    }

    private init(_ path: String, _ opening: Schema.Opening) throws(ShadowError) {
        // Commands end after this wait.
        database = try Database(
            path: path, schema: .shadow, opening, busyTimeoutMilliseconds: 200)
    }

    /// Starts a shadow policy; the file of an earlier one is deleted.
    package static func start(
        _ source: [UInt8], hash: [UInt8], named name: String, at now: Timestamp, in home: Home
    ) throws(ShadowError) {
        try delete(in: home)
        do throws(HomeError) {
            try home.makeFile(home.shadowPath)
        } catch {
            throw ShadowError(text: error.text)
        }
        try ShadowFile(home.shadowPath, .new).database.write { access throws(ShadowError) in
            try access.run(
                "INSERT INTO shadow VALUES (1, ?, ?, ?, ?, 0, 0, 0, NULL)", .text(name),
                .bytes(source), .bytes(hash), .integer(now.seconds))
        }
    }

    /// Deletes the file; a process that has it open notices that at its next use.
    package static func delete(in home: Home) throws(ShadowError) {
        for path in Home.withCompanions(home.shadowPath) where unsafe unlink(path) != 0 {
            guard errno == ENOENT else {
                throw ShadowError(text: "\(path) cannot be deleted")
            }
        }
    }

    /// False if the file was deleted or replaced since it was opened.
    var isInPlace: Bool {
        do throws(ShadowError) { _ = try database.stampInPlace() } catch { return false }
        return true
    }

    /// The policy and its counts; nil while another process still makes the file.
    package func state() throws(ShadowError) -> ShadowState? {
        try database.read { access throws(ShadowError) in
            try access.first(
                "SELECT name, source, hash, started, judged, skipped, uncounted, ended FROM shadow"
            ) { row throws(ShadowError) in
                ShadowState(
                    name: try row.text(0), source: try row.bytes(1), hash: try row.bytes(2),
                    started: Timestamp(seconds: try row.integer(3)), judged: try row.integer(4),
                    skipped: try row.integer(5), uncounted: try row.integer(6),
                    ended: try row.optionalText(7))
            }
        }
    }

    /// The kinds of differences, the most frequent first.
    package func differences() throws(ShadowError) -> [ShadowDifference] {
        try database.read { access throws(ShadowError) in
            try access.all(
                """
                SELECT in_force, protocol, method, before, after, count, first, last, client, keys
                FROM difference ORDER BY count DESC, id
                """
            ) { row throws(ShadowError) in
                ShadowDifference(
                    kind: ShadowDifference.Kind(
                        inForce: try row.bytes(0), protocolName: try row.text(1),
                        method: try row.text(2), before: try ShadowSide(stored: row.text(3)),
                        after: try ShadowSide(stored: row.text(4))),
                    count: try row.integer(5), first: Timestamp(seconds: try row.integer(6)),
                    last: Timestamp(seconds: try row.integer(7)),
                    client: try row.optionalText(8),
                    keys: try row.text(9).split(separator: "\n").map(String.init))
            }
        }
    }

    /// Adds the result of judging some requests.
    func add(
        _ differences: [ShadowDifference], judged: Int, skipped: Int
    ) throws(ShadowError) {
        try database.write { access throws(ShadowError) in
            for difference in differences { try Self.add(difference, access) }
            try access.run(
                "UPDATE shadow SET judged = judged + ?, skipped = skipped + ?",
                .integer(Int64(judged)), .integer(Int64(skipped)))
        }
    }

    /// Ends the shadow policy for a reason; what was found stays.
    func end(_ reason: String) throws(ShadowError) {
        try database.write { access throws(ShadowError) in
            try access.run("UPDATE shadow SET ended = ?", .text(reason))
        }
    }

    private static func add(
        _ difference: ShadowDifference, _ access: borrowing Access<ShadowError>
    ) throws(ShadowError) {
        let kind = difference.kind
        let id = try access.first(
            """
            SELECT id FROM difference WHERE in_force = ? AND protocol = ? AND method = ?
            AND before = ? AND after = ?
            """, .bytes(kind.inForce), .text(kind.protocolName), .text(kind.method),
            .text(kind.before.stored), .text(kind.after.stored)
        ) { row throws(ShadowError) in try row.integer(0) }
        let last = SQLiteValue.integer(difference.last.seconds)
        let (client, keys) = (difference.client, difference.keys.joined(separator: "\n"))
        if let id {
            return try access.run(
                """
                UPDATE difference SET count = count + 1, last = ?, client = ?, keys = ?
                WHERE id = ?
                """, last, .optional(client), .text(keys), .integer(id))
        }
        let count = try access.first("SELECT count(*) FROM difference") {
            row throws(ShadowError) in try row.integer(0)
        }
        guard let count, count < kindsMax else {
            return try access.run("UPDATE shadow SET uncounted = uncounted + 1")
        }
        try access.run(
            "INSERT INTO difference VALUES (NULL, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?)",
            .bytes(kind.inForce), .text(kind.protocolName), .text(kind.method),
            .text(kind.before.stored), .text(kind.after.stored), last, last, .optional(client),
            .text(keys))
    }
}

/// An error of the file of a shadow policy, in plain words.
package struct ShadowError: StorageError {
    /// The error.
    package let text: String

    init(text: String) { self.text = text }

    /// Converts an error of SQLite.
    package init(_ error: SQLiteError) { text = "shadow.db: \(error.text)" }
}

extension Home {
    /// The path of the database of the shadow policy.
    fileprivate var shadowPath: String { path + "/shadow.db" }
}

extension Schema {
    /// The format of the file of a shadow policy.
    fileprivate static let shadow = Schema(
        file: "shadow.db",
        applicationID: 0x4353_7368,  // "CSsh"
        migrations: [
            """
            CREATE TABLE shadow (
                id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
                name TEXT NOT NULL,
                source BLOB NOT NULL,
                hash BLOB NOT NULL,
                started INTEGER NOT NULL,
                judged INTEGER NOT NULL,
                skipped INTEGER NOT NULL,
                uncounted INTEGER NOT NULL,
                ended TEXT
            ) STRICT;
            CREATE TABLE difference (
                id INTEGER NOT NULL PRIMARY KEY,
                in_force BLOB NOT NULL,
                protocol TEXT NOT NULL,
                method TEXT NOT NULL,
                before TEXT NOT NULL,
                after TEXT NOT NULL,
                count INTEGER NOT NULL,
                first INTEGER NOT NULL,
                last INTEGER NOT NULL,
                client TEXT,
                keys TEXT NOT NULL,
                UNIQUE (in_force, protocol, method, before, after)
            ) STRICT;
            """
        ])
}
