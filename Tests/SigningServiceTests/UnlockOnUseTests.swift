// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCrypto
import SigningStorage
import SigningVault
import Synchronization
import Testing

@testable import SigningCore
@testable import SigningService

@Suite("A vault that is unlocked while others ask", .timeLimit(.minutes(5)))
struct UnlockOnUseTests {
    private let rig: Rig
    private let vault: Vault
    private let use = KeyUse(
        makeSummary: { Summary(title: "", lines: [], warnings: []) }, accounts: [], ground: .person)

    init() throws {
        rig = try Rig()
        vault = rig.home.vault
        vault.lock()
    }

    private var secret: SecretBytes { SecretBytes(copying: "correct horse".utf8.span) }

    /// Unlocks the vault on a separate thread.
    private func unlock(_ store: UnlockOnUse) -> Task<Bool, Never> {
        Task.detached(executorPreference: BlockingThreads.shared) {
            let passphrase = SecretBytes(copying: "correct horse".utf8.span)
            return (try? store.unlock(passphrase: passphrase)) != nil
        }
    }

    private func store(checking check: @escaping @Sendable () throws -> Void)
        -> UnlockOnUse
    {
        UnlockOnUse(vault, NoPassphrase(), checkLedger: check)
    }

    @Test("no key of it is used before its ledger is compared with it", arguments: [true, false])
    func unchecked(isGood: Bool) async throws {
        let isOver = Mutex(false)
        let store = store {
            while !isOver.withLock({ $0 }) { usleep(1_000) }
            if !isGood { throw CheckpointError.brokenChain("an older one") }
        }
        let unlocking = unlock(store)
        while !vault.isUnlocked { try await Task.sleep(for: .milliseconds(2)) }
        let hasOpened = Mutex(false)
        let asking = Task.detached(executorPreference: BlockingThreads.shared) { [use] in
            do throws(KeyStoreError) {
                let isAsked = try await store.unlock(for: use)
                hasOpened.withLock { $0 = true }
                return isAsked ? "somebody was asked" : "it is open"
            } catch {
                return "\(error)"
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        #expect(!hasOpened.withLock { $0 })
        let account = try #require(try vault.accounts().first)
        let operation = RequestedOperation(
            account: account, operation: .publicKey, facts: [], effects: [], dangers: [])
        #expect(throws: KeyStoreError.locked) {
            try store.perform(SigningPermit(for: [operation], judgedBy: []))
        }
        isOver.withLock { $0 = true }
        #expect(await asking.value == (isGood ? "it is open" : "locked"))
        #expect(await unlocking.value == isGood)
        #expect(vault.isUnlocked == isGood)
    }

    @Test("the ledger is compared with the vault once for each unlocking, and again for its owner")
    func once() async throws {
        let count = Mutex(0)
        let store = store { count.withLock { $0 += 1 } }
        for round in 1...2 {
            try rig.home.unlock(rig.passphrase)
            for _ in 0..<2 { #expect(try await store.unlock(for: use) == false) }
            #expect(count.withLock { $0 } == 2 * round - 1)
            #expect(await unlock(store).value)
            #expect(count.withLock { $0 } == 2 * round)
            vault.lock()
        }
    }

    @Test("an unlocking that a lock overtakes fails, with the ledger's reason if it has one")
    func overtaken() async throws {
        // The listener is called on the thread that unlocks, between the unlocking and the check.
        vault.whenLockChanges { [vault] in vault.lock() }
        let meanwhile = ServiceError(
            "the vault was locked again meanwhile", hint: "unlock it again")
        let good = store {}
        #expect(throws: meanwhile) { try good.unlock(passphrase: secret) }
        let older = CheckpointError.olderVault
        let bad = store { throw older }
        #expect(throws: ServiceError(older)) { try bad.unlock(passphrase: secret) }
        #expect(!vault.isUnlocked && !good.isChecked)
    }

    @Test("an unlocking that a lock overtakes during the check fails")
    func overtakenLater() async throws {
        let store = store { [vault] in vault.lock() }
        #expect(await unlock(store).value == false)
        try rig.home.unlock(rig.passphrase)
        do throws(KeyStoreError) {
            Issue.record("\(try await store.unlock(for: use))")
        } catch {
            #expect(error == .locked)
        }
    }

    @Test("a request that could not open it does not lock the owner's later unlocking")
    func meanwhile() async throws {
        let owner = store {}
        let source = SlowSource {
            let passphrase = SecretBytes(copying: "correct horse".utf8.span)
            _ = try? owner.unlock(passphrase: passphrase)
        }
        let store = UnlockOnUse(vault, source) {}
        do throws(KeyStoreError) {
            Issue.record("\(try await store.unlock(for: use))")
        } catch {
            #expect(error == .locked)
        }
        #expect(vault.isUnlocked)
    }
}

/// Runs an action, then gives no passphrase.
private struct SlowSource: PassphraseSource {
    let meanwhile: @Sendable () -> Void
    let attemptsMax = 1

    func announce(_: KeyUse) {}

    func read(for _: KeyUse, isAgain _: Bool) throws(ServiceError) -> SecretBytes {
        meanwhile()
        throw ServiceError("nobody is here", hint: nil)
    }
}
