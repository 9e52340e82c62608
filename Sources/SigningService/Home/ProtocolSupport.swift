// SPDX-License-Identifier: Apache-2.0

package import AllAdapters
public import SigningCore

/// The protocols that a home is opened for: the chains of its keys and the wires of requests.
public struct ProtocolSupport: Sendable {
    /// The chains of keys.
    public let chains: [any Chain]
    /// The wires of the embedding program.
    private let wires: [any ProtocolAdapter]
    private let isBuiltIn: Bool

    /// The protocols that come with Countersign.
    public static let builtIn = ProtocolSupport(
        chains: AllChains.list, wires: [], isBuiltIn: true)

    /// Makes further protocols; a wire may belong to a built-in chain.
    public init(chains: [any Chain] = [], wires: [any ProtocolAdapter]) {
        self.init(chains: chains, wires: wires, isBuiltIn: false)
    }

    private init(chains: [any Chain], wires: [any ProtocolAdapter], isBuiltIn: Bool) {
        self.chains = chains
        self.wires = wires
        self.isBuiltIn = isBuiltIn
    }

    /// Joins both: the left chains and wires, then the right ones.
    public static func + (one: ProtocolSupport, other: ProtocolSupport) -> ProtocolSupport {
        ProtocolSupport(
            chains: one.chains + other.chains, wires: one.wires + other.wires,
            isBuiltIn: one.isBuiltIn || other.isBuiltIn)
    }

    /// The names of the chains in rules.
    public var names: [String] { chains.map(\.protocolID.name) }

    /// Returns the chain with a name in rules.
    public func chain(named name: String) -> (any Chain)? {
        chains.first { $0.protocolID.name == name }
    }

    /// Returns all wires, the built-in ones with the settings of a home.
    package func adapters(
        builtIn: @autoclosure () -> AdapterSet = AdapterSet(providerID: "")
    ) -> AdapterSet {
        AdapterSet((isBuiltIn ? builtIn().adapters : []) + wires)
    }

    /// Refuses protocols that conflict with each other.
    func check() throws(ServiceError) {
        // The built-in protocols alone are the same in every process; a test checks them.
        if isBuiltIn, wires.isEmpty, chains.count == AllChains.list.count { return }
        try checkAll()
    }

    /// Refuses protocols that conflict, the built-in ones included.
    package func checkAll() throws(ServiceError) {
        let adapters = adapters()
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
}
