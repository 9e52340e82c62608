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
