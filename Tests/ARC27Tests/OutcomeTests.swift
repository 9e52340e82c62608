// SPDX-License-Identifier: Apache-2.0

import ARC27Rig
import AlgorandSamples
import SigningCodecs
import SigningCore
import SigningTesting
import Testing

@testable import ARC27
@testable import Algorand

@Suite("Outcomes") struct OutcomeTests {
    static let codes: [(ReasonCode, Int64)] = [
        (.policyDenied, 4001), (.personDenied, 4001), (.approvalUnavailable, 4001),
        (.limitExceeded, 4001), (.tooManyQuestions, 4001), (.unknownFact, 4001), (.replayed, 4001),
        (.pendingConflict, 4001),
        (.frozen, 4001), (.withdrawn, 4001),
        (.policyChanged, 4001), (.approvalTimedOut, 4002), (.policyUnavailable, 4000),
        (.ledgerUnavailable, 4000), (.keyUnavailable, 4000), (.undecryptable, 4000),
        (.keyFailed, 4000), (.undeliverable, 4000), (.domainRefused, 4200), (.lookupFailed, 4000),
        (.invalidPeer, 4200),
    ]

    @Test("the table has every reason")
    func isComplete() {
        #expect(Set(Self.codes.map(\.0)) == Set(ReasonCode.allCases))
    }

    @Test("every reason has its code", arguments: codes, FrameForm.allCases)
    func code(_ row: (ReasonCode, Int64), _ form: FrameForm) throws {
        let conversation = try #require(Conversation.all.first { $0.name == "sign-one" })
        let provider = try TestProvider()
        let request = try provider.decode(conversation.frame(form))
        let reason = Reason(row.0, "some reason", rule: "rule-1")
        for outcome in [Outcome.denied(reason), .failed(reason)] {
            let reply = provider.adapter.finalReply(outcome, to: request)
            let answer = try #require(try Wire.json(reply))
            #expect(answer["requestId"] == "e5162ef6-4258-460c-b464-4540956e0e16")
            #expect(answer["reference"] == "arc0027:sign_transactions:response")
            #expect(answer["result"] == nil)
            #expect(answer["error"]?["code"] == .integer(row.1))
            #expect(answer["error"]?["providerId"]?.text == TestProvider.providerID)
            let hasMethod = [4001, 4002].contains(row.1)
            #expect(
                answer["error"]?["data"] == (hasMethod ? ["method": "sign_transactions"] : nil))
            let message = try #require(answer["error"]?["message"]?.text)
            #expect(message.hasPrefix("approval_unavailable: ") == (row.0 == .approvalUnavailable))
            // Rules and texts of the vault stay in the local log.
            #expect(!message.contains("some reason") && !message.contains("rule-1"))
        }
    }

    @Test("results that are not those asked for become error 4000")
    func wrongResults() throws {
        let conversation = try #require(Conversation.all.first { $0.name == "sign-one" })
        let provider = try TestProvider()
        let request = try provider.decode(conversation.frame(.json))
        let good = try provider.perform(request)
        let wrong: [[KeyResult]] = [
            [], good + good, [.publicKey([])], [.signature([1], message: [])],
        ]
        for results in wrong {
            let reply = provider.adapter.finalReply(.done(results), to: request)
            #expect(try Wire.error(reply)["code"] == 4000)
        }
        let reply = provider.adapter.finalReply(.done(good), to: request)
        #expect(try Wire.json(reply)?["result"] != nil)
    }

    @Test("enable asks for the public key of each account, discover and disable for nothing")
    func operations() throws {
        let provider = try TestProvider(seeds: [SampleKeys.a, SampleKeys.b])
        let params: JSON = ["providerId": .string(TestProvider.providerID)]
        let enable = try provider.decode(Wire.request("enable", params))
        #expect(enable.operations.map(\.operation) == [.publicKey, .publicKey])
        #expect(enable.operations.allSatisfy { $0.effects == [.revealsKey] })
        #expect(enable.operations.map(\.account) == provider.accounts)
        #expect(enable.facts == [Fact("network", .text("testnet"))])
        #expect(try provider.decode(Wire.request("disable", params)).operations.isEmpty)
        #expect(try provider.decode(Wire.request("discover")).operations.isEmpty)
        let answer = try Wire.json(provider.answer(Wire.request("enable", params)))
        #expect(answer?["result"]?["accounts"]?.list?.map { $0["name"]?.text } == ["a", "key 1"])
        #expect(answer?["result"]?["sessionId"] == nil)
    }
}
