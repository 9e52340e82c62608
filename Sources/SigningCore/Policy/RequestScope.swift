// SPDX-License-Identifier: Apache-2.0

extension JudgedRequest {
    /// The most text that the values of a scope may hold, in bytes.
    static let scopeBytesMax = 4_096

    /// What a remembered yes about each operation would be about: every value that may not vary.
    ///
    /// Empty where none can be: nobody said who asks, or a value is told twice.
    func grantScopes(in schema: FactSchema) -> [Grant.Scope] {
        scopes { self.values(of: $0) { schema.variation(of: $0) == .fixed } }
    }

    /// What a remembered no about each operation would be about.
    func refusalScopes(in schema: FactSchema) -> [Grant.Scope] {
        scopes { self.values(of: $0) { schema.boundsRefusals($0) } }
    }

    /// What a granted wish about each operation would be about; empty where there can be none.
    func broadScopes(in schema: FactSchema) -> [Grant.Scope] {
        guard !schema.wishNames.isEmpty else { return [] }
        return scopes(isBroad: true) { self.values(of: $0) { schema.wishNames.contains($0) } }
    }

    /// What a wish would be about once it is granted; nil where nobody or no key is named.
    func scope(of wish: Wish) -> Grant.Scope? {
        guard let client, operations.indices.contains(wish.place) else { return nil }
        let facts = wish.facts.sorted { $0.name < $1.name }
        return scope(client, operations[wish.place].account, wish.method, facts, isBroad: true)
    }

    /// The values that later operations may go below and not above, one list for each operation.
    func bounds(in schema: FactSchema) -> [[Fact]] {
        operations.map { values(of: $0) { schema.variation(of: $0) == .upTo } ?? [] }
    }

    /// Why a yes to it counts once, in words; nil where a yes can be remembered.
    func reasonToAskAgain(in schema: FactSchema) -> String? {
        if decoding != .full { return "not all of it is understood" }
        if dangers.contains(.framed) { return "it comes out of a page of another site" }
        if dangers.contains(.byLink) { return "it came by a link, which any page can write" }
        if let danger = allDangers.first(where: schema.alwaysAsked.contains) {
            return "\"\(danger.name)\" is asked about each time"
        }
        if effects.contains(.grantsAuthority)
            || operations.contains(where: { $0.effects.contains(.grantsAuthority) })
        {
            return "it gives power over the account away"
        }
        if let name = operations.flatMap(\.undetermined).first {
            return "\(name) is missing, or not the only one"
        }
        let isUnbounded = operations.contains {
            $0.effects.contains(.spends) && $0.outflows.isEmpty
        }
        if isUnbounded || (effects.contains(.spends) && totals.isEmpty) {
            return "how much it spends is not known"
        }
        return nil
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

    /// The values of an operation whose names are wanted, sorted by name.
    ///
    /// Those of the operation come before the request's. Nil where one is told twice, or they
    /// are too long.
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
    /// How far values of this name may vary; those that nobody declared may not.
    func variation(of name: String) -> FactField.Variation {
        guard let field = field(named: name) else { return .fixed }
        // Only a single number can be held against a bound.
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
