// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

@Suite("The transactions of transactions.json on the wire")
struct SignedTransactionTests {
    private static let transactions = Vectors.file("transactions.json")["vectors"]?.list ?? []

    @Test("a transaction in Base64 is signed as everybody else signs it", arguments: transactions)
    func signing(_ vector: JSON) throws {
        guard let secret = vector["secretKey"]?.text, secret.hasPrefix("ed25519:") else { return }
        let address = try #require(vector["transaction"]?["signerId"]?.text)
        let signer = try Signer(secret, address: address, network: "mainnet")
        let borsh = try Hex.decode(try #require(vector["transactionBorshHex"]?.text))
        let frame: JSON = [
            "method": "signTransaction",
            "params": ["transaction": .string(Base64.encode(borsh.span))],
        ]
        guard vector["mustRefuse"] == nil, vector["version"]?.integerValue == 0 else {
            let error = try refusal(frame.write(), holding: [signer.account])
            #expect(["invalid_account_id", "unsupported_version"].contains(error.code))
            return
        }
        let request = try decode(frame.write(), holding: [signer.account])
        #expect(request.operations[0].dangers.contains(.offlineNonce))
        let answer = try signer.answer(frame.write())
        #expect(answer["result"]?["signedTransaction"] == vector["signedTransactionBase64"])
        #expect(answer["result"]?["transactionHash"] == vector["transactionHash"])
        let statement = try adapter.readSigned(answer.write().span)
        #expect(verify(statement) == "as given")
    }

    @Test("signed ones verify, of either curve and version", arguments: transactions)
    func verifying(_ vector: JSON) throws {
        guard let signed = vector["signedTransactionBase64"]?.text else { return }
        let text = Array(signed.utf8)
        guard vector["mustRefuse"] == nil else {
            #expect(throws: StatementError.self) { try adapter.readSigned(text.span) }
            return
        }
        #expect(verify(try adapter.readSigned(text.span)) == "as given")
        var changed = try Base64.decode(signed)
        changed[changed.count / 2] ^= 1
        let other = Array(Base64.encode(changed.span).utf8)
        guard let statement = try? adapter.readSigned(other.span) else { return }
        #expect(verify(statement) == nil)
    }
}
