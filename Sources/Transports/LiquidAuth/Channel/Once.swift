// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A value that is set once, and the tasks that wait for it.
final class Once<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
        var lastID = 0
    }

    private let state = Mutex(State())

    /// The value; nil before it is set.
    var now: Value? { state.withLock { $0.value } }

    /// Sets the value; returns false and changes nothing if it is already set.
    @discardableResult
    func set(_ value: Value) -> Bool {
        let waiting = state.withLock { state -> [CheckedContinuation<Value?, Never>]? in
            guard state.value == nil else { return nil }
            state.value = value
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for one in waiting ?? [] { one.resume(returning: value) }
        return waiting != nil
    }

    /// Waits for the value; nil if the task is cancelled first.
    func value() async -> Value? {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wakes in
                let (isNow, value) = state.withLock { state -> (Bool, Value?) in
                    if let value = state.value { return (true, value) }
                    if Task.isCancelled { return (true, nil) }
                    state.waiting[id] = wakes
                    return (false, nil)
                }
                if isNow { wakes.resume(returning: value) }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: nil)
        }
    }

    /// Waits for the value, at most for `time`; nil if it is not set by then.
    func value(within time: Duration) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await self.value() }
            group.addTask {
                try? await Task.sleep(for: time)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first ?? now
        }
    }
}
