// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// All words that rules may use: those of the engine and of the adapters.
package struct PolicyVocabulary: Sendable {
    /// The protocols that a rule applies to.
    enum Scope {
        /// The rule names no protocol.
        case any
        /// The rule names these protocols.
        case protocols([String])
        /// All protocols together, as in a budget.
        case shared
        /// The rule's value is not a protocol; the error is reported already.
        case broken
    }

    /// The result of looking up a name in a rule.
    enum Lookup {
        case declared(Declaration)
        /// The name is an adapter's field, and the rule names no protocol.
        case needsProtocol(of: [String])
        /// The protocols of the rule declare the name differently.
        case differs
        case unknown
    }

    /// A field and, if its values come from a closed list of names, that list.
    struct Declaration {
        let field: PolicyField
        var names: [String]?
        /// The form to which the field's values are normalized.
        var form: FactForm?
        /// The protocol of whose tokens the field holds amounts; nil for other fields.
        var tokensOf: String?

        /// This declaration for parts of values, which have no form.
        var ofParts: Declaration { Declaration(field: field, names: names, tokensOf: tokensOf) }

        /// This declaration for the members of sets: each rule must name the asset of an amount.
        var ofMembers: Declaration { Declaration(field: field, names: names, form: form) }
    }

    package let schemas: [FactSchema]

    /// All protocols, sorted.
    var protocols: [String] { Set(schemas.map(\.protocolID.name)).sorted() }

    func schemas(in scope: Scope) -> [FactSchema] {
        guard case .protocols(let names) = scope else { return schemas }
        return schemas.filter { names.contains($0.protocolID.name) }
    }

    func operations(in scope: Scope) -> [String] {
        Set(schemas(in: scope).flatMap(\.methods)).sorted()
    }

    func dangers(in scope: Scope) -> [String] {
        Set((Danger.common + schemas(in: scope).flatMap(\.dangers)).map(\.name)).sorted()
    }

    /// Whether a request of a protocol can have this fact.
    func declares(_ name: String, of protocolID: ProtocolID) -> Bool {
        schemas.contains { $0.protocolID == protocolID && $0.field(named: name) != nil }
    }

    func lookUp(_ name: String, in scope: Scope) -> Lookup {
        if let fact = EngineFact(rawValue: name) {
            return .declared(
                Declaration(
                    field: fact.field, names: names(of: fact, in: scope),
                    form: Self.form(of: fact)))
        }
        if case .shared = scope {
            let known = Set(protocols.compactMap { field(named: name, of: $0) })
            guard let first = known.first else { return .unknown }
            return known.count == 1 ? .declared(Declaration(field: first)) : .differs
        }
        guard case .protocols(let protocols) = scope else {
            let owners = protocols.filter { declares(name, of: ProtocolID($0)) }
            return owners.isEmpty ? .unknown : .needsProtocol(of: owners)
        }
        let fields = protocols.map { field(named: name, of: $0) }
        let known = fields.compactMap { $0 }
        guard let first = known.first else { return .unknown }
        guard known.count == fields.count, Set(known).count == 1 else { return .differs }
        let forms = Set(protocols.map { form(ofField: name, of: $0) })
        return .declared(
            Declaration(
                field: first, form: forms.count == 1 ? forms.first ?? nil : nil,
                tokensOf: tokenField(named: name, in: scope)?.protocolName))
    }

    private static func form(of fact: EngineFact) -> FactForm? {
        switch fact {
        case .client, .clientCallback, .clientTopOrigin: .client
        case .clientProfile: .tokenName
        case .processHash: .sha256
        default: nil
        }
    }

    private func form(ofField name: String, of protocolName: String) -> FactForm? {
        schemas.first { $0.protocolID.name == protocolName && $0.field(named: name) != nil }?
            .field(named: name)?.form
    }

    /// Whether there are fields below this name, such as `content.bytes` below `content`.
    func hasFields(below name: String, in scope: Scope) -> Bool {
        let prefix = name + "."
        return EngineFact.allCases.contains { $0.rawValue.hasPrefix(prefix) }
            || schemas(in: scope).contains { schema in
                schema.fields.contains { $0.name.hasPrefix(prefix) }
            }
    }

    /// The known names to suggest for an unknown name in a rule.
    func candidates(in scope: Scope) -> Set<String> {
        let fields = schemas(in: scope).flatMap(\.fields).map(\.name)
        let stems = fields.compactMap { name in
            name.firstIndex(of: ".").map { String(name[..<$0]) }
        }
        let whole = fields.filter { !$0.hasSuffix(".*") }
        return Set(whole + stems + EngineFact.allCases.map(\.rawValue))
    }

    func field(named name: String, of protocolName: String) -> PolicyField? {
        for schema in schemas where schema.protocolID.name == protocolName {
            guard let field = schema.field(named: name) else { continue }
            return PolicyField(name: name, type: field.type, isList: field.isList)
        }
        return nil
    }

    private func names(of fact: EngineFact, in scope: Scope) -> [String]? {
        switch fact {
        case .protocolID: protocols
        case .operation: operations(in: scope)
        case .danger: dangers(in: scope)
        case .effects: Effect.allCases.map(\.rawValue)
        case .decoded: [Decoding.full, .partial, .opaque].map(\.rawValue)
        case .clientProof: Client.Proof.words
        default: nil
        }
    }
}
