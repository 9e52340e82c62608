// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningService
import SigningVault
import Synchronization
import Testing

@testable import SigningAgent

@Suite("Sessions of the owner")
struct OwnerSessionTests {
    /// Owner sessions with the clock and the vault of the test.
    private final class Watched: Sendable {
        private final class Stage: Sendable {
            let time = Mutex(ContinuousClock.now)
            let vault = Mutex<Int?>(0)
        }

        private let stage: Stage
        let sessions: OwnerSessions

        init() {
            let stage = Stage()
            self.stage = stage
            sessions = OwnerSessions(
                vault: { stage.vault.withLock { $0 } }, now: { stage.time.withLock { $0 } })
        }

        func pass(_ duration: Duration) { stage.time.withLock { $0 += duration } }
        func setVault(_ unlocking: Int?) { stage.vault.withLock { $0 = unlocking } }
        func open() throws -> String {
            try #require(sessions.open(since: stage.vault.withLock { $0 }))
        }
    }

    @Test("a session is its token's alone, and ends when it is closed")
    func tokens() throws {
        let watched = Watched()
        let (one, other) = try (watched.open(), watched.open())
        #expect(one != other && one.utf8.count == 64)
        #expect(watched.sessions.isOpen(one) && watched.sessions.isOpen(other))
        for guess in ["", String(one.dropLast()), one.uppercased() + "0", one + "0", "0" + one] {
            #expect(!watched.sessions.isOpen(guess))
        }
        watched.sessions.close(one)
        #expect(!watched.sessions.isOpen(one) && watched.sessions.isOpen(other))
    }

    @Test("it ends unused, and at last even used")
    func expiry() throws {
        let watched = Watched()
        let token = try watched.open()
        watched.pass(.seconds(899))
        #expect(watched.sessions.isOpen(token))
        watched.pass(.seconds(450))
        #expect(watched.sessions.isOpen(token, isUse: false))
        watched.pass(.seconds(450))
        #expect(!watched.sessions.isOpen(token))
        let used = try watched.open()
        for _ in 0..<47 {
            watched.pass(.seconds(600))
            #expect(watched.sessions.isOpen(used))
        }
        watched.pass(.seconds(600))
        #expect(!watched.sessions.isOpen(used) && watched.sessions.count == 0)
    }

    @Test("it ends when the vault is locked, and does not come back when it is unlocked")
    func lock() throws {
        let watched = Watched()
        let token = try watched.open()
        watched.setVault(nil)
        #expect(watched.sessions.open(since: nil) == nil)
        #expect(watched.sessions.open(since: 0) == nil)
        watched.setVault(1)
        #expect(!watched.sessions.isOpen(token))
        #expect(watched.sessions.open(since: 0) == nil)
        #expect(watched.sessions.isOpen(try watched.open()))
    }

    @Test("there are a few; the one that rested longest makes room")
    func room() throws {
        let watched = Watched()
        var tokens: [String] = []
        for _ in 0..<4 {
            tokens.append(try watched.open())
            watched.pass(.seconds(1))
        }
        #expect(watched.sessions.isOpen(tokens[0]))
        watched.pass(.seconds(1))
        let new = try watched.open()
        #expect(watched.sessions.count == 4 && watched.sessions.isOpen(new))
        #expect(watched.sessions.isOpen(tokens[0]) && !watched.sessions.isOpen(tokens[1]))
    }
}

@Suite("Which unlocking of a vault it is")
struct UnlockingTests {
    @Test("each locking has its own number")
    func counted() throws {
        let home = try AgentHome()
        let passphrase = SecretBytes(copying: "correct horse".utf8.span)
        #expect(home.open.vault.unlocking == nil)
        try home.open.vault.unlock(passphrase: passphrase)
        let first = try #require(home.open.vault.unlocking)
        try home.open.vault.unlock(passphrase: passphrase)
        #expect(home.open.vault.unlocking == first)
        home.open.vault.lock()
        #expect(home.open.vault.unlocking == nil)
        try home.open.vault.unlock(passphrase: passphrase)
        #expect(try #require(home.open.vault.unlocking) > first)
    }
}
