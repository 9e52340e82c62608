// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import AllAdapters
import NIP155
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningPolicy
import SigningStorage

/// The home folder with everything open that a command works on.
struct Workspace: Sendable {
    let home: Home
    let adapters: AdapterSet
    let vault: Vault
    /// Held by commands that change the vault, so that they take turns.
    private let turn: HomeTurn?

    /// Opens a home; the vault stays locked.
    init(
        path: String, isToChange: Bool = false, takesDropBoxes: Bool = false,
        postingNetworks: [AlgorandNetwork] = []
    ) throws(CLIError) {
        home = try CLIError.wrapping { () throws(HomeError) in try Home.open(at: path) }
        turn = isToChange ? try Self.takeTurn(home) : nil
        // What keys may sign hangs on settings that the vault keeps.
        var opened = try Self.open(home, AdapterSet(providerID: ""))
        let clients = try AlgorandClients(in: opened).settings
        if !clients.isEmpty {
            opened = try Self.open(home, AdapterSet(providerID: "", algorandClients: clients))
        }
        // The vault that signs has told the same: it is what is held against the seal later.
        guard try AlgorandClients(in: opened).settings == clients else {
            throw CLIError(
                "the settings of Algorand clients were changed just now", hint: "try again")
        }
        vault = opened
        adapters = AdapterSet(
            providerID: try Self.providerID(in: opened),
            nostr: NIP155Configuration(takesDropBoxes: takesDropBoxes),
            postingNetworks: postingNetworks, algorandClients: clients,
            algorandClientsNow: { [vault] in (try? AlgorandClients(in: vault))?.settings })
    }

    /// Before anything is read: what a locked vault tells has to be what it holds later.
    private static func takeTurn(_ home: Home) throws(CLIError) -> HomeTurn {
        let turn = try CLIError.wrapping { () throws(HomeError) in try home.takeTurn() }
        guard let turn else {
            throw CLIError(
                "another command changes this home", hint: "try again when it has ended")
        }
        return turn
    }

    private static func open(_ home: Home, _ adapters: AdapterSet) throws(CLIError) -> Vault {
        try CLIError.wrapping { () throws(VaultError) in
            try Vault.open(home, domains: DomainRegistry(adapters.domains))
        }
    }

    /// This home's ARC-27 provider id.
    func providerID() throws(CLIError) -> String { try Self.providerID(in: vault) }

    private static func providerID(in vault: Vault) throws(CLIError) -> String {
        try CLIError.wrapping { () throws(VaultError) in
            try vault.setting(providerIDSetting) ?? ""
        }
    }

    static let providerIDSetting = "arc27.provider_id"

    /// A fresh id.
    static func makeProviderID() -> String {
        UUIDText.version4(Randomness.bytes(UUIDText.byteCount))
    }

    /// Loads a policy file that is to be used: policy.toml, or another one.
    func policy(at path: String? = nil) throws(CLIError) -> TOMLPolicy {
        let path = path ?? home.policyPath
        return try PolicyLoading.load(path: path, adapters: adapters).usable(path)
    }

    /// Opens the ledger, for commands that read or write the record.
    func openLedger() throws(CLIError) -> SQLiteLedger {
        try CLIError.wrapping { () throws(LedgerError) in try SQLiteLedger.open(home) }
    }
}
