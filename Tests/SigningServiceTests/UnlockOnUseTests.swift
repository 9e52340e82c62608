// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCrypto
import SigningStorage
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

    /// Unlocks it on a thread of its own.
    private func unlock(_ store: UnlockOnUse) -> Task<Bool, Never> {
        Task.detached(executorPreference: BlockingThreads.shared) {
            let passphrase = SecretBytes(copying: "correct horse".utf8.span)
            return (try? store.unlock(passphrase: passphrase)) != nil
        }
    }

    private func store(checking check: @escaping @Sendable () throws(CheckpointError) -> Void)
        -> UnlockOnUse
    {
        UnlockOnUse(vault, NoPassphrase(), checkLedger: check)
    }

    @Test("no key of it is used before its ledger is held against it", arguments: [true, false])
    func unchecked(isGood: Bool) async throws {
        let isOver = Mutex(false)
        let store = store { () throws(CheckpointError) in
            while !isOver.withLock({ $0 }) { usleep(1_000) }
            if !isGood { throw .ledger(.corrupt("an older one")) }
        }
        let unlocking = unlock(store)
        while !vault.isUnlocked { try await Task.sleep(for: .milliseconds(2)) }
        let hasOpened = Mutex(false)
        let asking = Task { [use] in
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
        isOver.withLock { $0 = true }
        #expect(await asking.value == (isGood ? "it is open" : "locked"))
        #expect(await unlocking.value == isGood)
        #expect(vault.isUnlocked == isGood)
    }

    @Test("a request that could not open it does not lock what its owner opens meanwhile")
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

    @Test("whoever proves the passphrase of an open one keeps nobody waiting")
    func proves() async throws {
        #expect(await unlock(store {}).value)
        let isOver = Mutex<Bool?>(nil)
        let store = store {
            isOver.withLock { $0 = false }
            while isOver.withLock({ $0 }) != true { usleep(1_000) }
        }
        let proving = unlock(store)
        while isOver.withLock({ $0 }) == nil { try await Task.sleep(for: .milliseconds(2)) }
        #expect(try await store.unlock(for: use) == false)
        isOver.withLock { $0 = true }
        #expect(await proving.value)
    }
}

/// Gives no passphrase, after something else happened.
private struct SlowSource: PassphraseSource {
    let meanwhile: @Sendable () -> Void
    let attemptsMax = 1

    func announce(_: KeyUse) {}

    func read(for _: KeyUse, isAgain _: Bool) throws(ServiceError) -> SecretBytes {
        meanwhile()
        throw ServiceError("nobody is here", hint: nil)
    }
}
