// SPDX-License-Identifier: Apache-2.0

import ARC27
import AlgorandSamples
import AllAdapters
import SigningCodecs
import SigningCore
import Testing
import VectorFiles

@testable import Algorand

/// The accounts for which a signed statement speaks, and the proof that its signatures give.
@Suite("Proof by a signed statement") struct StatementProofTests {
    private let own = SampleKeys.a
    private let stranger = SampleKeys.b

    private func judged(
        _ texts: [String], by adapter: String = "arc27"
    ) throws -> (statement: SignedStatement, proof: StatementVerifier.Proof) {
        let reader = try #require(
            Samples.adapters.adapter(named: adapter) as? any SignedStatementReader)
        let answer: JSON = ["result": ["stxns": .array(texts.map { .string($0) })]]
        let bytes = adapter == "arc27" ? answer.write() : Array(texts.joined().utf8)
        let statement = try reader.readSigned(bytes.span)
        let findings = StatementVerifier.check(statement)
        return (statement, StatementVerifier.proof(of: statement, findings))
    }

    private func payment(from sender: [UInt8]) -> [UInt8] {
        Draft().with("snd", .binary(sender)).bytes
    }

    private func signed(
        _ transaction: [UInt8], by seed: [UInt8], as signer: [UInt8]? = nil
    ) throws -> String {
        let bytes = SignedTransaction.encode(
            transaction: transaction,
            signature: try SampleKeys.sign(Transaction.prefix + transaction, seed: seed),
            signer: signer)
        return Base64.encode(bytes.span)
    }

    private func multisigned(
        _ threshold: UInt64, by seeds: [[UInt8]], from sender: [UInt8]? = nil
    ) throws -> String {
        let keys = try [own, stranger].map { try SampleKeys.publicKey(seed: $0) }
        let account = try Multisig(version: 1, threshold: threshold, keys: keys)
        let transaction = payment(from: sender ?? account.publicKey())
        var signatures: [[UInt8]: [UInt8]] = [:]
        for seed in seeds {
            signatures[try SampleKeys.publicKey(seed: seed)] = try SampleKeys.sign(
                Transaction.prefix + transaction, seed: seed)
        }
        let bytes = SignedTransaction.encode(
            transaction: transaction, multisig: account, signatures: signatures,
            signer: sender == nil ? nil : account.publicKey())
        return Base64.encode(bytes.span)
    }

    @Test("the sender's own signature proves the payment, for the sender on its network")
    func ownKey() throws {
        let key = try SampleKeys.publicKey(seed: own)
        let (statement, proof) = try judged([try signed(payment(from: key), by: own)])
        #expect(proof == .complete)
        #expect(
            statement.authors == [
                StatementAuthor(try SampleKeys.address(seed: own), on: "testnet", key: .ownKey)
            ])
        let line = try #require(statement.summary.lines.first)
        #expect(line.text.contains("from \(try SampleKeys.address(seed: own))"))
    }

    @Test("a payment of one account that a stranger signed as its sgnr is not proved")
    func strangerSigns() throws {
        let victim = try SampleKeys.publicKey(seed: own)
        let transaction = payment(from: victim)
        let key = try SampleKeys.publicKey(seed: stranger)
        let (statement, proof) = try judged([try signed(transaction, by: stranger, as: key)])
        #expect(StatementVerifier.check(statement).allSatisfy { $0.reading != nil })
        #expect(proof == .incomplete)
        #expect(statement.authors.map(\.key) == [.other])
        #expect(statement.authors.map(\.account) == [try SampleKeys.address(seed: own)])
        // A group that contains such a payment is not proved either.
        let both = [
            try signed(payment(from: key), by: stranger),
            try signed(transaction, by: stranger, as: key),
        ]
        #expect(try judged(both).proof == .incomplete)
        // An invalid signature makes the whole statement invalid.
        #expect(try judged([try signed(transaction, by: own, as: key)]).proof == .invalid)
    }

    @Test("a multisignature below its threshold is not proved, at it is")
    func thresholds() throws {
        let one = try judged([try multisigned(2, by: [own])])
        #expect(one.proof == .incomplete)
        let author = try #require(one.statement.authors.first)
        #expect(author.key == .ownKey && !author.isComplete)
        #expect(author.signatureCount == 1 && author.neededCount == 2)
        #expect(try judged([try multisigned(2, by: [own, stranger])]).proof == .complete)
        #expect(try judged([try multisigned(1, by: [stranger])]).proof == .complete)
        #expect(try judged([try multisigned(2, by: [])]).proof == .invalid)
        // The second has no signature of its members, and the first does not speak for it.
        let key = try SampleKeys.publicKey(seed: own)
        let pair = [try signed(payment(from: key), by: own), try multisigned(2, by: [])]
        #expect(try judged(pair).proof == .incomplete)
        let rekeyed = try judged([try multisigned(2, by: [own, stranger], from: Draft.key(3))])
        #expect(rekeyed.proof == .incomplete && rekeyed.statement.authors[0].key == .other)
    }

    @Test("an unknown network is told by its hash")
    func unknownNetwork() throws {
        let key = try SampleKeys.publicKey(seed: own)
        let transaction = Draft().with("snd", .binary(key))
            .with("gh", .binary(Draft.key(7))).with("gen", nil).bytes
        let statement = try judged([try signed(transaction, by: own)]).statement
        let key7 = Draft.key(7)
        #expect(statement.authors[0].network == "genesis hash \(Base64.encode(key7.span))")
    }

    @Test("an event of Nostr is proved by its author's key")
    func events() throws {
        let flow = VectorFile.read("Vectors/nostr/nip46.vectors.json")["flow"]?.list ?? []
        let events = flow.compactMap { $0["event"]?.object }
        let event = try #require(events.first)
        let text = String(decoding: JSON.object(event).write(), as: UTF8.self)
        let (statement, proof) = try judged([text], by: "nip155")
        #expect(proof == .complete)
        #expect(statement.authors.map(\.key) == [.ownKey])
        let forged = text.replacing("\"content\":\"", with: "\"content\":\"x")
        #expect(try judged([forged], by: "nip155").proof == .invalid)
    }
}
