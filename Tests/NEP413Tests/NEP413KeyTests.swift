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

    /// A statement with any key; its signature is not checked here.
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

    @Test("an invalid key is refused, for that reason", arguments: invalid)
    func invalidKeys(_ row: JSON) throws {
        let bytes = try statement(row)
        let error = try #require(throws: StatementError.self) {
            try adapter.readSigned(bytes.span)
        }
        #expect(error.reason.hasPrefix("publicKey must be"))
    }

    @Test("an account that is the key in hexadecimal is named as such", arguments: implicit)
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

    /// An implicit account of 64 digits is an Ed25519 key; a secp256k1 key has other bytes.
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

    @Test("an implicit account is proved by its key, and a named one by no key alone")
    func authors() throws {
        func author(_ key: JSON?, _ account: JSON?) throws -> StatementAuthor {
            let bytes = try statement(key, account)
            let authors = try adapter.readSigned(bytes.span).authors
            #expect(authors.count == 1)
            return try #require(authors.first)
        }
        let row = try #require(Self.implicit.first)
        let (key, account) = (row["publicKey"], row["implicitAccountId"])
        #expect(try author(key, account).key == .ownKey)
        let another = JSON.string(String(repeating: "0a", count: 32))
        #expect(try author(key, another).key == .other)
        let named = try author(key, "alice.near")
        #expect(named == StatementAuthor("alice.near", key: .unknown))
        // Without an account, the statement speaks only for the key.
        #expect(try author(key, nil) == StatementAuthor(try #require(key?.text), key: .ownKey))
    }

    @Test("a signed transaction speaks for its signer, a delegate action for its sender")
    func signers() throws {
        let rows = Vectors.file("transactions.json")["vectors"]?.list ?? []
        var count = 0
        for row in rows {
            guard let text = row["signedTransactionBase64"]?.text else { continue }
            let bytes = Array(text.utf8)
            guard let statement = try? adapter.readSigned(bytes.span) else { continue }
            let author = try #require(statement.authors.first)
            #expect(author.account == statement.signatures[0].signer)
            #expect(author.network == nil)
            count += 1
        }
        #expect(count > 3)
    }
}
