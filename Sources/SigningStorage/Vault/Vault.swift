// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningCrypto
internal import Synchronization

/// Sealed keys in one SQLite file.
///
/// Public halves can be read at any time. Each secret is sealed under the vault key together
/// with everything its record says, and the vault key under the passphrase.
package final class Vault: KeyStore {
    /// What keys may sign under these settings of the vault's own.
    package typealias Domains = @Sendable (_ settings: [String: String]) -> DomainRegistry

    let database: Database<VaultError>
    let domains: Domains
    let state = Mutex(State())

    /// What is kept in memory.
    struct State {
        var vaultKey: VaultKey?
        /// How often it was locked.
        var lockCount = 0
        /// What the file said last, and what of it is not what was sealed.
        var content: (content: VaultContent, damage: [String]?)?
        /// The file's before `content` was last held against it.
        var stamp: FileStamp?
        /// When that was.
        var checked: ContinuousClock.Instant?
        /// The newest state that was seen since the vault was unlocked: it never goes back.
        var generation: Int64 = 0
        /// What keys may sign, under the settings it was made for.
        var registry: (settings: [String: String], registry: DomainRegistry)?
        /// What was told while nothing vouched for it: it may have decided what is to be signed.
        var lent: [VaultPart: Set<[UInt8]>] = [:]
        /// The newest of it, whose digests nobody has asked for yet.
        var lentLast: VaultContent?
        var slots: [KeyID: KeySlot] = [:]
    }

    /// How many keys stay open in memory; one more closes all others.
    static let openKeyCountMax = 256

    /// Makes the vault of a home; it comes out locked and without keys.
    ///
    /// It begins with a checkpoint of the empty audit chain, made at `time`: from then on a
    /// vault that has none was tampered with.
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

    /// Opens the vault of a home, locked; it signs nothing but what `domains` admits.
    package static func open(_ home: Home, domains: DomainRegistry) throws(VaultError) -> Vault {
        try open(home) { _ in domains }
    }

    /// Opens the vault of a home, locked; it signs nothing but what `domains` admits under the
    /// settings that are sealed at that moment.
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

    /// Why this version can no longer work with the file: a newer version has changed its format
    /// since it was opened; nil if it can.
    package var formatProblem: String? { database.formatProblem.map { VaultError($0).text } }

    /// Whether keys can be used.
    package var isUnlocked: Bool { state.withLock { $0.vaultKey != nil } }

    /// How often it was locked before it was unlocked; nil while it is locked.
    ///
    /// What is only good until the vault is locked holds the number that it began with.
    package var unlocking: Int? { state.withLock { $0.vaultKey == nil ? nil : $0.lockCount } }

    /// Takes the vault key into memory, if everything the vault says is what was sealed, and so
    /// is what it told before; slow by intention.
    package func unlock(passphrase: borrowing SecretBytes) throws(VaultError) {
        let vaultKey = try openVaultKey(with: passphrase)
        try upgradeState(with: vaultKey)
        let content = try database.read { access throws(VaultError) in
            try VaultContent(in: access)
        }
        if let damaged = content.damage(with: vaultKey).first { throw .corruptedRecord(damaged) }
        let isWhatWasTold = state.withLock { state in
            guard state.hasLent(only: content) else {
                state.forgetLent()
                return false
            }
            state.take(vaultKey)
            state.content = (content, [])
            state.stamp = nil
            state.generation = content.state?.generation ?? 0
            return true
        }
        guard isWhatWasTold else {
            throw .storage("the vault was changed while this was decided: ask again")
        }
    }

    /// Takes the vault key into memory for its owner, whatever became of the rest.
    ///
    /// What authenticates by itself can be had, and a damaged part be replaced. No key is used.
    package func unlockDespiteDamage(passphrase: borrowing SecretBytes) throws(VaultError) {
        let vaultKey = try openVaultKey(with: passphrase)
        // What cannot be brought up to date shows as damage.
        try? upgradeState(with: vaultKey)
        state.withLock { $0.take(vaultKey) }
    }

    /// Wipes the vault key and all open keys from memory.
    ///
    /// What was told while it was locked is still held against what is sealed. `unlocking` is the
    /// only one that is to end, if any is.
    package func lock(only unlocking: Int? = nil) {
        state.withLock {
            guard $0.vaultKey != nil, unlocking ?? $0.lockCount == $0.lockCount else { return }
            $0.take(nil)
            $0.forgetLent()
        }
    }

    /// Seals the vault key under another passphrase; no key's record is touched.
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
                throw .storage("somebody else changed the passphrase meanwhile")
            }
            try header.write(in: access)
        }
    }

    /// The public halves of all keys, by name, without unlocking.
    ///
    /// While the vault is locked nothing vouches for them: whoever can write the file decides
    /// what they say. Unlocking checks them, and so does every later change of the file.
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

    /// How long the public list is believed without a look at the file, which another process
    /// may have changed; before a key is used the file is always looked at.
    private static let accountsAgeMax = Duration.milliseconds(20)

    /// The vault key that a passphrase opens.
    func openVaultKey(with passphrase: borrowing SecretBytes) throws(VaultError) -> VaultKey {
        try readHeader().open(passphrase: passphrase)
    }

    private func readHeader() throws(VaultError) -> VaultHeader {
        try database.read { access throws(VaultError) in try VaultHeader(in: access) }
    }

    /// The vault key, while the vault is unlocked.
    func openVaultKey() throws(VaultError) -> VaultKey {
        guard let vaultKey = state.withLock({ $0.vaultKey }) else { throw .locked }
        return vaultKey
    }
}

extension Vault.State {
    /// Takes another vault key, or none, and forgets what hung on the last.
    mutating func take(_ key: VaultKey?) {
        vaultKey = key
        if key == nil { lockCount += 1 }
        content = nil
        stamp = nil
        checked = nil
        generation = 0
        slots = [:]
    }

    /// Notes what is told although nothing vouches for it.
    mutating func lend(_ content: VaultContent) {
        digestLast()
        lentLast = content
    }

    /// Whether all that was told is what stands here.
    mutating func hasLent(only content: VaultContent) -> Bool {
        digestLast()
        return lent.allSatisfy { part, digests in digests == [content.digest(of: part)] }
    }

    /// Forgets what was told.
    mutating func forgetLent() {
        lent = [:]
        lentLast = nil
    }

    private mutating func digestLast() {
        guard let last = lentLast else { return }
        for part in [VaultPart.accounts, .settings, .passkeys] {
            lent[part, default: []].insert(last.digest(of: part))
        }
        lentLast = nil
    }
}
