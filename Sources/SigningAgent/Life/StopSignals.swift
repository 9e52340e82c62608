// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// The signals that end an agent: from its manager, from the keyboard, and from a terminal that
/// goes away.
package enum StopSignals {
    /// Runs a body in a task that the first of them cancels.
    package static func run<Value: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let task = Task { () -> Result<Value, Failure> in
            do throws(Failure) { return .success(try await body()) } catch {
                return .failure(error)
            }
        }
        let sources = [SIGTERM, SIGINT, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer { for source in sources { source.cancel() } }
        return try await task.value.get()
    }
}
