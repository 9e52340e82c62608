// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import Synchronization
import Testing

@testable import NEAR

@Suite("Messages to sign")
struct MessageTests {
    @Test("message.bytes counts UTF-8")
    func messageBytes() throws {
        let request = try MessageCall(message: "\u{e9}\u{1F30D}").request()
        #expect(request.fact("message.bytes") == .integer(6))
    }

    @Test("the network is the request's, else the key's, else unknown")
    func network() throws {
        #expect(try MessageCall().request().fact("network") == nil)
        let own = try MessageCall().request(holding: [JudgedTransaction.account("mainnet")])
        #expect(own.fact("network") == .text("mainnet"))
        let both = try MessageCall(network: "mainnet").request(
            holding: [JudgedTransaction.account("mainnet")])
        #expect(both.fact("network") == .text("mainnet"))
        let strange = try MessageCall().request(holding: [JudgedTransaction.account("localnet")])
        #expect(strange.fact("network") == .text("localnet"))
        #expect(strange.dangers == [.unknownNetwork])
    }

    @Test("a repeated nonce is a fact when the ledger knows, and absent when it does not")
    func nonceReused() throws {
        let asked = Mutex<[ReplayToken]>([])
        for seen: Bool? in [true, false, nil] {
            let request = try MessageCall().request { token in
                asked.withLock { $0.append(token) }
                return seen
            }
            #expect(request.fact("nonce.reused") == seen.map { .bool($0) })
            let warnings = request.summary.warnings
            #expect(warnings.contains { $0.contains("nonce") } == (seen == true))
            let expected = Array("nep413:alice.near".utf8) + [0] + Array(0...31)
            #expect(request.replayToken == ReplayToken(expected, isSingleUse: false))
        }
        let token = try #require(try MessageCall().request().replayToken)
        #expect(asked.withLock { $0 } == [token, token, token])
    }

    @Test("hidden characters are flagged in every member")
    func controlCharacters() throws {
        for part in [\MessageCall.message, \.recipient] {
            for text in ["a\u{202E}b", "a\u{0}b"] {
                var call = MessageCall()
                call[keyPath: part] = text
                #expect(try call.request().dangers == [.controlCharacters])
                let callback = MessageCall(callbackURL: text)
                #expect(try callback.request().dangers == [.controlCharacters])
            }
        }
        #expect(try MessageCall(message: "two\nlines\tand \u{1F30D}").request().dangers.isEmpty)
        let shown = try MessageCall(message: "a\u{202E}b").request().summary.text
        #expect(shown.contains("\\u{202E}") && !shown.unicodeScalars.contains("\u{202E}"))
    }

    @Test("a message beyond 8 KiB is flagged")
    func oversize() throws {
        let usual = String(repeating: "x", count: 8_192)
        #expect(try MessageCall(message: usual).request().dangers.isEmpty)
        #expect(try MessageCall(message: usual + "x").request().dangers == [.oversize])
    }

    @Test("the summary shows every part, and the client's words as the client's")
    func summary() throws {
        let request = try MessageCall(callbackURL: "https://a.example/cb")
            .request(holding: [JudgedTransaction.account()])
        let lines = request.summary.lines
        let client = lines.filter { $0.author == .client }.map { "\($0.label)=\($0.text)" }
        #expect(
            client == [
                "recipient=myapp.com", "message=hi", "callback=https://a.example/cb",
            ])
        let text = request.summary.text
        let nonce = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        for part in ["alice.near", "mainnet", "https://a.example", nonce] {
            #expect(text.contains(part), "\(part)")
        }
    }
}
