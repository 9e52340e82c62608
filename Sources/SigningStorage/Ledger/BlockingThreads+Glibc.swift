// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// A task executor for work that waits for a disk or hashes a passphrase.
///
/// Such work would block Swift's default executor, which has only one thread for each core.
package final class BlockingThreads: TaskExecutor {
    /// The threads of this process.
    package static let shared = BlockingThreads()

    private struct State {
        /// The jobs to run first, in reverse order: the next job is the last element.
        var next: [UnownedJob] = []
        /// The jobs that arrived after those in `next`, the newest last.
        var later: [UnownedJob] = []
        /// The alarms of idle threads; the thread that worked most recently is woken first.
        var idle: [Alarm] = []
        var threadsCount = 0

        mutating func take() -> UnownedJob? {
            if next.isEmpty {
                next = later.reversed()
                later.removeAll(keepingCapacity: true)
            }
            return next.popLast()
        }
    }

    private enum Wake {
        case ring(Alarm)
        case start
        /// All threads are busy; the first that becomes free takes the job.
        case noThread
    }

    private let state = Mutex(State())
    private let threadsMax: Int
    private let key: pthread_key_t

    private init() {
        // More threads than cores, as some of them wait for the disk.
        threadsMax = max(4, 2 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "the system has no thread-local storage left")
        self.key = key
    }

    /// True if the current thread is one of this executor's threads.
    var isCurrent: Bool { unsafe pthread_getspecific(key) != nil }

    /// True if a job waits for a free thread.
    var hasWaiting: Bool { state.withLock { !$0.next.isEmpty || !$0.later.isEmpty } }

    /// Runs a job as soon as a thread is free.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wake: Wake = state.withLock { state in
            state.later.append(job)
            if let alarm = state.idle.popLast() { return .ring(alarm) }
            guard state.threadsCount < threadsMax else { return .noThread }
            state.threadsCount += 1
            return .start
        }
        switch wake {
        case .ring(let alarm): alarm.ring()
        case .start: start()
        case .noThread: break
        }
    }

    private func start() {
        let thread = OwnThread { [self] in run() }
        guard thread == nil else { return }
        let hasOthers = state.withLock { state in
            state.threadsCount -= 1
            return state.threadsCount > 0
        }
        precondition(hasOthers, "the system cannot start another thread")
    }

    private func run() {
        let alarm = Alarm()
        // `isCurrent` only checks that there is a value.
        unsafe pthread_setspecific(key, Unmanaged.passUnretained(self).toOpaque())
        while true {
            let job = state.withLock { state in
                let job = state.take()
                if job == nil { state.idle.append(alarm) }
                return job
            }
            if let job {
                unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            } else {
                alarm.wait()
            }
        }
    }
}
