// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import Synchronization

/// Changes to a ledger that are made durable many with one commit.
///
/// Whoever comes while nobody writes does so itself, where it may wait for a disk and keeps nobody
/// waiting by it; else a thread of its own does. No delay gathers changes: while one commit is
/// synced the next ones wait.
/// Results that nobody waits for ride with the next commit, or with one of their own after a rest.
final class CommitQueue: Sendable {
    /// How many changes, and how many results, share one commit.
    static let batchMax = 64
    /// How many changes wait at one time.
    static let waitingMax = 1_000
    /// How many results wait to be written; beyond them each waits for its own commit.
    static let ridingMax = 1_000
    /// How long a result waits for a commit to ride with, in milliseconds.
    static let restMilliseconds = 50

    typealias Change = Database<LedgerError>.Change

    /// A change with somebody who waits for it.
    private struct Waiting {
        let change: Change
        /// Called once it is durable, or will not be.
        let finish: @Sendable (LedgerError?) -> Void
    }

    private enum Pause {
        /// The thread works, and looks again before it pauses.
        case none
        /// It looks again after a rest.
        case rest
        /// It waits to be woken.
        case sleep
    }

    private struct State {
        var waiting: [Waiting] = []
        /// Those that are being written stand here until they are.
        var riding: [IntentResult] = []
        var pause = Pause.none
        var thread: OwnThread?
        var isClosed = false
    }

    private let database: Database<LedgerError>
    private let state = Mutex(State())
    private let alarm = Alarm()
    /// Held by whoever writes what waits.
    private let lead = Mutex(())

    init(_ database: Database<LedgerError>) {
        self.database = database
    }

    /// Makes a change once it is durable; it must not keep the ledger alive.
    func write<R: Sendable>(
        _ body: @escaping @Sendable (borrowing Access<LedgerError>) throws(LedgerError) -> R
    ) async throws(LedgerError) -> R {
        let made = Made<R>()
        let failure = await withCheckedContinuation { continuation in
            add(
                Waiting(
                    change: { access throws(LedgerError) in made.keep(try body(access)) },
                    finish: { continuation.resume(returning: $0) }),
                on: BlockingThreads.shared.isCurrent && !BlockingThreads.shared.hasWaiting)
        }
        if let failure { throw failure }
        guard let result = made.value else { throw .corrupt("a change without its result") }
        return result
    }

    /// Takes a result that nobody waits for; false where it has to be waited for.
    func ride(_ result: IntentResult) -> Bool {
        let (isTaken, wakes) = state.withLock { state in
            guard !state.isClosed, state.riding.count < Self.ridingMax else {
                return (false, false)
            }
            state.riding.append(result)
            // One that rests looks soon enough.
            let sleeps = state.pause == .sleep
            if sleeps { state.pause = .none }
            return (true, start(&state) && sleeps)
        }
        if wakes { alarm.ring() }
        return isTaken
    }

    /// What a result that is not written yet notes.
    func noted(_ name: String, about subject: Note.Subject) -> Note? {
        state.withLock { state in
            for result in state.riding.reversed() {
                if let note = result.noted(name, about: subject) { return note }
            }
            return nil
        }
    }

    /// Writes every result that waits, on this thread.
    func flush() throws(LedgerError) {
        // Whoever came meanwhile did not wake the thread; that holds after a failure as well.
        defer { handOver() }
        while true {
            let (failure, isEmpty) = lead.withLock { _ in
                let results = state.withLock { Array($0.riding.prefix(Self.batchMax)) }
                return (results.isEmpty ? nil : write([], results), results.isEmpty)
            }
            if let failure { throw failure }
            if isEmpty { break }
        }
    }

    /// Ends the thread once it has written what waits.
    func close() {
        let thread = state.withLock { state in
            state.isClosed = true
            state.pause = .none
            return state.thread.take()
        }
        alarm.ring()
        thread?.join()
        try? flush()
    }

    /// A thread that may block writes at once where nobody writes: that spares two changes of
    /// threads.
    private func add(_ waiting: Waiting, on mayBlock: Bool) {
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.waiting.count < Self.waitingMax, start(&state) else {
                return false
            }
            state.waiting.append(waiting)
            return true
        }
        guard isTaken else {
            return waiting.finish(.unavailable("too many requests wait for the record"))
        }
        // Whoever has the lead hands over what came meanwhile.
        if mayBlock, lead.withLockIfAvailable({ _ in takeLead() }) == nil { return }
        handOver()
    }

    /// Wakes the thread where somebody waits.
    private func handOver() {
        let wakes = state.withLock { state in
            guard !state.waiting.isEmpty, state.pause != .none else { return false }
            state.pause = .none
            return true
        }
        if wakes { alarm.ring() }
    }

    /// Starts the thread at its first use; false where there can be none.
    private func start(_ state: inout State) -> Bool {
        if state.thread == nil { state.thread = OwnThread { [self] in run() } }
        return state.thread != nil
    }

    private func run() {
        while true {
            if lead.withLock({ _ in takeLead() }) { continue }
            let pause: Pause? = state.withLock { state in
                guard state.waiting.isEmpty else { return Pause.none }
                if state.isClosed { return nil }
                state.pause = .rest
                return state.pause
            }
            guard let pause else { return }
            if pause == .none || alarm.rings(within: Self.restMilliseconds) { continue }
            rest()
        }
    }

    /// Nobody came: what rides is written, and the thread sleeps.
    private func rest() {
        let failure = lead.withLock { _ -> LedgerError? in
            let results = state.withLock { Array($0.riding.prefix(Self.batchMax)) }
            return results.isEmpty ? nil : write([], results)
        }
        let sleeps = state.withLock { state in
            // After a failure the next request tries again.
            guard state.waiting.isEmpty, !state.isClosed, failure != nil || state.riding.isEmpty
            else { return false }
            state.pause = .sleep
            return true
        }
        if sleeps { alarm.wait() }
    }

    /// Writes what waits, while nobody else does; false where nobody waits.
    private func takeLead() -> Bool {
        let (batch, results) = state.withLock { state in
            let batch = Array(state.waiting.prefix(Self.batchMax))
            state.waiting.removeFirst(batch.count)
            return (batch, Array(state.riding.prefix(Self.batchMax)))
        }
        guard !batch.isEmpty else { return false }
        _ = write(batch, results)
        return true
    }

    private static func change(_ result: IntentResult) -> Change {
        { access throws(LedgerError) in try access.settle(result) }
    }

    /// One commit; why there was none, if there was none.
    private func write(_ batch: [Waiting], _ results: [IntentResult]) -> LedgerError? {
        let changes = results.map(Self.change) + batch.map(\.change)
        let failures: [LedgerError?]
        do throws(LedgerError) {
            failures = try database.writeAll(changes)
        } catch {
            // No key was used for any of them.
            for waiting in batch { waiting.finish(error) }
            return error
        }
        // A result that does not fit its intent stays away: the intent counts as released. One of
        // a part of them that could not be written is kept for the next commit.
        let kept = zip(results, failures).filter { $0.1.map(Self.mayPass) == true }
        state.withLock {
            $0.riding.replaceSubrange(..<results.count, with: kept.map(\.0))
        }
        for (waiting, failure) in zip(batch, failures.dropFirst(results.count)) {
            waiting.finish(failure)
        }
        return kept.first?.1
    }

    private static func mayPass(_ failure: LedgerError) -> Bool {
        switch failure {
        case .unavailable, .corruptLog: true
        default: false
        }
    }
}

/// What came of a change.
private final class Made<R: Sendable>: Sendable {
    private let kept = Mutex<R?>(nil)

    func keep(_ result: R) { kept.withLock { $0 = result } }

    var value: R? { kept.withLock { $0 } }
}
