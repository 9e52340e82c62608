// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import SigningCore
package import SigningStorage
import Synchronization

/// A shared log in memory that fails and lies as a test demands.
package final class MemoryLog: Sendable {
    /// A fault of the next batch.
    package enum Fault: Sendable {
        /// The batch does not arrive.
        case lostBefore
        /// The batch is durable, but the answer does not arrive.
        case lostAfter
    }

    fileprivate struct State {
        var batches: [LogBatch] = []
        var holder: UUID?
        var appendFault: Fault?
        var isAway = false
        var answerMax = LogNews.countMax
        var lie: (@Sendable (LogNews) -> LogNews)?
        var turns = 0
        var flushMicroseconds: UInt32 = 0
        var turnBytesMax = Int.max
        var isFlushing = true
        var parts: [LogPlace: [Int32: [UInt8]]] = [:]
    }

    /// The address of the log for ledgers.
    package let address = "memory:\(UUID().uuidString)"
    fileprivate let state = Mutex(State())

    private static let all = Mutex<[String: MemoryLog]>([:])
    private static let opener: Void = SharedLogs.register(MemoryLogs(), for: "memory")

    package init(_ batches: [LogBatch] = []) {
        Self.opener
        state.withLock { $0.batches = batches }
        Self.all.withLock { $0[address] = self }
    }

    fileprivate static func at(_ address: String) -> MemoryLog? {
        all.withLock { $0[address] }
    }

    /// A connection to it.
    package func connect() -> any SharedLog { MemoryLogConnection(to: self) }

    /// The batches of the log; a test may set them, like an attacker with full access.
    package var batches: [LogBatch] {
        get { state.withLock { $0.batches } }
        set { state.withLock { $0.batches = newValue } }
    }

    /// The number of turns that were taken.
    package var turns: Int { state.withLock { $0.turns } }

    /// Makes the next batch fail.
    package func fail(_ fault: Fault) { state.withLock { $0.appendFault = fault } }

    /// Removes the fault.
    package func heal() { state.withLock { $0.appendFault = nil } }

    /// Makes the log unreachable, or reachable again.
    package func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// Sets the number of batches in an answer.
    package func setAnswerMax(_ count: Int) { state.withLock { $0.answerMax = count } }

    /// Sets the time until a batch is durable, during which others have the turn.
    package func setFlush(microseconds: UInt32) {
        state.withLock { $0.flushMicroseconds = microseconds }
    }

    /// Sets the number of bytes that are read in a turn; a larger backlog gets no turn.
    package func setTurn(bytesMax: Int) { state.withLock { $0.turnBytesMax = bytesMax } }

    /// Confirms no write as durable, as with a replica that is away, or confirms writes again.
    package func setFlushing(_ isFlushing: Bool) {
        state.withLock { $0.isFlushing = isFlushing }
    }

    /// The parts of its snapshots; a test may set them, like an attacker with full access.
    package var parts: [LogPlace: [Int32: [UInt8]]] {
        get { state.withLock { $0.parts } }
        set { state.withLock { $0.parts = newValue } }
    }

    /// Changes every answer from now on.
    package func lie(_ lie: (@Sendable (LogNews) -> LogNews)?) {
        state.withLock { $0.lie = lie }
    }
}

private struct MemoryLogs: SharedLogOpener {
    func open(_ address: String) throws(LedgerError) -> any SharedLog {
        guard let log = MemoryLog.at(address) else { throw .unavailable("no such log") }
        return log.connect()
    }
}

private final class MemoryLogConnection: SnapshotKeeper {
    private let log: MemoryLog
    private let id = UUID()

    init(to log: MemoryLog) { self.log = log }

    func news(after known: LogPlace) throws(LedgerError) -> LogNews {
        let news: LogNews? = log.state.withLock { state in
            let news = state.news(after: known)
            return state.isAway || !state.isFlushing && !news.batches.isEmpty ? nil : news
        }
        guard let news else { throw .unavailable("the log is away") }
        return news
    }

    func takeTurn(after known: LogPlace) throws(LedgerError) -> LogNews {
        // The number of attempts is large enough for a slow machine.
        for _ in 0..<300_000 {
            let news: LogNews?? = log.state.withLock { state in
                guard !state.isAway else { return .some(nil) }
                guard state.holder == nil else { return nil }
                state.turns += 1
                let news = state.news(after: known)
                guard news.batches.map(\.body.count).reduce(0, +) <= state.turnBytesMax else {
                    return LogNews(batches: [], end: news.end)
                }
                state.holder = id
                return news
            }
            if let news {
                guard let news else { break }
                return news
            }
            usleep(100)
        }
        throw .unavailable("the log is away")
    }

    func append(_ batch: LogBatch) throws(LedgerError) {
        let isDone: Bool = log.state.withLock { state in
            guard !state.isAway, state.holder == id else { return false }
            state.holder = nil
            let fault = state.appendFault.take()
            if case .lostBefore = fault { return false }
            guard batch.previous == state.batches.last?.place ?? .origin else { return false }
            state.batches.append(batch)
            return fault == nil && state.isFlushing
        }
        guard isDone else { throw .unavailable("the connection was lost") }
        flush()
    }

    private func flush() {
        let time = log.state.withLock { $0.flushMicroseconds }
        if time > 0 { usleep(time) }
    }

    func settle() throws(LedgerError) {
        let isDone = log.state.withLock { state in
            guard !state.isAway, state.holder == id else { return false }
            state.holder = nil
            return state.isFlushing
        }
        guard isDone else { throw .unavailable("the connection was lost") }
        flush()
    }

    func checkMayAppend() throws(LedgerError) {
        let isAway = log.state.withLock { $0.isAway }
        if isAway { throw .unavailable("the log is away") }
    }

    func giveBack() {
        log.state.withLock { state in
            if state.holder == id { state.holder = nil }
        }
    }

    deinit { giveBack() }

    func snapshots() throws(LedgerError) -> [LogPlace] {
        try checkMayAppend()
        return log.parts.keys.sorted { $0.sequence > $1.sequence }
    }

    func keep(_ part: [UInt8], at index: Int32, of place: LogPlace) throws(LedgerError) {
        try checkMayAppend()
        log.state.withLock { $0.parts[place, default: [:]][index] = part }
    }

    func part(_ index: Int32, of place: LogPlace) throws(LedgerError) -> [UInt8]? {
        try checkMayAppend()
        return log.parts[place]?[index]
    }

    func cut(through place: LogPlace) throws(LedgerError) -> Int64 {
        try checkMayAppend()
        return log.state.withLock { state in
            let count = state.batches.count
            state.batches.removeAll { $0.previous.sequence < place.sequence }
            state.parts = state.parts.filter { $0.key.sequence >= place.sequence }
            return Int64(count - state.batches.count)
        }
    }
}

extension MemoryLog.State {
    fileprivate func news(after known: LogPlace) -> LogNews {
        let before = batches.first?.previous.sequence ?? 0
        let news = LogNews(
            batches: Array(
                batches.dropFirst(Int(max(0, known.sequence - before))).prefix(answerMax)),
            end: before + Int64(batches.count))
        return lie?(news) ?? news
    }
}
