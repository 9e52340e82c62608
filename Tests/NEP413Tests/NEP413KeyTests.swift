// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

@Suite("The keys of keys.json")
struct NEP413KeyTests {
    private static let invalid = Vectors.file("keys.json")["invalidPublicKeys"]?.list ?? []
    private static let implicit = Vectors.file("keys.json")["implicit"]?.list ?? []

    /// A signed message of some key; whether it holds is not asked here.
    private func statement(_ publicKey: JSON?, _ accountID: JSON? = nil) throws -> [UInt8] {
        let signature = [UInt8](repeating: 1, count: 64)
        return frame([
            "publicKey": publicKey, "accountId": accountID,
            "signature": .string(Base64.encode(signature.span)),
        ])
    }

    private func summary(_ publicKey: JSON?, _ accountID: JSON?) throws -> Summary {
        let bytes = try statement(publicKey, accountID)
        return try adapter.readSigned(bytes.span).summary
    }

    private func isCalledImplicit(_ summary: Summary) -> Bool {
        summary.lines.contains { $0.text == "implicit account of this key" && $0.author == .hub }
    }

    @Test("all vectors are there")
    func counts() { #expect(Self.invalid.count == 8 && Self.implicit.count == 3) }

    @Test("a key that is none is refused, for that reason", arguments: invalid)
    func invalidKeys(_ row: JSON) throws {
        let bytes = try statement(row)
        let error = try #require(throws: StatementError.self) {
            try adapter.readSigned(bytes.span)
        }
        #expect(error.reason.hasPrefix("publicKey must be"))
    }

    @Test("an account that is the key in hexadecimal is told as such", arguments: implicit)
    func own(_ row: JSON) throws {
        let summary = try summary(row["publicKey"], row["implicitAccountId"])
        #expect(isCalledImplicit(summary))
        #expect(summary.warnings == ["whether the account still has the key " + Self.onChain])
    }

    @Test("an account that is another key in hexadecimal is warned of", arguments: implicit)
    func foreign(_ row: JSON) throws {
        for other in Self.implicit where other != row {
            let summary = try summary(row["publicKey"], other["implicitAccountId"])
            #expect(!isCalledImplicit(summary))
            #expect(
                summary.warnings == [
                    "the account is the implicit account of another key; whether it has this one "
                        + "too " + Self.onChain
                ])
        }
    }

    @Test("an account with a name is left to the chain, one hexadecimal digit short as well")
    func named() throws {
        let row = try #require(Self.implicit.first)
        let id = try #require(row["implicitAccountId"]?.text)
        let ids: [JSON] = [
            "alice.near", .string(String(id.dropLast())), .string("g" + id.dropFirst()),
        ]
        for account in ids {
            let summary = try summary(row["publicKey"], account)
            #expect(!isCalledImplicit(summary))
            #expect(summary.warnings == ["whether the key belongs to the account " + Self.onChain])
        }
        let nobody = try summary(row["publicKey"], nil)
        #expect(nobody.warnings.isEmpty && !isCalledImplicit(nobody))
    }

    /// An implicit account of 64 digits is an Ed25519 key, whatever the bytes of the other are.
    @Test("a secp256k1 key has no account of 64 digits")
    func otherCurve() throws {
        let bytes = try Base58.decode(
            String(try #require(Self.implicit[0]["publicKey"]?.text).dropFirst(8)))
        let both = bytes + bytes
        let signature = [UInt8](repeating: 1, count: 65)
        let statement = frame([
            "publicKey": .string("secp256k1:" + Base58.encode(both.span)),
            "accountId": Self.implicit[0]["implicitAccountId"],
            "signature": .string(Base64.encode(signature.span)),
        ])
        let summary = try adapter.readSigned(statement.span).summary
        #expect(!isCalledImplicit(summary))
        #expect(summary.warnings.first?.contains("another key") == true)
    }

    private static let onChain = "can only be seen on the chain"
}
