// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Sandbox

/// A message of the process that listens to logind: its state, or that the vault is to be locked.
enum LoginNews: UInt8, Sendable {
    case listening = 1
    case noLibrary, noLogin, broke
    case sleeps, shutsDown, screenLocked, loginEnded, loginEnds

    /// The reply once the vault is locked.
    static let done: UInt8 = 1

    init?(_ message: [UInt8]) {
        guard message.count == 1 else { return nil }
        self.init(rawValue: message[0])
    }

    /// The reason to lock the vault; nil if the message gives none.
    var reason: String? {
        switch self {
        case .listening, .noLibrary, .noLogin, .broke: nil
        case .sleeps: "the machine goes to sleep"
        case .shutsDown: "the machine shuts down"
        case .screenLocked: "the screen is locked"
        case .loginEnded: "the login has ended"
        case .loginEnds: "the login ends"
        }
    }

    /// The state of the login watch, in words.
    var statusText: String {
        switch self {
        case .noLibrary: "no: libsystemd is not on this machine"
        case .noLogin: "no: logind does not run"
        case .broke: "no: the connection to logind broke"
        default: "when the machine sleeps, the screen is locked or the login ends"
        }
    }
}

/// The helper process that listens to logind.
package struct LoginHelper {
    private let line: HelperLine
    private let user = geteuid()

    /// Starts the process; nil if that fails.
    package static func start() -> HelperLine? {
        HelperProcess.start("countersign-log") {
            _ = SystemdBus.isReady
        } _: { line in
            LoginHelper(line: line).serve()
        }
    }

    private func serve() {
        guard SystemdBus.isReady else {
            line.send([LoginNews.noLibrary.rawValue])
            while line.next(milliseconds: -1) != .over {}
            return
        }
        repeat { line.send([listen().rawValue]) } while rests()
    }

    /// Listens on one connection until it breaks, and returns the reason; exits with the agent.
    private func listen() -> LoginNews {
        guard let bus = SystemdBus.hearingLogind(), var count = bus.sessionCount(of: user) else {
            return .noLogin
        }
        line.send([LoginNews.listening.rawValue])
        var held = bus.holdSleep()
        defer { if let held { close(held) } }
        while let news = bus.news() {
            // A call to the bus may have received signals meanwhile, so it waits only after none.
            if news.isEmpty, !bus.wait(beside: line.socket) { break }
            for one in news {
                if let message = message(for: one, on: bus, &count) {
                    line.send([message.rawValue])
                    // The machine may sleep when the vault is locked, or when the agent does not
                    // confirm in time.
                    if line.next(milliseconds: Self.patienceMilliseconds) == .over { _exit(0) }
                }
                switch one {
                case .sleeps, .shutsDown:
                    if let held { close(held) }
                    held = nil
                case .wakes: if held == nil { held = bus.holdSleep() }
                case .locks, .closes, .sessions: break
                }
            }
            if line.next(milliseconds: 0) == .over { _exit(0) }
        }
        return .broke
    }

    private func message(
        for news: SystemdBus.News, on bus: SystemdBus, _ count: inout Int32
    ) -> LoginNews? {
        switch news {
        case .sleeps: return .sleeps
        case .shutsDown: return .shutsDown
        case .locks(let session):
            return isOwn(session, on: bus) ? .screenLocked : nil
        case .sessions, .closes:
            // A closing session disappears at once, or stays until its programs have ended.
            guard let now = bus.sessionCount(of: user) else { return nil }
            defer { count = now }
            if count > 0, now == 0 { return .loginEnded }
            if case .closes(let session) = news, now <= 1, isOwn(session, on: bus) {
                return .loginEnds
            }
            return nil
        case .wakes: return nil
        }
    }

    /// True if the session is the user's; also true if its user is unknown.
    private func isOwn(_ session: String, on bus: SystemdBus) -> Bool {
        bus.user(of: session).map { $0 == user } ?? true
    }

    /// Pauses before the next connection to logind; false if the agent is gone.
    private func rests() -> Bool {
        line.next(milliseconds: Self.retryMilliseconds) != .over
    }

    private static let patienceMilliseconds: Int32 = 4_000
    private static let retryMilliseconds: Int32 = 10_000
}
