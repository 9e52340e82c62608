// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells requests that wait of the yeses that people give meanwhile to the same client, so that one
/// which covers several of them settles them all.
final class FreshGrants: Sendable {
    private struct Waiter {
        let subject: Note.Subject
        let continuation: CheckedContinuation<Void, Never>
    }

    /// Requests of a client of which one at a time is asked about.
    struct Burst: Hashable {
        let subject: Note.Subject
        let name: String
    }

    /// A place in a burst.
    struct Ticket {
        let number: Int
        /// The noes that were said before.
        let noesCount: Int
    }

    private struct BurstState {
        /// Those that wait for their turn, and the one that has it.
        var membersCount = 0
        /// Who has the turn.
        var asked: Int?
        /// How often a person said no to one of them.
        var noesCount = 0
    }

    private struct State {
        /// How often something has changed, for whatever client.
        var changesCount = 0
        var openCounts: [Note.Subject: Int] = [:]
        /// Those of which a request is being answered.
        var bursts: [Burst: BurstState] = [:]
        var waiters: [Int: Waiter] = [:]
        /// Those whose wait ended before it began.
        var ended: Set<Int> = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// A question about a client is open until `close`.
    func open(_ subject: Note.Subject) {
        state.withLock { $0.openCounts[subject, default: 0] += 1 }
    }

    /// A question about a client is open no more, and a yes to it is on record.
    func close(_ subject: Note.Subject) {
        state.withLock { state in
            let left = (state.openCounts[subject] ?? 1) - 1
            state.openCounts[subject] = left > 0 ? left : nil
        }
        note(subject)
    }

    /// Something about a client is on record that is remembered.
    func note(_ subject: Note.Subject) {
        let waiters = state.withLock { state in
            state.changesCount += 1
            let numbers = state.waiters.filter { $0.value.subject == subject }.map(\.key)
            return numbers.compactMap { state.waiters.removeValue(forKey: $0)?.continuation }
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Joins a burst.
    func join(_ burst: Burst) -> Ticket {
        state.withLock { state in
            state.lastNumber += 1
            state.bursts[burst, default: BurstState()].membersCount += 1
            return Ticket(
                number: state.lastNumber, noesCount: state.bursts[burst]?.noesCount ?? 0)
        }
    }

    /// Takes the turn to be asked about; false where another has it.
    func takeTurn(_ ticket: Ticket, in burst: Burst) -> Bool {
        state.withLock { state in
            if state.bursts[burst]?.asked == nil { state.bursts[burst]?.asked = ticket.number }
            return state.bursts[burst]?.asked == ticket.number
        }
    }

    /// Whether a person said no to another request of a burst since one joined it.
    func isRefused(_ ticket: Ticket, in burst: Burst) -> Bool {
        state.withLock { $0.bursts[burst]?.noesCount != ticket.noesCount }
    }

    /// Leaves a burst; a person's no is one to all that wait in it.
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

    /// Tells whether a question about a client is open.
    func hasOpen(_ subject: Note.Subject) -> Bool {
        state.withLock { $0.openCounts[subject] != nil }
    }

    /// How often something has changed so far.
    var changesCount: Int { state.withLock { $0.changesCount } }

    /// Returns once something changes for a client, or the task is cancelled; at once where
    /// something has changed since `count`.
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
