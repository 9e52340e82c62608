// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
package import SigningFiles
internal import Synchronization

/// The sealed keys of a home, in one SQLite file.
///
/// Public data can be read at any time. Each secret is encrypted with the vault key and bound to
/// its public data. The vault key itself is encrypted with a key derived from the passphrase.
package final class Vault: KeyStore {
    /// Returns the domains that keys may sign in, given the vault's settings.
    package typealias Domains = @Sendable (_ settings: [String: String]) -> DomainRegistry

    /// The file of the vault.
    package let database: Database<VaultError>
    let domains: Domains
    /// The algorithms of keys besides those of the library.
    let algorithms: [SigningAlgorithm]
    let state = Mutex(State())
    private let lockListeners = Mutex<[@Sendable () -> Void]>([])

    /// The part of a vault that exists only in memory.
    struct State {
        var vaultKey: VaultKey?
        /// The number of times that the vault was locked.
        var lockCount = 0
        /// The content of the file when it was last read, and its damaged parts; `damage` is nil if
        /// the vault was locked then.
        var content: (content: VaultContent, damage: [String]?)?
        /// The stamp of the file before `content` was last checked.
        var stamp: FileStamp?
        /// The time at which the file was last checked for changes.
        var checked: ContinuousClock.Instant?
        /// The highest number of an authentic state since the vault was unlocked.
        var generation: Int64 = 0
        /// The domains for signing, with the settings from which they were made.
        var registry: (settings: [String: String], registry: DomainRegistry)?
        /// The digests of content that was returned while the vault was locked.
        ///
        /// Decisions may be based on such content, so unlocking compares it with the sealed
        /// content.
        var unverified: [VaultPart: Set<[UInt8]>] = [:]
        /// The newest content that was returned while the vault was locked; its digests are not in
        /// `unverified` yet.
        var unverifiedLast: VaultContent?
        var slots: [KeyID: KeySlot] = [:]
    }

    /// The maximum number of keys that stay open in memory; a further one first closes all others.
    static let openKeyCountMax = 256

    /// Creates the vault of a home, locked and without keys.
    ///
    /// The new vault contains a checkpoint of the empty audit chain, made at `time`. So a vault
    /// without a checkpoint is always one that was tampered with.
    package static func create(
        in home: Home, passphrase: borrowing SecretBytes,
        parameters: Argon2Parameters = .standard, at time: Timestamp = SystemEnvironment().now()
    ) throws(VaultError) {
        let vaultKey = VaultKey()
        let header = try VaultHeader(
            sealing: vaultKey, passphrase: passphrase, parameters: parameters)
        let logKey = try SealedLogKey(sealedUnder: vaultKey)
        let checkpoint = try logKey.open(with: vaultKey).signCheckpoint(.empty, at: time)
        do throws(HomeError) { try home.makeFile(home.vaultPath) } catch { throw VaultError(error) }
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

    /// Opens the vault of a home; it is locked, and its keys sign only in these domains.
    package static func open(_ home: Home, domains: DomainRegistry) throws(VaultError) -> Vault {
        try open(home) { _ in domains }
    }

    /// Opens the vault of a home; it is locked, and its keys sign only in the domains that
    /// `domains` returns for the settings in the vault.
    ///
    /// Keys may have these algorithms besides those of the library.
    package static func open(
        _ home: Home, algorithms: [SigningAlgorithm] = [], domains: @escaping Domains
    ) throws(VaultError) -> Vault {
        Vault(
            try Database(path: home.vaultPath, schema: .vault, .existing), domains: domains,
            algorithms: algorithms)
    }

    init(
        _ database: Database<VaultError>, domains: @escaping Domains,
        algorithms: [SigningAlgorithm]
    ) {
        self.database = database
        self.domains = domains
        self.algorithms = algorithms
    }

    /// The algorithm of a key with this name; throws if this program does not support it.
    func algorithm(_ id: KeyAlgorithm, of name: String) throws(VaultError) -> SigningAlgorithm {
        if let known = algorithms.named(id) { return known }
        throw .unknownAlgorithm(name: name, id: id.id)
    }

    /// A message if a newer version of this program has changed the file's format since the file
    /// was opened, so that this process cannot use it any more; otherwise nil.
    package var formatProblem: String? { database.formatProblem.map { VaultError($0).text } }

    /// True if the vault is unlocked, so that keys can be used.
    package var isUnlocked: Bool { state.withLock { $0.vaultKey != nil } }

    /// The number of times that the vault was locked before it was unlocked; nil while it is
    /// locked.
    ///
    /// An object that becomes invalid when the vault is locked can compare this number.
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

    /// Unlocks the vault for the owner even if parts other than the vault key are damaged.
    ///
    /// Then intact parts can be read and damaged parts replaced, but keys cannot be used.
    package func unlockDespiteDamage(passphrase: borrowing SecretBytes) throws(VaultError) {
        let vaultKey = try openVaultKey(with: passphrase)
        // If the upgrade fails, the state is reported as damaged later.
        try? upgradeState(with: vaultKey)
        state.withLock { $0.take(vaultKey) }
        announceLock()
    }

    /// Deletes the vault key and all open keys from memory.
    ///
    /// With `unlocking`, does nothing if the vault has been locked since that number was read.
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

    /// Encrypts the vault key with another passphrase; the records of keys are not changed.
    ///
    /// `new` may be the same as `old`, to use the current cost parameters for an old vault.
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

    /// The public data of all keys, in the order of their names; the vault may be locked.
    ///
    /// While the vault is locked, the data is not authenticated: another program that can write the
    /// file can change it. Unlocking then fails. While the vault is unlocked, each change of the
    /// file is authenticated when it is read.
    package func accounts() throws(KeyStoreError) -> [Account] {
        let known = state.withLock { state in
            let isFresh = state.checked.map { .now - $0 < Self.accountsAgeMax } ?? false
            return isFresh && state.content?.damage?.isEmpty ?? true
                ? state.content?.content.accounts : nil
        }
        if let known { return known.accounts }
        do throws(VaultError) { return try accountList().accounts } catch {
            throw KeyStoreError(error)
        }
    }

    /// The time for which `accounts` returns the cached list without checking whether another
    /// process has changed the file.
    ///
    /// The file is always checked before a key is used.
    private static let accountsAgeMax = Duration.milliseconds(20)

    /// Decrypts the vault key with a passphrase; slow by design.
    package func openVaultKey(
        with passphrase: borrowing SecretBytes
    ) throws(VaultError) -> VaultKey {
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
    /// Sets the vault key, or removes it if nil, and clears the caches that depend on the old key.
    mutating func take(_ key: VaultKey?) {
        vaultKey = key
        if key == nil { lockCount += 1 }
        content = nil
        stamp = nil
        checked = nil
        generation = 0
        slots = [:]
    }

    /// Remembers content that is returned while the vault is locked.
    mutating func noteUnverified(_ content: VaultContent) {
        digestLast()
        unverifiedLast = content
    }

    /// Whether everything that was returned while the vault was locked equals this content.
    mutating func matchesUnverified(_ content: VaultContent) -> Bool {
        digestLast()
        return unverified.allSatisfy { part, digests in digests == [content.digest(of: part)] }
    }

    /// Forgets the content that was returned while the vault was locked.
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
