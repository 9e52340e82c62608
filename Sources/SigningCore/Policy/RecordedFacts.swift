// SPDX-License-Identifier: Apache-2.0

extension JudgedRequest {
    /// The longest text that goes on record of a fact, in bytes; longer ones are left out.
    static let recordedTextMax = 256
    /// The most elements that go on record of a list; longer ones are left out.
    static let recordedListMax = 32
    /// The most facts that go on record of a whole request.
    static let recordedFactsMax = 512

    /// What goes on record of each operation, or of a request without any: enough to judge it
    /// again by another policy, and nothing that is the client's payload.
    func recordedFacts(in schema: FactSchema) -> [[Fact]] {
        let sources = operations.isEmpty ? [[]] : operations.map(\.facts)
        var left = Self.recordedFactsMax
        return sources.map { own in
            var kept: [Fact] = []
            kept.reserveCapacity(min(left, own.count + facts.count))
            for fact in own where left > 0 && isRecorded(fact, in: schema) {
                kept.append(fact)
                left -= 1
            }
            for fact in facts
            where left > 0 && !own.contains(where: { $0.name == fact.name })
                && isRecorded(fact, in: schema)
            {
                kept.append(fact)
                left -= 1
            }
            return kept
        }
    }

    private func isRecorded(_ fact: Fact, in schema: FactSchema) -> Bool {
        fact.value.isShort && schema.keeps(fact.name)
    }
}

extension FactValue {
    fileprivate var isShort: Bool {
        switch self {
        case .text(let text): text.utf8.count <= JudgedRequest.recordedTextMax
        case .bytes(let bytes): bytes.count <= JudgedRequest.recordedTextMax
        case .list(let values):
            values.count <= JudgedRequest.recordedListMax && values.allSatisfy(\.isShort)
        case .bool, .integer, .time: true
        }
    }
}
