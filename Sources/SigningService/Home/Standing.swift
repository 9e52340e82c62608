// SPDX-License-Identifier: Apache-2.0

internal import Algorand
public import AllAdapters
internal import NIP155
internal import Nostr
internal import SigningCore
public import SigningPolicy
internal import SigningStorage
internal import Synchronization

/// Everything that a request sees of a home's owner, of one moment.
public struct InForce: Sendable {
    /// The wires that are spoken, as the settings say.
    public let adapters: AdapterSet
    /// What the rules say, as they were attested.
    public let policy: TOMLPolicy
}

/// The wires of a home, made by what its vault says about them.
struct Wires: Sendable {
    private let protocols: ProtocolSupport
    private let nostr: NIP155Configuration
    private let postingNetworks: [AlgorandNetwork]

    /// The longest answer that is sent by POST, in bytes.
    private static let postedBytesMax = 2 << 20

    init(
        of protocols: ProtocolSupport, takesDropBoxes: Bool, postsAnswers: Bool,
        postingNetworks: [AlgorandNetwork]
    ) {
        self.protocols = protocols
        nostr = NIP155Configuration(
            takesDropBoxes: takesDropBoxes,
            limits: postsAnswers
                ? NIP155Limits(webCallbackBytesMax: Self.postedBytesMax) : NIP155Limits())
        self.postingNetworks = postingNetworks
    }

    /// As these settings say; `vault` tells them as they stand after a person was asked.
    func adapters(
        under settings: [String: String], in vault: Vault? = nil
    ) throws(ServiceError) -> AdapterSet {
        let clients = try AlgorandClients(in: settings).settings
        var nostr = nostr
        nostr.clients = ClientAccounts(try NostrClients(in: settings).names) {
            (try? vault.map(NostrClients.init(in:)))??.names
        }
        return protocols.adapters(
            builtIn: AdapterSet(
                providerID: settings[OpenHome.providerIDSetting] ?? "",
                nostr: nostr,
                postingNetworks: postingNetworks, algorandClients: clients,
                algorandClientsNow: { (try? vault.map(AlgorandClients.init(in:)))??.settings }))
    }

    /// What keys may sign under these settings; nothing where they cannot be read.
    @Sendable func domains(under settings: [String: String]) -> DomainRegistry {
        DomainRegistry((try? adapters(under: settings))?.domains ?? [])
    }
}

/// What stands in the vault of a home, compiled once for each time that it changes.
final class Standing: Sendable {
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
        latest = Mutex(
            Latest(terms: terms, adapters: try Self.adapters(wires, under: terms, in: vault)))
    }

    /// The wires as the settings said when they were looked at last.
    var adapters: AdapterSet { latest.withLock { $0.adapters } }

    func inForce() throws(ServiceError) -> InForce {
        let terms = try ServiceError.wrapping { () throws(VaultError) in try vault.terms() }
        let known = latest.withLock { latest -> InForce? in
            guard latest.terms == terms, let policy = latest.policy else { return nil }
            // What is the same in memory need not be compared byte by byte the next time.
            latest.terms = terms
            return InForce(adapters: latest.adapters, policy: policy)
        }
        if let known { return known }
        let adapters = try Self.adapters(wires, under: terms, in: vault)
        let policy = try Self.policy(terms.policy, by: adapters)
        latest.withLock { $0 = Latest(terms: terms, adapters: adapters, policy: policy) }
        return InForce(adapters: adapters, policy: policy)
    }

    private static func adapters(
        _ wires: Wires, under terms: VaultTerms, in vault: Vault
    ) throws(ServiceError) -> AdapterSet {
        try wires.adapters(under: terms.settings, in: vault)
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
                "the attested policy is not understood any more: \(loaded.mistakes)",
                hint: "mend policy.toml, then countersign policy attest")
        }
        return policy
    }
}
