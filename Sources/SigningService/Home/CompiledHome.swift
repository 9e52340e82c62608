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

/// The wires of a home, made once for each state of the settings in its vault.
final class Wires: Sendable {
    private let protocols: ProtocolSupport
    /// The wires that were made last, with their settings, as making them takes milliseconds.
    private let latest = Mutex<(settings: [String: String], adapters: AdapterSet)?>(nil)

    /// Creates the wires of these protocols.
    init(of protocols: ProtocolSupport) { self.protocols = protocols }

    /// Returns the wires for these settings; `vault` supplies the current ones after a question.
    func adapters(
        under settings: [String: String], in vault: Vault
    ) throws(ServiceError) -> AdapterSet {
        if let known = known(under: settings) { return known }
        let made = try protocols.adapters(under: HomeSettings(settings, in: vault))
        latest.withLock { $0 = (settings, made) }
        return made
    }

    private func known(under settings: [String: String]) -> AdapterSet? {
        latest.withLock { $0?.settings == settings ? $0?.adapters : nil }
    }

    /// Returns the domains that keys may sign under these settings; empty if they cannot be read.
    @Sendable func domains(under settings: [String: String]) -> DomainRegistry {
        let adapters =
            known(under: settings) ?? (try? protocols.adapters(under: HomeSettings(settings)))
        return DomainRegistry(adapters?.domains ?? [])
    }
}

/// The settings and policy in the vault of a home, compiled once for each change.
final class CompiledHome: Sendable {
    private let wires: Wires
    private let vault: Vault
    private let latest: Mutex<Latest>

    private struct Latest {
        var terms: VaultTerms
        var adapters: AdapterSet
        var policy: TOMLPolicy?
    }

    init(_ wires: Wires, in vault: Vault) throws(ServiceError) {
        self.wires = wires
        self.vault = vault
        let terms = try ServiceError.wrapping { () throws(VaultError) in try vault.terms() }
        let adapters = try wires.adapters(under: terms.settings, in: vault)
        latest = Mutex(Latest(terms: terms, adapters: adapters))
    }

    /// The wires according to the settings that were read last.
    var adapters: AdapterSet { latest.withLock { $0.adapters } }

    /// Returns the wires according to the settings now.
    func adaptersNow() throws(ServiceError) -> AdapterSet {
        let terms = try ServiceError.wrapping { () throws(VaultError) in try vault.terms() }
        return try wires.adapters(under: terms.settings, in: vault)
    }

    func inForce() throws(ServiceError) -> InForce {
        let terms = try ServiceError.wrapping { () throws(VaultError) in try vault.terms() }
        let known = latest.withLock { latest -> InForce? in
            guard latest.terms == terms, let policy = latest.policy else { return nil }
            // Storing the equal value makes the next comparison cheap, because both share memory.
            latest.terms = terms
            return InForce(adapters: latest.adapters, policy: policy)
        }
        if let known { return known }
        let adapters = try wires.adapters(under: terms.settings, in: vault)
        let policy = try Self.policy(terms.policy, by: adapters)
        latest.withLock { $0 = Latest(terms: terms, adapters: adapters, policy: policy) }
        return InForce(adapters: adapters, policy: policy)
    }

    private static func policy(
        _ attested: AttestedPolicy?, by adapters: AdapterSet
    ) throws(ServiceError) -> TOMLPolicy {
        guard let attested else {
            throw ServiceError(
                "no policy is in force in this home", hint: "countersign policy attest")
        }
        let loaded = PolicyLoading(
            attested.source, fileName: "policy.toml", adapters: adapters, isInForce: true)
        guard let policy = loaded.policy, policy.hash == attested.hash else {
            throw ServiceError(
                "this version cannot read the attested policy: \(loaded.mistakes)",
                hint: "correct policy.toml, then countersign policy attest")
        }
        return policy
    }
}
