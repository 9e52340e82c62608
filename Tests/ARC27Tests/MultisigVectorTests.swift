// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

@Suite("The accounts of multisig.json") struct MultisigVectorTests {
    private static let rows = Vectors.list("multisig.json", "addresses")

    /// The address that the three members of an item stand for.
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

    @Test("what some of its keys have signed is read, signature by signature")
    func partlySigned() throws {
        let signing = try #require(try Vectors.load("multisig.json")["signing"])
        let steps = try #require(signing["steps"]?.list)
        let adapter = try TestProvider().adapter
        let counts = [1, 2, 1]
        #expect(steps.count == counts.count)
        for (step, count) in zip(steps, counts) {
            let text = try #require(step["stxn_b64"]?.text)
            let bytes = try Base64.decode(text)
            let signed = try SignedTransaction(canonical: bytes.span)
            guard case .multisig(let multisig) = signed.proof else {
                Issue.record("no multisignature")
                continue
            }
            #expect(multisig.signedCount == count && multisig.isComplete == (count == 2))
            #expect(signed.transaction == (try Vectors.bytes(signing["txn_b64"])))
            let frame = Array(text.utf8)
            let statement = try adapter.readSigned(frame.span)
            #expect(statement.signatures.count == count)
            #expect(
                statement.summary.lines[0].text.hasSuffix("\(count) of 3 members signed, 2 needed"))
            for claim in statement.signatures {
                let preimage = claim.readings[0].preimage
                let isValid = Signatures.isValidEd25519(
                    signature: claim.signature.span, message: preimage.span,
                    publicKey: claim.publicKey.span)
                #expect(isValid)
            }
        }
    }

    @Test("each key gives its part of it, byte for byte", arguments: ["A", "C only"])
    func steps(_ after: String) throws {
        let signing = try #require(try Vectors.load("multisig.json")["signing"])
        let name = String(after.prefix(1))
        let seed = try Vectors.bytes(signing["seeds_b64"]?[name])
        let step = try #require(signing["steps"]?.list?.first { $0["after"]?.text == after })
        let item: JSON = [
            "txn": try #require(signing["txn_b64"]), "msig": try #require(signing["msig"]),
        ]
        let reply = try TestProvider(seeds: [seed]).answer(Wire.signing([item]))
        #expect(try Wire.json(reply)?["result"]?["stxns"]?.list == [try #require(step["stxn_b64"])])
    }

    @Test("keys that are held sign together, in the order of the members")
    func together() throws {
        let signing = try #require(try Vectors.load("multisig.json")["signing"])
        let seeds = try ["C", "A"].map { try Vectors.bytes(signing["seeds_b64"]?[$0]) }
        let step = try #require(signing["steps"]?.list?.first { $0["after"] == "C" })
        let item: JSON = [
            "txn": try #require(signing["txn_b64"]), "msig": try #require(signing["msig"]),
        ]
        let provider = try TestProvider(seeds: seeds)
        let request = try provider.decode(Wire.signing([item]))
        #expect(request.operations.map(\.account.name) == ["key 1", "a"])
        // The account is not kept here, and nobody else has to sign.
        #expect(request.operations.allSatisfy { $0.dangers == [.foreignSender] })
        let reply = try provider.answer(Wire.signing([item]))
        #expect(try Wire.json(reply)?["result"]?["stxns"]?.list == [try #require(step["stxn_b64"])])
    }
}
