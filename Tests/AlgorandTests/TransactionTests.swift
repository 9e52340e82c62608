// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Transactions of the vectors") struct TransactionTests {
    @Test("the table has all rows")
    func isComplete() {
        #expect(TransactionRow.all.count == 160)
        #expect(TransactionRow.offered.count == 157)
        for type in TransactionType.allCases {
            #expect(TransactionRow.all.contains { $0.type == type.rawValue })
        }
    }

    @Test(
        "the rows that are valid for too long are refused for that",
        arguments: TransactionRow.tooLongValid)
    func validForTooLong(_ name: String) throws {
        let row = try #require(TransactionRow.all.first { $0.name == name })
        let bytes = try row.bytes()
        #expect(throws: AlgorandRefusal.invalid("lv is more than 1000 rounds after fv")) {
            try Transaction(canonical: bytes.span)
        }
    }

    @Test(
        "a signed type encodes to the same bytes and id",
        arguments: TransactionRow.offered.filter { !TransactionRow.tooLongValid.contains($0.name) })
    func encodes(_ row: TransactionRow) throws {
        let bytes = try row.bytes()
        let transaction = try Transaction(canonical: bytes.span)
        #expect(transaction.type.rawValue == row.type)
        #expect(transaction.encoded() == bytes)
        #expect(SigningDomain.algorandTransaction.isValid(Transaction.prefix + bytes, []))
        let id = Transaction.id(ofEncoded: bytes)
        #expect(Base32.encode(id.span) == row.json["txid"]?.text)
    }

    @Test("a type that accounts do not sign is refused by name", arguments: TransactionRow.others)
    func refuses(_ row: TransactionRow) throws {
        let bytes = try row.bytes()
        let error = try #require(throws: AlgorandRefusal.self) {
            try Transaction(canonical: bytes.span)
        }
        #expect(error.kind == .invalidInput)
        let what = row.type == "hb" ? "hb, the heartbeat of a node," : "stpf, a state proof,"
        #expect(error.message == "transaction type \(what) is never signed here")
        #expect(!SigningDomain.algorandTransaction.isValid(Transaction.prefix + bytes, []))
    }

    /// One row of every signed type, the most varied ones.
    static let varied = [
        "gen/pay-close-and-rekey", "gen/axfer-clawback", "gen/appl-access-list",
        "gen/appl-boxes-quota", "algokit/appUpdate", "algokit/assetCreate",
        "algokit/assetFreeze", "algokit/onlineKeyRegistration", "gen/keyreg-nonpart",
    ]

    @Test("every proper prefix and any trailing byte is refused", arguments: varied)
    func prefixes(_ name: String) throws {
        let row = try #require(TransactionRow.offered.first { $0.name == name })
        let bytes = try row.bytes()
        let domain = SigningDomain.algorandTransaction
        #expect(domain.isValid(Transaction.prefix + bytes, []))
        let prefixes = bytes.indices.map { Array(bytes[..<$0]) }
        for variant in prefixes + [bytes + [0], bytes + [0xc0]] {
            #expect(throws: AlgorandRefusal.self) { try Transaction(canonical: variant.span) }
            #expect(!domain.isValid(Transaction.prefix + variant, []))
        }
    }

    @Test(
        "changing any bit of a transaction never gives the same transaction", arguments: varied)
    func mutations(_ name: String) throws {
        let row = try #require(TransactionRow.offered.first { $0.name == name })
        let bytes = try row.bytes()
        let original = try Transaction(canonical: bytes.span)
        for index in bytes.indices {
            for bit in 0..<8 {
                var variant = bytes
                variant[index] ^= 1 << bit
                guard let changed = try? Transaction(canonical: variant.span) else { continue }
                #expect(changed != original && changed.encoded() == variant)
            }
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
