// SPDX-License-Identifier: Apache-2.0

internal import SigningStorage

/// The tables of a shared log and the SQL statements on them.
struct PostgresSchema {
    /// The version of the tables, as stored in the table `meta`.
    static let version: Int32 = 1

    /// The name of the schema, in quotes.
    let name: String
    private let plainName: String

    init(_ address: PostgresAddress) {
        plainName = address.schema
        name = Self.quoted(address.schema)
    }

    /// An identifier in quotes; quotes inside it are doubled.
    static func quoted(_ name: String) -> String {
        let inner = name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"")
        return "\"\(inner)\""
    }

    /// Counts the schemas of this name.
    var presenceQuery: PostgresQuery {
        PostgresQuery(
            "SELECT count(*)::bigint FROM pg_namespace WHERE nspname = $1::text",
            [.text(plainName)], columns: [.long], rowsMax: 1)
    }

    var creation: PostgresQuery { PostgresQuery("CREATE SCHEMA \(name)", tag: "CREATE SCHEMA") }

    /// Creates the tables; fails if they exist.
    func tables(ledger: [UInt8]) -> [PostgresQuery] {
        [
            PostgresQuery(
                """
                CREATE TABLE \(name).meta (
                    one boolean PRIMARY KEY CHECK (one), version integer NOT NULL)
                """, tag: "CREATE TABLE"),
            // Leaves free space in the page for new versions of the row, so that an update need not
            // change the index.
            PostgresQuery(
                """
                CREATE TABLE \(name).head (
                    one boolean PRIMARY KEY CHECK (one), ledger bytea NOT NULL,
                    sequence bigint NOT NULL, hash bytea NOT NULL) WITH (fillfactor = 10)
                """, tag: "CREATE TABLE"),
            PostgresQuery(
                """
                CREATE TABLE \(name).batches (
                    sequence bigint PRIMARY KEY, hub integer NOT NULL, version integer NOT NULL,
                    previous bytea NOT NULL, hash bytea NOT NULL, body bytea NOT NULL,
                    signature bytea NOT NULL)
                """, tag: "CREATE TABLE"),
            // The bodies are encrypted, so compressing them would be of no use.
            PostgresQuery(
                "ALTER TABLE \(name).batches ALTER COLUMN body SET STORAGE EXTERNAL",
                tag: "ALTER TABLE"),
            PostgresQuery(
                "INSERT INTO \(name).meta (one, version) VALUES (true, $1)",
                [.short(Self.version)], tag: "INSERT 0 1"),
            PostgresQuery(
                "INSERT INTO \(name).head (one, ledger, sequence, hash) VALUES (true, $1, $2, $3)",
                [.bytes(ledger), .long(LogPlace.origin.sequence), .bytes(LogPlace.origin.hash)],
                tag: "INSERT 0 1"),
        ]
    }

    /// Reads the version of the tables.
    var formQuery: PostgresQuery {
        PostgresQuery("SELECT version FROM \(name).meta", columns: [.short], rowsMax: 1)
    }

    /// Whether the user has the rights to append.
    var rightsQuery: PostgresQuery {
        PostgresQuery(
            """
            SELECT (has_table_privilege($1::text, 'UPDATE')
                AND has_table_privilege($2::text, 'INSERT'))::integer
            """, [.text("\(name).head"), .text("\(name).batches")], columns: [.short],
            rowsMax: 1)
    }

    /// Reads the end of the log.
    var headQuery: PostgresQuery {
        PostgresQuery(Self.head(of: name), name: "head", columns: Self.headColumns, rowsMax: 1)
    }

    /// Reads the end of the log and locks it until the transaction ends.
    var lockedHeadQuery: PostgresQuery {
        PostgresQuery(
            Self.head(of: name) + " FOR UPDATE", name: "turn", columns: Self.headColumns,
            rowsMax: 1)
    }

    /// Reads the batches after a position, up to a total size of their bodies.
    func batchesQuery(after sequence: Int64, bytesMax: Int) -> PostgresQuery {
        PostgresQuery(
            """
            SELECT sequence, hub, version, previous, hash, body, signature
            FROM (
                SELECT sequence, hub, version, previous, hash, body, signature,
                    sum(octet_length(body)) OVER (ORDER BY sequence) AS total
                FROM (
                    SELECT sequence, hub, version, previous, hash, body, signature
                    FROM \(name).batches WHERE sequence > $1
                    ORDER BY sequence LIMIT \(LogNews.countMax)
                ) AS next
            ) AS summed
            WHERE total <= $2 ORDER BY sequence
            """, [.long(sequence), .long(Int64(bytesMax))], name: "batches",
            columns: [.long, .short, .short, .bytes, .bytes, .bytes, .bytes],
            rowsMax: LogNews.countMax)
    }

    /// Appends a batch if the log ends at the position that the batch names as its previous one;
    /// otherwise changes nothing.
    func appending(_ batch: LogBatch, at place: LogPlace) -> PostgresQuery {
        PostgresQuery(
            """
            WITH moved AS (
                UPDATE \(name).head SET sequence = $1, hash = $2
                WHERE one AND sequence = $3 AND hash = $4 RETURNING one
            )
            INSERT INTO \(name).batches (
                sequence, hub, version, previous, hash, body, signature)
            SELECT $1, $5, $6, $4, $2, $7, $8 FROM moved
            """,
            [
                .long(place.sequence), .bytes(place.hash), .long(batch.previous.sequence),
                .bytes(batch.previous.hash), .short(batch.hub), .short(batch.version),
                .bytes(batch.body), .bytes(batch.signature),
            ], name: "append", tag: "INSERT 0 1")
    }

    /// The statements that each connection prepares; the values of their arguments are not used.
    var prepared: [PostgresQuery] {
        let nothing = LogBatch(previous: .origin, hub: 0, version: 0, body: [], signature: [])
        return [
            headQuery, lockedHeadQuery, batchesQuery(after: 0, bytesMax: 0),
            appending(nothing, at: .origin),
        ]
    }

    private static func head(of name: String) -> String {
        "SELECT ledger, sequence, hash FROM \(name).head WHERE one"
    }

    private static let headColumns: [PostgresType] = [.bytes, .long, .bytes]
}
