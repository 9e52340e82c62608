// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningDigests
import Testing

@testable import Algorand

@Suite("The accounts of multisig.json") struct MultisigTests {
    private static let rows = Vectors.list("multisig.json", "addresses")

    /// The multisignature address of the members of an item.
    private func address(_ json: JSON) throws -> String {
        let members = try ["version", "threshold", "addrs"].map { name in
            JSONObject.Member(name: name, value: try #require(json[name]))
        }
        let multisig = try Multisig(.object(JSONObject(members)))
        let key = multisig.publicKey()
        return AlgorandAddress.text(publicKey: key.span)
    }

    @Test("all vectors are there, and no two accounts are one")
    func counts() throws {
        #expect(Self.rows.count == 7)
        #expect(Set(Self.rows.compactMap { $0["address"]?.text }).count == 7)
    }

    @Test("an account has the address others compute", arguments: rows)
    func addresses(_ row: JSON) throws {
        #expect(try address(row) == row["address"]?.text)
    }

    @Test("the transaction to be signed is of the account and has the given id")
    func transaction() throws {
        let signing = try #require(try Vectors.load("multisig.json")["signing"])
        let bytes = try Vectors.bytes(signing["txn_b64"])
        let transaction = try Transaction(canonical: bytes.span)
        let sender = AlgorandAddress.text(
            publicKey: transaction.sender.span)
        #expect(try address(try #require(signing["msig"])) == sender)
        let preimage = Transaction.prefix + bytes
        let id = Digest.sha512_256(preimage.span)
        #expect(Base32.encode(id.span) == signing["txid"]?.text)
    }
}
