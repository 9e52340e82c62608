// SPDX-License-Identifier: Apache-2.0

extension JudgedRequest {
    /// The most text that the values of a scope may hold, in bytes.
    static let scopeBytesMax = 4_096

    /// What a remembered answer about each operation would be about; empty where an answer
    /// cannot be remembered: nobody said who asks, or a bounding fact is told twice.
    func grantScopes(in schema: FactSchema) -> [Grant.Scope] {
        guard let client, !operations.isEmpty else { return [] }
        var scopes: [Grant.Scope] = []
        for operation in operations {
            guard let facts = boundingFacts(schema.boundingNames, of: operation) else { return [] }
            scopes.append(
                Grant.Scope(
                    client: client.id, proof: client.proof, key: operation.account.id,
                    protocolID: protocolID, method: method, facts: facts))
        }
        return scopes
    }

    /// What a granted wish about each operation would be about; empty where there can be none.
    func broadScopes(in schema: FactSchema) -> [Grant.Scope] {
        guard let client, !schema.wishNames.isEmpty else { return [] }
        var scopes: [Grant.Scope] = []
        for operation in operations {
            guard let facts = boundingFacts(schema.wishNames, of: operation) else { return [] }
            scopes.append(scope(client, operation.account, method, facts))
        }
        return scopes
    }

    /// What a wish would be about once it is granted; nil where nobody or no key is named.
    func scope(of wish: Wish) -> Grant.Scope? {
        guard let client, operations.count == 1 else { return nil }
        let facts = wish.facts.sorted { $0.name < $1.name }
        return scope(client, operations[0].account, wish.method, facts)
    }

    private func scope(
        _ client: Client, _ account: Account, _ method: String, _ facts: [Fact]
    ) -> Grant.Scope {
        Grant.Scope(
            client: client.id, proof: client.proof, key: account.id, protocolID: protocolID,
            method: method, facts: facts, isBroad: true)
    }

    private func boundingFacts(_ names: [String], of operation: RequestedOperation) -> [Fact]? {
        var facts: [Fact] = []
        var bytes = client?.id.utf8.count ?? 0
        for name in names {
            var fact: Fact?
            for found in operation.facts where found.name == name {
                guard fact == nil else { return nil }
                fact = found
            }
            if fact == nil {
                for found in self.facts where found.name == name {
                    guard fact == nil else { return nil }
                    fact = found
                }
            }
            guard let fact else { continue }
            facts.append(Fact(name, fact.value))
            bytes += fact.value.textBytes
        }
        return bytes <= Self.scopeBytesMax ? facts : nil
    }
}

extension FactValue {
    fileprivate var textBytes: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        case .list(let values): values.reduce(0) { $0 + $1.textBytes }
        case .bool, .integer, .time: 0
        }
    }
}
