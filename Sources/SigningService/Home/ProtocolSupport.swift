// SPDX-License-Identifier: Apache-2.0

package import AllAdapters
public import SigningCore

/// Protocols that a home is opened for: what its keys may belong to, and the wires by which they
/// are asked for.
public struct ProtocolSupport: Sendable {
    /// What keys may belong to.
    public let chains: [any Chain]
    /// The caller's own wires.
    private let wires: [any ProtocolAdapter]
    private let isBuiltIn: Bool

    /// Those that come with Countersign.
    public static let builtIn = ProtocolSupport(
        chains: AllChains.list, wires: [], isBuiltIn: true)

    /// Protocols of the caller's; a wire may also be one more of a chain that is built in.
    public init(chains: [any Chain] = [], wires: [any ProtocolAdapter]) {
        self.init(chains: chains, wires: wires, isBuiltIn: false)
    }

    private init(chains: [any Chain], wires: [any ProtocolAdapter], isBuiltIn: Bool) {
        self.chains = chains
        self.wires = wires
        self.isBuiltIn = isBuiltIn
    }

    /// Both: the chains and wires of the one, then those of the other.
    public static func + (one: ProtocolSupport, other: ProtocolSupport) -> ProtocolSupport {
        ProtocolSupport(
            chains: one.chains + other.chains, wires: one.wires + other.wires,
            isBuiltIn: one.isBuiltIn || other.isBuiltIn)
    }

    /// What rules call the chains.
    public var names: [String] { chains.map(\.protocolID.name) }

    /// The chain that rules call so.
    public func chain(named name: String) -> (any Chain)? {
        chains.first { $0.protocolID.name == name }
    }

    /// All wires, the built-in ones as a home has them set.
    package func adapters(
        builtIn: @autoclosure () -> AdapterSet = AdapterSet(providerID: "")
    ) -> AdapterSet {
        AdapterSet((isBuiltIn ? builtIn().adapters : []) + wires)
    }

    /// Refuses what cannot be told apart: its makers have to agree first.
    func check() throws(ServiceError) {
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
                "two protocols mean different bytes by \(domain.id)",
                hint: "leave one of them out")
        }
    }
}
