// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import Nostr
import SigningCodecs
import SigningCore
import SigningService
import Testing

@testable import BuiltInProtocols

@Suite("Lookalikes of contacts")
struct LookalikeTests {
    private func lookalikes(_ addresses: [String]) throws -> Lookalikes {
        Lookalikes(
            try addresses.enumerated().map { place, address in
                try Contact(name: "Acme \(place)", address: try ContactAddress(address))
            })
    }

    @Test(
        "homoglyphs, one letter off and false sub-accounts of a NEAR name",
        arguments: [
            "acrne.near", "acme.near.evil.near", "acme.evil.near", "acme-near.near", "acmee.near",
            "acm.near", "amce.near", "acne.near", "pay-acme.near", "acme_pay.near", "4cme.near",
            "acme.neat", "acme.nearr",
        ])
    func near(address: String) throws {
        #expect(try lookalikes(["acme.near"]).contact(like: address, of: .near)?.name == "Acme 0")
    }

    @Test(
        "the contact itself, its own sub-accounts and other names do not look like it",
        arguments: [
            "acme.near", "pay.acme.near", "a.b.acme.near", "acme.testnet", "other.near", "ac.near",
            "near", "wrap.near", "acmeworld.near", "https://acme.near", "Acme.near", "",
        ])
    func different(address: String) throws {
        #expect(try lookalikes(["acme.near"]).contact(like: address, of: .near) == nil)
    }

    @Test(
        "letters that look alike in a part of a name, and another top-level name",
        arguments: [
            ("acme.near", "pay.acrne.near"), ("pay.acme.near", "pay.acrne.near"),
            ("acme.near", "pay-acrne.near"), ("acme.near", "my.acme.evil.near"),
            ("acme.near", "acme.tg"), ("acme.near", "pay.acme.tg"), ("acme.near", "acrne.tg"),
            ("acme.near", "acme.near.tg"), ("acme.near", "evil.acme-near.tg"),
            ("acme.tg", "acme.near"), ("b0b.near", "bob.evil.near"),
        ])
    func parts(known: String, address: String) throws {
        #expect(try lookalikes([known]).contact(like: address, of: .near) != nil)
    }

    @Test("another top-level name is no likeness of a word, or of a part behind a dash")
    func tops() throws {
        let known = try lookalikes(["acme.near"])
        #expect(known.contact(like: "acme.com", of: .near, isWord: true) == nil)
        #expect(known.contact(like: "acrne.near", of: .near, isWord: true) != nil)
        #expect(known.contact(like: "the-acme.tg", of: .near) == nil)
    }

    @Test("digits for letters, on both sides")
    func digits() throws {
        let known = try lookalikes(["bill0.near", "usdt.tether-token.near"])
        for address in ["b1ll0.near", "billo.near", "bi1lo.near", "usdt.tether_token.near"] {
            #expect(known.contact(like: address, of: .near) != nil, "\(address)")
        }
    }

    @Test("short names are compared as wholes only")
    func short() throws {
        let known = try lookalikes(["ab.near"])
        #expect(known.contact(like: "ac.near", of: .near) == nil)
        #expect(known.contact(like: "ab.evil.near", of: .near) != nil)
    }

    @Test("two contacts that look alike are both contacts")
    func both() throws {
        let known = try lookalikes(["pay3.near", "pay4.near"])
        #expect(known.contact(like: "pay3.near", of: .near) == nil)
        #expect(known.contact(like: "pay4.near", of: .near) == nil)
        #expect(known.contact(like: "pay7.near", of: .near) != nil)
    }

    @Test("keys with four equal characters at both ends, in each form that people see")
    func keys() throws {
        let hex = SampleAddress.hex
        let poisoned = "\(hex.prefix(4))\(String(repeating: "e", count: 56))\(hex.suffix(4))"
        let far = "\(hex.prefix(4))\(String(repeating: "e", count: 60))"
        for chain in ["nostr", "near"] {
            let known = try lookalikes(["\(chain):\(hex)"])
            let id = ProtocolID(chain)
            #expect(known.contact(like: poisoned, of: id) != nil)
            #expect(known.contact(like: far, of: id) == nil)
            #expect(known.contact(like: hex, of: id) == nil)
            #expect(known.contact(like: poisoned, of: .algorand) == nil)
        }
        let address = SampleAddress.algorand
        let middle = SampleAddress.other(9).dropFirst(4).dropLast(4)
        let other = "\(address.prefix(4))\(middle)\(address.suffix(4))"
        let known = try lookalikes([address])
        #expect(known.contact(like: other, of: .algorand) != nil)
        #expect(known.contact(like: SampleAddress.other(9), of: .algorand) == nil)
        let wallet = "0x" + String(repeating: "ab", count: 20)
        let false0x = "0xabab" + String(repeating: "1", count: 32) + "abab"
        #expect(try lookalikes([wallet]).contact(like: false0x, of: .near) != nil)
    }

    @Test("the ends of an npub, though its hex has other ends")
    func npub() throws {
        // A key that was searched for: its npub has equal characters at both ends.
        let known = try lookalikes([SampleAddress.npub])
        let hex = "0707070707070707070707070707070707070707d74606000707070707070709"
        let npub = PublicKeyText.npub(try Hex.decode(hex))
        #expect(npub.suffix(4) == SampleAddress.npub.suffix(4) && npub != SampleAddress.npub)
        #expect(hex.suffix(4) != SampleAddress.hex.suffix(4))
        #expect(known.contact(like: hex, of: .nostr) != nil)
    }

    @Test("warns when a new contact's address looks like that of another")
    func adding() throws {
        var contacts = try Contacts([:])
        let known = try Contact(name: "Acme", address: try ContactAddress("acme.near"))
        let new = try Contact(name: "Bakery", address: try ContactAddress("acrne.near"))
        try contacts.add(known, beside: [])
        try contacts.add(new, beside: [])
        #expect(contacts.likenesses(of: [new]).map(\.known) == [known])
        #expect(contacts.likenesses(of: [known, new]).map(\.new) == [new])
    }
}
