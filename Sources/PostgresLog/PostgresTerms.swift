// SPDX-License-Identifier: Apache-2.0

/// The settings of every transaction; they replace those of the user, the database and the server.
enum PostgresTerms {
    /// Begins a transaction for writing.
    ///
    /// A low isolation level is sufficient, as every writer first locks the row of the head.
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

    /// Makes the commit of this transaction return before the data is on disk, so that other hubs
    /// can take the turn earlier.
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

    /// The settings with their values.
    ///
    /// They are set for each transaction, as a connection pooler could change those of the session.
    private static let settings: [(name: String, value: String)] = [
        ("synchronous_commit", "on"),
        // A hub gives up waiting for the turn after `lock_timeout`. A hub that holds the turn and
        // is idle for `idle_in_transaction_session_timeout` loses it.
        ("lock_timeout", "2s"),
        ("statement_timeout", "10s"),
        ("idle_in_transaction_session_timeout", "1s"),
        ("client_min_messages", "warning"),
        ("search_path", "pg_catalog"),
        // A query plan that was made while the table was empty would later read the whole table.
        ("plan_cache_mode", "force_custom_plan"),
    ]

    /// Makes the server notice soon that the network to a hub is broken; for the whole session.
    ///
    /// It has no effect on a Unix socket.
    static let noticing = PostgresQuery(
        """
        SELECT set_config('tcp_keepalives_idle', '2', false),
            set_config('tcp_keepalives_interval', '1', false),
            set_config('tcp_keepalives_count', '3', false),
            set_config('tcp_user_timeout', '5000', false)
        """, columns: [.text, .text, .text, .text], rowsMax: 1)

    /// Sets all settings; returns the server's time in milliseconds, the new values, and the server
    /// process.
    static let setting = PostgresQuery(
        "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint, "
            + settings.map { "set_config('\($0.name)', '\($0.value)', true)" }
            .joined(separator: ", ") + ", " + session, name: "setting",
        columns: [.long] + settings.map { _ in .text } + [.text], rowsMax: 1)

    /// Checks the answer to `setting`; returns the server's time in milliseconds and the identity
    /// of the server process.
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

    /// Checks the answer to `flush`; throws if another server process than `session` gave it.
    ///
    /// Then the flush does not make the commits of this hub durable.
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
    /// Replicas are told apart from base backups by name, as a user with few rights sees no other
    /// data of them.
    static let durability = PostgresQuery(
        """
        SELECT current_setting('synchronous_standby_names'), current_setting('fsync'),
            current_setting('full_page_writes'), (
                SELECT count(*)::bigint FROM pg_stat_replication
                WHERE application_name NOT IN ('pg_basebackup', 'pg_receivewal'))
        """, columns: [.text, .text, .text, .long], rowsMax: 1)

    /// The time for which the durability settings are not checked again, in seconds.
    static let durabilitySeconds = 60

    /// Throws if the server waits for fewer than `replicas` replicas, or if it may lose writes when
    /// it stops.
    ///
    /// Also throws if the server has replicas but waits for no replica, unless `mayLoseLast`.
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
