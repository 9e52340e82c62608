// SPDX-License-Identifier: Apache-2.0

internal import CSystemd
internal import Glibc

/// A connection to a D-Bus, used by one thread at a time.
@safe final class SystemdBus: @unchecked Sendable {
    // SAFETY: the connection's owner uses it on one thread.
    private let bus: OpaquePointer

    /// A signal from logind.
    enum News: Hashable {
        case sleeps, wakes, shutsDown
        /// A session is locked, or is about to close.
        case locks(session: String), closes(session: String)
        /// A session was added or removed.
        case sessions
    }

    /// True if the library libsystemd is available.
    static var isReady: Bool { csystemd_is_ready() }

    private init?(isUsers: Bool) {
        var opened: OpaquePointer?
        guard unsafe csystemd_open(&opened, isUsers) >= 0, let bus = unsafe opened else {
            return nil
        }
        unsafe self.bus = bus
    }

    deinit { unsafe csystemd_close(bus) }

    /// Connects to the system bus and subscribes to logind; nil if that fails.
    static func hearingLogind() -> SystemdBus? {
        guard let bus = SystemdBus(isUsers: false), unsafe csystemd_listen(bus.bus) >= 0 else {
            return nil
        }
        return bus
    }

    /// Connects to the user's session bus.
    static func ofSession() -> SystemdBus? { SystemdBus(isUsers: true) }

    /// Waits at most a minute for data on the bus or on `other`; false if the bus is gone.
    func wait(beside other: Int32) -> Bool {
        let number = unsafe csystemd_descriptor(bus)
        guard number >= 0 else { return false }
        var requests = [number, other].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        _ = unsafe poll(&requests, nfds_t(requests.count), 60_000)
        return true
    }

    /// The signals received since the last call; nil if the bus is gone.
    func news() -> [News]? {
        var news: [News] = []
        var event = csystemd_event()
        while true {
            let result = unsafe csystemd_next(bus, &event)
            guard result >= 0 else { return nil }
            guard result > 0 else { return news }
            let path = unsafe withUnsafeBytes(of: &event.path) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            switch event.kind {
            case csystemd_sleeps: news.append(.sleeps)
            case csystemd_wakes: news.append(.wakes)
            case csystemd_shuts_down: news.append(.shutsDown)
            case csystemd_locks: news.append(.locks(session: path))
            case csystemd_closes: news.append(.closes(session: path))
            case csystemd_sessions: news.append(.sessions)
            default: break
            }
        }
    }

    /// The number of a user's login sessions; nil if it is unknown.
    func sessionCount(of user: UInt32) -> Int32? {
        let count = unsafe csystemd_session_count(bus, user)
        return count >= 0 ? count : nil
    }

    /// The user of a session; nil if it is unknown.
    func user(of session: String) -> UInt32? {
        var user: UInt32 = 0
        return unsafe csystemd_session_user(bus, session, &user) >= 0 ? user : nil
    }

    /// Delays sleep until the descriptor is closed; nil if logind refuses.
    func holdSleep() -> Int32? {
        let held = unsafe csystemd_hold_sleep(bus)
        return held >= 0 ? held : nil
    }

    /// Shows a notification in place of the one numbered `replaced`, if that is not 0.
    ///
    /// Returns its number; nil if no program shows notifications.
    func notify(_ summary: String, _ body: String, replacing replaced: UInt32) -> UInt32? {
        var number: UInt32 = 0
        return unsafe csystemd_notify(bus, replaced, summary, body, &number) >= 0 ? number : nil
    }

    func takeBack(_ number: UInt32) { _ = unsafe csystemd_take_back(bus, number) }
}
