// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningDigests
import Testing

@testable import Algorand

@Suite("The transactions of post_quantum.json") struct PostQuantumTests {
    /// A row with its member name, its proof, and true if another key than the sender's signed.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let proof: String
        let hasSigner: Bool
        var testDescription: String { name }

        func bytes(_ member: String) throws -> [UInt8] {
            try Vectors.bytes(Vectors.load("post_quantum.json")[name]?[member])
        }
    }

    static let rows = [
        Row(name: "pqPayment", proof: "pqsig", hasSigner: false),
        Row(name: "pqRekeyedPayment", proof: "pqsig", hasSigner: true),
        Row(name: "pqDelegatedPayment", proof: "lsig", hasSigner: false),
    ]

    @Test("every row of the file is one of these")
    func complete() throws {
        let names = try #require(try Vectors.load("post_quantum.json").object).members.map(\.name)
        #expect(names == ["source", "pqMnemonic"] + Self.rows.map(\.name))
    }

    @Test("the payment inside is canonical and has the given id", arguments: rows)
    func payment(_ row: Row) throws {
        let bytes = try row.bytes("txnBlob")
        let transaction = try Transaction(canonical: bytes.span)
        #expect(transaction.encoded() == bytes)
        #expect(transaction.type == .pay)
        let preimage = Transaction.prefix + bytes
        let id = Digest.sha512_256(preimage.span)
        let expected = try Vectors.load("post_quantum.json")[row.name]?["id"]?.text
        #expect(Base32.encode(id.span) == expected)
    }

    @Test("a signed transaction is read as signed", arguments: rows)
    func signed(_ row: Row) throws {
        let bytes = try row.bytes("stxnBlob")
        let signed = try SignedTransaction(canonical: bytes.span)
        #expect(signed.proof == .other(row.proof))
        #expect((signed.signer != nil) == row.hasSigner)
        #expect(signed.transaction == (try row.bytes("txnBlob")))
    }

    @Test("a signed transaction cannot be signed again", arguments: rows)
    func notSignable(_ row: Row) throws {
        let bytes = try row.bytes("stxnBlob")
        #expect(throws: AlgorandRefusal.self) { try Transaction(canonical: bytes.span) }
        let preimage = Transaction.prefix + bytes
        #expect(!SigningDomain.algorandTransaction.isValid(preimage, Draft.key(1)))
        let unsigned = Transaction.prefix + (try row.bytes("txnBlob"))
        #expect(SigningDomain.algorandTransaction.isValid(unsigned, Draft.key(1)))
    }
}
