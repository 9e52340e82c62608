// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// The signals that end an agent: from its service manager, the keyboard, or a terminal that
/// closes.
package enum StopSignals {
    /// Runs a body in a task that the first such signal cancels, as does a cancellation of the
    /// caller.
    package static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let stop = Stop()
        let registered = DispatchGroup()
        // A signal keeps its default action, which ends the process, until its handler is ready:
        // ignored meanwhile, it would be lost.
        let sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { stop.now() }
            registered.enter()
            source.setRegistrationHandler { registered.leave() }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        await withCheckedContinuation { continuation in
            registered.notify(queue: .global()) { continuation.resume() }
        }
        let task = Task { () -> Result<Value, Failure> in
            do throws(Failure) { return .success(try await body()) } catch {
                return .failure(error)
            }
        }
        stop.ends { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }
}

/// A task to cancel, even if the cancellation comes before the task is known.
private final class Stop: Sendable {
    private struct State {
        var isSaid = false
        var end: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    func now() {
        let end = state.withLock { state in
            state.isSaid = true
            return state.end
        }
        end?()
    }

    func ends(_ end: @escaping @Sendable () -> Void) {
        let isSaid = state.withLock { state in
            state.end = end
            return state.isSaid
        }
        if isSaid { end() }
    }
}
