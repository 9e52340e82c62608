// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Waits for work that cannot be cancelled, until the caller is cancelled.
enum CancellableWait {
    /// Returns the result of the work; throws `cancelled` at once if the caller is cancelled.
    ///
    /// The work continues after a cancellation.
    static func value<Value: Sendable>(
        of work: @escaping @Sendable () async -> Result<Value, LiquidError>
    ) async throws(LiquidError) -> Value {
        let place = Place<Value>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                place.wait(continuation)
                Task { place.end(await work()) }
            }
        } onCancel: {
            place.end(.failure(.cancelled))
        }
        return try result.get()
    }

    /// A waiter for one result; the first result counts.
    private final class Place<Value: Sendable>: Sendable {
        typealias Waiter = CheckedContinuation<Result<Value, LiquidError>, Never>

        private struct State {
            var result: Result<Value, LiquidError>?
            var waiter: Waiter?
        }

        private let state = Mutex(State())

        func wait(_ waiter: Waiter) {
            let result = state.withLock { state in
                if state.result == nil { state.waiter = waiter }
                return state.result
            }
            if let result { waiter.resume(returning: result) }
        }

        func end(_ result: Result<Value, LiquidError>) {
            let waiter = state.withLock { state -> Waiter? in
                guard state.result == nil else { return nil }
                state.result = result
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume(returning: result)
        }
    }
}
