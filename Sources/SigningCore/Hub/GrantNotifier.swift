// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Wakes requests that wait when a person answers another request of the same client.
///
/// One yes that covers several requests then answers all of them.
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
        /// The number of the request that is asked about.
        var asked: Int?
        /// The number of requests of the burst that a person denied.
        var noesCount = 0
    }

    private struct State {
        /// The number of changes so far, over all clients.
        var changesCount = 0
        var openCounts: [Note.Subject: Int] = [:]
        /// The bursts with at least one request in progress.
        var bursts: [Burst: BurstState] = [:]
        var waiters: [Int: Waiter] = [:]
        /// The waits that ended before they were registered.
        var ended: Set<Int> = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Marks a question about a client as open until `close`.
    func open(_ subject: Note.Subject) {
        state.withLock { $0.openCounts[subject, default: 0] += 1 }
    }

    /// Marks a question about a client as closed; a yes to it is already on record.
    func close(_ subject: Note.Subject) {
        state.withLock { state in
            let left = (state.openCounts[subject] ?? 1) - 1
            state.openCounts[subject] = left > 0 ? left : nil
        }
        note(subject)
    }

    /// Wakes waiting requests after a remembered answer of a client went on record.
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

    /// Takes the turn to be asked about; false if another request has it.
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

    /// Leaves a burst; a person's no denies all requests that wait in it.
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

    /// The number of changes so far.
    var changesCount: Int { state.withLock { $0.changesCount } }

    /// Returns once something changes for a client or the task is cancelled.
    ///
    /// Returns at once if something changed since `count`.
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
