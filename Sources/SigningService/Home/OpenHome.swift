// SPDX-License-Identifier: Apache-2.0

public import SigningCore
package import SigningFiles
internal import SigningHome
public import SigningPolicy
package import SigningStorage
package import SigningVault
public import SigningWires

/// A home with its open files, vault, adapters and settings.
///
/// Every transport and the command line use it. The vault stays locked until a passphrase is given.
public struct OpenHome: Sendable {
    /// The home folder.
    package let home: Home
    /// The chains of its keys, and further wires.
    public let protocols: ProtocolSupport
    /// The wires according to the settings at the time of opening.
    public let adapters: AdapterSet
    /// The vault.
    package let vault: Vault
    /// The lock of commands that change the vault, so that they take turns.
    private let turn: HomeTurn?
    private let compiled: CompiledHome

    /// Opens a home; the vault stays locked.
    ///
    /// `protocols` are all that it knows of chains and wires. With `isToChange`, the home is locked
    /// against other changes. Files of an older format are upgraded, or refused with `onlyReads`.
    public init(
        at path: String, speaking protocols: ProtocolSupport,
        toChange isToChange: Bool = false, onlyReads: Bool = false
    ) throws(ServiceError) {
        try protocols.check()
        self.protocols = protocols
        do {
            home = try Home.open(at: path)
            turn = isToChange ? try Self.takeTurn(home) : nil
            if !onlyReads { _ = try Self.bringUpToDate(home) }
            compiled = CompiledHome(protocols)
            vault = try Vault.open(
                home, algorithms: protocols.algorithms, domains: compiled.domains)
            adapters = try compiled.adapters(in: vault)
        } catch {
            throw ServiceError(error)
        }
    }

    /// Upgrades the files of the home at a path to the formats of this version; true if any was
    /// older.
    package static func bringUpToDate(_ path: String) throws -> Bool {
        try bringUpToDate(
            try Home.open(at: path))
    }

    /// The paths of the copies in older formats that upgrades of the home at a path have kept.
    package static func copiesInOlderFormats(_ path: String) throws -> [String] {
        try Home.open(at: path).copiesInOlderFormats()
    }

    /// Stops all signing in the home at a path, even if its vault is damaged.
    ///
    /// Nil if the freeze is on record, else the reason that it is only noted in a file.
    package static func freeze(_ path: String, because reason: String) throws -> ServiceError? {
        let home = try Home.open(at: path)
        return try home.freeze(reason, at: SystemEnvironment().now())?.explained
    }

    private static func bringUpToDate(_ home: Home) throws -> Bool {
        try home.bringUpToDate()
    }

    /// The names of the wires.
    package var wireNames: [String] { adapters.adapters.map(\.id.name) }

    /// The largest frame of any wire, in bytes.
    package var frameBytesMax: Int { adapters.adapters.map(\.frameBytesMax).max() ?? 0 }

    /// Returns the wires and the policy in force.
    ///
    /// They are read and compiled again only if the vault has changed. An unlocked vault returns
    /// sealed data only.
    public func inForce() throws(ServiceError) -> InForce {
        do { return try compiled.inForce(in: vault) } catch { throw ServiceError(error) }
    }

    /// Returns the wires and the names now; it needs no policy.
    func partsNow() throws -> CompiledHome.Parts { try compiled.parts(in: vault) }

    /// Returns the owner's names for accounts of other people; nil if there are none.
    package func accountNames() throws -> (any AccountNames)? { try partsNow().names.get() }

    /// Takes the lock before any read, so that the locked view cannot change afterwards.
    private static func takeTurn(_ home: Home) throws -> HomeTurn {
        let turn = try home.takeTurn()
        guard let turn else {
            throw ServiceError(
                "another command is changing this home", hint: "try again when it has ended")
        }
        return turn
    }

    /// Loads a policy file for use: policy.toml, or another one.
    public func policy(at path: String? = nil) throws(ServiceError) -> TOMLPolicy {
        let path = path ?? home.policyPath
        return try PolicyLoading.load(path: path, adapters: adapters).usable(path)
    }

    /// Opens the ledger, to read or write the record.
    package func openLedger() throws -> SQLiteLedger {
        home.prepareFreezeMark()
        let ledger = try SQLiteLedger.open(home)
        // Without the key, this hub relies on `audit verify` for the owner's signatures.
        if let key = try? vault.logPublicKey() { try? ledger.trust(key) }
        return ledger
    }

    /// Returns the public halves of all keys, sorted by name.
    public func accounts() throws(ServiceError) -> [Account] {
        do throws(KeyStoreError) {
            return try vault.accounts()
        } catch {
            let reason =
                switch error {
                case .damaged(let name): "the sealed record \"\(name)\" was damaged or changed"
                case .unavailable(let text): text
                default: "the vault cannot be read"
                }
            throw ServiceError(reason, hint: "see \"countersign doctor\"")
        }
    }

    /// Returns the key with a name.
    public func account(named name: String) throws(ServiceError) -> Account {
        let accounts = try accounts()
        guard let account = accounts.first(where: { $0.name == name }) else {
            let near = Suggestion.closest(to: name, among: accounts.map(\.name))
            throw ServiceError(
                "unknown key \"\(VisibleText.quotable(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" } ?? "see \"countersign key list\"")
        }
        return account
    }
}
