// SPDX-License-Identifier: Apache-2.0

extension JudgedRequest {
    /// The longest text of a recorded fact, in bytes; longer ones are left out.
    static let recordedTextMax = 256
    /// The most elements of a recorded list; longer ones are left out.
    static let recordedListMax = 32
    /// The most recorded facts of a request.
    static let recordedFactsMax = 512

    /// Returns the facts to record for each operation, or for a request without operations.
    ///
    /// They suffice to judge the request by another policy and contain no payload of the client.
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
