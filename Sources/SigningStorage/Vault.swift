// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
internal import Synchronization

/// Sealed keys in one SQLite file.
///
/// Public halves can be read at any time. Each secret is sealed under the vault key together
/// with everything its record says, and the vault key under the passphrase.
public final class Vault: KeyStore {
    let database: Database<VaultError>
    let domains: DomainRegistry
    let state = Mutex(State())

    /// What is kept in memory.
    struct State {
        var vaultKey: VaultKey?
        var accounts: AccountList?
        /// When `accounts` was last held against the file.
        var checked: ContinuousClock.Instant?
        var slots: [KeyID: KeySlot] = [:]
    }

    /// How many keys stay open in memory; one more closes all others.
    static let openKeyCountMax = 256

    /// Makes the vault of a home; it comes out locked and without keys.
    ///
    /// It begins with a checkpoint of the empty audit chain, made at `time`: from then on a
    /// vault that has none was tampered with.
    public static func create(
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
        }
    }

    /// Opens the vault of a home, locked; it signs nothing but what `domains` admits.
    public static func open(_ home: Home, domains: DomainRegistry) throws(VaultError) -> Vault {
        Vault(
            try Database(path: home.vaultPath, schema: .vault, .existing), domains: domains)
    }

    init(_ database: Database<VaultError>, domains: DomainRegistry) {
        self.database = database
        self.domains = domains
    }

    /// Whether keys can be used.
    public var isUnlocked: Bool { state.withLock { $0.vaultKey != nil } }

    /// Takes the vault key into memory, if the list of accounts is what was sealed; slow by
    /// intention.
    public func unlock(passphrase: borrowing SecretBytes) throws(VaultError) {
        let header = try readHeader()
        let vaultKey = try header.open(passphrase: passphrase)
        let (list, policy) = try database.read { access throws(VaultError) in
            (try AccountList(in: access), try access.attestedPolicy())
        }
        try list.check(with: vaultKey)
        try policy?.check(with: vaultKey)
        state.withLock {
            $0.vaultKey = vaultKey
            $0.accounts = list
            $0.checked = nil
            $0.slots = [:]
        }
    }

    /// Wipes the vault key and all open keys from memory.
    public func lock() {
        state.withLock {
            $0.vaultKey = nil
            $0.checked = nil
            $0.slots = [:]
        }
    }

    /// Seals the vault key under another passphrase; no key's record is touched.
    ///
    /// With the same passphrase twice this raises the cost parameters of an old vault.
    public func changePassphrase(
        from old: borrowing SecretBytes, to new: borrowing SecretBytes,
        parameters: Argon2Parameters = .standard
    ) throws(VaultError) {
        let before = try readHeader()
        let vaultKey = try before.open(passphrase: old)
        let header = try VaultHeader(
            sealing: vaultKey, passphrase: new, parameters: parameters)
        try database.write { access throws(VaultError) in
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
    public func accounts() throws(KeyStoreError) -> [Account] {
        let known = state.withLock { state in
            state.checked.map { .now - $0 < Self.accountsAgeMax } ?? false ? state.accounts : nil
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
