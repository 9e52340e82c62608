// SPDX-License-Identifier: Apache-2.0

internal import Glibc
package import Sandbox

/// What the process that hears logind can say: how it stands, and that the vault is to be locked.
enum LoginNews: UInt8, Sendable {
    case hears = 1
    case noLibrary, noLogin, broke
    case sleeps, shutsDown, screenLocked, loginEnded, loginEnds

    /// What it is answered with once the vault is locked.
    static let done: UInt8 = 1

    init?(_ message: [UInt8]) {
        guard message.count == 1 else { return nil }
        self.init(rawValue: message[0])
    }

    /// Why the vault is locked; nil where it is not.
    var reason: String? {
        switch self {
        case .hears, .noLibrary, .noLogin, .broke: nil
        case .sleeps: "the machine goes to sleep"
        case .shutsDown: "the machine shuts down"
        case .screenLocked: "the screen is locked"
        case .loginEnded: "the login has ended"
        case .loginEnds: "the login ends"
        }
    }

    /// Whether the login is watched, in words.
    var standing: String {
        switch self {
        case .noLibrary: "no: libsystemd is not on this machine"
        case .noLogin: "no: there is no logind"
        case .broke: "no: the connection to logind broke"
        default: "when the machine sleeps, the screen is locked or the login ends"
        }
    }
}

/// The process that hears logind.
package struct LoginHelper {
    private let line: HelperLine
    private let user = geteuid()

    /// Starts it; nil where it cannot be.
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
        repeat { line.send([hear().rawValue]) } while rests()
    }

    /// Hears one connection until it breaks, or its process is gone; tells how it ended.
    private func hear() -> LoginNews {
        guard let bus = SystemdBus.hearingLogind(), var count = bus.sessionCount(of: user) else {
            return .noLogin
        }
        line.send([LoginNews.hears.rawValue])
        var held = bus.holdSleep()
        defer { if let held { close(held) } }
        while bus.wait(beside: line.socket) {
            guard let news = bus.news() else { break }
            for one in news {
                if let told = told(of: one, on: bus, &count) {
                    line.send([told.rawValue])
                    // The machine goes when it is locked, or does not say so in time.
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

    private func told(
        of news: SystemdBus.News, on bus: SystemdBus, _ count: inout Int32
    ) -> LoginNews? {
        switch news {
        case .sleeps: return .sleeps
        case .shutsDown: return .shutsDown
        case .locks(let session):
            return isOwn(session, on: bus) ? .screenLocked : nil
        case .sessions, .closes:
            // One that closes is counted out when it is gone, or lingers with what runs in it.
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

    /// Where nobody tells whose it is, it may be the user's.
    private func isOwn(_ session: String, on bus: SystemdBus) -> Bool {
        bus.user(of: session).map { $0 == user } ?? true
    }

    /// Until it looks for logind again; false where its process is gone.
    private func rests() -> Bool {
        for _ in 0..<Self.retrySeconds where line.next(milliseconds: 1_000) == .over {
            return false
        }
        return true
    }

    private static let patienceMilliseconds: Int32 = 4_000
    /// In seconds.
    private static let retrySeconds = 10
}
