// SPDX-License-Identifier: Apache-2.0

public import Algorand
public import AllAdapters
internal import SigningCodecs
public import SigningCore
internal import SigningCrypto
public import SigningPolicy
package import SigningStorage

/// One home with everything open that answers requests: files, vault, adapters and settings.
///
/// What every transport and the command line talk to. The vault stays locked until a passphrase
/// is given.
public struct OpenHome: Sendable {
    /// The folder.
    package let home: Home
    /// What keys may belong to, and the wires that are spoken besides.
    public let protocols: ProtocolSupport
    /// The wires that are spoken, as the settings said when it was opened.
    public let adapters: AdapterSet
    /// The keys.
    package let vault: Vault
    /// Held by those that change the vault, so that they take turns.
    private let turn: HomeTurn?
    private let standing: Standing

    /// Opens a home; the vault stays locked.
    ///
    /// It speaks the protocols that come with Countersign, or those given: `.builtIn + others`
    /// for both. One that is opened to be changed is the caller's alone as long as it works. Where
    /// it `postsAnswers`, those for pages may be longer than an address can be. Files of an older
    /// format are brought to this version's, or refused where the caller `onlyReads`.
    public init(
        at path: String, speaking protocols: ProtocolSupport = .builtIn,
        toChange isToChange: Bool = false, onlyReads: Bool = false, takesDropBoxes: Bool = false,
        postsAnswers: Bool = false, postingNetworks: [AlgorandNetwork] = []
    ) throws(ServiceError) {
        try protocols.check()
        Self.reachSharedLogs()
        self.protocols = protocols
        home = try ServiceError.wrapping { () throws(HomeError) in try Home.open(at: path) }
        turn = isToChange ? try Self.takeTurn(home) : nil
        if !onlyReads { _ = try Self.bringUpToDate(home) }
        let wires = Wires(
            of: protocols, takesDropBoxes: takesDropBoxes, postsAnswers: postsAnswers,
            postingNetworks: postingNetworks)
        vault = try ServiceError.wrapping { [home] () throws(VaultError) in
            try Vault.open(home, domains: wires.domains)
        }
        standing = try Standing(wires, in: vault)
        adapters = standing.adapters
    }

    /// Brings the files of the home at a path to the formats of this version; true if any had an
    /// older one.
    package static func bringUpToDate(_ path: String) throws(ServiceError) -> Bool {
        try bringUpToDate(
            try ServiceError.wrapping { () throws(HomeError) in try Home.open(at: path) })
    }

    /// Stops all signing in the home at a path, whatever is wrong with its vault; nil where the
    /// freeze is on record, else why it is only noted beside the record.
    package static func freeze(
        _ path: String, because reason: String
    ) throws(ServiceError) -> LedgerError? {
        // A shared record is written to its log.
        reachSharedLogs()
        let home = try ServiceError.wrapping { () throws(HomeError) in try Home.open(at: path) }
        return try ServiceError.wrapping { () throws(LedgerError) in
            try home.freeze(reason, at: SystemEnvironment().now())
        }
    }

    private static func bringUpToDate(_ home: Home) throws(ServiceError) -> Bool {
        try ServiceError.wrapping { () throws(UpgradeError) in try home.bringUpToDate() }
    }

    /// The names of the wires that are spoken.
    package var wireNames: [String] { adapters.adapters.map(\.id.name) }

    /// The largest frame of any of them, in bytes.
    package var frameBytesMax: Int { adapters.adapters.map(\.frameBytesMax).max() ?? 0 }

    /// What is in force now: read again, and compiled anew, only where the vault says otherwise
    /// than before; once it is unlocked, only what is sealed.
    public func inForce() throws(ServiceError) -> InForce { try standing.inForce() }

    /// Before anything is read: what a locked vault tells has to be what it holds later.
    private static func takeTurn(_ home: Home) throws(ServiceError) -> HomeTurn {
        let turn = try ServiceError.wrapping { () throws(HomeError) in try home.takeTurn() }
        guard let turn else {
            throw ServiceError(
                "another command changes this home", hint: "try again when it has ended")
        }
        return turn
    }

    /// This home's ARC-27 provider id.
    public func providerID() throws(ServiceError) -> String { try Self.providerID(in: vault) }

    private static func providerID(in vault: Vault) throws(ServiceError) -> String {
        try ServiceError.wrapping { () throws(VaultError) in
            try vault.setting(providerIDSetting) ?? ""
        }
    }

    /// The setting that keeps the ARC-27 provider id.
    public static let providerIDSetting = "arc27.provider_id"

    /// A fresh ARC-27 provider id.
    public static func makeProviderID() -> String {
        UUIDText.version4(Randomness.bytes(UUIDText.byteCount))
    }

    /// Loads a policy file that is to be used: policy.toml, or another one.
    public func policy(at path: String? = nil) throws(ServiceError) -> TOMLPolicy {
        let path = path ?? home.policyPath
        return try PolicyLoading.load(path: path, adapters: adapters).usable(path)
    }

    /// Opens the ledger, for those that read or write the record.
    package func openLedger() throws(ServiceError) -> SQLiteLedger {
        home.prepareFreezeMark()
        return try ServiceError.wrapping { () throws(LedgerError) in try SQLiteLedger.open(home) }
    }

    /// The public halves of all keys, sorted by name.
    public func accounts() throws(ServiceError) -> [Account] {
        do throws(KeyStoreError) {
            return try vault.accounts()
        } catch {
            let reason =
                switch error {
                case .damaged(let name): "the record of \"\(name)\" was damaged or changed"
                case .unavailable(let text): text
                default: "the vault cannot be read"
                }
            throw ServiceError(reason, hint: "see \"countersign doctor\"")
        }
    }

    /// The key with a name.
    public func account(named name: String) throws(ServiceError) -> Account {
        let accounts = try accounts()
        guard let account = accounts.first(where: { $0.name == name }) else {
            let near = Suggestion.closest(to: name, among: accounts.map(\.name))
            throw ServiceError(
                "there is no key \"\(VisibleText.quotable(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" } ?? "see \"countersign key list\"")
        }
        return account
    }
}
