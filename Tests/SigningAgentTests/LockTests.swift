// SPDX-License-Identifier: Apache-2.0

import Dispatch
import SigningCore
import SigningCrypto
import SigningService
import SigningTesting
import SigningVault
import Synchronization
import Testing

@testable import SigningAgent
@testable import SigningFiles
@testable import SigningStorage

@Suite("When an agent locks", .timeLimit(.minutes(10)))
struct LockTests {
    private let home: AgentHome
    private let signer: LocalSigner
    private let clock = StillClock()

    init() throws {
        home = try AgentHome()
        signer = try LocalSigner(of: home.open)
        try unlock()
    }

    private func unlock() throws {
        try signer.unlock(passphrase: SecretBytes(copying: "correct horse".utf8.span))
    }

    private func lock(idle: Duration?, most: Duration?) -> AgentLock {
        let clock = clock
        let lock = AgentLock(
            of: home.open, after: LockTimes(idle: idle, most: most), now: { clock.now }
        ) { [signer] in try? signer.finish() }
        // The idle time counts from the first check.
        #expect(lock.lockInTime() == nil)
        return lock
    }

    @Test("after it was not used for a time, which each use begins anew")
    func idle() throws {
        let lock = lock(idle: .seconds(60), most: nil)
        clock.pass(.seconds(59))
        #expect(lock.lockInTime() == nil)
        lock.noteUse()
        clock.pass(.seconds(59))
        #expect(lock.lockInTime() == nil && home.open.vault.isUnlocked)
        clock.pass(.seconds(1))
        #expect(lock.lockInTime() == "it was idle for 1 min")
        #expect(!home.open.vault.isUnlocked && lock.lockInTime() == nil)
        try unlock()
        #expect(lock.lockInTime() == nil && home.open.vault.isUnlocked)
    }

    @Test("once a newer version has changed the format of a file, and says so")
    func newerFormat() throws {
        let problem = Mutex<String?>(nil)
        let lock = AgentLock(
            of: home.open, after: .standard, formatProblem: { problem.withLock { $0 } }
        ) { [signer] in try? signer.finish() }
        #expect(lock.lockInTime() == nil && home.open.vault.isUnlocked)
        problem.withLock { $0 = "ledger.db has format 99" }
        #expect(lock.lockInTime() == "ledger.db has format 99: restart the agent")
        #expect(!home.open.vault.isUnlocked)
    }

    @Test("an unlocking under a newer format fails and gives the reason, though the lock is first")
    func newerFormatAtUnlocking() throws {
        let vault = home.open.vault
        let lock = AgentLock(of: home.open, by: signer, after: .standard)
        vault.lock()
        let path = home.open.home.ledgerPath
        let newest = Schema.ledger.version
        try SQLiteConnection(path: path).execute("PRAGMA user_version = \(newest + 1)")
        // The keeper of an agent does this on another thread, as soon as it wakes.
        vault.whenLockChanges { _ = lock.lockInTime() }
        do throws(ServiceError) {
            try signer.unlock(passphrase: SecretBytes(copying: "correct horse".utf8.span))
            Issue.record("it is unlocked")
        } catch {
            #expect(error.message.contains("ledger.db has format \(newest + 1)"))
        }
        #expect(!vault.isUnlocked)
    }

    @Test("after the longest time, with any use")
    func most() {
        let lock = lock(idle: .seconds(60), most: .seconds(120))
        for _ in 0..<3 {
            clock.pass(.seconds(39))
            lock.noteUse()
            #expect(lock.lockInTime() == nil)
        }
        clock.pass(.seconds(3))
        #expect(lock.lockInTime() == "it was unlocked for 2 min")
        #expect(!home.open.vault.isUnlocked)
    }

    @Test("at its time, with nothing else that wakes it, also after it was unlocked again")
    func kept() async throws {
        let lock = AgentLock(
            of: home.open, after: LockTimes(idle: .milliseconds(300), most: nil)
        ) { [signer] in try? signer.finish() }
        let (reasons, reported) = AsyncStream<String>.makeStream()
        let watch = HomeWatch(of: home.open, records: [signer.ledger])
        let keeper = Task { await lock.keep(watch) { reported.yield($0) } }
        defer { keeper.cancel() }
        var count = 0
        for await _ in reasons {
            #expect(!home.open.vault.isUnlocked)
            count += 1
            if count == 2 { break }
            try unlock()
        }
    }

    @Test("any obstacle to signing the record is reported, for connections that were open then")
    func hindered() async throws {
        let goesOn = DispatchSemaphore(value: 0)
        let count = Mutex(0)
        let lock = AgentLock(of: home.open, after: .standard) {
            count.withLock { $0 += 1 }
            goesOn.wait()
        }
        for _ in 0..<2 {
            lock.lock()
            #expect(!home.open.vault.isUnlocked)
            try unlock()
        }
        #expect(count.withLock { $0 } == 1)
        let vault = home.open.vault
        let locking = Task.detached(executorPreference: BlockingThreads.shared) { lock.lock() }
        try await Task.sleep(for: .milliseconds(300))
        vault.lock()
        try unlock()
        goesOn.signal()
        await locking.value
        #expect(vault.isUnlocked)
    }

    @Test("never, where the setting says so")
    func never() {
        let lock = lock(idle: nil, most: nil)
        clock.pass(.seconds(1_000_000))
        #expect(lock.lockInTime() == nil && home.open.vault.isUnlocked)
    }

    @Test("denied requests do not keep it unlocked, signatures do")
    func uses() async {
        let lock = lock(idle: .seconds(60), most: nil)
        let used = UsedSigner(signer: signer, lock: lock)
        func ask(kind: Int) async -> Answer {
            let url =
                "nostrsigner://sign_event?type=sign_event&x-success=myapp://ok"
                + "&event=%7B%22kind%22%3A\(kind)%2C%22content%22%3A%22%22%7D"
            return await used.answer(
                Frame(url, from: Peer(channel: "socket")), over: AdapterID("nip155"))
        }
        clock.pass(.seconds(50))
        #expect(await ask(kind: 1).isDone)
        clock.pass(.seconds(50))
        #expect(await !ask(kind: 5).isDone)
        #expect(lock.lockInTime() == nil)
        clock.pass(.seconds(10))
        #expect(lock.lockInTime() != nil)
    }
}

extension LockTests {
    @Test("a request that only names a key does not keep it unlocked")
    func names() async throws {
        try home.open.attest(
            policy: """
                version = 1
                default = "deny"
                [[rule]]
                id = "names"
                effect = "allow"
                protocol = "nostr"
                operation = "get_public_key"
                acknowledge = ["new_client"]
                """, passphrase: SecretBytes(copying: "correct horse".utf8.span))
        try unlock()
        let lock = lock(idle: .seconds(60), most: nil)
        let used = UsedSigner(signer: signer, lock: lock)
        clock.pass(.seconds(50))
        let answer = await used.answer(
            Frame(
                "nostrsigner://get_public_key?type=get_public_key&x-success=myapp://ok",
                from: Peer(channel: "socket")), over: AdapterID("nip155"))
        #expect(answer.isDone)
        clock.pass(.seconds(10))
        #expect(lock.lockInTime() != nil)
    }
}

extension Answer {
    fileprivate var isDone: Bool {
        if case .outcome(.done) = ending { true } else { false }
    }
}
