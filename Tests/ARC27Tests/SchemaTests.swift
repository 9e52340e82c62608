// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Facts of requests, and the networks of each") struct SchemaTests {
    @Test("every fact, danger and method is in the schema")
    func schema() throws {
        let schema = try TestProvider().adapter.schema
        for row in TransactionRow.offered.filter(\.isResignable)
        where !TransactionRow.tooLongValid.contains(row.name) {
            let seed = try row.seed()
            let bytes = try row.bytes()
            let members: JSON = [
                "txn": .string(Base64.encode(bytes.span)),
                "authAddr": .string(try SampleKeys.address(seed: seed)),
            ]
            let request = try TestProvider(
                seeds: [seed], networks: [.testnet, .mainnet, .other]
            ).decode(Wire.signing([members]))
            #expect(schema.methods.contains(request.method))
            for operation in request.operations {
                for fact in operation.facts { #expect(schema.field(named: fact.name) != nil) }
                for danger in operation.dangers {
                    #expect((schema.dangers + Danger.common).contains(danger))
                }
                #expect(Set(operation.facts.map(\.name)).count == operation.facts.count)
            }
        }
    }

    @Test("a transaction that names two networks is refused, with its place")
    func networks() throws {
        func decode(_ draft: Draft, _ networks: [AlgorandNetwork] = [.testnet]) throws {
            let key = try SampleKeys.publicKey(seed: SampleKeys.a)
            let bytes = draft.with("snd", .binary(key)).bytes
            _ = try TestProvider(networks: networks).decode(Wire.signing([bytes]))
        }
        let error = try #require(throws: AdapterError.self) {
            try decode(Draft().with("gen", .text("mainnet-v1.0")), [.testnet, .mainnet])
        }
        #expect(error.code == "4200")
        #expect(error.reason == "txns[0]: gen and gh name different networks")
        try decode(Draft().with("gen", .text("testnet-v1.0")))
    }
}

extension AlgorandNetwork {
    /// A network that has mainnet's name and another hash.
    fileprivate static let other = Self(genesisID: "mainnet-v1.0", genesisHash: Draft.key(9))
}
