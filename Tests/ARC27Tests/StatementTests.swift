// SPDX-License-Identifier: Apache-2.0

import ARC27
import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import Algorand

@Suite("Reading signed transactions") struct StatementTests {
    private func read(_ text: String) throws(StatementError) -> SignedStatement {
        let adapter: ARC27Adapter
        do { adapter = try TestProvider().adapter } catch { throw StatementError("no provider") }
        let bytes = [UInt8](text.utf8)
        return try adapter.readSigned(bytes.span)
    }

    private func row(_ name: String) throws -> TransactionRow {
        try #require(TransactionRow.all.first { $0.name == name })
    }

    @Test(
        "our own answers are read and hold",
        arguments: ["sign-one", "sign-group-mine-and-theirs", "sign-rekeyed-authaddr"])
    func answers(_ name: String) throws {
        let conversation = try #require(Conversation.all.first { $0.name == name })
        let reply = try TestProvider().answer(conversation.frame(.json))
        guard case .message(let bytes) = reply else {
            Issue.record("no answer")
            return
        }
        let statement = try TestProvider().adapter.readSigned(bytes.span)
        #expect(statement.signatures.count == 1)
        let claim = try #require(statement.signatures.first)
        let address = try SampleKeys.address(seed: SampleKeys.a)
        #expect(claim.signer == address)
        #expect(claim.scheme == .ed25519 && claim.readings.count == 1)
        #expect(claim.readings[0].prehash == .none && claim.statedMessage == nil)
        let preimage = claim.readings[0].preimage
        let isValid = Signatures.isValidEd25519(
            signature: claim.signature.span, message: preimage.span,
            publicKey: claim.publicKey.span)
        #expect(isValid)
    }

    @Test("both alphabets, without padding and with a line end are read")
    func forms() throws {
        let bytes = try row("gen/pay-rekey").signed()
        let strict = try read(Base64.encode(bytes.span))
        #expect(try read(Base64.encode(bytes.span, alphabet: .url, padding: false)) == strict)
        #expect(try read(Base64.encode(bytes.span) + "\n") == strict)
        #expect(strict.signatures.count == 1)
    }

    @Test("a file with several signed transactions is read whole; an unsigned one is named")
    func files() throws {
        let adapter = try TestProvider().adapter
        let one = try row("gen/pay-rekey").signed()
        let file = one + one
        let statement = try adapter.readSigned(file.span)
        #expect(statement.signatures.count == 2 && statement.authors.count == 2)
        let lines = Base64.encode(one.span) + "\n" + Base64.encode(one.span) + "\n"
        #expect(try read(lines).signatures == statement.signatures)
        let unsigned = one + Draft().bytes
        let error = try #require(throws: StatementError.self) {
            try adapter.readSigned(unsigned.span)
        }
        #expect(error.reason == "transaction 2 is not signed")
    }

    @Test("logic signatures are not offered yet")
    func otherProofs() throws {
        let rows = TransactionRow.offered.filter { $0.json["auth"] == ["lsig"] }
        #expect(rows.count >= 5)
        for row in rows {
            let bytes = try row.signed()
            let text = Base64.encode(bytes.span)
            let error = try #require(throws: StatementError.self) { try read(text) }
            #expect(error.reason.contains("not supported"))
        }
    }

    @Test("every signature of a multisignature is read and holds")
    func multisignatures() throws {
        let rows = TransactionRow.offered.filter { $0.json["auth"] == ["msig"] }
        #expect(rows.count >= 5)
        for row in rows {
            let bytes = try row.signed()
            let statement = try read(Base64.encode(bytes.span))
            #expect(!statement.signatures.isEmpty)
            for claim in statement.signatures where row.json["sig_valid"] != false {
                let preimage = claim.readings[0].preimage
                let isValid = Signatures.isValidEd25519(
                    signature: claim.signature.span, message: preimage.span,
                    publicKey: claim.publicKey.span)
                #expect(isValid, "\(row.name)")
            }
        }
    }

    @Test("every proper prefix and a trailing byte is refused")
    func prefixes() throws {
        let bytes = try row("gen/pay-rekeyed-sender").signed()
        for count in 0..<bytes.count {
            let text = Base64.encode(bytes.span.extracting(0..<count))
            #expect(throws: StatementError.self) { try read(text) }
        }
        let longer = bytes + [0]
        let text = Base64.encode(longer.span)
        #expect(throws: StatementError.self) { try read(text) }
    }

    @Test("a signer equal to the sender is refused")
    func sameSigner() throws {
        let key = try SampleKeys.publicKey(seed: SampleKeys.a)
        let transaction = Draft().with("snd", .binary(key)).members
        func signed(by signer: [UInt8]) -> String {
            let map = MessagePack.map([
                .init(name: "sgnr", value: .binary(signer)),
                .init(name: "sig", value: .binary([UInt8](repeating: 1, count: 64))),
                .init(name: "txn", value: .map(transaction)),
            ])
            let bytes = map.encode()
            return Base64.encode(bytes.span)
        }
        #expect(try read(signed(by: Draft.key(3))).signatures.first?.publicKey == Draft.key(3))
        let same = signed(by: key)
        #expect(throws: StatementError.self) { try read(same) }
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", "\n", "{}", #"{"result":{}}"#, #"{"result":{"stxns":[]}}"#,
            #"{"result":{"stxns":[null]}}"#, #"{"result":{"stxns":[1]}}"#,
            #"{"result":{"stxns":["gA=="]}}"#, "gA==", "!!!!", "wA==",
        ])
    func refuses(_ text: String) {
        #expect(throws: StatementError.self) { try read(text) }
    }
}
