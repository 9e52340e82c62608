// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Wakes waiting requests of a client when a person has answered another request of this client.
///
/// If one remembered yes covers several waiting requests, all of them are then answered.
final class GrantNotifier: Sendable {
    private struct Waiter {
        let subject: Note.Subject
        let continuation: CheckedContinuation<Void, Never>
    }

    /// A group of requests of a client that are asked about one at a time.
    struct Burst: Hashable {
        let subject: Note.Subject
        let name: String
    }

    /// A request's membership in a burst.
    struct Ticket {
        let number: Int
        /// The number of denials in the burst when the request joined.
        let noesCount: Int
    }

    private struct BurstState {
        /// The number of requests in the burst: those that wait and the one that is asked about.
        var membersCount = 0
        /// The number of the request that a person is asked about now; nil if there is none.
        var asked: Int?
        /// The number of requests of the burst that a person denied.
        var noesCount = 0
    }

    private struct State {
        /// The number of answers that were noted so far, of all clients.
        var changesCount = 0
        var openCounts: [Note.Subject: Int] = [:]
        /// The bursts with at least one request in progress.
        var bursts: [Burst: BurstState] = [:]
        var waiters: [Int: Waiter] = [:]
        /// The numbers of waits that were cancelled before they were registered.
        var ended: Set<Int> = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Counts a question about a client as open until `close` is called.
    func open(_ subject: Note.Subject) {
        state.withLock { $0.openCounts[subject, default: 0] += 1 }
    }

    /// Counts a question about a client as closed, after a yes was recorded, and wakes requests.
    func close(_ subject: Note.Subject) {
        state.withLock { state in
            let left = (state.openCounts[subject] ?? 1) - 1
            state.openCounts[subject] = left > 0 ? left : nil
        }
        note(subject)
    }

    /// Wakes the waiting requests of a client; call it after an answer was recorded.
    func note(_ subject: Note.Subject) {
        let waiters = state.withLock { state in
            state.changesCount += 1
            let numbers = state.waiters.filter { $0.value.subject == subject }.map(\.key)
            return numbers.compactMap { state.waiters.removeValue(forKey: $0)?.continuation }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Adds a request to a burst.
    func join(_ burst: Burst) -> Ticket {
        state.withLock { state in
            state.lastNumber += 1
            state.bursts[burst, default: BurstState()].membersCount += 1
            return Ticket(
                number: state.lastNumber, noesCount: state.bursts[burst]?.noesCount ?? 0)
        }
    }

    /// Takes the turn of being the request that a person is asked about; false if another has it.
    func takeTurn(_ ticket: Ticket, in burst: Burst) -> Bool {
        state.withLock { state in
            if state.bursts[burst]?.asked == nil { state.bursts[burst]?.asked = ticket.number }
            return state.bursts[burst]?.asked == ticket.number
        }
    }

    /// True if a person denied another request of the burst since this one joined.
    func isDenied(_ ticket: Ticket, in burst: Burst) -> Bool {
        state.withLock { $0.bursts[burst]?.noesCount != ticket.noesCount }
    }

    /// Leaves a burst; with `isNo`, a person's no also denies the requests that wait in the burst.
    func leave(_ burst: Burst, hadTurn: Bool, isNo: Bool = false) {
        state.withLock { state in
            guard var known = state.bursts[burst] else { return }
            known.membersCount -= 1
            if hadTurn { known.asked = nil }
            if isNo { known.noesCount += 1 }
            state.bursts[burst] = known.membersCount > 0 ? known : nil
        }
        if hadTurn { note(burst.subject) }
    }

    /// Returns whether a question about a client is open.
    func hasOpen(_ subject: Note.Subject) -> Bool {
        state.withLock { $0.openCounts[subject] != nil }
    }

    /// The number of answers that were noted so far, for `wait`.
    var changesCount: Int { state.withLock { $0.changesCount } }

    /// Returns once an answer for the client is noted, or the task is cancelled.
    ///
    /// Returns at once if any answer was noted since `changesCount` was `count`.
    func wait(for subject: Note.Subject, after count: Int) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        defer { state.withLock { _ = $0.ended.remove(number) } }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.ended.contains(number) { return true }
                    if state.changesCount != count { return true }
                    state.waiters[number] = Waiter(subject: subject, continuation: continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                let waiter = state.waiters.removeValue(forKey: number)
                if waiter == nil { state.ended.insert(number) }
                return waiter?.continuation
            }
            continuation?.resume()
        }
    }
}
