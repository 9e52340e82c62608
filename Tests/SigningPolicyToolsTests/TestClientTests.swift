// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningPolicyTools
import Testing

@Suite("The client of a test")
struct TestClientTests {
    private static let key = String(repeating: "1b", count: 32)

    @Test("a key is proved by 64 hex digits in lower case, and by nothing else")
    func keys() throws {
        let client = try #require(
            TestClient(client: Self.key, proof: "key", profile: nil, topOrigin: nil))
        #expect(client.provedKey?.publicKey == Self.key)
        #expect(
            client.claim == nil && client.credential == nil
                && !client.opensCallbacks)
        for client in [nil, "", "x", Self.key.uppercased(), String(Self.key.dropLast(2)), "npub1x"]
        {
            #expect(TestClient(client: client, proof: "key", profile: nil, topOrigin: nil) == nil)
        }
        #expect(TestClient(client: Self.key, proof: "key", profile: "p", topOrigin: nil) == nil)
        let top = "https://app.example"
        #expect(TestClient(client: Self.key, proof: "key", profile: nil, topOrigin: top) == nil)
    }

    @Test("a client that only claims a key proves nothing", arguments: [nil, "claimed"])
    func claimed(proof: String?) {
        let client = TestClient(client: Self.key, proof: proof, profile: nil, topOrigin: nil)
        #expect(client?.provedKey == nil && client?.claim == Self.key)
    }
}
