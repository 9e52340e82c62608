// SPDX-License-Identifier: Apache-2.0

public import SigningCore
public import SigningCrypto
package import SigningWires

/// The protocols that a home is opened for: the chains of its keys and the wires of requests.
public struct ProtocolSupport: Sendable {
    /// The chains of keys.
    public let chains: [any Chain]
    /// The signature algorithms of these chains besides those of the library.
    public let algorithms: [SigningAlgorithm]
    /// The wires that no setting of a home changes.
    private let wires: [any ProtocolAdapter]
    /// The wires that the settings of a home configure.
    package let configured: (any ConfiguredWires)?
    /// True if a test checks that these protocols do not conflict, as they are the same in every
    /// process.
    private let isChecked: Bool

    /// Creates the support of these chains and wires; a wire may also belong to a chain of another
    /// part.
    ///
    /// `algorithms` are those that the library does not contain.
    public init(
        chains: [any Chain] = [], wires: [any ProtocolAdapter],
        algorithms: [SigningAlgorithm] = []
    ) {
        self.init(
            chains: chains, algorithms: algorithms, wires: wires, configured: nil,
            isChecked: false)
    }

    /// Creates the support of these chains and of wires that the settings of a home configure.
    ///
    /// No home checks them for conflicts; a test calls `checkAll` instead.
    package init(chains: [any Chain], checked configured: any ConfiguredWires) {
        self.init(
            chains: chains, algorithms: [], wires: [], configured: configured, isChecked: true)
    }

    private init(
        chains: [any Chain], algorithms: [SigningAlgorithm], wires: [any ProtocolAdapter],
        configured: (any ConfiguredWires)?, isChecked: Bool
    ) {
        self.chains = chains
        self.algorithms = algorithms
        self.wires = wires
        self.configured = configured
        self.isChecked = isChecked
    }

    /// Joins both: the left chains and wires, then the right ones.
    public static func + (one: ProtocolSupport, other: ProtocolSupport) -> ProtocolSupport {
        ProtocolSupport(
            chains: one.chains + other.chains, algorithms: one.algorithms + other.algorithms,
            wires: one.wires + other.wires, configured: one.configured ?? other.configured,
            isChecked: false)
    }

    /// Returns the same protocols with another configuration of their wires.
    package func with(_ wires: any ConfiguredWires) -> ProtocolSupport {
        ProtocolSupport(
            chains: chains, algorithms: algorithms, wires: self.wires, configured: wires,
            isChecked: isChecked)
    }

    /// The names of the chains in rules.
    public var names: [String] { chains.map(\.protocolID.name) }

    /// Returns the chain with a name in rules.
    public func chain(named name: String) -> (any Chain)? {
        chains.first { $0.protocolID.name == name }
    }

    /// Returns all wires under the settings of a home, the configured ones first.
    package func adapters(
        under settings: HomeSettings
    ) throws(ServiceError) -> AdapterSet {
        AdapterSet((try configured?.adapters(under: settings).adapters ?? []) + wires)
    }

    /// Reads the owner's names for accounts of other people; nil if there are none.
    package func accountNames(
        under settings: HomeSettings
    ) throws(ServiceError) -> (any AccountNames)? {
        try configured?.accountNames(under: settings) ?? nil
    }

    /// The wires of a program without a home.
    package var adapters: AdapterSet {
        (try? adapters(under: HomeSettings())) ?? AdapterSet(wires)
    }

    /// Refuses protocols that conflict with each other.
    func check() throws(ServiceError) {
        if isChecked { return }
        try checkAll()
    }

    /// Refuses protocols that conflict, also those that a test checks.
    package func checkAll() throws(ServiceError) {
        try checkAlgorithms()
        let adapters = try adapters(under: HomeSettings())
        let names = adapters.adapters.map(\.id.name) + chains.map { "keys of \($0.protocolID)" }
        if let twice = names.enumerated().first(where: { names[..<$0].contains($1) }) {
            throw ServiceError(
                "two protocols are called \(twice.element)", hint: "leave one of them out")
        }
        let domains = adapters.domains
        for domain in domains {
            guard domains.contains(where: { $0.id == domain.id && !$0.isDeclared(as: domain) })
            else { continue }
            throw ServiceError(
                "two protocols use \(domain.id) for different bytes",
                hint: "leave one of them out")
        }
    }
    /// Refuses two algorithms with one id, and chains whose algorithm is missing.
    private func checkAlgorithms() throws(ServiceError) {
        let ids = SigningAlgorithm.builtIn.map(\.id) + [.multisig, .rekeyed] + algorithms.map(\.id)
        if let twice = ids.enumerated().first(where: { ids[..<$0].contains($1) }) {
            throw ServiceError(
                "two signature algorithms are called \(twice.element.id)",
                hint: "give one of them another id")
        }
        for chain in chains { _ = try chain.signing(among: algorithms) }
    }
}
