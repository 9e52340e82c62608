// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
internal import SigningFiles
internal import SigningStorage
internal import SigningVault
internal import Synchronization

/// A source of passphrases for requests that need a key: a terminal, a descriptor, a page.
public protocol PassphraseSource: Sendable {
    /// The number of attempts; a descriptor or a file would return the same text again.
    var attemptsMax: Int { get }

    /// Shows the intended use before a person is asked for the passphrase.
    func announce(_ use: KeyUse)

    /// Reads it.
    func read(for use: KeyUse, isAgain: Bool) throws(ServiceError) -> SecretBytes
}

/// A source without a passphrase: a locked vault stays locked.
public struct NoPassphrase: PassphraseSource {
    /// Makes the source.
    public init() {}

    /// One attempt.
    public var attemptsMax: Int { 1 }

    /// Shows nothing.
    public func announce(_: KeyUse) {}

    /// Throws an error.
    public func read(for _: KeyUse, isAgain _: Bool) throws(ServiceError) -> SecretBytes {
        throw ServiceError("the vault is locked", hint: "unlock it first")
    }
}

/// A vault that is unlocked on demand, between the decision and the reservation.
///
/// A request that is denied never asks for the passphrase. Before a question to several people the
/// vault is unlocked first.
package final class UnlockOnUse: KeyStore {
    private let vault: Vault
    private let checkLedger: @Sendable () throws -> Void
    private let passphrase: any PassphraseSource
    private let problem = Mutex<ServiceError?>(nil)
    private let overturned = Atomic(0)
    /// The number of the unlocking after which the ledger was compared with the vault.
    private let checked = Mutex<Int?>(nil)

    /// Uses a vault; `checkLedger` compares the ledger with it.
    init(
        _ vault: Vault, _ passphrase: any PassphraseSource,
        checkLedger: @escaping @Sendable () throws -> Void
    ) {
        self.vault = vault
        self.passphrase = passphrase
        self.checkLedger = checkLedger
    }

    /// The reason that unlocking failed, for the owner.
    package var unlockingError: ServiceError? { problem.withLock { $0 } }

    /// The public halves of all keys.
    package func accounts() throws(KeyStoreError) -> [Account] { try vault.accounts() }

    /// The passkeys of the vault.
    package func passkeys() throws(KeyStoreError) -> [Passkey] { try vault.passkeys() }

    /// Seals grants.
    package func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] {
        try vault.seal(grants)
    }

    /// Unlocks the vault if it is locked; returns true if a person was waited for.
    package func unlock(for use: KeyUse) async throws(KeyStoreError) -> Bool {
        let isOpen = vault.isUnlocked
        do throws(ServiceError) {
            if !isOpen { try askAndUnlock(for: use) }
            try check()
        } catch {
            problem.withLock { $0 = error }
            throw error.isCancelled ? .declined : .locked
        }
        return !isOpen
    }

    /// The number of times that the unlocked vault differed from its locked view.
    ///
    /// Requests that were judged before are not carried out.
    var overturnedCount: Int { overturned.load(ordering: .sequentiallyConsistent) }

    /// Unlocks the vault ahead of any request.
    ///
    /// The owner may have changed the vault while it was locked. Earlier judgements are then void,
    /// but the vault may be unlocked.
    func unlock(passphrase: borrowing SecretBytes) throws {
        do throws(VaultError) {
            try vault.unlock(passphrase: passphrase)
        } catch .storage {
            overturned.add(1, ordering: .sequentiallyConsistent)
            try vault.unlock(passphrase: passphrase)
        }
        try check(isAgain: true)
    }

    /// Carries out a permit.
    package func perform(
        _ permit: consuming SigningPermit
    ) throws(KeyStoreError) -> [KeyResult] {
        guard !permit.operations.isEmpty else { return try vault.perform(permit) }
        // The vault may have been locked and unlocked again since the permit was given.
        guard let unlocking = vault.unlocking, unlocking == checked.withLock({ $0 }) else {
            throw .locked
        }
        return try vault.perform(permit, in: unlocking)
    }

    /// True if the vault is unlocked and the ledger was compared with it since.
    var isChecked: Bool {
        vault.unlocking.map { unlocking in unlocking == checked.withLock { $0 } } ?? false
    }

    /// Compares the ledger with the vault, once for each unlocking.
    ///
    /// A ledger that was restored to an older state lacks the signatures since then.
    private func check(isAgain: Bool = false) throws(ServiceError) {
        guard isAgain || !isChecked else { return }
        let unlocking = vault.unlocking
        do {
            try checkLedger()
        } catch {
            // Another unlocking in the meantime is not affected by this failure.
            if let unlocking { vault.lock(only: unlocking) }
            throw ServiceError(error)
        }
        // An agent locks the vault at once if a file has a newer format.
        guard let unlocking, unlocking == vault.unlocking else {
            throw ServiceError("the vault was locked again meanwhile", hint: "unlock it again")
        }
        checked.withLock { $0 = max($0 ?? unlocking, unlocking) }
    }

    private func askAndUnlock(for use: KeyUse) throws(ServiceError) {
        // A person who has just approved has seen the request; others see it before they enter a
        // passphrase.
        if use.ground != .person { passphrase.announce(use) }
        for attempt in 1...passphrase.attemptsMax {
            let secret = try passphrase.read(for: use, isAgain: attempt > 1)
            do throws(VaultError) {
                return try vault.unlock(passphrase: secret)
            } catch {
                guard error == .wrongPassphrase, attempt < passphrase.attemptsMax else {
                    throw ServiceError(error)
                }
            }
        }
    }
}
