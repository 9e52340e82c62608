// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningPolicy
import Testing

@testable import PolicyProof

@Suite("Conditions on all operations in proofs")
struct BatchModelTests {
    @Test("are related with so many others, however many the rules have", arguments: [3, 120])
    func relations(count: Int) throws {
        let rules = (0..<count).map { number in
            "[[rule]]\nid = \"r\(number)\"\neffect = \"deny\"\nprotocol = \"algorand\"\n"
                + "all = { fee = { max = \"\(number) microAlgo\" } }\n"
        }
        let circuit = Circuit()
        let model = BatchModel(circuit, hasOperation: circuit.yes, isSingle: circuit.no)
        for condition in try policy(rules.joined(), version: 2).document.rules.flatMap(\.batch) {
            let one = TruthFormula(yes: circuit.variable(), no: circuit.variable())
            _ = model.truth(of: condition, .every, [one])
        }
        #expect(model.relationCount == min(count * (count - 1) / 2, BatchModel.relationsMax))
    }
}
