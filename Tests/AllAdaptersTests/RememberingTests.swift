// SPDX-License-Identifier: Apache-2.0

import AllAdapters
import SigningCodecs
import SigningCrypto
import SigningStorage
import SigningTesting
import TestHome
import Testing

@testable import SigningCore

@Suite("Limits and remembered answers on a real disk")
struct RememberingTests {
    let home: TestHome
    let environment = FixedEnvironment(seconds: 1_795_219_200)

    init() throws { home = try TestHome.ofSamples() }

    private func ending(
        _ name: String, _ hub: SigningHub, client: String = "tester"
    ) async throws -> String {
        let adapter = try #require(Samples.adapters.adapter(named: name))
        let frame = Frame(Self.fresh(Samples.frame(name)), from: client)
        return await hub.answer(frame, with: adapter).word
    }

    /// The frame with another nonce, as a repeated nonce is a fact of its scope.
    private static func fresh(_ frame: [UInt8]) -> [UInt8] {
        let text = String(decoding: frame, as: UTF8.self)
        let nonce = Base64.encode(Randomness.bytes(32).span)
        return Array(text.replacing(/"nonce":"[^"]*"/, with: "\"nonce\":\"\(nonce)\"").utf8)
    }

    @Test("a clock set back refills no window of any kind")
    func clock() async throws {
        let windows = ["per = \"1h\"", "per = \"day\", tz = \"Europe/Berlin\""]
        for (number, window) in windows.enumerated() {
            let hub = try home.hub(
                "[[rule]]\nid = \"r\(number)\"\neffect = \"allow\"\nprotocol = \"near\"\n"
                    + "acknowledge = [\"new_client\"]\nlimit = [{ count = 1, \(window) }]\n",
                environment: environment)
            #expect(try await ending("nep413", hub) == "done")
            #expect(try await ending("nep413", hub) == "limit_exceeded")
            environment.advance(seconds: -200_000)
            #expect(try await ending("nep413", hub) == "limit_exceeded")
            environment.advance(seconds: 200_000 + 86_400)
            #expect(try await ending("nep413", hub) == "done")
        }
    }

    @Test(
        "a yes is sealed by the vault, kept by the ledger and checked by both",
        arguments: Samples.names)
    func remembered(name: String) async throws {
        let asked = try home.hub(
            "", fallback: "ask", approval: FixedApproval(.remember(.yes, Remembering(.hour))),
            environment: environment)
        let unasked = try home.hub("", fallback: "ask", environment: environment)
        #expect(try await ending(name, unasked) == "approval_unavailable")
        #expect(try await ending(name, asked) == "done")
        #expect(try await ending(name, unasked) == "done")
        let grant = try #require(try home.ledger.allGrants().first?.sealed.grant)
        #expect(grant.scope.facts.isEmpty == false)
        // NIP-155 requests name their client themselves.
        if name != "nip155" {
            #expect(try await ending(name, unasked, client: "other") == "approval_unavailable")
        }
        environment.advance(seconds: 3_600)
        #expect(try await ending(name, unasked) == "approval_unavailable")
        let approved = try home.hub(
            "", fallback: "ask", approval: FixedApproval(.approve), environment: environment)
        #expect(try await ending(name, approved) == "done")
        environment.advance(seconds: -3_600)
        // A grant that expired when a key was used stays expired after the clock is set back.
        #expect(try await ending(name, unasked) == "approval_unavailable")
    }

    @Test("a revoked yes does not count, and a forged one opens no key")
    func revokedAndForged() async throws {
        let asked = try home.hub(
            "", fallback: "ask", approval: FixedApproval(.remember(.yes, Remembering(.always))),
            environment: environment)
        let unasked = try home.hub("", fallback: "ask", environment: environment)
        #expect(try await ending("nep413", asked) == "done")
        let sealed = try #require(try home.ledger.allGrants().first?.sealed)
        try home.ledger.revoke([sealed.grant.id], at: environment.now())
        #expect(try await ending("nep413", unasked) == "approval_unavailable")
        // A program with access to the file writes a grant with another id.
        let forged = Grant(
            id: [UInt8](repeating: 9, count: 8), answer: .yes, scope: sealed.grant.scope,
            dangers: [], created: environment.now(), expires: nil, login: nil, usesMax: nil)
        try await home.ledger.record(
            Refusal(
                id: [UInt8](repeating: 8, count: 16), time: environment.now(),
                adapter: AdapterID("x"), protocolID: ProtocolID("near"),
                method: "x", client: nil, channel: "x", requestDigest: [], policyHash: [],
                kind: "denied", keys: [], effects: [], dangers: [], facts: [], decoding: .full,
                frameBytes: 0, remembers: [forged], reason: Reason(.policyDenied, "x")))
        #expect(try await ending("nep413", unasked) == "policy_denied")
    }
}
