// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import Testing

@Suite("ICE servers")
struct ICEServerTests {
    @Test(
        "are written so",
        arguments: [
            "stun:stun.example.org", "stun:stun.example.org:3478", "stun:192.0.2.1:1",
            "stun:[2001:db8::1]:3478", "STUN:localhost",
        ])
    func stun(uri: String) throws {
        let server = try #require(ICEServer(uri))
        #expect(server.uri == "stun:" + uri.dropFirst(5))
        #expect(server.user == nil)
        #expect(ICEServer(uri, user: "a", password: "b") == nil)
    }

    @Test(
        "are not written so",
        arguments: [
            "", "stun", "stun:", "stun:-x", "stun:x-", ",", "stun:,", "stun:a..b", "stun:a:",
            "stun:a:0", "stun:a:65536", "stun:a:+1", "stun:a:123456", "stun://a",
            "stun:a?transport=tcp",
            "stun:u@a", "stun:[::1", "stun:[nonsense]", "stun:[::1]x", "stun:a b", "http://a",
            "turn:a",
            "turn:u@", "turn:u@a?transport=sctp", "stun:\u{e4}",
        ])
    func nonsense(uri: String) {
        #expect(ICEServer(uri) == nil)
        #expect(ICEServer(uri, user: nil, password: "secret") == nil)
    }

    @Test("are not spoken to without the encryption that they are named for")
    func encrypted() {
        #expect(ICEServer("turns:me@turn.example.org:443?transport=tcp", password: "x") == nil)
    }

    @Test("with a user have a password, which is not shown")
    func turn() throws {
        let server = try #require(
            ICEServer("turn:me@turn.example.org:443?transport=tcp", password: "secret"))
        #expect(server.uri == "turn:turn.example.org:443?transport=tcp")
        #expect(server.user == "me")
        #expect("\(server)" == "turn:turn.example.org:443?transport=tcp as me")
        #expect(ICEServer("turn:me@turn.example.org") == nil)
        #expect(ICEServer("turn:turn.example.org", user: "me", password: "secret") != nil)
        #expect(ICEServer("turn:me@turn.example.org", user: "you", password: "secret") == nil)
    }
}
