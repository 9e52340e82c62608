// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningStorage

/// The home folder with everything open that a command works on.
struct Workspace: Sendable {
    let home: Home
    let adapters: AdapterSet
    let vault: Vault

    /// Opens a home; the vault stays locked.
    init(path: String) throws(CLIError) {
        home = try CLIError.wrapping { () throws(HomeError) in try Home.open(at: path) }
        // Domains do not depend on settings, so the first set serves to open the vault.
        let domains = AdapterSet(providerID: "").domains
        let home = home
        vault = try CLIError.wrapping { () throws(VaultError) in
            try Vault.open(home, domains: DomainRegistry(domains))
        }
        let vault = vault
        let providerID = try CLIError.wrapping { () throws(VaultError) in
            try vault.setting(Self.providerIDSetting) ?? ""
        }
        adapters = AdapterSet(providerID: providerID)
    }

    static let providerIDSetting = "arc27.provider_id"

    /// Loads the policy that counts until its file changes.
    func policyInForce() throws(CLIError) -> PolicyInForce {
        let loaded = try PolicyLoading.load(path: home.policyPath, adapters: adapters)
        return PolicyInForce(try usable(loaded), source: loaded.source, path: home.policyPath)
    }

    /// Loads the policy as it is now.
    func policy() throws(CLIError) -> TOMLPolicy {
        try usable(try PolicyLoading.load(path: home.policyPath, adapters: adapters))
    }

    private func usable(_ loaded: PolicyLoading) throws(CLIError) -> TOMLPolicy {
        guard let policy = loaded.policy else {
            throw CLIError(
                "policy.toml cannot be used: \(loaded.mistakes)",
                hint: "see \"countersign policy check\"")
        }
        return policy
    }

    /// Opens the ledger, for commands that read or write the record.
    func openLedger() throws(CLIError) -> SQLiteLedger {
        try CLIError.wrapping { () throws(LedgerError) in try SQLiteLedger.open(home) }
    }
}
