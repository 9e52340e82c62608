// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Synchronization

/// Locks the vault when the machine sleeps or stops, when the screen is locked, and when the last
/// session of the user ends, as logind tells.
///
/// Nothing that it tells unlocks the vault.
package final class LoginWatch: Sendable {
    private let thread = BlockingThread("countersign.logind")
    private let user: UInt32
    private let standing = Mutex("not yet: the bus was not asked")

    /// Watches the sessions of this process's user.
    package convenience init() { self.init(user: geteuid()) }

    init(user: UInt32) { self.user = user }

    /// Whether it does, in words.
    package var text: String { standing.withLock { $0 } }

    /// Calls `lock` with the reason, until the task is cancelled.
    package func keep(_ lock: @escaping @Sendable (_ reason: String) -> Void) async {
        await withTaskExecutorPreference(thread) { watch(lock) }
    }

    private func watch(_ lock: (String) -> Void) {
        guard SystemdBus.isReady else {
            return tell("no: libsystemd is not on this machine")
        }
        while !Task.isCancelled {
            hear(lock)
            for _ in 0..<Self.retrySeconds where !Task.isCancelled { sleep(1) }
        }
    }

    /// Hears one connection until it breaks.
    private func hear(_ lock: (String) -> Void) {
        guard let bus = SystemdBus.hearingLogind(), var count = bus.sessionCount(of: user) else {
            return tell("no: there is no logind")
        }
        tell("when the machine sleeps, the screen is locked or the login ends")
        var held = bus.holdSleep()
        defer { if let held { close(held) } }
        while !Task.isCancelled, bus.wait(milliseconds: Self.waitMilliseconds) {
            guard let news = bus.news() else { break }
            for one in news {
                if let reason = reason(for: one, on: bus, &count) { lock(reason) }
                switch one {
                case .sleeps, .shutsDown:
                    // Locked by now: the machine may go.
                    if let held { close(held) }
                    held = nil
                case .wakes: if held == nil { held = bus.holdSleep() }
                case .locks, .closes, .sessions: break
                }
            }
        }
        tell("no: the connection to logind broke")
    }

    private func reason(
        for news: SystemdBus.News, on bus: SystemdBus, _ count: inout Int32
    ) -> String? {
        switch news {
        case .sleeps: return "the machine goes to sleep"
        case .shutsDown: return "the machine shuts down"
        case .locks(let session):
            return isOwn(session, on: bus) ? "the screen is locked" : nil
        case .sessions, .closes:
            // One that closes is counted out when it is gone, or lingers with what runs in it.
            guard let now = bus.sessionCount(of: user) else { return nil }
            defer { count = now }
            if count > 0, now == 0 { return "the login has ended" }
            if case .closes(let session) = news, now <= 1, isOwn(session, on: bus) {
                return "the login ends"
            }
            return nil
        case .wakes: return nil
        }
    }

    /// Where nobody tells whose it is, it may be the user's.
    private func isOwn(_ session: String, on bus: SystemdBus) -> Bool {
        bus.user(of: session).map { $0 == user } ?? true
    }

    private func tell(_ text: String) { standing.withLock { $0 = text } }

    private static let waitMilliseconds: Int32 = 1_000
    /// Until it looks for logind again, in seconds.
    private static let retrySeconds = 10
}
