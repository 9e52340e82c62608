// SPDX-License-Identifier: Apache-2.0

import ARC27Client
import Algorand
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import ARC27Rig
@testable import AlgorandSamples

@Suite("A signed transaction of a provider, verified")
struct ClientExampleTests {
    private let transaction: [UInt8]
    private let random = [UInt8](repeating: 1, count: 16)

    init() throws {
        let row = try #require(TransactionRow.offered.first { $0.name == "algokit/simplePayment" })
        transaction = try row.bytes()
    }

    private func exchange(_ frame: [UInt8]) throws -> [UInt8] {
        let text = String(decoding: frame, as: UTF8.self)
        guard case .message(let bytes) = try TestProvider().answer(text) else { throw Silent() }
        return bytes
    }

    private struct Silent: Error {}

    private func verify(_ signature: ARC27Client.SignatureToVerify) {
        let isValid = Signatures.isValidEd25519(
            signature: signature.signature.span, message: signature.preimage.span,
            publicKey: signature.publicKey.span)
        #expect(isValid)
    }

    private func show(_ text: String) { Issue.record("\(text)") }

    @Test("It runs")
    func example() throws {
        let client = try ARC27Client(providerID: "85533948-4d0b-4727-904e-dd35305d49aa")
        let request = try client.request(
            .signTransactions([ARC27Client.TransactionToSign(transaction)]), freshID: random)
        let frame = try exchange(request.frame(.cbor))
        switch try request.read(frame.span) {
        case .signed(let signed):
            guard case .transaction(_, let signature?) = signed.items[0] else { break }
            verify(signature)
        case .refused(let refusal): show("\(refusal.code): \(refusal.message)")
        default: break
        }
    }
}
