// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Synchronization
import Testing

@testable import SigningAgent
@testable import Socket

/// Lines of `/proc/PID/stat` of processes in one terminal session.
private struct Lines {
    var leaderStart = "100"
    var leaderTerminal: Int32 = 34_816
    var leaderState = "S"
    var leaderSession: Int32 = 10
    var hasLeader = true

    static func line(
        _ number: Int32, _ name: String = "sh", _ state: String = "S", group: Int32,
        session: Int32, terminal: Int32, foreground: Int32, start: String
    ) -> String {
        "\(number) (\(name)) \(state) 1 \(group) \(session) \(terminal) \(foreground)"
            + " 0 0 0 0 0 0 0 0 0 20 0 1 0 \(start) 0 0\n"
    }

    /// The session of process 20 in the foreground group 20.
    func session(
        _ name: String = "countersign", group: Int32 = 20, session: Int32 = 10,
        terminal: Int32 = 34_816, foreground: Int32 = 20, inForeground: Bool = true
    ) -> TerminalSession? {
        let own = Self.line(
            20, name, "R", group: group, session: session, terminal: terminal,
            foreground: foreground, start: "500")
        return ProcessLine(own).flatMap { own in
            TerminalSession(of: own, inForeground: inForeground) { number in
                guard hasLeader else { return nil }
                return ProcessLine(
                    Self.line(
                        number, "sh", leaderState, group: 10, session: leaderSession,
                        terminal: leaderTerminal, foreground: foreground, start: leaderStart))
            }
        }
    }
}

@Suite("Terminal sessions of a process")
struct TerminalSessionTests {
    @Test("are those in whose foreground it runs")
    func found() throws {
        let session = try #require(Lines().session())
        #expect(Lines().session(group: 30, foreground: 30) == session)
        #expect(Lines(leaderSession: 11).session(session: 11) != session)
    }

    @Test("a background job, a process without a terminal, and an orphan have none")
    func none() {
        #expect(Lines().session(group: 21) == nil)
        #expect(Lines().session(group: 21, inForeground: false) == Lines().session())
        #expect(Lines().session(terminal: 0) == nil)
        #expect(Lines().session(terminal: 0, inForeground: false) == nil)
        #expect(Lines(hasLeader: false).session(inForeground: false) == nil)
        #expect(Lines().session(terminal: 0, foreground: -1) == nil)
        #expect(Lines().session(session: 0) == nil)
        // The terminal was closed: its leader has ended, or holds another terminal or none.
        #expect(Lines(hasLeader: false).session() == nil)
        #expect(Lines(leaderState: "Z").session() == nil)
        #expect(Lines(leaderTerminal: 0).session() == nil)
        #expect(Lines(leaderTerminal: 34_817).session() == nil)
        // The number belongs to a process that leads no session.
        #expect(Lines(leaderSession: 9).session() == nil)
    }

    @Test("a leader that reuses the number leads another session")
    func reused() {
        #expect(Lines().session() != Lines(leaderStart: "101").session())
    }

    @Test("the name that a process chooses changes nothing")
    func hostile() {
        // The last one joins the parenthesis that follows it to one Character.
        for name in ["x) R 1 1 1 1 1 (", ")A 10 \u{0600}"] {
            #expect(Lines().session(name) == Lines().session())
            #expect(Lines().session(name, group: 21) == nil)
        }
    }
}

@Suite("Terminals in which the owner gave the passphrase")
struct OwnerTerminalTests {
    private final class Watched: Sendable {
        private final class Stage: Sendable {
            let time = Mutex(ContinuousClock.now)
            let vault = Mutex<Int?>(0)
            let freeze = Mutex<Int64?>(0)
            let ended = Mutex<TerminalSession?>(nil)
        }

        private let stage: Stage
        let terminals: OwnerTerminals
        let sessions: OwnerSessions

        init(minutes: Int = OwnerTerminals.minutesDefault) {
            let stage = Stage()
            self.stage = stage
            terminals = OwnerTerminals(
                minutes: minutes, vault: { stage.vault.withLock { $0 } },
                freeze: { stage.freeze.withLock { $0 } }, now: { stage.time.withLock { $0 } },
                isLive: { session in stage.ended.withLock { $0 != session } })
            sessions = OwnerSessions(
                endingWith: terminals, vault: { stage.vault.withLock { $0 } },
                now: { stage.time.withLock { $0 } })
        }

        func pass(_ seconds: Int) { stage.time.withLock { $0 += .seconds(seconds) } }
        func setVault(_ unlocking: Int?) { stage.vault.withLock { $0 = unlocking } }
        func setFreeze(_ number: Int64?) { stage.freeze.withLock { $0 = number } }
        func end(_ session: TerminalSession) { stage.ended.withLock { $0 = session } }
        func remember(_ session: TerminalSession) {
            terminals.remember(session, since: stage.vault.withLock { $0 })
        }
        func holds(_ session: TerminalSession) -> Bool { terminals.find(session) != nil }
        func token(_ session: TerminalSession) throws -> String {
            let found = try #require(terminals.find(session))
            return try #require(sessions.open(since: stage.vault.withLock { $0 }, by: found))
        }
    }

    private let own: TerminalSession
    private let other: TerminalSession

    init() throws {
        own = try #require(Lines().session())
        other = try #require(Lines(leaderStart: "101").session())
    }

    @Test("only the terminal session of the passphrase is remembered, for 15 minutes")
    func time() {
        let watched = Watched()
        #expect(!watched.holds(own))
        watched.remember(own)
        #expect(watched.holds(own) && !watched.holds(other))
        watched.pass(899)
        #expect(watched.terminals.find(own)?.left == .seconds(1))
        // Its uses do not prolong it.
        watched.pass(1)
        #expect(!watched.holds(own) && watched.terminals.ids.isEmpty)
    }

    @Test("a lock ends it for good, and so does a freeze, also one that was lifted")
    func ends() {
        let watched = Watched()
        watched.remember(own)
        watched.setVault(nil)
        #expect(!watched.holds(own))
        watched.setVault(0)
        #expect(!watched.holds(own))
        watched.remember(own)
        // No request came between this lock and the unlocking.
        watched.setVault(1)
        #expect(!watched.holds(own))
        watched.remember(own)
        watched.setFreeze(nil)
        #expect(!watched.holds(own))
        watched.setFreeze(7)
        #expect(!watched.holds(own))
        watched.remember(own)
        watched.setFreeze(9)
        #expect(!watched.holds(own))
    }

    @Test("nothing is remembered while frozen, locked meanwhile, or switched off")
    func notRemembered() {
        let watched = Watched()
        watched.setFreeze(nil)
        watched.remember(own)
        watched.setFreeze(0)
        #expect(!watched.holds(own))
        watched.terminals.remember(own, since: nil)
        watched.setVault(2)
        watched.terminals.remember(own, since: 1)
        #expect(!watched.holds(own))
        let off = Watched(minutes: 0)
        off.remember(own)
        #expect(!off.holds(own))
    }

    @Test("an owner session that it opened ends with it; one by the passphrase does not")
    func sessions() throws {
        let watched = Watched()
        let typed = try #require(watched.sessions.open(since: 0))
        watched.remember(own)
        watched.pass(800)
        #expect(watched.sessions.isOpen(typed))
        let token = try watched.token(own)
        watched.pass(99)
        #expect(watched.sessions.isOpen(token, in: own))
        watched.pass(1)
        #expect(!watched.sessions.isOpen(token, in: own) && watched.sessions.isOpen(typed))
        watched.remember(own)
        #expect(!watched.sessions.isOpen(token, in: own))
        let next = try watched.token(own)
        // The passphrase again starts the time again, but not that of sessions that are open.
        watched.pass(600)
        #expect(watched.sessions.isOpen(next, in: own) && watched.sessions.isOpen(typed))
        watched.remember(own)
        #expect(watched.sessions.isOpen(next, in: own))
        watched.pass(300)
        #expect(watched.holds(own) && !watched.sessions.isOpen(next, in: own))
        let last = try watched.token(own)
        #expect(watched.sessions.isOpen(last, in: own))
        #expect(watched.terminals.forget() == 1)
        #expect(!watched.sessions.isOpen(last, in: own) && watched.sessions.isOpen(typed))
        #expect(watched.terminals.forget() == 0)
    }

    @Test("only processes of the terminal session can use an owner session that it opened")
    func callers() throws {
        let watched = Watched()
        let typed = try #require(watched.sessions.open(since: 0))
        for session in [own, other] { watched.remember(session) }
        let token = try watched.token(own)
        #expect(watched.sessions.isOpen(token, in: own))
        #expect(!watched.sessions.isOpen(token, in: nil))
        #expect(!watched.sessions.isOpen(token, in: other))
        for caller in [own, other, nil] { #expect(watched.sessions.isOpen(typed, in: caller)) }
        // What others try is no use of the session.
        watched.pass(899)
        #expect(!watched.sessions.isOpen(token, in: other))
        #expect(watched.sessions.isOpen(token, in: own))
    }

    @Test("it ends for good when its leader ends or loses the terminal")
    func leader() throws {
        let watched = Watched()
        for session in [own, other] { watched.remember(session) }
        let (token, kept) = try (watched.token(own), watched.token(other))
        watched.end(own)
        #expect(!watched.holds(own) && watched.holds(other))
        watched.end(other)
        #expect(!watched.sessions.isOpen(token, in: own) && !watched.holds(own))
        #expect(!watched.sessions.isOpen(kept, in: other) && watched.sessions.count == 0)
    }

    @Test("its owner sessions push out only each other")
    func pushed() throws {
        let watched = Watched()
        let typed = try #require(watched.sessions.open(since: 0))
        for session in [own, other] { watched.remember(session) }
        let first = try watched.token(other)
        var tokens: [String] = []
        for _ in 0...4 {
            watched.pass(1)
            tokens.append(try watched.token(own))
        }
        #expect(watched.sessions.count == 6 && watched.sessions.isOpen(typed))
        #expect(watched.sessions.isOpen(first, in: other))
        let open = tokens.map { watched.sessions.isOpen($0, in: own) }
        #expect(open == [false, true, true, true, true])
    }

    @Test("a body with members is refused in plain words")
    func members() async throws {
        let watched = Watched()
        let resource = OwnerTerminalResource(watched.terminals, opening: watched.sessions)
        let head = HTTPHead(
            method: "POST", path: "/v1/owner/terminals", query: [],
            headers: [(name: "Content-Type", value: "application/json")])
        let request = HTTPRequest(
            head: head, body: Array(#"{"terminal":true}"#.utf8), peer: .inProcess(), process: 0)
        let response = try #require(await resource.respond(to: request))
        #expect(response.status == 400)
        let body = String(decoding: response.body, as: UTF8.self)
        #expect(body.contains("the body can have no members"))
    }

    @Test("there are a few; the oldest makes room")
    func room() throws {
        let watched = Watched()
        let all = try (0...OwnerTerminals.countMax).map { place in
            try #require(Lines(leaderStart: "\(place)").session())
        }
        for session in all { watched.remember(session) }
        #expect(watched.terminals.ids.count == OwnerTerminals.countMax)
        #expect(!watched.holds(all[0]) && all.dropFirst().allSatisfy(watched.holds))
    }
}
