// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningStorage
import SigningTesting
import TestHome
import Testing

@testable import LiquidCeremony

@Suite("A server learns the account only after a person agreed to the login")
struct IntroductionTests {
    private let ceremony: Ceremony

    init() throws { ceremony = try Ceremony() }

    private func introduce(
        _ policy: FixedPolicy.Answer, approval: any Approval = NoApproval()
    ) async throws -> JSON {
        try await ceremony.answer(
            try ceremony.frame([:], .introduce), policy, approval: approval)
    }

    @Test("a rule that allows it gives the address, and nothing is signed")
    func allowed() async throws {
        let reply = try await introduce(.allow([]))
        #expect(reply["address"]?.text == ceremony.account.address)
        #expect(reply.object?.names == ["address"])
    }

    @Test("denied, frozen, or without a person to ask: no address")
    func refused() async throws {
        #expect(try await introduce(.deny)["error"]?["code"]?.text == "denied")
        #expect(try await introduce(.denyByDefault)["error"]?["code"]?.text == "denied")
        #expect(try await introduce(.askByDefault)["error"]?["code"]?.text == "unanswered")
        try ceremony.home.ledger.freeze("lost", at: SystemEnvironment().now())
        #expect(try await introduce(.allow([]))["error"] != nil)
    }

    @Test("a server that has a passkey of the account is answered again without a question")
    func repeated() async throws {
        _ = try await ceremony.register()
        let reply = try await introduce(.askByDefault)
        #expect(reply["address"]?.text == ceremony.account.address)
        #expect(try await introduce(.denyByDefault)["error"]?["code"]?.text == "denied")
        let other = try ceremony.frame([:], .introduce, origin: "https://other.example")
        let refused = try await ceremony.answer(other, .askByDefault)
        #expect(refused["error"]?["code"]?.text == "unanswered")
    }

    @Test("it names no credential, and its options are empty of meaning")
    func strict() async throws {
        let frame = try ceremony.frame([:], .introduce, credential: "AA")
        #expect(try await ceremony.answer(frame)["error"]?["code"]?.text == "malformed")
    }
}
