// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@testable import SigningService

@Suite("The owner's names for clients")
struct ClientNamesTests {
    private static func connection(_ name: String, _ client: String?) -> BunkerConnection {
        BunkerConnection(
            signer: "s-\(name)", name: name, account: KeyID("k"), relays: [], perms: "",
            created: Timestamp(seconds: 0), state: client == nil ? .offered : .connected,
            secretDigest: nil, client: client)
    }

    private let names = ClientNames([
        connection("phone", "aa"), connection("laptop", "bb"), connection("work", "aa"),
        connection("unused", nil),
    ])

    @Test("a client that a key proves has the names of its connections, and no other has one")
    func name() {
        #expect(names.name(of: "bb", by: .key) == "laptop")
        #expect(names.name(of: "aa", by: .key) == "phone, work")
        #expect(names.name(of: "cc", by: .key) == nil)
        for proof in [Client.Proof.claimed, .callback, .token, .page, .browser(profile: "aa")] {
            // A client can claim another client's key.
            #expect(names.name(of: "aa", by: proof) == nil)
        }
    }

    @Test("a name finds its keys")
    func keys() {
        #expect(names.keys(named: "phone") == ["aa"] && names.keys(named: "laptop") == ["bb"])
        #expect(names.keys(named: "unused").isEmpty && names.keys(named: "").isEmpty)
    }
}
