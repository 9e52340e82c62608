// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27

@Suite("The signatures of post_quantum.json") struct PostQuantumTests {
    @Test(
        "each is refused by its name",
        arguments: [
            ("pqPayment", "pqsig"), ("pqRekeyedPayment", "pqsig"), ("pqDelegatedPayment", "lsig"),
        ])
    func signed(_ name: String, _ proof: String) throws {
        let row = try Vectors.load("post_quantum.json")[name]
        let bytes = try Vectors.bytes(row?["stxnBlob"])
        let text = Array(Base64.encode(bytes.span).utf8)
        let adapter = try TestProvider().adapter
        let error = try #require(throws: StatementError.self) {
            try adapter.readSigned(text.span)
        }
        #expect(error.reason.contains(proof) && error.reason.contains("not supported"))
    }
}
