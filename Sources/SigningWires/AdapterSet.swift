// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The adapters of the supported wires, and the choice of the adapter for a frame.
public struct AdapterSet: Sendable {
    /// All adapters, in the order of the documentation.
    public let adapters: [any ProtocolAdapter]

    /// Creates a set of these adapters.
    public init(_ adapters: [any ProtocolAdapter]) { self.adapters = adapters }

    /// The domains that keys may sign for; wires of one chain share domains.
    public var domains: [SigningDomain] { adapters.flatMap(\.domains) }

    /// The fact schemas for policy files; wires of one chain share a schema.
    public var schemas: [FactSchema] {
        adapters.map(\.schema).reduce(into: []) { known, schema in
            if !known.contains(where: schema.isSame) { known.append(schema) }
        }
    }

    /// The names of all adapters.
    public var names: [String] { adapters.map(\.id.name) }

    /// The supported URL schemes.
    public var schemes: [String] {
        adapters.flatMap(\.marks.schemes).reduce(into: []) { once, scheme in
            if !once.contains(scheme) { once.append(scheme) }
        }
    }

    /// Returns the adapter with a name, if there is one.
    public func adapter(named name: String) -> (any ProtocolAdapter)? {
        adapters.first { $0.id.name == name }
    }
}
