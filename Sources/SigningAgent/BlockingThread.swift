// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// A thread that runs blocking calls, one at a time.
package final class BlockingThread: TaskExecutor {
    private let queue: DispatchQueue

    /// Starts a thread with a name for debuggers.
    package init(_ name: String) { queue = DispatchQueue(label: name) }

    /// Runs a job after those before it.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
