// SPDX-License-Identifier: Apache-2.0

internal import SigningStorage

/// The tables of a shared log and the statements on them: plain SQL that other engines know too.
struct PostgresSchema {
    /// The form of the tables, which `meta` tells.
    static let version: Int32 = 1

    /// The name of the schema, in quotes.
    let name: String
    private let plainName: String

    init(_ address: PostgresAddress) {
        plainName = address.schema
        name = Self.quoted(address.schema)
    }

    /// An identifier in quotes, in which those that it holds are doubled.
    static func quoted(_ name: String) -> String {
        let inner = name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"")
        return "\"\(inner)\""
    }

    /// How many schemas of the name there are.
    var presenceQuery: PostgresQuery {
        PostgresQuery(
            "SELECT count(*)::bigint FROM pg_namespace WHERE nspname = $1::text",
            [.text(plainName)], columns: [.long], rowsMax: 1)
    }

    var creation: PostgresQuery { PostgresQuery("CREATE SCHEMA \(name)", tag: "CREATE SCHEMA") }

    /// Makes the tables; refused where there are some.
    func tables(ledger: [UInt8]) -> [PostgresQuery] {
        [
            PostgresQuery(
                """
                CREATE TABLE \(name).meta (
                    one boolean PRIMARY KEY CHECK (one), version integer NOT NULL)
                """, tag: "CREATE TABLE"),
            // Room for new versions of the row beside the old ones: no index is touched then.
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
            // What is sealed cannot be compressed.
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

    /// The form of the tables that are there.
    var formQuery: PostgresQuery {
        PostgresQuery("SELECT version FROM \(name).meta", columns: [.short], rowsMax: 1)
    }

    /// Whether this user may append.
    var rightsQuery: PostgresQuery {
        PostgresQuery(
            """
            SELECT (has_table_privilege($1::text, 'UPDATE')
                AND has_table_privilege($2::text, 'INSERT'))::integer
            """, [.text("\(name).head"), .text("\(name).batches")], columns: [.short],
            rowsMax: 1)
    }

    /// Where the log ends.
    var headQuery: PostgresQuery {
        PostgresQuery(Self.head(of: name), name: "head", columns: Self.headColumns, rowsMax: 1)
    }

    /// Where the log ends, which then stays so until the transaction ends.
    var lockedHeadQuery: PostgresQuery {
        PostgresQuery(
            Self.head(of: name) + " FOR UPDATE", name: "turn", columns: Self.headColumns,
            rowsMax: 1)
    }

    /// What stands behind a place, as far as bodies together are not larger.
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

    /// Puts a batch at the end, if the end is where it stands behind: else nothing is changed.
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

    /// All of this that is used often; only the types of arguments count here.
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
