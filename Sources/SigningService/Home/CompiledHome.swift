// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
public import SigningPolicy
internal import SigningVault
public import SigningWires
internal import Synchronization

/// The wires and the policy in force at one moment.
public struct InForce: Sendable {
    /// The wires according to the settings.
    public let adapters: AdapterSet
    /// The attested policy.
    public let policy: TOMLPolicy
}

/// The wires and the policy of a home, made once for each state of its vault.
final class CompiledHome: Sendable {
    private let protocols: ProtocolSupport
    /// The wires that were made last, with their settings, as making them takes milliseconds.
    private let wires = Mutex<(settings: [String: String], adapters: AdapterSet)?>(nil)
    private let latest = Mutex<(terms: VaultTerms, inForce: InForce)?>(nil)

    /// Uses these protocols.
    init(_ protocols: ProtocolSupport) { self.protocols = protocols }

    /// Returns the wires according to the settings in the vault now.
    func adapters(in vault: Vault) throws -> AdapterSet {
        try adapters(under: vault.terms(), in: vault)
    }

    /// Returns the wires and the policy according to the vault now.
    func inForce(in vault: Vault) throws -> InForce {
        let terms = try vault.terms()
        let known = latest.withLock { latest -> InForce? in
            guard latest?.terms == terms else { return nil }
            // Storing the equal value makes the next comparison cheap, because both share memory.
            latest?.terms = terms
            return latest?.inForce
        }
        if let known { return known }
        guard let attested = terms.policy else {
            throw ServiceError(
                "no policy is in force in this home", hint: "countersign policy attest")
        }
        let adapters = try adapters(under: terms, in: vault)
        let loaded = PolicyLoading(
            attested.source, fileName: "policy.toml", adapters: adapters, isInForce: true)
        guard let policy = loaded.policy, policy.hash == attested.hash else {
            throw ServiceError(
                "this version cannot read the attested policy: \(loaded.mistakes)",
                hint: "correct policy.toml, then countersign policy attest")
        }
        let inForce = InForce(adapters: adapters, policy: policy)
        latest.withLock { $0 = (terms, inForce) }
        return inForce
    }

    /// Returns the domains that keys may sign under these settings; empty if they cannot be read.
    @Sendable func domains(under settings: [String: String]) -> DomainRegistry {
        let adapters =
            known(under: settings) ?? (try? protocols.adapters(under: HomeSettings(settings)))
        return DomainRegistry(adapters?.domains ?? [])
    }

    /// Returns the wires for the settings; `vault` supplies the current ones after a question.
    private func adapters(under terms: VaultTerms, in vault: Vault) throws -> AdapterSet {
        if let known = known(under: terms.settings) { return known }
        let made = try protocols.adapters(under: HomeSettings(terms.settings, in: vault))
        wires.withLock { $0 = (terms.settings, made) }
        return made
    }

    private func known(under settings: [String: String]) -> AdapterSet? {
        wires.withLock { $0?.settings == settings ? $0?.adapters : nil }
    }
}
