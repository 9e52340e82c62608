// SPDX-License-Identifier: Apache-2.0

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
        terminal: Int32 = 34_816, foreground: Int32 = 20
    ) -> TerminalSession? {
        let own = Self.line(
            20, name, "R", group: group, session: session, terminal: terminal,
            foreground: foreground, start: "500")
        return ProcessLine(own).flatMap { own in
            TerminalSession(of: own) { number in
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
        #expect(Lines().session(terminal: 0) == nil)
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
        }

        private let stage: Stage
        let terminals: OwnerTerminals
        let sessions: OwnerSessions

        init(minutes: Int = OwnerTerminals.minutesDefault) {
            let stage = Stage()
            self.stage = stage
            terminals = OwnerTerminals(
                minutes: minutes, vault: { stage.vault.withLock { $0 } },
                freeze: { stage.freeze.withLock { $0 } }, now: { stage.time.withLock { $0 } })
            sessions = OwnerSessions(
                endingWith: terminals, vault: { stage.vault.withLock { $0 } },
                now: { stage.time.withLock { $0 } })
        }

        func pass(_ seconds: Int) { stage.time.withLock { $0 += .seconds(seconds) } }
        func setVault(_ unlocking: Int?) { stage.vault.withLock { $0 = unlocking } }
        func setFreeze(_ number: Int64?) { stage.freeze.withLock { $0 = number } }
        func remember(_ session: TerminalSession) {
            terminals.remember(session, since: stage.vault.withLock { $0 })
        }
        func holds(_ session: TerminalSession) -> Bool { terminals.find(session) != nil }
        func token(_ session: TerminalSession) throws -> String {
            let id = try #require(terminals.find(session)).id
            return try #require(sessions.open(since: stage.vault.withLock { $0 }, by: id))
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
        #expect(watched.sessions.isOpen(token))
        watched.pass(1)
        #expect(!watched.sessions.isOpen(token) && watched.sessions.isOpen(typed))
        watched.remember(own)
        #expect(!watched.sessions.isOpen(token))
        let next = try watched.token(own)
        // The passphrase again starts the time again, for sessions that are open too.
        watched.pass(600)
        #expect(watched.sessions.isOpen(next) && watched.sessions.isOpen(typed))
        watched.remember(own)
        watched.pass(600)
        #expect(watched.sessions.isOpen(next))
        #expect(watched.terminals.forget() == 1)
        #expect(!watched.sessions.isOpen(next) && watched.sessions.isOpen(typed))
        #expect(watched.terminals.forget() == 0)
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
