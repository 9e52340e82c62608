// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27

@Suite("Members that are null, as clients in JavaScript write them") struct NullMemberTests {
    @Test("null is a missing member")
    func nulls() throws {
        let provider = try TestProvider()
        let enable = Wire.request(
            "enable", ["providerId": .string(TestProvider.providerID), "genesisHash": nil])
        #expect(try Wire.json(provider.answer(enable))?["result"]?["accounts"] != nil)
        let p = try Parties()
        let item = p.item(
            from: p.keyA,
            [
                "authAddr": nil, "msig": nil, "signers": nil, "stxn": nil, "message": nil,
                "groupMessage": nil,
            ])
        let answer = try Wire.json(provider.answer(Wire.signing([item])))
        #expect(answer?["result"]?["stxns"]?.list?.count == 1)
        #expect(
            try Wire.error(provider.answer(Wire.signing([["txn": nil]])))["message"]?.text?
                .contains("txn is missing") == true)
        let message = Wire.request(
            "sign_message",
            [
                "providerId": .string(TestProvider.providerID), "message": "hi", "signer": nil,
                "data": nil,
            ])
        #expect(try Wire.json(provider.answer(message))?["result"]?["signature"] != nil)
    }
}
