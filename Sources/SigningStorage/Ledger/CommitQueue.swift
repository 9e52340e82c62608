// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import Synchronization

/// Writes changes to a ledger; changes that arrive at the same time share one commit.
///
/// If no other change is being written, a change is written at once, on the caller's thread if that
/// thread may block. Otherwise the queue's own thread writes it. Changes that arrive during a
/// commit are written together in the next one. A result that no caller waits for is deferred: it
/// is written with the next commit, or after a short pause.
final class CommitQueue: Sendable {
    /// The maximum number of changes in one commit, and that of deferred results.
    static let batchMax = 64
    /// The maximum number of changes that wait at one time; further ones are refused.
    static let waitingMax = 1_000
    /// The maximum number of deferred results; the caller of a further result waits for its commit.
    static let deferredMax = 1_000
    /// The pause in milliseconds after which deferred results are written if no change arrives.
    static let restMilliseconds = 50

    typealias Change = Database<LedgerError>.Change

    /// A change whose caller waits for it.
    private struct Waiting {
        let change: Change
        /// Called when the change is durable or has failed.
        let finish: @Sendable (LedgerError?) -> Void
    }

    /// The state of the queue's thread.
    private enum Pause {
        /// The thread is working, and looks for changes before it pauses.
        case none
        /// The thread pauses for `restMilliseconds`, then writes the deferred results.
        case rest
        /// The thread sleeps until its alarm rings.
        case sleep
    }

    private struct State {
        var waiting: [Waiting] = []
        /// The deferred results, including those that are being written.
        var deferred: [IntentResult] = []
        var pause = Pause.none
        var thread: OwnThread?
        var isClosed = false
    }

    private let database: Database<LedgerError>
    private let state = Mutex(State())
    private let alarm = Alarm()
    /// The lock that a thread holds while it writes.
    private let lead = Mutex(())

    init(_ database: Database<LedgerError>) {
        self.database = database
    }

    /// Makes a change and returns its value once the change is durable.
    ///
    /// `body` must not retain the ledger.
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

    /// Defers a result; false if the caller must wait for it.
    func postpone(_ result: IntentResult) -> Bool {
        let (isTaken, wakes) = state.withLock { state in
            guard !state.isClosed, state.deferred.count < Self.deferredMax else {
                return (false, false)
            }
            state.deferred.append(result)
            // A thread in state `rest` needs no alarm, as it writes soon anyway.
            let sleeps = state.pause == .sleep
            if sleeps { state.pause = .none }
            return (true, start(&state) && sleeps)
        }
        if wakes { alarm.ring() }
        return isTaken
    }

    /// The newest note in the deferred results with this subject and name; nil if there is none.
    func noted(_ name: String, about subject: Note.Subject) -> Note? {
        state.withLock { state in
            for result in state.deferred.reversed() {
                if let note = result.noted(name, about: subject) { return note }
            }
            return nil
        }
    }

    /// Writes all deferred results on this thread.
    func flush() throws(LedgerError) {
        // Changes that arrived while this thread held `lead` did not wake the queue's thread. It
        // must be woken after a failure too.
        defer { handOver() }
        while true {
            let (hasWritten, failure) = lead.withLock { _ in commit(resultsAlone: true) }
            if let failure { throw failure }
            if !hasWritten { break }
        }
    }

    /// Ends the thread after it has written the waiting changes.
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

    /// Adds a change.
    ///
    /// A thread that may block writes at once if no other does, which saves two thread switches.
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
        // If another thread holds `lead`, it wakes the queue's thread for this change.
        if mayBlock, lead.withLockIfAvailable({ _ in commit() }) == nil { return }
        handOver()
    }

    /// Wakes the queue's thread if changes wait.
    private func handOver() {
        let wakes = state.withLock { state in
            guard !state.waiting.isEmpty, state.pause != .none else { return false }
            state.pause = .none
            return true
        }
        if wakes { alarm.ring() }
    }

    /// Starts the queue's thread if it is not running; false if that fails.
    private func start(_ state: inout State) -> Bool {
        if state.thread == nil { state.thread = OwnThread { [self] in run() } }
        return state.thread != nil
    }

    private func run() {
        while true {
            if lead.withLock({ _ in commit().hasWritten }) { continue }
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

    /// Writes the deferred results after a pause without changes, then sleeps.
    private func rest() {
        let failure = lead.withLock { _ in commit(resultsAlone: true).failure }
        let sleeps = state.withLock { state in
            // After a failure the next change or result tries again.
            guard state.waiting.isEmpty, !state.isClosed, failure != nil || state.deferred.isEmpty
            else { return false }
            state.pause = .sleep
            return true
        }
        if sleeps { alarm.wait() }
    }

    private static func change(_ result: IntentResult) -> Change {
        { access throws(LedgerError) in try access.settle(result) }
    }

    /// Commits a batch of waiting changes with deferred results, or with `resultsAlone` deferred
    /// results; writes nothing if there are none of these.
    ///
    /// The caller must hold `lead`.
    private func commit(
        resultsAlone: Bool = false
    ) -> (hasWritten: Bool, failure: LedgerError?) {
        let (batch, results) = state.withLock { state in
            let batch = Array(state.waiting.prefix(resultsAlone ? 0 : Self.batchMax))
            state.waiting.removeFirst(batch.count)
            return (batch, Array(state.deferred.prefix(Self.batchMax)))
        }
        guard resultsAlone ? !results.isEmpty : !batch.isEmpty else { return (false, nil) }
        let changes = results.map(Self.change) + batch.map(\.change)
        let failures: [LedgerError?]
        do throws(LedgerError) {
            failures = try database.writeAll(changes)
        } catch {
            // Nothing was recorded, so no key is used for the requests of these changes.
            for waiting in batch { waiting.finish(error) }
            return (true, error)
        }
        // A result that does not match its intent is dropped; the intent then counts as one whose
        // signature was released. A result that could not be written for another reason is kept for
        // the next commit.
        let kept = zip(results, failures).filter { $0.1.map(Self.mayPass) == true }
        state.withLock {
            $0.deferred.replaceSubrange(..<results.count, with: kept.map(\.0))
        }
        for (waiting, failure) in zip(batch, failures.dropFirst(results.count)) {
            waiting.finish(failure)
        }
        return (true, kept.first?.1)
    }

    private static func mayPass(_ failure: LedgerError) -> Bool {
        switch failure {
        case .unavailable, .corruptLog: true
        default: false
        }
    }
}

/// Holds the value that a change returned until the commit is durable.
private final class Made<R: Sendable>: Sendable {
    private let kept = Mutex<R?>(nil)

    func keep(_ result: R) { kept.withLock { $0 = result } }

    var value: R? { kept.withLock { $0 } }
}
