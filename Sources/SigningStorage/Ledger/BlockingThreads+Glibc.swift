// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Threads that may wait for a disk or hash a passphrase, which those of the default executor may
/// not: it has one for each core.
package final class BlockingThreads: TaskExecutor {
    /// Those of this process.
    package static let shared = BlockingThreads()

    private struct State {
        /// The next one last.
        var next: [UnownedJob] = []
        /// Those that came later, the newest last.
        var later: [UnownedJob] = []
        /// Threads without work; the one that had some last is the first to get some.
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
        /// All of them work: one will come to it.
        case nobody
    }

    private let state = Mutex(State())
    private let threadsMax: Int
    private let key: pthread_key_t

    private init() {
        // One of them is with the disk while the cores are busy with others.
        threadsMax = max(4, 2 * Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
        var key = pthread_key_t()
        let code = unsafe pthread_key_create(&key, nil)
        precondition(code == 0, "there is no place for what threads know of themselves")
        self.key = key
    }

    /// Whether this code runs on one of them.
    var isCurrent: Bool { unsafe pthread_getspecific(key) != nil }

    /// Whether work waits for one of them to be free.
    var hasWaiting: Bool { state.withLock { !$0.next.isEmpty || !$0.later.isEmpty } }

    /// Has a job run as soon as one of them is free.
    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let wake: Wake = state.withLock { state in
            state.later.append(job)
            if let alarm = state.idle.popLast() { return .ring(alarm) }
            guard state.threadsCount < threadsMax else { return .nobody }
            state.threadsCount += 1
            return .start
        }
        switch wake {
        case .ring(let alarm): alarm.ring()
        case .start: start()
        case .nobody: break
        }
    }

    private func start() {
        let thread = OwnThread { [self] in run() }
        guard thread == nil else { return }
        let hasOthers = state.withLock { state in
            state.threadsCount -= 1
            return state.threadsCount > 0
        }
        precondition(hasOthers, "the system has no thread to give")
    }

    private func run() {
        let alarm = Alarm()
        // Only whether there is a value matters.
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
