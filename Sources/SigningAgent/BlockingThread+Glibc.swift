// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Glibc

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

/// Reads an open file in parts as they arrive.
enum InputParts {
    private static let partBytes = 1 << 16
    private static let pauseMilliseconds: Int32 = 250

    /// Passes each part to `take` until it asks to stop, the file ends, or the task is cancelled.
    static func read(_ input: Int32, _ take: (ArraySlice<UInt8>) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: partBytes)
        while !Task.isCancelled {
            var event = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            // A signal that ends the program does not interrupt a read, so the wait has a limit.
            guard unsafe poll(&event, 1, pauseMilliseconds) > 0 else { continue }
            let count = unsafe Glibc.read(input, &buffer, buffer.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count > 0, take(buffer[..<count]) else { return }
        }
    }
}
