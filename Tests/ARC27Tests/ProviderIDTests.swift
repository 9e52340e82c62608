// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import Algorand

@Suite("By which ids an app names this provider") struct ProviderIDTests {
    private static let own = "85533948-4d0b-4727-904e-dd35305d49aa"
    private static let product = ARC27Configuration.productProviderID

    private func answer(_ method: String, _ params: JSON?, productID: String?) throws -> JSON? {
        let adapter = ARC27Adapter(
            ARC27Configuration(providerID: Self.own, productID: productID, networks: [.testnet]))
        let frame = Array(Wire.request(method, params).utf8)
        let context = DecodingContext(
            accounts: try SampleKeys.accounts([SampleKeys.a]), peer: Peer(channel: "test"),
            now: Timestamp(seconds: 0), freshID: TestProvider.freshID, wasSeen: { _ in nil })
        let request: ARC27Request
        do throws(AdapterError) {
            request = try adapter.decode(try adapter.read(frame.span), with: nil, in: context)
        } catch {
            return try Wire.json(error.reply)
        }
        let keys = request.operations.map { KeyResult.publicKey($0.account.publicKey) }
        return try Wire.json(adapter.encode(.done(keys), to: request))
    }

    @Test("the answer has the id that the app names, and never the home's own unasked")
    func echoed() throws {
        for method in ["discover", "enable"] {
            for id in [Self.own, Self.product] {
                let response = try answer(
                    method, ["providerId": .string(id)], productID: Self.product)
                #expect(response?["result"]?["providerId"]?.text == id)
            }
        }
        let unnamed = try answer("discover", nil, productID: Self.product)
        #expect(unnamed?["result"]?["providerId"]?.text == Self.product)
        // A refusal has the product's id too, so it does not identify the installation.
        for params in [nil, ["genesisHash": 7], ["providerId": 7]] as [JSON?] {
            let refused = try answer("enable", params, productID: Self.product)
            #expect(refused?["error"]?["providerId"]?.text == Self.product)
        }
        let text = try #require(unnamed).write()
        #expect(!String(decoding: text, as: UTF8.self).contains(Self.own))
    }

    @Test("another provider's discovery meets silence, and its other calls an error")
    func others() throws {
        let other: JSON = ["providerId": "11111111-2222-4333-8444-555555555555"]
        #expect(try answer("discover", other, productID: Self.product) == nil)
        #expect(try answer("enable", other, productID: Self.product)?["error"]?["code"] == 4200)
        // An installation without a product id does not answer to the product's id.
        let product: JSON = ["providerId": .string(Self.product)]
        #expect(try answer("discover", product, productID: nil) == nil)
        #expect(
            try answer("discover", nil, productID: nil)?["result"]?["providerId"]?.text == Self.own)
    }
}
