// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// An event that one task waits for, once.
package final class Gate: Sendable {
    private enum State {
        case closed
        case waited(CheckedContinuation<Void, Never>)
        case open
    }

    private let state = Mutex(State.closed)

    package init() {}

    /// Lets the waiting task continue, now or later.
    package func open() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            defer { state = .open }
            if case .waited(let continuation) = state { return continuation }
            return nil
        }
        waiting?.resume()
    }

    /// Returns once the gate is open.
    package func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if case .open = state { return true }
                state = .waited(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Waits until the gate opens, so many seconds have passed, or the task is cancelled.
    package func wait(seconds: Int64) async {
        let deadline = Deadlines.shared.add(self, at: .now + .seconds(seconds))
        await withTaskCancellationHandler {
            await wait()
        } onCancel: {
            open()
        }
        Deadlines.shared.remove(deadline)
    }
}
