// SPDX-License-Identifier: Apache-2.0

/// The settings of every transaction, independent of those of the user, the database or the server.
enum PostgresTerms {
    /// Begins a transaction for writing.
    ///
    /// Every writer first locks the row of the head, which is sufficient.
    static let begin = PostgresQuery(
        "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", name: "begin", tag: "BEGIN")
    /// Begins a transaction for reading, in which all statements see the same state.
    static let beginReading = PostgresQuery(
        "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", name: "read", tag: "BEGIN")
    static let commit = PostgresQuery("COMMIT", name: "commit", tag: "COMMIT")
    static let rollBack = PostgresQuery("ROLLBACK", name: "rollback", tag: "ROLLBACK")

    /// The statements that every connection needs.
    static var prepared: [PostgresQuery] {
        [begin, beginReading, commit, rollBack, setting, unflushed, flush]
    }

    /// Makes the commit of this transaction not wait for the disk, so that other hubs can continue.
    static let unflushed = PostgresQuery(
        "SELECT set_config('synchronous_commit', 'off', true)", name: "unflushed",
        columns: [.text], rowsMax: 1)

    /// A transaction that waits until it and all earlier commits are durable: the server writes its
    /// log in order, and this transaction adds a record to it.
    static let flushing = [begin, flush, commit]

    private static let flush = PostgresQuery(
        """
        SELECT pg_catalog.set_config('synchronous_commit', 'on', true),
            pg_catalog.set_config('client_min_messages', 'warning', true),
            pg_catalog.pg_logical_emit_message(true, 'countersign', '')::text, \(session)
        """, name: "flush", columns: [.text, .text, .text, .text], rowsMax: 1)

    /// The expression that identifies the server process of a transaction, even across servers.
    private static let session =
        "pg_catalog.concat(pg_catalog.pg_backend_pid(), ' ', pg_catalog.pg_postmaster_start_time())"

    /// The largest difference between the clocks of a hub and of the server, in seconds.
    static let clockSecondsMax = 5

    /// The settings, set for the transaction only, as a connection pool could change the session.
    private static let settings: [(name: String, value: String)] = [
        ("synchronous_commit", "on"),
        // A hub that waits for the turn gives up after this time; one that holds it and is idle
        // loses it.
        ("lock_timeout", "2s"),
        ("statement_timeout", "10s"),
        ("idle_in_transaction_session_timeout", "1s"),
        ("client_min_messages", "warning"),
        ("search_path", "pg_catalog"),
        // A plan made for an empty table would later read the whole table.
        ("plan_cache_mode", "force_custom_plan"),
    ]

    /// Makes the server detect a broken network to a hub soon, for the whole session.
    ///
    /// It has no effect on a Unix socket.
    static let noticing = PostgresQuery(
        """
        SELECT set_config('tcp_keepalives_idle', '2', false),
            set_config('tcp_keepalives_interval', '1', false),
            set_config('tcp_keepalives_count', '3', false),
            set_config('tcp_user_timeout', '5000', false)
        """, columns: [.text, .text, .text, .text], rowsMax: 1)

    /// Sets all terms, and returns the new values and the server's time in milliseconds.
    static let setting = PostgresQuery(
        "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, "
            + settings.map { "set_config('\($0.name)', '\($0.value)', true)" }
            .joined(separator: ", ") + ", " + session, name: "setting",
        columns: [.long] + settings.map { _ in .text } + [.text], rowsMax: 1)

    /// Checks the settings; returns the server's time, and the process of the transaction.
    static func checkSetting(
        _ rows: [PostgresRow]
    ) throws(PostgresError) -> (time: Int64, session: String) {
        guard let row = rows.first else { throw .strange("no settings") }
        for (index, setting) in settings.enumerated() {
            guard try row.text(index + 1) == setting.value else {
                throw .strange("\(setting.name) is not \(setting.value)")
            }
        }
        return (try row.long(0), try row.text(settings.count + 1))
    }

    /// Throws if another process or server flushed its log: that does not make this transaction's
    /// commits durable.
    static func checkFlushed(_ row: PostgresRow, in session: String) throws(PostgresError) {
        guard try row.text(0) == "on", try row.text(1) == "warning" else {
            throw .strange("another synchronous_commit or client_min_messages than was set")
        }
        guard try row.text(3) == session else {
            throw .unreachable(
                "the connection changed between transactions, as with a connection pooler: connect "
                    + "hubs directly to the server")
        }
    }

    /// Throws unless the server's time is between the hub's times before and after the query, with
    /// a tolerance.
    static func checkClock(
        _ server: Int64, earliest: Int64, latest: Int64
    ) throws(PostgresError) {
        let (before, isFarBefore) = earliest.subtractingReportingOverflow(server)
        let (after, isFarAfter) = server.subtractingReportingOverflow(latest)
        guard !isFarBefore, !isFarAfter else { throw .strange("an impossible time") }
        let seconds = max(before, after) / 1_000
        guard seconds < clockSecondsMax else {
            throw .unreachable(
                "this machine's clock and the server's are \(seconds) s apart: set the one that"
                    + " is wrong")
        }
    }

    /// Reads the durability settings of the server, and the number of its replicas.
    ///
    /// A user with few rights sees only the names of replicas. A running base backup does not count
    /// as a replica.
    static let durability = PostgresQuery(
        """
        SELECT current_setting('synchronous_standby_names'), current_setting('fsync'),
            current_setting('full_page_writes'), (
                SELECT count(*)::bigint FROM pg_stat_replication
                WHERE application_name NOT IN ('pg_basebackup', 'pg_receivewal'))
        """, columns: [.text, .text, .text, .long], rowsMax: 1)

    /// The time for which the durability settings are not checked again, in seconds.
    static let durabilitySeconds = 60

    /// Throws if the server does not wait for the required replicas, or may lose its writes.
    ///
    /// Also throws if it does not wait for any of its replicas, unless the owner accepts that.
    static func checkDurability(
        _ rows: [PostgresRow], replicas: Int, mayLoseLast: Bool
    ) throws(PostgresError) {
        guard let row = rows.first else { throw .strange("no settings") }
        let names = try row.text(0)
        guard replicaCount(in: names) >= replicas else {
            throw .unreachable(
                "the database does not wait for as many replicas as the address asks for"
                    + " (\(replicas)): set synchronous_standby_names")
        }
        let isAsynchronous = try row.long(3) > 0 && replicaCount(in: names) == 0
        guard mayLoseLast || !isAsynchronous else {
            throw .unreachable(
                "the database has replicas but does not wait for them, so a promoted replica may "
                    + "lack the latest entries: set synchronous_standby_names, or accept this with "
                    + "replication=asynchronous in the address")
        }
        guard try row.text(1) == "on", try row.text(2) == "on" else {
            throw .unreachable(
                "the database may lose writes when it stops: turn fsync and full_page_writes on")
        }
    }

    /// The number of replicas that a commit waits for, according to synchronous_standby_names.
    static func replicaCount(in names: String) -> Int {
        let words = names.split { $0 == " " || $0 == "(" || $0 == ")" || $0 == "," }
        guard !words.isEmpty else { return 0 }
        guard names.contains("(") else { return 1 }
        let isNamed = ["first", "any"].contains(words[0].lowercased())
        return words.dropFirst(isNamed ? 1 : 0).first.flatMap { Int($0) } ?? 0
    }
}
