// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells requests that wait of the yeses that people give meanwhile to the same client, so that one
/// which covers several of them settles them all.
final class FreshGrants: Sendable {
    private struct Waiter {
        let subject: Note.Subject
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        /// How often something has changed, for whatever client.
        var changesCount = 0
        var openCounts: [Note.Subject: Int] = [:]
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
