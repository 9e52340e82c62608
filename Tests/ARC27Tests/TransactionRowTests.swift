// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Transactions of the vectors on the wire") struct TransactionRowTests {
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
                    "authAddr": .string(try SampleKeys.address(seed: seed)),
                ]
            ]))
        let answer = try Wire.json(reply)
        let expected = try row.signed()
        let list: JSON = [.string(Base64.encode(expected.span))]
        #expect(answer?["result"]?["stxns"] == list)
    }

    @Test("there is something to sign again")
    func resignableRows() {
        #expect(TransactionRow.offered.filter(\.isResignable).count == 47)
    }

    @Test(
        "a signed transaction is read and its signature holds",
        arguments: TransactionRow.offered.filter {
            $0.hasValidSignature && !TransactionRow.tooLongValid.contains($0.name)
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
        let isValid = Signatures.isValidEd25519(
            signature: claim.signature.span, message: preimage.span,
            publicKey: claim.publicKey.span)
        #expect(isValid)
    }
}
