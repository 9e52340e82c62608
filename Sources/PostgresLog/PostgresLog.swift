// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningStorage
internal import Synchronization

/// A shared log in a PostgreSQL database.
///
/// The turn to write is a lock on one row, held in a transaction that `append` commits. If a hub
/// sends nothing for a second, it loses the turn: the server ends its session, and later statements
/// find no transaction. If a connection fails, it is not known whether its last statements took
/// effect. The connection is closed, and the batches that the next turn reads show the result.
package final class PostgresLog: SharedLog {
    private let address: PostgresAddress
    let schema: PostgresSchema
    private let clock: @Sendable () -> Int64
    private let state = Mutex(State())

    /// The longest time for one call of the server, in seconds.
    static let callSecondsMax = 5
    /// The maximum number of bytes in the bodies of one answer while the turn is held.
    ///
    /// A small answer fits in the network's buffers. While the server waits to send a larger one to
    /// a hub that is stopped, that hub would not lose the turn.
    static let turnBytesMax = 64 << 10
    /// The maximum number of such answers in one turn.
    static let turnPiecesMax = 16

    struct State {
        var connection: PostgresConnection?
        /// The end of the log while the turn is held; nil otherwise.
        var turn: LogPlace?
        /// The identity of the log as first read; later reads must find the same one.
        var ledger: [UInt8]?
        /// The time until which the server's durability settings need no further check.
        var durable: Deadline?
        /// The server process of the last transaction.
        var session = ""

        var isDurabilityKnown: Bool { durable.map { $0.millisecondsLeft > 0 } ?? false }
    }

    /// Creates a log; it connects at the first use.
    package convenience init(_ address: PostgresAddress) {
        self.init(address, clock: ClockReading.timeOfDay)
    }

    /// Creates a log with another clock, in milliseconds since 1970.
    package init(_ address: PostgresAddress, clock: @escaping @Sendable () -> Int64) {
        self.address = address
        self.clock = clock
        schema = PostgresSchema(address)
    }

    /// The identity of this log, 16 bytes, chosen at random when the log was created.
    package func identity() throws(LedgerError) -> [UInt8] {
        try call { state throws(PostgresError) in
            let answers = try read([schema.headQuery], &state)
            return try checkedHead(answers[0], &state).ledger
        }
    }

    package func news(after known: LogPlace) throws(LedgerError) -> LogNews {
        try call { state throws(PostgresError) in
            // While this hub holds the turn, it reads batches by `takeTurn` only. Batches that are
            // read in a turn may not be durable yet. If a hub stored such batches and the server
            // lost them in a crash, the hub would refuse the log for ever.
            guard state.turn == nil else { return LogNews(batches: [], end: known.sequence) }
            let queries = [
                schema.headQuery,
                schema.batchesQuery(after: known.sequence, bytesMax: LogNews.bytesMax),
            ]
            let answers = try read(queries, &state)
            let head = try checkedHead(answers[0], &state)
            let news = try head.news(answers[1], after: known)
            guard news.end <= known.sequence || !news.batches.isEmpty else {
                throw .wrong("the shared log lacks batch \(known.sequence + 1)")
            }
            if !news.batches.isEmpty { try flush([], state) }
            return news
        }
    }

    package func takeTurn(after known: LogPlace) throws(LedgerError) -> LogNews {
        let news = try call(takingTurn: true) { state throws(PostgresError) in
            try takeTurn(after: known, &state)
        }
        let isWhole = news.end <= known.sequence || news.batches.last?.place.sequence == news.end
        if isWhole { return news }
        // Gives the turn back, so that other hubs need not wait while this one reads many batches.
        giveBack()
        let read = try self.news(after: known)
        // An answer that contains the last batch would mean that this hub holds the turn. The turn
        // was given back, so the last batch is left out.
        let reachesEnd = read.batches.last?.place.sequence == read.end
        return LogNews(batches: read.batches.dropLast(reachesEnd ? 1 : 0), end: read.end)
    }

    package func append(_ batch: LogBatch) throws(LedgerError) {
        let place = batch.place
        try call { state throws(PostgresError) in
            guard let end = state.turn else {
                throw .unreachable("the lock on the shared log is lost: try again")
            }
            // The turn ends here even if the append fails: a second attempt is not allowed.
            state.turn = nil
            guard batch.previous == end, batch.body.count <= LogBatch.bodyBytesMax,
                batch.signature.count == PostgresHead.signatureBytes
            else { throw .unreachable("the batch does not continue the shared log") }
            // Input that was not requested means that the server has ended the session.
            guard state.connection?.isAlive == true else {
                throw .unreachable(
                    "the lock on the shared log was not used for a second, or the server stopped: "
                        + "try again")
            }
            // The commit does not wait for the disk, so that the next hub can take its turn.
            // `flush` then waits until the commit is durable.
            let queries = [
                schema.appending(batch, at: place), PostgresTerms.unflushed, PostgresTerms.commit,
            ]
            try flush(queries, state)
        }
    }

    package func settle() throws(LedgerError) {
        try call { state throws(PostgresError) in
            guard state.turn != nil else {
                throw .unreachable("the lock on the shared log is lost: try again")
            }
            state.turn = nil
            try flush([PostgresTerms.rollBack], state)
        }
    }

    package func checkMayAppend() throws(LedgerError) {
        try call(takingTurn: true) { state throws(PostgresError) in
            let earliest = clock()
            let answers = try run(
                [
                    PostgresTerms.begin, PostgresTerms.setting, schema.lockedHeadQuery,
                    PostgresTerms.durability, schema.rightsQuery, PostgresTerms.rollBack,
                ], &state)
            let serverTime = try PostgresTerms.checkSetting(answers[1]).time
            try PostgresTerms.checkClock(serverTime, earliest: earliest, latest: clock())
            _ = try checkedHead(answers[2], &state)
            try checkDurability(answers[3], &state)
            guard try answers[4].first?.short(0) == 1 else {
                throw .unreachable(
                    "this user may read the shared log, but not write to it: grant INSERT and "
                        + "UPDATE")
            }
        }
    }

    package func giveBack() {
        state.withLock { state in
            guard state.turn != nil else { return }
            state.turn = nil
            do throws(PostgresError) {
                _ = try state.connection?.run(
                    [PostgresTerms.rollBack],
                    until: Deadline(secondsFromNow: Self.callSecondsMax))
            } catch {
                // Closing the connection releases the turn.
                state.connection = nil
            }
        }
    }
}

extension PostgresLog {
    /// Runs a body with the state; after an error, closes the connection and gives up the turn.
    func call<R: Sendable>(
        takingTurn: Bool = false, _ body: (inout State) throws(PostgresError) -> R
    ) throws(LedgerError) -> R {
        try state.withLock { (state) throws(LedgerError) in
            // Only one caller in this process can hold the turn.
            guard !takingTurn || state.turn == nil else {
                throw .unavailable("this process has already locked the shared log")
            }
            do throws(PostgresError) {
                return try body(&state)
            } catch {
                state.connection?.close()
                state.connection = nil
                state.turn = nil
                throw error.ledgerError
            }
        }
    }

    /// Reads further batches in parts while the turn is held.
    ///
    /// If a hub always gave the turn back to read them, it might never catch up with busy hubs.
    private func more(
        of first: LogNews, upTo head: PostgresHead, _ state: State
    ) throws(PostgresError) -> LogNews {
        var batches = first.batches
        for _ in 1..<Self.turnPiecesMax {
            guard let place = batches.last?.place, place.sequence < first.end,
                let connection = state.connection
            else { break }
            let rows = try connection.run(
                [schema.batchesQuery(after: place.sequence, bytesMax: Self.turnBytesMax)],
                until: Deadline(secondsFromNow: Self.callSecondsMax))[0]
            let next = try head.news(rows, after: place).batches
            guard !next.isEmpty, batches.count + next.count <= LogNews.countMax else { break }
            batches += next
        }
        return LogNews(batches: batches, end: first.end)
    }

    /// Runs statements and waits until the server has made all commits durable.
    private func flush(
        _ queries: [PostgresQuery], _ state: State
    ) throws(PostgresError) {
        guard let connection = state.connection else {
            throw .unreachable("the connection to the database is lost: try again")
        }
        let notices = connection.noticeCount
        let answers = try connection.run(
            queries + PostgresTerms.flushing, until: Deadline(secondsFromNow: Self.callSecondsMax))
        guard let row = answers[queries.count + 1].first else { throw .strange("no settings") }
        try PostgresTerms.checkFlushed(row, in: state.session)
        // If the wait for replicas is interrupted, the server reports success with a warning.
        guard connection.noticeCount == notices, !connection.isInTransaction else {
            throw .unreachable(
                "the database gave a warning when it wrote: the write may not be durable")
        }
    }

    private func takeTurn(
        after known: LogPlace, _ state: inout State
    ) throws(PostgresError) -> LogNews {
        var queries = [
            PostgresTerms.begin, PostgresTerms.setting, schema.lockedHeadQuery,
            schema.batchesQuery(after: known.sequence, bytesMax: Self.turnBytesMax),
        ]
        // If replicas are required, each turn checks them.
        let isDurabilityKnown = address.replicas == 0 && state.isDurabilityKnown
        if !isDurabilityKnown { queries.append(PostgresTerms.durability) }
        let earliest = clock()
        let answers = try run(queries, &state)
        let (serverTime, session) = try PostgresTerms.checkSetting(answers[1])
        state.session = session
        try PostgresTerms.checkClock(serverTime, earliest: earliest, latest: clock())
        try checkDurability(isDurabilityKnown ? nil : answers[4], &state)
        let head = try checkedHead(answers[2], &state)
        let first = try head.news(answers[3], after: known)
        let news = try more(of: first, upTo: head, state)
        state.turn = head.end
        return news
    }

    /// Checks the durability settings in `reported`.
    ///
    /// Without it, requests them from the server if the last check was too long ago.
    private func checkDurability(
        _ reported: [PostgresRow]?, _ state: inout State
    ) throws(PostgresError) {
        guard reported != nil || !state.isDurabilityKnown, let connection = state.connection else {
            return
        }
        let until = Deadline(secondsFromNow: Self.callSecondsMax)
        let rows: [PostgresRow]
        if let reported {
            rows = reported
        } else {
            rows = try connection.run([PostgresTerms.durability], until: until)[0]
        }
        try PostgresTerms.checkDurability(
            rows, replicas: address.replicas, mayLoseLast: address.mayLoseLast)
        state.durable = Deadline(secondsFromNow: PostgresTerms.durabilitySeconds)
    }

    /// Runs statements that only read, in the transaction of the turn or in a new one.
    func read(
        _ queries: [PostgresQuery], _ state: inout State
    ) throws(PostgresError) -> [[PostgresRow]] {
        if state.turn != nil, let connection = state.connection {
            return try connection.run(
                queries, until: Deadline(secondsFromNow: Self.callSecondsMax))
        }
        let all =
            [PostgresTerms.beginReading, PostgresTerms.setting] + queries
            + [PostgresTerms.commit]
        let answers = try run(all, &state)
        state.session = try PostgresTerms.checkSetting(answers[1]).session
        return Array(answers.dropFirst(2))
    }

    /// Runs statements on the open connection; if that fails, opens a new one and runs them again.
    ///
    /// The statements must have no lasting effect if they are run twice.
    func run(
        _ queries: [PostgresQuery], _ state: inout State
    ) throws(PostgresError) -> [[PostgresRow]] {
        if let connection = state.connection, connection.isAlive {
            do throws(PostgresError) {
                return try connection.run(
                    queries, until: Deadline(secondsFromNow: Self.callSecondsMax))
            } catch {
                // The server may have been restarted, so a new connection is tried.
                guard case .unreachable = error, !connection.hasTimedOut else { throw error }
            }
        }
        state.connection?.close()
        state.connection = nil
        state.durable = nil
        let connection = try PostgresConnecting.open(address)
        try prepare(connection)
        state.connection = connection
        return try connection.run(queries, until: Deadline(secondsFromNow: Self.callSecondsMax))
    }

    /// Checks the version of the tables, and prepares the statements.
    private func prepare(_ connection: PostgresConnection) throws(PostgresError) {
        let deadline = Deadline(secondsFromNow: Self.callSecondsMax)
        try connection.prepare(PostgresTerms.prepared, until: deadline)
        let answers = try connection.run(
            [
                PostgresTerms.noticing, PostgresTerms.beginReading, PostgresTerms.setting,
                schema.formQuery,
            ], until: deadline)
        try Self.checkForm(answers[3])
        try connection.prepare(schema.prepared, until: deadline)
        _ = try connection.run([PostgresTerms.commit], until: deadline)
    }

    private static func checkForm(_ rows: [PostgresRow]) throws(PostgresError) {
        guard let version = try rows.first?.short(0) else {
            throw .wrong("the shared log does not contain its version")
        }
        guard version == PostgresSchema.version else {
            throw .wrong(
                version > PostgresSchema.version
                    ? "the shared log has version \(version), which this program does not know: "
                        + "install a newer countersign"
                    : "the shared log has version \(version), which is too old for this program: "
                        + "upgrade the log")
        }
    }

    /// Parses the head; throws if the log is not the one that was read first.
    private func checkedHead(
        _ rows: [PostgresRow], _ state: inout State
    ) throws(PostgresError) -> PostgresHead {
        let head = try PostgresHead(rows)
        guard state.ledger == nil || state.ledger == head.ledger else {
            throw .wrong("the shared log was replaced by another shared log")
        }
        state.ledger = head.ledger
        return head
    }
}
