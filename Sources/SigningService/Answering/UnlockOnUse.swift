// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
package import SigningStorage
internal import Synchronization

/// Where a passphrase comes from when a request needs a key: a terminal, a descriptor, a page.
public protocol PassphraseSource: Sendable {
    /// How often a wrong one may be given: a descriptor or a file says the same again.
    var attemptsMax: Int { get }

    /// Shows what it is for, where a person will be asked for it.
    func announce(_ use: KeyUse)

    /// Reads it.
    func read(for use: KeyUse, isAgain: Bool) throws(ServiceError) -> SecretBytes
}

/// Nobody gives a passphrase: a vault that is locked stays locked.
public struct NoPassphrase: PassphraseSource {
    /// Makes it.
    public init() {}

    /// Once.
    public var attemptsMax: Int { 1 }

    /// Shows nothing.
    public func announce(_: KeyUse) {}

    /// Throws.
    public func read(for _: KeyUse, isAgain _: Bool) throws(ServiceError) -> SecretBytes {
        throw ServiceError("the vault is locked", hint: "unlock it first")
    }
}

/// The vault, unlocked between the decision and the reservation and not before: a request that
/// is denied never asks for the passphrase, but where several people are asked, before they are.
package final class UnlockOnUse: KeyStore {
    private let vault: Vault
    private let checkLedger: @Sendable () throws(CheckpointError) -> Void
    private let passphrase: any PassphraseSource
    private let problem = Mutex<ServiceError?>(nil)
    private let overturned = Atomic(0)
    /// The unlocking of the vault that the ledger was held against.
    private let checked = Mutex<Int?>(nil)

    /// Lends the vault of a home.
    package convenience init(
        _ home: OpenHome, ledger: SQLiteLedger, passphrase: any PassphraseSource
    ) {
        let checkpointer = Checkpointer(
            vault: home.vault, ledger: ledger, environment: SystemEnvironment())
        self.init(home.vault, passphrase) { () throws(CheckpointError) in
            try checkpointer.check()
        }
    }

    /// `checkLedger` holds the ledger against the vault.
    init(
        _ vault: Vault, _ passphrase: any PassphraseSource,
        checkLedger: @escaping @Sendable () throws(CheckpointError) -> Void
    ) {
        self.vault = vault
        self.passphrase = passphrase
        self.checkLedger = checkLedger
    }

    /// Why unlocking failed, for its owner.
    package var unlockingError: ServiceError? { problem.withLock { $0 } }

    /// The package halves of all keys.
    package func accounts() throws(KeyStoreError) -> [Account] { try vault.accounts() }

    /// Those of the vault.
    package func passkeys() throws(KeyStoreError) -> [Passkey] { try vault.passkeys() }

    /// Vouches for grants.
    package func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] {
        try vault.seal(grants)
    }

    /// Unlocks the vault where it is locked; true where somebody was waited for.
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

    /// How often the vault was unlocked and held something else than what had been told while it
    /// was locked: nothing that was judged before then may be carried out.
    var overturnedCount: Int { overturned.load(ordering: .sequentiallyConsistent) }

    /// Unlocks the vault ahead of any request.
    ///
    /// While it was locked its owner may have changed it; what was decided meanwhile is void then,
    /// and no reason to keep it locked.
    func unlock(passphrase: borrowing SecretBytes) throws(ServiceError) {
        do throws(VaultError) {
            do throws(VaultError) {
                try vault.unlock(passphrase: passphrase)
            } catch .storage {
                overturned.add(1, ordering: .sequentiallyConsistent)
                try vault.unlock(passphrase: passphrase)
            }
        } catch {
            throw ServiceError(error)
        }
        try check(isAgain: true)
    }

    /// Carries out a permit.
    package func perform(
        _ permit: consuming SigningPermit
    ) throws(KeyStoreError) -> [KeyResult] {
        guard !permit.operations.isEmpty else { return try vault.perform(permit) }
        // It may have been locked, and be open again, since the permit was given, or be so soon.
        guard let unlocking = vault.unlocking, unlocking == checked.withLock({ $0 }) else {
            throw .locked
        }
        return try vault.perform(permit, in: unlocking)
    }

    private var isChecked: Bool { vault.unlocking == checked.withLock { $0 } }

    /// Holds the ledger against the vault, once for each unlocking, whoever did it: one that was
    /// put back to an older state has forgotten what was signed since.
    private func check(isAgain: Bool = false) throws(ServiceError) {
        guard isAgain || !isChecked, let unlocking = vault.unlocking else { return }
        do throws(CheckpointError) {
            try checkLedger()
        } catch {
            // What was opened meanwhile is not what was found wanting.
            vault.lock(only: unlocking)
            throw ServiceError(error)
        }
        checked.withLock { $0 = max($0 ?? unlocking, unlocking) }
    }

    private func askAndUnlock(for use: KeyUse) throws(ServiceError) {
        // Who has just said yes has seen it all; others see it before they give anything.
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
