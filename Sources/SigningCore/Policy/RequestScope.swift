// SPDX-License-Identifier: Apache-2.0

extension JudgedRequest {
    /// The most text that the values of a scope may hold, in bytes.
    static let scopeBytesMax = 4_096

    /// Returns the scopes of a remembered yes to each operation: every value that may not vary.
    ///
    /// Empty if a yes cannot be remembered: the client is unknown, or a field has two values.
    func grantScopes(in schema: FactSchema) -> [Grant.Scope] {
        guard !hasSaturatedNumber else { return [] }
        return scopes { self.values(of: $0) { schema.variation(of: $0) == .fixed } }
    }

    /// Returns the scopes of a remembered no to each operation.
    func refusalScopes(in schema: FactSchema) -> [Grant.Scope] {
        scopes { self.values(of: $0) { schema.boundsRefusals($0) } }
    }

    /// Returns the scopes of a granted wish for each operation; may be empty.
    func broadScopes(in schema: FactSchema) -> [Grant.Scope] {
        guard !schema.wishNames.isEmpty, !hasSaturatedNumber else { return [] }
        return scopes(isBroad: true) { self.values(of: $0) { schema.wishNames.contains($0) } }
    }

    /// Returns the scope of a wish once it is granted; nil without a client or a key.
    func scope(of wish: Wish) -> Grant.Scope? {
        guard let client, operations.indices.contains(wish.place) else { return nil }
        let facts = wish.facts.sorted { $0.name < $1.name }
        return scope(client, operations[wish.place].account, wish.method, facts, isBroad: true)
    }

    /// Returns the upper bounds for later operations, one list for each operation.
    func bounds(in schema: FactSchema) -> [[Fact]] {
        operations.map { values(of: $0) { schema.variation(of: $0) == .upTo } ?? [] }
    }

    /// Returns the reason, in words, that a yes counts once; nil if a yes can be remembered.
    func reasonToAskAgain(in schema: FactSchema) -> String? {
        if decoding != .full { return "parts of the request cannot be read" }
        if dangers.contains(.framed) { return "it comes from inside a page of another site" }
        if dangers.contains(.byLink) { return "it came by a link, which any page can write" }
        if dangers.contains(.lookalike) { return "an account looks like that of a contact" }
        if let danger = allDangers.first(where: schema.alwaysAsked.contains) {
            return "requests with \"\(danger.name)\" are asked about each time"
        }
        if effects.contains(.grantsAuthority)
            || operations.contains(where: { $0.effects.contains(.grantsAuthority) })
        {
            return "it gives others power over the account"
        }
        if let name = operations.flatMap(\.undetermined).first {
            return "\(name) is missing, or has several values"
        }
        if hasSaturatedNumber { return "a number in it is too large to be compared" }
        let isUnbounded = operations.contains {
            $0.effects.contains(.spends) && $0.outflows.isEmpty
        }
        if isUnbounded || (effects.contains(.spends) && totals.isEmpty) {
            return "how much it spends is not known"
        }
        return nil
    }

    /// True if a number is the largest of facts, which stands for all larger ones.
    private var hasSaturatedNumber: Bool {
        facts.contains(where: \.value.isSaturated)
            || operations.contains { $0.facts.contains(where: \.value.isSaturated) }
    }

    private func scopes(
        isBroad: Bool = false, _ values: (RequestedOperation) -> [Fact]?
    ) -> [Grant.Scope] {
        guard let client else { return [] }
        var scopes: [Grant.Scope] = []
        scopes.reserveCapacity(operations.count)
        for operation in operations {
            guard let facts = values(operation) else { return [] }
            scopes.append(scope(client, operation.account, method, facts, isBroad: isBroad))
        }
        return scopes
    }

    private func scope(
        _ client: Client, _ account: Account, _ method: String, _ facts: [Fact], isBroad: Bool
    ) -> Grant.Scope {
        Grant.Scope(
            client: client.id, proof: client.proof, key: account.id, protocolID: protocolID,
            method: method, facts: facts, isBroad: isBroad)
    }

    /// Returns the wanted facts of an operation, sorted by name.
    ///
    /// A fact of the operation replaces a fact of the request with the same name. Nil if a name
    /// occurs twice or the values are too long.
    private func values(
        of operation: RequestedOperation, where isWanted: (String) -> Bool
    ) -> [Fact]? {
        var found: [Fact] = []
        for fact in operation.facts where isWanted(fact.name) {
            found.append(Fact(fact.name, fact.value))
        }
        let ownCount = found.count
        for fact in facts where isWanted(fact.name) {
            if !found[..<ownCount].contains(where: { $0.name == fact.name }) {
                found.append(Fact(fact.name, fact.value))
            }
        }
        found.sort { $0.name < $1.name }
        var bytes = client?.id.utf8.count ?? 0
        for (place, fact) in found.enumerated() {
            if place > 0, found[place - 1].name == fact.name { return nil }
            bytes += fact.name.utf8.count + fact.value.textBytes
        }
        guard bytes <= Self.scopeBytesMax else { return nil }
        return found
    }
}

extension FactSchema {
    /// Returns the permitted variation of values of this name; undeclared values are fixed.
    func variation(of name: String) -> FactField.Variation {
        guard let field = field(named: name) else { return .fixed }
        // Only a single number can have an upper bound.
        return field.varies == .upTo && field.isList ? .fixed : field.varies
    }
}

extension FactValue {
    fileprivate var textBytes: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .list(let values): values.reduce(0) { $0 + 8 + $1.textBytes }
        case .bool, .integer, .time: 8
        }
    }
}

extension FactValue {
    fileprivate var isSaturated: Bool {
        switch self {
        case .integer(let number): number == .max
        case .list(let values): values.contains(where: \.isSaturated)
        case .bool, .text, .bytes, .time: false
        }
    }
}
