// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningPolicy
internal import SigningVault
public import SigningWires
internal import Synchronization

/// The wires, the policy in force and the names of a home at one moment.
public struct InForce: Sendable {
    /// The wires according to the settings.
    public let adapters: AdapterSet
    /// The attested policy.
    public let policy: TOMLPolicy
    /// The owner's names for accounts of other people; nil if there are none.
    public let names: (any AccountNames)?
}

/// The wires and the policy of a home, made once for each state of its vault.
final class CompiledHome: Sendable {
    private let protocols: ProtocolSupport
    /// The parts that were made last, with their settings, as making them takes milliseconds.
    private let latestParts = Mutex<(settings: [String: String], parts: Parts)?>(nil)
    private let latest = Mutex<(terms: VaultTerms, inForce: InForce)?>(nil)

    /// The parts that only the settings configure.
    struct Parts: Sendable {
        let adapters: AdapterSet
        /// An error only stops requests: a home with unreadable names can still be opened.
        let names: Result<(any AccountNames)?, ServiceError>
    }

    /// Uses these protocols.
    init(_ protocols: ProtocolSupport) { self.protocols = protocols }

    /// Returns the wires according to the settings in the vault now.
    func adapters(in vault: Vault) throws -> AdapterSet { try parts(in: vault).adapters }

    /// Returns the wires and the names according to the settings in the vault now.
    func parts(in vault: Vault) throws -> Parts { try parts(under: vault.terms(), in: vault) }

    /// Returns the wires, the policy and the names according to the vault now.
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
        let parts = try parts(under: terms, in: vault)
        let loaded = PolicyLoading(
            attested.source, fileName: "policy.toml", adapters: parts.adapters, isInForce: true)
        guard let policy = loaded.policy, policy.hash == attested.hash else {
            throw ServiceError(
                "this version cannot read the attested policy: \(loaded.mistakes)",
                hint: "correct policy.toml, then countersign policy attest")
        }
        let inForce = InForce(
            adapters: parts.adapters, policy: policy, names: try parts.names.get())
        latest.withLock { $0 = (terms, inForce) }
        return inForce
    }

    /// Returns the domains that keys may sign under these settings; empty if they cannot be read.
    @Sendable func domains(under settings: [String: String]) -> DomainRegistry {
        let adapters =
            known(under: settings)?.adapters
            ?? (try? protocols.adapters(under: HomeSettings(settings)))
        return DomainRegistry(adapters?.domains ?? [])
    }

    /// Returns the parts for the settings; `vault` supplies the current ones after a question.
    private func parts(under terms: VaultTerms, in vault: Vault) throws -> Parts {
        if let known = known(under: terms.settings) { return known }
        let settings = HomeSettings(terms.settings, in: vault)
        let made = Parts(
            adapters: try protocols.adapters(under: settings),
            names: Result { () throws(ServiceError) in
                try protocols.accountNames(under: settings)
            })
        latestParts.withLock { $0 = (terms.settings, made) }
        return made
    }

    private func known(under settings: [String: String]) -> Parts? {
        latestParts.withLock { latest in
            guard latest?.settings == settings else { return nil }
            // As above: many settings are compared quickly only if both share memory.
            latest?.settings = settings
            return latest?.parts
        }
    }
}
