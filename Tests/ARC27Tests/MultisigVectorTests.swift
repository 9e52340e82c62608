// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

@Suite("The signatures of multisig.json") struct MultisigVectorTests {
    @Test("a partly signed multisignature is read signature by signature")
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
        // This home does not keep the account, and no other member has to sign.
        #expect(request.operations.allSatisfy { $0.dangers == [.foreignSender] })
        let reply = try provider.answer(Wire.signing([item]))
        #expect(try Wire.json(reply)?["result"]?["stxns"]?.list == [try #require(step["stxn_b64"])])
    }
}
