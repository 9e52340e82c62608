// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import FoundationEssentials
import Nostr
import SigningCore
import SigningCrypto
import SigningFiles
import SigningStorage
import SigningVault
import TestHome
import Testing

@testable import SigningService

@Suite("A watch of a home", .timeLimit(.minutes(5)))
struct HomeWatchTests {
    private let temporary: TemporaryHome
    private let home: OpenHome
    private let ledger: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        try temporary.makeVault(DomainRegistry([]), passphrase: "correct horse")
            .setSetting(ProviderID.setting, to: ProviderID.make())
        _ = try temporary.makeLedger()
        home = try OpenHome(at: temporary.home.path, speaking: .builtIn)
        ledger = try home.openLedger()
    }

    private static var passphrase: SecretBytes { SecretBytes(copying: "correct horse".utf8.span) }

    /// A watch whose thread has made its first comparison.
    private func started(_ events: FolderEvents? = nil) async -> HomeWatch {
        let watch = HomeWatch(of: home, records: [ledger], by: events)
        await watch.wait(after: watch.revision)
        return watch
    }

    /// A watch that the kernel reports nothing to, as on some file systems.
    private func watchWithoutEvents() async throws -> HomeWatch {
        let events = FolderEvents(in: [home.home.path, home.home.path + "/absent"])
        #expect(!events.areReported)
        return await started(events)
    }

    /// Returns once `change` is noticed; without it, the test does not end.
    private func expect(_ watch: HomeWatch, toNotice change: () throws -> Void) async throws {
        let seen = watch.revision
        try change()
        await watch.wait(after: seen)
        #expect(watch.revision != seen)
    }

    @Test("notices commits of other connections to vault and ledger")
    func commits() async throws {
        let watch = await started()
        try await expect(watch) {
            _ = try OpenHome.freeze(temporary.home.path, because: "a test")
        }
        #expect(try ledger.freezeReason() != nil)
        try await expect(watch) {
            try OpenHome(at: temporary.home.path, speaking: .builtIn)
                .makeKey(.nostr, name: "new", passphrase: Self.passphrase)
        }
        #expect(try home.accounts().map(\.name) == ["new"])
    }

    @Test("notices them where the kernel reports no events")
    func commitsWithoutEvents() async throws {
        let watch = try await watchWithoutEvents()
        try await expect(watch) {
            _ = try OpenHome.freeze(temporary.home.path, because: "a test")
        }
    }

    @Test("notices the records of teams too")
    func teams() async throws {
        let team = try TemporaryHome()
        let record = try team.makeLedger()
        let watch = HomeWatch(
            of: home, records: [ledger, record],
            by: FolderEvents(of: home, beside: [team.home.path]))
        await watch.wait(after: watch.revision)
        try await expect(watch) {
            _ = try OpenHome.freeze(team.home.path, because: "a test")
        }
    }

    @Test("notices a database behind a symbolic link")
    func links() async throws {
        let elsewhere = try TemporaryHome()
        for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
            let path = temporary.home.path + "/" + name
            try? FileManager.default.removeItem(atPath: path)
        }
        _ = try elsewhere.makeLedger()
        try FileManager.default.createSymbolicLink(
            atPath: temporary.home.ledgerPath, withDestinationPath: elsewhere.home.ledgerPath)
        let events = FolderEvents(of: home)
        #expect(events.folders.count == 2 && events.areReported)
    }

    @Test("notices files that go, and a folder that is moved or replaced")
    func files() async throws {
        let path = temporary.home.path
        let (files, moved) = (FileManager.default, path + ".moved")
        defer { try? files.removeItem(atPath: moved) }
        #expect(files.createFile(atPath: path + "/agent.lock", contents: nil))
        for watch in [await started(), try await watchWithoutEvents()] {
            try await expect(watch) { try files.moveItem(atPath: path, toPath: moved) }
            try await expect(watch) {
                try files.createDirectory(atPath: path, withIntermediateDirectories: false)
            }
            try files.removeItem(atPath: path)
            try await expect(watch) { try files.moveItem(atPath: moved, toPath: path) }
        }
        try await expect(await started()) { try files.removeItem(atPath: path + "/agent.lock") }
    }

    @Test("notices unlockings and locks of this process at once")
    func locks() async throws {
        let watch = await started()
        for change in [
            { try home.vault.unlock(passphrase: Self.passphrase) }, { home.vault.lock() },
            { try home.vault.unlockDespiteDamage(passphrase: Self.passphrase) },
        ] as [() throws -> Void] {
            let seen = watch.revision
            try change()
            #expect(watch.revision == seen + 1)
        }
    }

    @Test("reads change nothing, nor does a lock of a locked vault")
    func quiet() async throws {
        func read() throws {
            let other = try OpenHome(at: temporary.home.path, speaking: .builtIn)
            _ = try other.accounts()
            #expect(try other.openLedger().freezeReason() == nil)
            _ = try ledger.allConnections()
        }
        // The first reads make the files that SQLite keeps beside the databases.
        try read()
        let watch = await started()
        let seen = watch.revision
        home.vault.lock()
        for _ in 0..<3 {
            try read()
            await watch.wait(after: seen, until: .now + .milliseconds(500))
        }
        #expect(watch.revision == seen)
    }

    @Test("a wait ends at its time and when it is cancelled, and many may wait")
    func ends() async throws {
        let watch = await started()
        let seen = watch.revision
        await watch.wait(after: seen, until: .now + .milliseconds(20))
        await watch.wait(after: seen, until: .now - .seconds(1))
        let waits = (0..<50).map { _ in Task { await watch.wait(after: seen) } }
        for wait in waits.prefix(25) {
            wait.cancel()
            await wait.value
        }
        #expect(watch.revision == seen)
        try home.vault.unlock(passphrase: Self.passphrase)
        for wait in waits { await wait.value }
    }
}
