// SPDX-License-Identifier: Apache-2.0

internal import Dispatch

/// A thread that runs blocking calls, one at a time.
final class BlockingThread: TaskExecutor {
    private let queue: DispatchQueue

    init(_ name: String) { queue = DispatchQueue(label: name) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
