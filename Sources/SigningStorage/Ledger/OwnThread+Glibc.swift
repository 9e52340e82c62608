// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A thread for work that waits for the disk.
struct OwnThread: Sendable {
    private let thread: pthread_t

    /// Starts a thread; nil if the system refuses.
    init?(_ work: @escaping @Sendable () -> Void) {
        let start = unsafe Unmanaged.passRetained(Start(work)).toOpaque()
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil, { unsafe OwnThread.run($0) }, start)
        guard code == 0 else {
            unsafe Unmanaged<Start>.fromOpaque(start).release()
            return nil
        }
        self.thread = thread
    }

    /// Waits for the thread to end.
    func join() { pthread_join(thread, nil) }

    private static func run(_ start: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let start = unsafe start else { return nil }
        unsafe Unmanaged<Start>.fromOpaque(start).takeRetainedValue().work()
        return nil
    }
}

private final class Start: Sendable {
    let work: @Sendable () -> Void

    init(_ work: @escaping @Sendable () -> Void) { self.work = work }
}

/// Wakes one thread.
@safe final class Alarm: @unchecked Sendable {
    @safe private struct Parts {
        var mutex = unsafe pthread_mutex_t()
        var condition = pthread_cond_t()
        var hasRung = false
    }

    // SAFETY: the parts never move, and the flag is used only while the mutex is held.
    private let parts: UnsafeMutablePointer<Parts>

    init() {
        unsafe parts = .allocate(capacity: 1)
        unsafe parts.initialize(to: Parts())
        unsafe pthread_mutex_init(&parts.pointee.mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        // The clock with the time of day could be set during a wait.
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(&parts.pointee.condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(&parts.pointee.condition)
        unsafe pthread_mutex_destroy(&parts.pointee.mutex)
        unsafe parts.deinitialize(count: 1)
        unsafe parts.deallocate()
    }

    func ring() {
        unsafe pthread_mutex_lock(&parts.pointee.mutex)
        unsafe parts.pointee.hasRung = true
        unsafe pthread_mutex_unlock(&parts.pointee.mutex)
        // Unlocks first, as the woken thread would otherwise wait for the mutex.
        unsafe pthread_cond_signal(&parts.pointee.condition)
    }

    func wait() {
        unsafe pthread_mutex_lock(&parts.pointee.mutex)
        while unsafe !parts.pointee.hasRung {
            unsafe pthread_cond_wait(&parts.pointee.condition, &parts.pointee.mutex)
        }
        unsafe parts.pointee.hasRung = false
        unsafe pthread_mutex_unlock(&parts.pointee.mutex)
    }

    /// Waits until the alarm rings; false if it does not ring within this number of milliseconds.
    func rings(within milliseconds: Int) -> Bool {
        var end = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &end)
        end.tv_nsec += milliseconds * 1_000_000
        end.tv_sec += end.tv_nsec / 1_000_000_000
        end.tv_nsec %= 1_000_000_000
        unsafe pthread_mutex_lock(&parts.pointee.mutex)
        defer { unsafe pthread_mutex_unlock(&parts.pointee.mutex) }
        while unsafe !parts.pointee.hasRung {
            let code = unsafe pthread_cond_timedwait(
                &parts.pointee.condition, &parts.pointee.mutex, &end)
            guard code == 0 else { return false }
        }
        unsafe parts.pointee.hasRung = false
        return true
    }
}
