// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningPolicyTools
import Testing

@Suite("Who asks in a test")
struct TestCallerTests {
    private static let key = String(repeating: "1b", count: 32)

    @Test("a key is proved by 64 hex digits in lower case, and by nothing else")
    func keys() throws {
        let caller = try #require(
            TestCaller(client: Self.key, proof: "key", profile: nil, topOrigin: nil))
        #expect(caller.provedKey?.publicKey == Self.key)
        #expect(caller.claim == nil && caller.credential == nil && !caller.opensCallbacks)
        for client in [nil, "", "x", Self.key.uppercased(), String(Self.key.dropLast(2)), "npub1x"]
        {
            #expect(TestCaller(client: client, proof: "key", profile: nil, topOrigin: nil) == nil)
        }
        #expect(TestCaller(client: Self.key, proof: "key", profile: "p", topOrigin: nil) == nil)
        let top = "https://app.example"
        #expect(TestCaller(client: Self.key, proof: "key", profile: nil, topOrigin: top) == nil)
    }

    @Test("who only claims a key proves nothing", arguments: [nil, "claimed"])
    func claimed(proof: String?) {
        let caller = TestCaller(client: Self.key, proof: proof, profile: nil, topOrigin: nil)
        #expect(caller?.provedKey == nil && caller?.claim == Self.key)
    }
}
