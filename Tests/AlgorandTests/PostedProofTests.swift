// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import Testing

@testable import Algorand

@Suite("Proofs that only a network can check") struct PostedProofTests {
    @Test("programs and post-quantum keys are shown by their name and left to the network")
    func others() throws {
        for row in PostQuantumTests.rows {
            let bytes = try row.bytes("stxnBlob")
            let transaction = try row.bytes("txnBlob")
            let proof = try PostedProof(
                canonical: bytes, of: Transaction(canonical: transaction.span))
            #expect(proof.text.contains(row.proof == "lsig" ? "program" : "post-quantum"))
        }
        let draft = Draft().bytes
        func proof(_ members: [(String, MessagePack)]) throws -> PostedProof {
            let program = MessagePack.map(members.map { .init(name: $0.0, value: $0.1) })
            let signed = MessagePack.map([
                .init(name: "lsig", value: program),
                .init(name: "txn", value: try MessagePack.decodeCanonical(draft.span)),
            ])
            return try PostedProof(
                canonical: signed.encode(), of: Transaction(canonical: draft.span))
        }
        let signature = MessagePack.binary(Draft.key(1) + Draft.key(2))
        let code = ("l", MessagePack.binary([1, 32, 1]))
        #expect(try proof([code]).text.hasPrefix("by a program, "))
        #expect(try proof([code, ("sig", signature)]).text.contains("signed"))
        #expect(try proof([code, ("arg", .array([.binary([])]))]).text.contains("program"))
        for wrong: [(String, MessagePack)] in [
            [("sig", signature)], [code, ("zzz", .unsigned(1))], [code, ("sig", .binary([1]))],
            [code, ("sig", signature), ("pqsig", .map([]))], [code, ("arg", .unsigned(1))],
            [code, ("msig", .map([.init(name: "v", value: .unsigned(1))]))],
        ] {
            #expect(throws: AlgorandRefusal.self) { try proof(wrong) }
        }
    }
}
