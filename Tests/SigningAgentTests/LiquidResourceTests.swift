// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto
import Testing

@testable import SigningAgent

@Suite("Connections to pages, over the agent's socket", .timeLimit(.minutes(10)))
struct LiquidResourceTests {
    private static let one = "/v1/liquid/00000000000000000000000000000000"

    @Test("a client without a session learns nothing of them")
    func closed() async throws {
        let rig = try await Rig(asking: QuestionQueue(schemas: []))
        for (method, path) in [
            ("GET", "/v1/liquid"), ("POST", "/v1/liquid"), ("GET", Self.one), ("DELETE", Self.one),
        ] {
            let answer = try await rig.ask(method, path)
            #expect(answer.status == 401 && answer.code == "owner_session_needed")
        }
        try await rig.stop()
    }

    @Test("an agent that keeps no connections says so")
    func none() async throws {
        let rig = try await Rig(asking: QuestionQueue(schemas: []))
        let passphrase = try SealedPassphrase(
            sealing: SecretBytes(copying: "correct horse".utf8.span), to: rig.owner.publicKey)
        let opened = try await rig.ask(
            "POST", "/v1/owner/sessions", #"{"passphrase":"\#(passphrase.text)"}"#)
        let token = try #require(try JSON.parse(opened.body.utf8.span)["token"]?.text)
        let list = try await rig.ask("GET", "/v1/liquid", token: token)
        #expect(list.status == 200 && list.body == #"{"connections":[]}"#)
        let order = try await rig.ask("POST", "/v1/liquid", "{}", token: token)
        #expect(order.status == 409 && order.code == "not_possible")
        #expect(try await rig.ask("GET", Self.one, token: token).status == 404)
        #expect(try await rig.ask("DELETE", Self.one, token: token).status == 404)
        #expect(try await rig.ask("PUT", "/v1/liquid", token: token).status == 405)
        try await rig.stop()
    }
}
