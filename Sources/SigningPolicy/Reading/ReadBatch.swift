// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// Reads `all` and `any`, the conditions on the operations of a request together.
    mutating func readBatch(
        _ parts: [String: TOMLNode], _ scope: PolicyVocabulary.Scope
    ) -> [BatchCondition] {
        var found: [BatchCondition] = []
        for quantifier in BatchCondition.Quantifier.allCases {
            guard let node = parts[quantifier.rawValue] else { continue }
            guard case .table(let members) = node.value, !members.isEmpty else {
                report.error(
                    .wrongShape,
                    "\(node.key) takes a table of conditions, such as { receiver = \"@own\" }",
                    at: node.position)
                continue
            }
            found.append(
                BatchCondition(
                    quantifier: quantifier, conditions: readConditions(members, scope: scope)))
        }
        return found
    }
}
