// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Files of goal, algokey and the SDKs") struct TransactionFileTests {
    private let signature = [UInt8](repeating: 5, count: 64)

    private func own(_ draft: Draft = Draft()) throws -> Draft {
        draft.with("snd", .binary(try SampleKeys.publicKey(seed: SampleKeys.a)))
    }

    private func wrapped(_ members: KeyValuePairs<String, MessagePack>) -> [UInt8] {
        Draft.map(members).encode()
    }

    private func value(_ draft: Draft) -> MessagePack { .map(draft.members) }

    private func read(_ bytes: [UInt8]) throws -> [TransactionFile.Item] {
        try TransactionFile(bytes.span).items
    }

    private func isLikely(_ bytes: [UInt8]) -> Bool { TransactionFile.isLikely(bytes.span) }

    @Test("bare, in a wrapper, for another key and signed, one behind the other")
    func forms() throws {
        let draft = try own()
        let key = Draft.key(9)
        let signed = SignedTransaction.encode(
            transaction: draft.bytes, signature: signature, signer: nil)
        let files = [
            draft.bytes, wrapped(["txn": value(draft)]),
            wrapped(["sgnr": .binary(key), "txn": value(draft)]), signed,
        ]
        let items = try read(Array(files.joined()))
        #expect(items.map(\.bytes) == files)
        #expect(items.allSatisfy { $0.transaction == draft.bytes })
        #expect(items.map(\.signer) == [nil, nil, key, nil])
        #expect(items.map(\.isSigned) == [false, false, false, true])
        let requests = items.map { $0.request(isHeld: { _ in true }, kept: { _ in nil }) }
        #expect(requests[0]?.object?.names == ["txn"] && requests[3] == nil)
        let address = AlgorandAddress.text(publicKey: key.span)
        #expect(requests[2]?["authAddr"]?.text == address)
        for item in items {
            #expect(throws: Never.self) { try WalletTransaction(item.passed) }
        }
    }

    @Test("zeros in an unsigned wrapper are left out, and refused beside a signature")
    func zeros() throws {
        let draft = try own(Draft(type: "appl").with("apid", .unsigned(7)))
        let padded = draft.with("apan", .unsigned(0)).with("apaa", .array([]))
        let item = try #require(try read(wrapped(["txn": value(padded)])).first)
        #expect(item.transaction == draft.bytes)
        let signed = wrapped(["sig": .binary(signature), "txn": value(padded)])
        #expect(throws: AlgorandRefusal.self) { try read(signed) }
    }

    @Test("a last byte that looks like a line end belongs to the transaction")
    func lastByte() throws {
        let draft = try own(Draft(type: "axfer").with("xaid", .unsigned(10)))
        #expect(draft.bytes.last == 0x0A)
        #expect(try read(draft.bytes).map(\.transaction) == [draft.bytes])
        #expect(throws: AlgorandRefusal.self) { try read(draft.bytes.dropLast()) }
    }

    @Test(
        "text is not such a file; a cut, trailed or non-canonical one is refused with its place"
    )
    func refused() throws {
        for text in ["{\"a\":1}", "gqNzaWc=", "", "nostrsigner:x"] {
            #expect(!isLikely(Array(text.utf8)))
        }
        let bytes = try own().bytes
        #expect(isLikely(bytes))
        #expect(throws: AlgorandRefusal.self) { try read(bytes + [0xC0]) }
        let wrong = wrapped(["txn": .map([]), "xyz": .unsigned(1)])
        let error = try #require(throws: AlgorandRefusal.self) { try read(bytes + wrong) }
        #expect(error.message.contains("transaction 2"))
    }

    @Test("of a multisignature held members sign that have not yet, no more than are needed")
    func multisignature() throws {
        let keys = try [SampleKeys.a, SampleKeys.b, SampleKeys.c].map {
            try SampleKeys.publicKey(seed: $0)
        }
        let account = try Multisig(version: 1, threshold: 2, keys: keys)
        let bytes = Draft().with("snd", .binary(account.publicKey())).bytes
        let first = SignedTransaction.encode(
            transaction: bytes, multisig: account, signatures: [keys[0]: signature], signer: nil)
        let item = try #require(try read(first).first)
        #expect(!item.isSigned)
        let request = try #require(item.request(isHeld: { _ in true }, kept: { _ in nil }))
        #expect(request["signers"]?.list?.count == 1)
        let second = keys[1]
        let member = AlgorandAddress.text(publicKey: second.span)
        #expect(request["signers"]?.list?.first?.text == member)
        #expect(item.request(isHeld: { $0 == keys[0] }, kept: { _ in nil }) == nil)
        let answer = SignedTransaction.encode(
            transaction: bytes, multisig: account, signatures: [second: signature], signer: nil)
        let both = try item.joined(with: answer)
        #expect(try read(both).first?.isSigned == true)
        let other = SignedTransaction.encode(
            transaction: try own().bytes, signature: signature, signer: nil)
        #expect(throws: AlgorandRefusal.self) { try item.joined(with: other) }
        // A file needs no members for an account that the owner keeps.
        let bare = try #require(try read(bytes).first)
        let kept = try #require(
            bare.request(isHeld: { _ in true }, kept: { _ in account }))
        #expect(kept["signers"]?.list?.count == 2 && kept["msig"]?["threshold"] == 2)
    }
}
