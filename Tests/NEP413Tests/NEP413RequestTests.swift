// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import NEAR
@testable import NEP413

@Suite("NEP-413 requests")
struct NEP413RequestTests {
    private func request(
        _ changes: [String: JSON?] = [:], network: String? = nil
    ) throws -> NEP413Request {
        try decode(frame(changes), holding: [try Signer(network: network).account])
    }

    @Test("a log-in raises its facts and nothing more")
    func facts() throws {
        let request = try request(
            ["callbackUrl": "HTTPS://App.example:443/x?y#z", "network": "testnet", "state": nil])
        #expect(
            Set(request.facts) == [
                Fact("recipient", .text("myapp.com")), Fact("message.bytes", .integer(2)),
                Fact("message.sha256", .bytes(Digest.sha256("hi".utf8.span))),
                Fact("callback", .text("HTTPS://App.example:443/x?y#z")),
                Fact("network", .text("testnet")), Fact("nonce.reused", .bool(false)),
                Fact("callback.origin", .text("https://app.example")),
                Fact("intents", .bool(false)),
            ])
        #expect(request.effects == [.provesIdentity])
        #expect(request.dangers.isEmpty)
        #expect(request.decoding == .full)
        #expect(request.client == nil)
        #expect(request.method == "sign_message")
        #expect(request.protocolID == ProtocolID("near"))
    }

    @Test("every fact is declared with its type")
    func schema() throws {
        let requests = [
            try request(["callbackUrl": "https://a.example", "network": "mainnet"]),
            try decode(
                Vectors.message("intents-json-message").frame, holding: [Signer().account]),
        ]
        for request in requests {
            for fact in request.facts {
                let field = try #require(adapter.schema.field(named: fact.name), "\(fact.name)")
                if case .list = fact.value { #expect(field.isList) } else { #expect(!field.isList) }
            }
            for danger in request.dangers {
                #expect((adapter.schema.dangers + Danger.common).contains(danger))
            }
        }
        #expect(adapter.schema.methods == NEARRequest.Method.all)
    }

    @Test("of a state only the size is shown")
    func state() throws {
        let text = try request(["callbackUrl": "https://a.example/cb", "state": "secret-state"])
            .summary.text
        #expect(text.contains("12 bytes") && !text.contains("secret-state"))
    }

    @Test("decoding the same frame twice gives the same request")
    func isDeterministic() throws {
        for vector in Vectors.messages {
            let account = try Signer(address: vector.accountID).account
            let first = try decode(vector.frame, holding: [account])
            let second = try decode(vector.frame, holding: [account])
            #expect(first.operations == second.operations)
            #expect(first.facts == second.facts)
            #expect(first.summary == second.summary)
        }
    }
}
