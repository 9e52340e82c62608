// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A bounded queue of signals from a socket to the tasks that wait for them.
final class SignalQueue: Sendable {
    private typealias Waiter = CheckedContinuation<Result<Signal?, SignallingError>, Never>

    private struct State {
        var signals: [Signal] = []
        var candidateCount = 0
        var end: Result<Signal?, SignallingError>?
        var waiters: [(number: Int, waiter: Waiter)] = []
        var lastNumber = 0
        /// The waits that were cancelled before they started.
        var cancelled: Set<Int> = []
    }

    /// The maximum number of queued descriptions: repeated ones are useless.
    private static let descriptionsMax = 8

    private let state = Mutex(State())

    /// Adds a signal; drops it if the queue is full.
    func put(_ signal: Signal) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.end == nil else { return nil }
            if signal.isCandidate {
                guard state.candidateCount < Signal.candidatesMax else { return nil }
                state.candidateCount += 1
            } else {
                let waiting = state.signals.count { !$0.isCandidate }
                guard waiting < Self.descriptionsMax else { return nil }
            }
            guard !state.waiters.isEmpty else {
                state.signals.append(signal)
                return nil
            }
            return state.waiters.removeFirst().waiter
        }
        waiter?.resume(returning: .success(signal))
    }

    /// Ends the queue: queued signals are still delivered, and then waits get the error.
    func end(_ error: SignallingError?) {
        let (waiters, end) = state.withLock { state in
            let end = state.end ?? error.map { .failure($0) } ?? .success(nil)
            state.end = end
            defer { state.waiters = [] }
            return (state.waiters, end)
        }
        for waiter in waiters { waiter.waiter.resume(returning: end) }
    }

    /// Returns the next signal; nil at the end.
    func next() async throws(SignallingError) -> Signal? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (waiter: Waiter) in wait(as: number, waiter) }
        } onCancel: {
            cancel(number)
        }
        return try result.get()
    }

    private func wait(as number: Int, _ waiter: Waiter) {
        let now = state.withLock { state -> Result<Signal?, SignallingError>? in
            if state.cancelled.remove(number) != nil { return .failure(.cancelled) }
            if !state.signals.isEmpty { return .success(state.signals.removeFirst()) }
            if let end = state.end { return end }
            state.waiters.append((number, waiter))
            return nil
        }
        if let now { waiter.resume(returning: now) }
    }

    private func cancel(_ number: Int) {
        let waiter = state.withLock { state -> Waiter? in
            guard let place = state.waiters.firstIndex(where: { $0.number == number }) else {
                // The wait has ended, or has not started yet.
                state.cancelled.insert(number)
                return nil
            }
            return state.waiters.remove(at: place).waiter
        }
        waiter?.resume(returning: .failure(.cancelled))
    }
}

extension Signal {
    fileprivate var isCandidate: Bool {
        switch self {
        case .offer, .answer: false
        case .offerCandidate, .answerCandidate: true
        }
    }
}
