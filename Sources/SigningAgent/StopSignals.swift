// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc
internal import Synchronization

/// The signals that end an agent: from its manager, from the keyboard, and from a terminal that
/// goes away.
package enum StopSignals {
    /// Runs a body in a task that the first of them cancels.
    package static func run<Failure: Error>(
        _ body: @escaping @Sendable () async throws(Failure) -> Void
    ) async throws(Failure) {
        let task = Task { () -> Result<Void, Failure> in
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
        try await task.value.get()
    }
}
