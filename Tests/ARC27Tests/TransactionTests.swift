// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27

@Suite("Transactions of the vectors") struct TransactionTests {
    @Test("the table has all rows")
    func isComplete() {
        #expect(TransactionRow.all.count == 160)
        #expect(TransactionRow.offered.count == 70)
    }

    /// A fixture that no network takes: 1001 rounds lie between its first and its last.
    static let tooLongValid = "py-sdk/test-serialize-asset-transfer-1"

    @Test("the one row that is valid for too long is refused for that")
    func validForTooLong() throws {
        let row = try #require(TransactionRow.all.first { $0.name == Self.tooLongValid })
        let bytes = try row.bytes()
        #expect(throws: ARC27Failure.invalid("lv lies more than 1000 rounds after fv")) {
            try Transaction(canonical: bytes.span)
        }
    }

    @Test(
        "an offered type encodes to the same bytes and id",
        arguments: TransactionRow.offered.filter { $0.name != tooLongValid })
    func encodes(_ row: TransactionRow) throws {
        let bytes = try row.bytes()
        let transaction = try Transaction(canonical: bytes.span)
        #expect(transaction.type.rawValue == row.type)
        #expect(transaction.encoded() == bytes)
        let id = Transaction.id(ofEncoded: bytes, { Digest.sha512_256($0) })
        #expect(Base32.encode(id.span) == row.json["txid"]?.text)
    }

    @Test("another type is refused by name", arguments: TransactionRow.others)
    func refuses(_ row: TransactionRow) throws {
        let bytes = try row.bytes()
        let error = try #require(throws: ARC27Failure.self) {
            try Transaction(canonical: bytes.span)
        }
        #expect(error.code == .invalidInput)
        let isNever = ["stpf", "hb"].contains(row.type)
        let ending = isNever ? "never signed here" : "not offered yet"
        #expect(error.message == "transaction type \(row.type) is \(ending)")
        #expect(!SigningDomain.algorandTransaction.isValid(Transaction.prefix + bytes, []))
    }

    @Test(
        "signing again gives the same bytes",
        arguments: TransactionRow.offered.filter(\.isResignable))
    func signsAgain(_ row: TransactionRow) throws {
        let seed = try row.seed()
        let bytes = try row.bytes()
        let transaction = try Transaction(canonical: bytes.span)
        let provider = try TestProvider(
            seeds: [seed],
            networks: [
                .init(
                    genesisID: transaction.genesisID ?? "some-v1",
                    genesisHash: transaction.genesisHash)
            ])
        let reply = try provider.answer(
            Wire.signing([
                [
                    "txn": .string(Base64.encode(bytes.span)),
                    "authAddr": .string(try TestProvider.address(seed: seed)),
                ]
            ]))
        let answer = try Wire.json(reply)
        let expected = try row.signed()
        let list: JSON = [.string(Base64.encode(expected.span))]
        #expect(answer?["result"]?["stxns"] == list)
    }

    @Test("there is something to sign again")
    func resignableRows() {
        #expect(TransactionRow.offered.filter(\.isResignable).count == 25)
    }

    @Test(
        "a signed transaction is read and its signature holds",
        arguments: TransactionRow.offered.filter {
            $0.hasValidSignature && $0.name != tooLongValid
        })
    func readsSigned(_ row: TransactionRow) throws {
        let signed = try row.signed()
        let text = Base64.encode(signed.span)
        let frame = [UInt8](text.utf8)
        let statement = try TestProvider().adapter.readSigned(frame.span)
        #expect(statement.signatures.count == 1)
        let claim = try #require(statement.signatures.first)
        let preimage = try #require(claim.readings.first).preimage
        #expect(preimage == Transaction.prefix + (try row.bytes()))
        let isValid = Ed25519Key.isValid(
            signature: claim.signature.span, message: preimage.span,
            publicKey: claim.publicKey.span)
        #expect(isValid)
    }

    @Test("every proper prefix and any trailing byte is refused")
    func prefixes() throws {
        let row = try #require(
            TransactionRow.offered.first { $0.name == "gen/pay-close-and-rekey" })
        let bytes = try row.bytes()
        let domain = SigningDomain.algorandTransaction
        #expect(domain.isValid(Transaction.prefix + bytes, []))
        let prefixes = bytes.indices.map { Array(bytes[..<$0]) }
        for variant in prefixes + [bytes + [0], bytes + [0xc0]] {
            #expect(throws: ARC27Failure.self) { try Transaction(canonical: variant.span) }
            #expect(!domain.isValid(Transaction.prefix + variant, []))
        }
    }

    @Test("changing any byte of a transaction never gives the same transaction")
    func mutations() throws {
        let row = try #require(TransactionRow.offered.first { $0.name == "gen/axfer-clawback" })
        let bytes = try row.bytes()
        let original = try Transaction(canonical: bytes.span)
        for index in bytes.indices {
            var variant = bytes
            variant[index] ^= 1
            guard let changed = try? Transaction(canonical: variant.span) else { continue }
            #expect(changed != original && changed.encoded() == variant)
        }
    }

    @Test(
        "bytes of other protocols are not claimed",
        arguments: [
            [0x9d, 0x01, 0x00, 0x80], Array("[0,\"".utf8), Array("MXhello".utf8),
            Array("ProgData".utf8), Array("TG".utf8), Array("TX".utf8), [],
        ] as [[UInt8]])
    func foreign(_ bytes: [UInt8]) {
        #expect(!SigningDomain.algorandTransaction.isValid(bytes, []))
    }
}
