// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Refusals of signing requests, on the wire") struct DecisionTests {
    private func answer(_ items: JSON...) throws -> JSON {
        let provider = try TestProvider(seeds: [SampleKeys.a, SampleKeys.b])
        return try #require(try Wire.json(provider.answer(Wire.signing(items))))
    }

    @Test("an item that breaks the table of ARC-1 is refused with its place")
    func place() throws {
        let p = try Parties()
        let wrong = p.item(from: p.keyA, ["signers": [p.a, p.b]])
        let error = try #require(try answer(p.item(from: p.keyA), wrong)["error"])
        #expect(error["code"] == 4200)
        #expect(error["message"] == "txns[1]: several signers need msig")
    }

    @Test("an account that the client cannot see is known to the provider anyway")
    func kept() throws {
        let p = try Parties()
        let key = try Multisig(p.multisig(2, p.a, p.c)).publicKey()
        var provider = try TestProvider(
            seeds: p.seeds, clients: ["dapp": ARC27ClientSettings(accounts: ["a", "key 1"])])
        provider.client = "dapp"
        let frame = Wire.signing([p.item(from: key, ["authAddr": p.a])])
        #expect(try provider.decode(frame).operations.map(\.dangers) == [[.foreignSender]])
        provider.accounts.append(
            Account(
                id: KeyID("watched"), name: "treasury", protocolID: .algorand,
                algorithm: .multisig, publicKey: key,
                address: AlgorandAddress.text(publicKey: key.span), network: nil,
                multisig: MultisigMembers(version: 1, threshold: 2, keys: [p.keyA, p.keyC])))
        #expect(try provider.decode(frame).operations.map(\.dangers) == [[.partialMultisig]])
    }

    @Test("one item that cannot be signed ends the request")
    func allOrNothing() throws {
        let p = try Parties()
        let error = try #require(
            try answer(p.item(from: p.keyA), p.item(from: p.keyC))["error"])
        #expect(error["code"] == 4100)
        #expect(error["data"]?["signer"] == p.c)
    }

    @Test(
        "a key of another network is not used", arguments: ["testnet", "testnet-v1.0", "mainnet"])
    func network(_ network: String) throws {
        let p = try Parties()
        let provider = try TestProvider(accountNetwork: network)
        let answer = try Wire.json(provider.answer(Wire.signing([p.item(from: p.keyA)])))
        if network == "mainnet" {
            #expect(answer?["error"]?["code"] == 4004)
            #expect(
                answer?["error"]?["data"]?["genesisHash"]
                    == "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=")
        } else {
            #expect(answer?["result"] != nil)
        }
        let enabled = try Wire.json(
            provider.answer(
                Wire.request("enable", ["providerId": .string(TestProvider.providerID)])))
        #expect(
            enabled?["result"]?["accounts"]?.list?.count == (network == "mainnet" ? 0 : 1))
    }
}
