// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
internal import Synchronization

/// The sealed keys of a home, in one SQLite file.
///
/// Public data can be read at any time. Each secret is sealed under the vault key together with its
/// record, and the vault key is sealed under the passphrase.
package final class Vault: KeyStore {
    /// Returns the domains that keys may sign in, given the vault's settings.
    package typealias Domains = @Sendable (_ settings: [String: String]) -> DomainRegistry

    let database: Database<VaultError>
    let domains: Domains
    let state = Mutex(State())
    private let lockListeners = Mutex<[@Sendable () -> Void]>([])

    /// The state in memory.
    struct State {
        var vaultKey: VaultKey?
        /// The number of times that the vault was locked.
        var lockCount = 0
        /// The content of the file when it was last read, and its damaged parts.
        var content: (content: VaultContent, damage: [String]?)?
        /// The stamp of the file before `content` was last checked.
        var stamp: FileStamp?
        /// The time of that check.
        var checked: ContinuousClock.Instant?
        /// The newest state seen since the vault was unlocked; it never decreases.
        var generation: Int64 = 0
        /// The domains for signing, with the settings from which they were made.
        var registry: (settings: [String: String], registry: DomainRegistry)?
        /// The digests of content that was returned without authentication: decisions may have used
        /// it.
        var unverified: [VaultPart: Set<[UInt8]>] = [:]
        /// The newest such content, whose digests are not computed yet.
        var unverifiedLast: VaultContent?
        var slots: [KeyID: KeySlot] = [:]
    }

    /// The most keys that stay open in memory; one more closes all others.
    static let openKeyCountMax = 256

    /// Creates the vault of a home, locked and without keys.
    ///
    /// It begins with a checkpoint of the empty audit chain, made at `time`: a vault without any
    /// checkpoint was tampered with.
    package static func create(
        in home: Home, passphrase: borrowing SecretBytes,
        parameters: Argon2Parameters = .standard, at time: Timestamp = SystemEnvironment().now()
    ) throws(VaultError) {
        let vaultKey = VaultKey()
        let header = try VaultHeader(
            sealing: vaultKey, passphrase: passphrase, parameters: parameters)
        let logKey = try SealedLogKey(sealedUnder: vaultKey)
        let checkpoint = try logKey.open(with: vaultKey).signCheckpoint(.empty, at: time)
        do throws(HomeError) {
            try home.makeFile(home.vaultPath)
        } catch {
            throw VaultError(error)
        }
        let database = try Database<VaultError>(path: home.vaultPath, schema: .vault, .new)
        try database.write { access throws(VaultError) in
            guard try !access.exists("SELECT 1 FROM vault_key") else {
                throw .alreadyExists(Schema.vault.file)
            }
            try header.write(in: access)
            try logKey.write(in: access)
            try access.write(checkpoint)
            try AccountList.writeSeal(with: vaultKey, in: access)
            try VaultContent(in: access).state(generation: 1).write(with: vaultKey, in: access)
        }
    }

    /// Opens the vault of a home, locked; its keys sign only in these domains.
    package static func open(_ home: Home, domains: DomainRegistry) throws(VaultError) -> Vault {
        try open(home) { _ in domains }
    }

    /// Opens the vault of a home, locked; its keys sign only in the domains that `domains` returns
    /// for the sealed settings.
    package static func open(
        _ home: Home, domains: @escaping Domains
    ) throws(VaultError) -> Vault {
        Vault(
            try Database(path: home.vaultPath, schema: .vault, .existing), domains: domains)
    }

    init(_ database: Database<VaultError>, domains: @escaping Domains) {
        self.database = database
        self.domains = domains
    }

    /// The reason that this version cannot use the file any more: a newer version has changed its
    /// format since it was opened.
    ///
    /// Nil if it can.
    package var formatProblem: String? { database.formatProblem.map { VaultError($0).text } }

    /// True if the vault is unlocked, so that keys can be used.
    package var isUnlocked: Bool { state.withLock { $0.vaultKey != nil } }

    /// The number of the current unlocking; nil while the vault is locked.
    ///
    /// An object that is valid until the vault is locked stores this number.
    package var unlocking: Int? { state.withLock { $0.vaultKey == nil ? nil : $0.lockCount } }

    /// The stamp of the file, which every commit of any process changes; nil if it has none now.
    package var stamp: FileStamp? { database.stamp }

    /// Calls `listener` after each unlocking and lock, on the thread that did it.
    package func whenLockChanges(_ listener: @escaping @Sendable () -> Void) {
        lockListeners.withLock { $0.append(listener) }
    }

    private func announceLock() { for listener in lockListeners.withLock({ $0 }) { listener() } }

    /// Loads the vault key, if all content is authentic and equals the content returned before;
    /// slow by design.
    package func unlock(passphrase: borrowing SecretBytes) throws(VaultError) {
        let vaultKey = try openVaultKey(with: passphrase)
        try upgradeState(with: vaultKey)
        let content = try database.read { access throws(VaultError) in
            try VaultContent(in: access)
        }
        if let damaged = content.damage(with: vaultKey).first { throw .corruptedRecord(damaged) }
        let isUnchanged = state.withLock { state in
            guard state.matchesUnverified(content) else {
                state.forgetUnverified()
                return false
            }
            state.take(vaultKey)
            state.content = (content, [])
            state.stamp = nil
            state.generation = content.state?.generation ?? 0
            return true
        }
        guard isUnchanged else {
            throw .storage("the vault was changed during the decision: try again")
        }
        announceLock()
    }

    /// Loads the vault key for the owner even if other parts are damaged.
    ///
    /// Parts that authenticate by their seals can be read, and damaged parts replaced. Keys cannot
    /// be used.
    package func unlockDespiteDamage(passphrase: borrowing SecretBytes) throws(VaultError) {
        let vaultKey = try openVaultKey(with: passphrase)
        // If the upgrade fails, the state shows as damaged.
        try? upgradeState(with: vaultKey)
        state.withLock { $0.take(vaultKey) }
        announceLock()
    }

    /// Deletes the vault key and all open keys from memory.
    ///
    /// Content returned while the vault is locked is checked at the next unlocking. With
    /// `unlocking`, only that unlocking ends.
    package func lock(only unlocking: Int? = nil) {
        let isLocked = state.withLock {
            guard $0.vaultKey != nil, unlocking ?? $0.lockCount == $0.lockCount else {
                return false
            }
            $0.take(nil)
            $0.forgetUnverified()
            return true
        }
        if isLocked { announceLock() }
    }

    /// Seals the vault key under another passphrase; the records of keys are not changed.
    ///
    /// With the same passphrase twice this raises the cost parameters of an old vault.
    package func changePassphrase(
        from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        parameters: Argon2Parameters = .standard
    ) throws(VaultError) {
        let before = try readHeader()
        let vaultKey = try before.open(passphrase: old)
        let header = try VaultHeader(
            sealing: vaultKey, passphrase: new, parameters: parameters)
        try change(.passphrase, with: vaultKey, replaces: true) { access throws(VaultError) in
            guard try VaultHeader(in: access).sealed == before.sealed else {
                throw .storage("another process changed the passphrase meanwhile")
            }
            try header.write(in: access)
        }
    }

    /// The public data of all keys, by name, without unlocking.
    ///
    /// While the vault is locked the data is not authenticated: a program that can write the file
    /// can change it. Unlocking checks it, as does the first read after a later change of the file.
    package func accounts() throws(KeyStoreError) -> [Account] {
        let known = state.withLock { state in
            let isFresh = state.checked.map { .now - $0 < Self.accountsAgeMax } ?? false
            return isFresh && state.content?.damage?.isEmpty ?? true
                ? state.content?.content.accounts : nil
        }
        if let known { return known.accounts }
        do throws(VaultError) {
            return try accountList().accounts
        } catch {
            throw KeyStoreError(error)
        }
    }

    /// The time for which the cached list is used without checking the file for changes by other
    /// processes.
    ///
    /// The file is always checked before a key is used.
    private static let accountsAgeMax = Duration.milliseconds(20)

    /// Opens the vault key with a passphrase.
    func openVaultKey(with passphrase: borrowing SecretBytes) throws(VaultError) -> VaultKey {
        try readHeader().open(passphrase: passphrase)
    }

    private func readHeader() throws(VaultError) -> VaultHeader {
        try database.read { access throws(VaultError) in try VaultHeader(in: access) }
    }

    /// The vault key; throws if the vault is locked.
    func openVaultKey() throws(VaultError) -> VaultKey {
        guard let vaultKey = state.withLock({ $0.vaultKey }) else { throw .locked }
        return vaultKey
    }
}

extension Vault.State {
    /// Replaces the vault key, or removes it, and clears everything that depends on the old one.
    mutating func take(_ key: VaultKey?) {
        vaultKey = key
        if key == nil { lockCount += 1 }
        content = nil
        stamp = nil
        checked = nil
        generation = 0
        slots = [:]
    }

    /// Notes content that is returned without authentication.
    mutating func noteUnverified(_ content: VaultContent) {
        digestLast()
        unverifiedLast = content
    }

    /// Whether all content returned so far equals this content.
    mutating func matchesUnverified(_ content: VaultContent) -> Bool {
        digestLast()
        return unverified.allSatisfy { part, digests in digests == [content.digest(of: part)] }
    }

    /// Forgets the content returned so far.
    mutating func forgetUnverified() {
        unverified = [:]
        unverifiedLast = nil
    }

    private mutating func digestLast() {
        guard let last = unverifiedLast else { return }
        for part in [VaultPart.accounts, .settings, .passkeys] {
            unverified[part, default: []].insert(last.digest(of: part))
        }
        unverifiedLast = nil
    }
}
