// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningService
import Testing

@testable import BuiltInProtocols

@Suite("Names in texts")
struct NamedTextTests {
    private func naming(_ text: String, on network: String? = "mainnet") throws -> String {
        let contacts = try [
            Contact(name: "Acme", address: try ContactAddress("acme.near")),
            Contact(name: "Root", address: try ContactAddress("near:near")),
            Contact(name: "Mine", address: try ContactAddress("me.near")),
        ]
        var named = NamedText(
            Dictionary(uniqueKeysWithValues: contacts.map { ($0.address.text, [$0]) }), on: network,
            besides: [], ["me.near"])
        return named.naming(text)
    }

    @Test(
        "only an address that stands alone, outside quotation marks, gets a name",
        arguments: [
            ("acme.near", "Acme (acme.near)"), ("near", "Root (near)"),
            ("sends 5 NEAR to acme.near", "sends 5 NEAR to Acme (acme.near)"),
            ("Delete acme.near for good.", "Delete Acme (acme.near) for good."),
            ("to acme.near, acme.near", "to Acme (acme.near), Acme (acme.near)"),
            ("it goes to acme.near.", "it goes to Acme (acme.near)."),
            ("calls \"acme.near\" there", "calls \"acme.near\" there"),
            (#"calls "a\" acme.near" of acme.near"#, #"calls "a\" acme.near" of Acme (acme.near)"#),
            (#"calls "a\\" of acme.near"#, #"calls "a\\" of Acme (acme.near)"#),
            ("at https://acme.near/", "at https://acme.near/"),
            ("pay.acme.near", "pay.acme.near"), ("acme.near.evil.near", "acme.near.evil.near"),
            ("xacme.near", "xacme.near"), ("acme.near\u{301}", "acme.near\u{301}"),
            ("near the end", "near the end"), ("me.near", "me.near"), ("ACME.NEAR", "ACME.NEAR"),
        ])
    func names(text: String, expected: String) throws {
        #expect(try naming(text) == expected)
    }

    @Test("a network that is not known, or another one, shows no name")
    func networks() throws {
        #expect(try naming("acme.near", on: nil) == "acme.near")
        #expect(try naming("acme.near", on: "testnet") == "acme.near")
    }
}
