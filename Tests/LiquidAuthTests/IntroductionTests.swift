// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import SigningCodecs
import Testing

@testable import LiquidAuth

@Suite("A liquid: address causes no connection before a person agrees")
struct IntroductionTests {
    private static let user = LiquidLogin.User(
        address: "AOQQPP7TZYIL4HLQ3UPMQ2RWL6VYF5GJI57QDQ5DBGYSYZFGK7LY2ZQ3WI", key: "treasury",
        credentials: ["known"])

    /// Logs in at a local server; `replies` are the signer's replies in order.
    private func enter(
        at server: LoopbackServer, _ reply: @escaping LiquidLogin.Signing
    ) async throws {
        let uri = try LiquidURI("liquid://http://127.0.0.1:\(server.port)/?requestId=1")
        let login = LiquidLogin(
            at: try LiquidServer(at: uri, allowsInsecure: true), for: uri.requestID,
            signing: reply)
        try await login.enter(Self.user)
    }

    private static func server() throws -> LoopbackServer {
        try LoopbackServer { _ in
            .answer(
                status: 404, headers: ["Content-Type: application/json"],
                body: Array(#"{"reason":"not_found"}"#.utf8))
        }
    }

    @Test("denied: the server is not even reached")
    func denied() async throws {
        let server = try Self.server()
        for reply in [#"{"error":{"code":"denied","message":"no"}}"#, nil, #"{"address":"X"}"#] {
            await #expect(throws: LiquidError.self) {
                try await enter(at: server) { _ in reply.map { Array($0.utf8) } }
            }
        }
        #expect(server.requests.isEmpty && server.connectionCount == 0)
    }

    @Test("after a yes the known passkeys are tried, and then the address is revealed")
    func agreed() async throws {
        let server = try Self.server()
        let agreed = #"{"address":"\#(Self.user.address)"}"#
        await #expect(throws: LiquidError.self) {
            try await enter(at: server) { frame in
                String(decoding: frame, as: UTF8.self).contains(#""liquid":"introduce""#)
                    ? Array(agreed.utf8) : nil
            }
        }
        #expect(
            server.requests.map(\.line).map { $0.prefix(31) } == [
                "POST /assertion/request/known H", "POST /attestation/request HTTP/",
            ])
    }
}
