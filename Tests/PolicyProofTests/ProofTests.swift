// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import ProofAgreement
import Testing

@Suite("What is said to be proved")
struct ProofTests {
    @Test("no random request contradicts", arguments: [3, 17, 29, 51] as [UInt64])
    func agreement(seed: UInt64) {
        var agreement = ProofAgreement(seed: seed)
        agreement.run(pairs: 25, requestsPerPair: 40)
        #expect(
            agreement.contradictions.isEmpty, "\(agreement.contradictions.first?.description ?? "")"
        )
        // The comparison means little if few pairs differ, or if little is proved or shown.
        let counts = agreement.counts
        #expect(counts["changed", default: 0] > 10, "\(counts)")
        #expect(counts["proved", default: 0] > 30, "\(counts)")
        #expect(counts["shown", default: 0] > 8, "\(counts)")
        let unproved = counts.filter { $0.key.hasPrefix("not proved") }.values.reduce(0, +)
        #expect(unproved < 40, "\(counts)")
    }
}
