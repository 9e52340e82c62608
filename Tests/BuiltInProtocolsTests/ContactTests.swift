// SPDX-License-Identifier: Apache-2.0

import Algorand
import NEAR
import SigningCodecs
import SigningCore
import SigningService
import Testing

@testable import BuiltInProtocols

/// Addresses for tests of contacts.
enum SampleAddress {
    static let key = [UInt8](repeating: 7, count: 32)
    static let hex = Hex.encode(key.span)
    static let npub = Bech32.encode(hrp: "npub", key.span)
    static let algorand = AlgorandAddress.text(publicKey: key.span)

    /// Another address of Algorand.
    static func other(_ byte: UInt8) -> String {
        AlgorandAddress.text(publicKey: [UInt8](repeating: byte, count: 32).span)
    }
}

@Suite("Contacts: names, addresses and files")
struct ContactTests {
    private func contact(
        _ name: String, _ address: String = "acme.near", _ network: String? = nil,
        note: String = ""
    ) throws(ServiceError) -> Contact {
        try Contact(
            name: name, address: try ContactAddress(address), network: network, note: note)
    }

    private func problem(_ body: () throws(ServiceError) -> Void) -> String {
        do throws(ServiceError) {
            try body()
            return ""
        } catch {
            return error.message
        }
    }

    @Test(
        "names have letters of one script, digits, single spaces and few signs",
        arguments: [
            "Acme", "Acme & Sons", "M\u{FC}ller", "Dr. O'Neil-2",
            "\u{41E}\u{43B}\u{44C}\u{433}\u{430}",
            "\u{5C71}\u{7530} Bank", "\u{905}\u{92E}\u{93F}\u{924}",
            "\u{3BD}\u{3AF}\u{3BA}\u{3B7}\u{3C2}",
            "Gro\u{DF}", String(repeating: "a", count: 32), "alice",
        ])
    func names(name: String) throws {
        #expect(try contact(name).name == name)
    }

    @Test(
        "no name has hidden, bidirectional or right-to-left characters, or reads as an address",
        arguments: [
            "", " Acme", "Acme ", "Ac  me", "\u{202E}emcA", "Ac\u{200B}me", "Ac\u{2067}me",
            "Ac\nme",
            "Ac\tme", "Ac\u{7}me", "Acme (acme.near)", "\"Acme\"", "Acme, Inc", "@own", "-Acme",
            "\u{5D0}\u{5D1}", "\u{645}\u{62D}", "\u{FF21}cme", "\u{1D400}cme", "\u{13AA}\u{13DF}",
            "Acm\u{435}", "\u{391}cme", "A\u{301}\u{302}cme", "\u{301}Acme", "\u{FB01}n",
            "Acme \u{1F600}",
            "acme.near", "pay acme.near", "npub1abc", "0xabc", "12345678901234567", "K\u{212A}",
            SampleAddress.npub, SampleAddress.algorand, SampleAddress.hex,
            String(repeating: "a", count: 33), "\u{1C3}Acme", "Acme\u{FE0F}", "Acme\u{34F}",
        ])
    func noNames(name: String) {
        #expect(throws: ServiceError.self) { try contact(name) }
    }

    @Test(
        "two names that read alike are one",
        arguments: [
            ("Acme", "ACME"), ("Acme", "Ac me"), ("Acme", "ac-me."), ("Acme", "\u{C1}cme"),
            ("Acme", "A\u{301}cme"), ("Bill 1", "BiII l"), ("Bob", "B0b"), ("modern", "modem"),
            ("Gro\u{DF}", "GROSS"), ("apex", "\u{430}\u{440}\u{435}\u{445}"),
            ("NIKE", "\u{39D}\u{399}\u{39A}\u{395}"), ("HOT", "\u{41D}\u{41E}\u{422}"),
            ("B\u{131}ll", "Bill"), ("\u{141}odz", "Lodz"), ("Acme", "\u{100}cm\u{113}"),
        ])
    func likeness(one: String, other: String) throws {
        var contacts = try Contacts([:])
        try contacts.add(try contact(one), beside: [])
        #expect(
            problem { () throws(ServiceError) in
                try contacts.add(try contact(other, "b.near"), beside: [])
            } == "\"\(other)\" reads like the contact \"\(one)\"")
    }

    @Test("names that differ in a letter are two")
    func difference() throws {
        var contacts = try Contacts([:])
        for (place, name) in ["Acme", "Acne", "Acme 3", "\u{410}\u{43D}\u{43D}\u{430}"].enumerated()
        {
            try contacts.add(try contact(name, "a\(place).near"), beside: [])
        }
        #expect(contacts.list.count == 4)
    }

    @Test("a contact is not called like a key of the home, and has no address of one")
    func ownKeys() throws {
        let key = Account(
            id: KeyID("k"), name: "alice", protocolID: .near, algorithm: .ed25519,
            publicKey: SampleAddress.key, address: "alice.near", network: nil)
        var contacts = try Contacts([:])
        #expect(
            problem { () throws(ServiceError) in
                try contacts.add(try contact("A1ice"), beside: [key])
            } == "\"A1ice\" reads like your key \"alice\"")
        #expect(
            problem { () throws(ServiceError) in
                try contacts.add(try contact("Bob", "alice.near"), beside: [key])
            } == "the address is that of your key \"alice\"")
        #expect(contacts.list.isEmpty)
    }

    @Test("an address has one contact on each network")
    func networks() throws {
        var contacts = try Contacts([:])
        let address = SampleAddress.algorand
        try contacts.add(try contact("Acme", address, "mainnet"), beside: [])
        try contacts.add(try contact("Trial", address, "testnet"), beside: [])
        for network in [nil, "mainnet", "testnet"] {
            #expect(
                problem { () throws(ServiceError) in
                    try contacts.add(try contact("Third", address, network), beside: [])
                }.hasSuffix("has this address already"))
        }
        let stored = Dictionary(
            uniqueKeysWithValues: contacts.list.map { ($0.setting, $0.settingText) })
        #expect(try Contacts(stored).list == contacts.list)
    }

    @Test("addresses are checked by the codec of their chain")
    func addresses() throws {
        #expect(try ContactAddress(SampleAddress.npub).text == SampleAddress.hex)
        #expect(
            try ContactAddress("nostr:\(SampleAddress.hex.uppercased())").text == SampleAddress.hex)
        #expect(try ContactAddress("near:\(SampleAddress.hex)").protocolID == .near)
        #expect(try ContactAddress(SampleAddress.algorand).protocolID == .algorand)
        #expect(try contact("Acme", "acme.testnet").network == "testnet")
        #expect(try contact("Acme", "acme.near").network == "mainnet")
        #expect(try contact("Acme", SampleAddress.algorand).network == nil)
        let last = SampleAddress.algorand.last == "A" ? "B" : "A"
        let wrong = [
            SampleAddress.hex, "", "Acme.near", "a", "bitcoin:1x", "near:a_.near",
            "nostr:acme.near",
            "\(SampleAddress.npub.dropLast())q", String(SampleAddress.npub.dropLast()),
            "\(SampleAddress.algorand.dropLast())\(last)", SampleAddress.algorand.lowercased(),
            "note1\(SampleAddress.npub.dropFirst(5))", "https://acme.near/", "acme.near ",
            "algorand:acme.near",
        ]
        for text in wrong {
            #expect(throws: ServiceError.self, "\(text)") { try ContactAddress(text) }
        }
        for (address, network) in [
            ("acme.near", "testnet"), ("acme.testnet", "mainnet"), (SampleAddress.npub, "mainnet"),
            (SampleAddress.algorand, "betanet"),
        ] {
            #expect(throws: ServiceError.self) { try contact("Acme", address, network) }
        }
    }

    @Test("errors never repeat a text that could be a secret")
    func secrets() {
        for secret in ["nsec1\(SampleAddress.npub.dropFirst(5))", "ed25519:\(SampleAddress.hex)"] {
            let said = problem { () throws(ServiceError) in _ = try ContactAddress(secret) }
            #expect(!said.isEmpty && !said.contains(secret.suffix(20)))
        }
    }

    @Test("notes are one line that can be seen")
    func notes() throws {
        #expect(try contact("Acme", note: "\u{5D0}\u{5D1}, caf\u{E9}").note.isEmpty == false)
        for note in ["a\nb", "a\tb", "\u{202E}a", "a\u{0}", String(repeating: "a", count: 201)] {
            #expect(throws: ServiceError.self) { try contact("Acme", note: note) }
        }
    }

    @Test("a file is read whole: name, address, network and note between tabs")
    func file() throws {
        let text =
            "# people\r\nAcme\tacme.near\n\nBob\t\(SampleAddress.npub)\t\tthe baker\n"
            + "Carol\t\(SampleAddress.algorand)\ttestnet\t"
        let read = try ContactsFile.read(Array(text.utf8), among: Contacts([:]), beside: [])
        #expect(read.map(\.name) == ["Acme", "Bob", "Carol"])
        #expect(read.map(\.network) == ["mainnet", nil, "testnet"])
        #expect(read.map(\.note) == ["", "the baker", ""])
    }

    @Test(
        "a file with a wrong line is refused whole, with the line and the reason",
        arguments: [
            ("Bob", "line 2: the line has 1 column"),
            ("Bob\tb.near\t\t\t", "line 2: the line has 5 columns"),
            ("Bob b.near", "line 2: the line has 1 column"),
            ("Bob\tb.near ", "line 2: the address has a space"),
            ("acme\tb.near", "line 2: \"acme\" reads like the contact \"Acme\""),
            ("Bob\tacme.near", "line 2: the contact \"Acme\" has this address already"),
            ("Bob\tB.near", "line 2: an account of NEAR has no capital letters"),
            ("Bob\tB/near", "line 2: the address is not one of Nostr, NEAR or Algorand"),
            ("B\u{202E}b\tb.near", "line 2: a name cannot have the character"),
            ("Known 2\tb.near", "line 2: \"Known 2\" reads like the contact \"KnownZ\""),
            ("Bob\tknown.near", "line 2: the contact \"KnownZ\" has this address already"),
            ("Bob\tb.near\tmoonnet", "line 2: near has no network \"moonnet\""),
            ("Bob\tb.near\t\ta\u{7}", "line 2: the note has hidden characters"),
        ])
    func wrongLine(line: String, reason: String) throws {
        var known = try Contacts([:])
        try known.add(try contact("KnownZ", "known.near"), beside: [])
        let text = Array("Acme\tacme.near\n\(line)\nLast\tlast.near\n".utf8)
        let said = problem { () throws(ServiceError) in
            _ = try ContactsFile.read(text, among: known, beside: [])
        }
        #expect(said.hasPrefix(reason) && said.hasSuffix("; no contact was added"), "\(said)")
    }

    @Test("a mark of the byte order is skipped, and a hint says that tabs separate")
    func hints() throws {
        let none = try Contacts([:])
        let marked = [0xEF, 0xBB, 0xBF] + Array("Acme\tacme.near\n".utf8)
        let read = try ContactsFile.read(marked, among: none, beside: [])
        #expect(read.map(\.name) == ["Acme"])
        let hint: String?
        do throws(ServiceError) {
            _ = try ContactsFile.read(Array("Acme acme.near".utf8), among: none, beside: [])
            hint = nil
        } catch {
            hint = error.hint
        }
        #expect(hint == "write a tab between name and address, not spaces")
        #expect(try ContactAddress(SampleAddress.npub.uppercased()).text == SampleAddress.hex)
    }

    @Test("files have a limit, are text, and have at least one contact; so have homes")
    func limits() throws {
        let none = try Contacts([:])
        let line = "# \(String(repeating: "x", count: 1_021))\n"
        let long = Array(String(repeating: line, count: 257).utf8)
        for bytes in [long, [0xFF, 0x0A], Array("# only a comment\n".utf8), []] {
            #expect(throws: ServiceError.self) {
                try ContactsFile.read(bytes, among: none, beside: [])
            }
        }
        func rows(_ count: Int) -> [UInt8] {
            Array((0..<count).map { "Person \(Self.word($0))\tp\($0)x.near\n" }.joined().utf8)
        }
        #expect(
            try ContactsFile.read(rows(Contacts.countMax), among: none, beside: []).count
                == Contacts.countMax)
        #expect(
            problem { () throws(ServiceError) in
                _ = try ContactsFile.read(rows(Contacts.countMax + 1), among: none, beside: [])
            } == "line 501: there are 500 contacts already; no contact was added")
    }

    /// A word that reads like no other one.
    private static func word(_ number: Int) -> String {
        let letters = Array("aehkopstx")
        return String([number / 81 % 9, number / 9 % 9, number % 9].map { letters[$0] })
    }
}
