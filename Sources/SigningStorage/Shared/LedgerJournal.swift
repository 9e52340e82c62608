// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import Synchronization

/// Coordinates each change of a shared ledger with the other hubs and sends it to them.
///
/// For a ledger that is not shared the only cost is a check whether the file has changed.
final class LedgerJournal: Journal {
    private struct State {
        /// The version of the file at which the ledger was not shared.
        var plainVersion: UInt32?
        var identity: LogIdentity?
        var log: (any SharedLog)?
        /// The time of the last attempt to copy entries of other hubs.
        var caughtUp: ContinuousClock.Instant?
        /// The number of such attempts in progress.
        var catchingUp = 0
    }

    private let state = Mutex(State())

    func twin() -> LedgerJournal { LedgerJournal() }

    func share<R: Sendable>(
        _ connection: SQLiteConnection, _ body: () throws(LedgerError) -> R
    ) throws(LedgerError) -> R {
        guard let turn = try begin(connection) else { return try body() }
        defer { turn.giveBack() }
        try carryOlderContent(in: turn, connection)
        let result = try body()
        try end(turn, connection)
        return result
    }

    /// Applies the changes of other hubs to the file and takes the turn to write to the shared log;
    /// nil if the ledger is not shared.
    private func begin(_ connection: SQLiteConnection) throws(LedgerError) -> LogTurn? {
        let version = connection.dataVersion
        if let version, state.withLock({ $0.plainVersion == version }) { return nil }
        let access = Access<LedgerError>(connection)
        guard let (identity, log) = try reach(access) else {
            state.withLock { $0.plainVersion = version }
            return nil
        }
        let copy = SharedCopy(identity, connection)
        for _ in 0..<Self.roundsMax {
            do throws(LedgerError) {
                let known = try access.logPlace()
                let news = try log.takeTurn(after: known)
                // A new batch of this hub is one whose confirmation was lost. It must be durable
                // before another batch, which uses limits too, is written.
                let isUnsure = news.batches.contains { $0.hub == identity.hub }
                let isTooMuch = news.batches.isEmpty && news.end > known.sequence
                let taken: SharedCopy.Progress =
                    isUnsure || isTooMuch ? .more : try copy.take(news)
                guard case .whole(let place) = taken else {
                    log.giveBack()
                    try copy.readOn(in: log)
                    continue
                }
                try copy.checkMayWrite()
                // Every hub makes these texts of its own rows.
                let carried =
                    try access.awaitsCarriedRows() ? try access.keepCarriedRows() : []
                return LogTurn(
                    log, identity, at: place, headSequence: try access.auditHead().sequence,
                    carrying: carried, try copy.recorder())
            } catch {
                log.giveBack()
                throw error
            }
        }
        throw .unavailable("other hubs write faster than this one reads: try again")
    }

    /// Puts the rows of an older version on record that no entry states, and the policy text,
    /// unless this hub may only answer.
    private func carryOlderContent(
        in turn: LogTurn, _ connection: SQLiteConnection
    ) throws(LedgerError) {
        let access = Access<LedgerError>(connection)
        if !turn.carried.isEmpty {
            _ = try access.append(
                .carry(CarryEntry(policies: [], rows: turn.carried)), at: access.auditHead().time)
        }
        guard try access.hasOlderTable(),
            try access.hub(turn.identity.hub)?.answersOnly == false
        else { return }
        try access.carryOlderText()
    }

    /// Durably sends the changes that were made in a turn to the other hubs.
    private func end(_ turn: LogTurn, _ connection: SQLiteConnection) throws(LedgerError) {
        let access = Access<LedgerError>(connection)
        let head = try access.auditHead().sequence
        if head > turn.headSequence, try access.writer(of: head) != turn.identity.hub {
            try access.noteWriter(turn.identity.hub, from: turn.headSequence + 1)
        }
        let changes = try SharedCopy.digest(of: turn.recorder)
        guard !changes.isEmpty else { return try turn.settle() }
        let entries = try access.entries(after: turn.headSequence, countMax: .max)
        let kinds = Set(entries.map(\.kind))
        let archives = kinds.contains(AuditKind.archive.rawValue)
        // A batch that other hubs refuse would block the log for all.
        guard changes.edited.isDisjoint(with: Schema.growingTables),
            !archives || kinds.isSubset(of: [AuditKind.archive.rawValue, AuditKind.carry.rawValue])
        else {
            throw .unavailable("the ledger is shared, so entries on record cannot be changed")
        }
        let isOfAnsweringHub = entries.allSatisfy { $0.change?.isOfAnsweringHub == true }
        if !isOfAnsweringHub, try access.hub(turn.identity.hub)?.answersOnly == true {
            throw .unavailable("this hub only answers questions to several people")
        }
        guard !entries.isEmpty else {
            throw .unavailable("the ledger is shared, so rows cannot be changed without an entry")
        }
        let content = BatchContent(
            entries: entries.map { Array($0.body.utf8) }, named: try access.namedBytes(of: entries),
            digest: changes.digest
        ).bytes
        guard content.count <= LogIdentity.changesMax else { throw Self.tooMuch }
        // A batch after a truncated log would start a second history. A hub that this change
        // retires no longer counts.
        if let other = try access.comparedHubs(where: "p.hash IS NULL").first {
            throw .unavailable(other.problem)
        }
        try access.set(try turn.append(content))
        _ = try access.follows(Schema.sharedVersion)
        // Other hubs do not wait for the turn while many rows are deleted.
        if archives { try connection.dropNewestSegment() }
    }

    func isTooMuch(_ failure: LedgerError) -> Bool { failure == Self.tooMuch }

    /// True if the ledger was shared at its last change.
    var isShared: Bool { state.withLock { $0.identity != nil } }

    /// Whether the last copying is longer ago than `age` and none is in progress.
    func isOlder(than age: Duration) -> Bool {
        state.withLock { state in
            state.catchingUp == 0 && state.caughtUp.map { $0.duration(to: .now) >= age } ?? true
        }
    }

    /// Copies the entries of other hubs; false if the ledger is not shared.
    func catchUp(_ database: Database<LedgerError>) throws(LedgerError) -> Bool {
        state.withLock { $0.catchingUp += 1 }
        defer {
            state.withLock { state in
                state.catchingUp -= 1
                state.caughtUp = .now
            }
        }
        return try takeNews(in: database)
    }

    private func takeNews(in database: Database<LedgerError>) throws(LedgerError) -> Bool {
        let found = try database.query { access throws(LedgerError) in
            try reach(access).map { (identity, log) throws(LedgerError) in
                Position(identity: identity, log: log, place: try access.logPlace())
            }
        }
        guard var found else { return false }
        var file: SegmentFile?
        while true {
            let news = try found.log.news(after: found.place)
            // Takes no lock if there is no news.
            if news.batches.isEmpty, news.end == found.place.sequence { return true }
            let next: Step = try database.writeLocally {
                [found, file] access, connection throws(LedgerError) in
                try step(found, news, file, access, connection)
            }
            switch next {
            case .done: return true
            case .goOn(let place): found.place = place
            case .archive(let needed, let place):
                found.place = place
                file = try SegmentFile.making(needed, besides: database.path) {
                    (place, countMax) throws(LedgerError) in
                    try database.query { access throws(LedgerError) in
                        try access.entries(after: place, countMax: countMax)
                    }
                }
            }
        }
    }

    private func step(
        _ found: Position, _ news: LogNews, _ file: SegmentFile?,
        _ access: borrowing Access<LedgerError>, _ connection: SQLiteConnection
    ) throws(LedgerError) -> Step {
        // Another process may have copied them first, or have become another hub.
        guard try access.logIdentity(known: found.identity)?.mark == found.identity.mark
        else { return .done }
        let place = try access.logPlace()
        guard place == found.place else { return .goOn(place) }
        switch try SharedCopy(found.identity, connection).take(news, file) {
        case .whole: return .done
        case .more: return .goOn(try access.logPlace())
        case .archive(let needed): return .archive(needed, try access.logPlace())
        }
    }

    private enum Step: Sendable {
        case done
        case goOn(LogPlace)
        case archive(NeededSegment, LogPlace)
    }

    private struct Position: Sendable {
        let identity: LogIdentity
        let log: any SharedLog
        var place: LogPlace
    }

    /// The identity of this hub and the shared log; nil if the ledger is not shared.
    private func reach(
        _ access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> (LogIdentity, any SharedLog)? {
        let (known, log) = state.withLock { ($0.identity, $0.log) }
        guard let identity = try access.logIdentity(known: known) else { return nil }
        if let log, identity === known { return (identity, log) }
        let opened = try SharedLogs.open(identity.address)
        state.withLock {
            $0.identity = identity
            $0.log = opened
        }
        return (identity, opened)
    }

    /// The number of attempts to catch up with other hubs before a change fails.
    private static let roundsMax = 8

    private static let tooMuch = LedgerError.unavailable(
        "the change is too large for one batch of the shared ledger (\(LogBatch.bodyBytesMax) "
            + "bytes)")
}
