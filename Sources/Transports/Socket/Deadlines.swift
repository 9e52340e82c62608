// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Opens gates at their deadlines with one shared timer.
///
/// Most answers arrive long before their deadline. A timer for each request would take more time
/// than many answers take.
final class Deadlines: Sendable {
    static let shared = Deadlines()

    struct Deadline: Comparable {
        let instant: ContinuousClock.Instant
        let number: Int

        static func < (a: Deadline, b: Deadline) -> Bool {
            (a.instant, a.number) < (b.instant, b.number)
        }
    }

    private struct State {
        /// The gates and their deadlines, the latest first.
        var waiting: [(deadline: Deadline, gate: Gate)] = []
        var lastNumber = 0
        var timer: (task: Task<Void, Never>, until: ContinuousClock.Instant)?

        /// Returns the index of a deadline, or the index to insert it at.
        func place(of deadline: Deadline) -> Int {
            var (low, high) = (0, waiting.count)
            while low < high {
                let middle = (low + high) / 2
                if waiting[middle].deadline > deadline { low = middle + 1 } else { high = middle }
            }
            return low
        }
    }

    private let state = Mutex(State())

    func add(_ gate: Gate, at instant: ContinuousClock.Instant) -> Deadline {
        state.withLock { state in
            state.lastNumber += 1
            let deadline = Deadline(instant: instant, number: state.lastNumber)
            state.waiting.insert((deadline, gate), at: state.place(of: deadline))
            setTimer(&state)
            return deadline
        }
    }

    /// Removes a deadline; does nothing if it has passed.
    func remove(_ deadline: Deadline) {
        state.withLock { state in
            let place = state.place(of: deadline)
            guard place < state.waiting.count, state.waiting[place].deadline == deadline else {
                return
            }
            state.waiting.remove(at: place)
        }
    }

    /// Sets the timer to the next deadline; a timer that fires too early is set again.
    private func setTimer(_ state: inout State) {
        guard let next = state.waiting.last?.deadline.instant else { return }
        if let timer = state.timer {
            guard next < timer.until else { return }
            timer.task.cancel()
        }
        let task = Task { [self] in
            do {
                try await Task.sleep(until: next, clock: .continuous)
            } catch {
                // Another timer replaced this one.
                return
            }
            ring()
        }
        state.timer = (task, next)
    }

    private func ring() {
        let over = state.withLock { state in
            let now = ContinuousClock.now
            let count = state.waiting.reversed().prefix { $0.deadline.instant <= now }.count
            let over = state.waiting.suffix(count).map(\.gate)
            state.waiting.removeLast(count)
            state.timer = nil
            setTimer(&state)
            return over
        }
        for gate in over { gate.open() }
    }
}
