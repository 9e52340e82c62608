// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Testing

@testable import NEAR
@testable import NEP413

/// near-connect calls `getAccounts` in each `wallet()` call and logs its user out on an error.
@Suite("A connected client gets its accounts without a question")
struct ConnectionTests {
    private static let signIn = Array(#"{"method":"signIn","params":{"network":"mainnet"}}"#.utf8)
    private static let accounts = Array(#"{"method":"getAccounts","params":{}}"#.utf8)
    private static let signOut = Array(#"{"method":"signOut","params":{}}"#.utf8)

    private func connected() async throws -> AskedHub {
        let hub = try AskedHub()
        #expect(await hub.ending(Self.signIn, remembering: .anyAmount) == "done")
        return hub
    }

    @Test("after the connection there is no question, before it no account is revealed")
    func silent() async throws {
        let hub = try AskedHub()
        #expect(await hub.ending(Self.accounts) == "not_signed_in")
        #expect(await hub.ending(Self.signIn) == "approval_unavailable")
        #expect(await hub.ending(Self.accounts) == "not_signed_in")
        #expect(await hub.ending(Self.signIn, remembering: .anyAmount) == "done")
        for _ in 0..<3 { #expect(await hub.ending(Self.accounts) == "done") }
        #expect(hub.usesCount == 1)
    }

    @Test("it is this client's connection, and ends with it")
    func others() async throws {
        let hub = try await connected()
        #expect(await hub.ending(Self.accounts, client: "other") == "not_signed_in")
        #expect(await hub.ending(Self.signOut, remembering: .anyAmount) == "done")
        #expect(await hub.ending(Self.accounts) == "not_signed_in")
    }

    @Test("rules still ask and deny, and nothing else is answered so")
    func rules() async throws {
        let hub = try await connected()
        let asked = await hub.ending(Self.accounts, policy: .ask)
        #expect(asked == "approval_unavailable")
        #expect(await hub.ending(Self.accounts, policy: .deny) == "policy_denied")
        #expect(
            await hub.ending(hub.transaction([.transfer(deposit: 1)])) == "approval_unavailable")
    }
}
