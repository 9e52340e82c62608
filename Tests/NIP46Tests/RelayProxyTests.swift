// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import NIP46

@Suite("Relays of Tor and their proxy")
struct RelayProxyTests {
    private static let onion = String(repeating: "a2", count: 27) + "bd.onion"

    @Test("an onion relay needs the form of version 3, and no encryption of its own")
    func onions() throws {
        let relay = try RelayAddress("WS://\(Self.onion.uppercased())")
        #expect(relay.text == "ws://\(Self.onion)" && relay.isOnion && !relay.isEncrypted)
        #expect(try RelayAddress("wss://sub.\(Self.onion):444/x").isOnion)
        #expect(try !RelayAddress("wss://onion.example").isOnion)
        for wrong in [
            "x.onion", "onion", String(Self.onion.dropFirst()), "a" + Self.onion,
            Self.onion.replacing("a2", with: "a1"), Self.onion.replacing("bd.", with: "be."),
        ] {
            #expect(throws: NIP46Refusal.self, "\(wrong)") { try RelayAddress("ws://\(wrong)") }
            #expect(throws: NIP46Refusal.self, "\(wrong)") { try RelayAddress("wss://\(wrong)") }
        }
    }

    @Test("a proxy serves onion relays, and others only if the owner says so")
    func serves() throws {
        let onion = try RelayAddress("ws://\(Self.onion)")
        let far = try RelayAddress("wss://relay.example")
        let own = try RelayAddress("ws://127.0.0.1:7777")
        let some = try RelayProxy("socks5h://127.0.0.1:9050", isForAll: false)
        #expect(some.serves(onion) && !some.serves(far) && !some.serves(own))
        let all = try RelayProxy("SOCKS5H://[::1]:9050/", isForAll: true)
        #expect(all.serves(onion) && all.serves(far) && !all.serves(own))
        #expect(all.text == "socks5h://[::1]:9050" && all.host == "::1")
        #expect(try RelayProxy("socks5h://localhost:1", isForAll: false).host == "127.0.0.1")
    }

    @Test(
        "other proxies are refused",
        arguments: [
            ("socks5://127.0.0.1:9050", "use socks5h://"),
            ("socks5h://tor.example:9050", "is an IP address or localhost"),
            ("socks5h://127.0.0.1", "a URL such as"), ("http://127.0.0.1:9050", "a URL such as"),
            ("socks5h://u:p@127.0.0.1:9050", "a URL such as"), ("", "a URL such as"),
            ("socks5h://127.0.0.1:9050/x", "a URL such as"),
            ("socks5h://127.0.0.1:0", "a URL such as"),
            ("socks5h://127.0.0.1:65536", "a URL such as"),
        ])
    func others(_ text: String, _ reason: String) {
        do throws(NIP46Refusal) {
            _ = try RelayProxy(text, isForAll: false)
            Issue.record("\(text) is accepted")
        } catch {
            #expect("\(error)".contains(reason))
        }
    }
}
