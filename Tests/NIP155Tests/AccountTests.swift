// SPDX-License-Identifier: Apache-2.0

import NIP155Rig
import Nostr
import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NIP155

@Suite("The account that a request is for")
struct AccountTests {
    @Test("An account without a key that signs events cannot be chosen")
    func otherAlgorithms() throws {
        let key = [UInt8](repeating: 3, count: 32)
        let shared = Account(
            id: KeyID("shared"), name: "shared", protocolID: ProtocolID("nostr"),
            algorithm: .multisig, publicKey: key, address: Hex.encode(key.span), network: nil,
            multisig: MultisigMembers(version: 1, threshold: 1, keys: [key]))
        var rig = Rig()
        rig.others = [shared]
        let plain = requestURL("get_public_key", [:])
        #expect(try rig.decode(plain).use.account.name == "account0")
        #expect(throws: AdapterError.self) {
            try rig.decode(requestURL("get_public_key", ["current_user": shared.address]))
        }
        rig.notes.append(
            Note(.client("myapp", .callback), "account", 0x0303_0303_0303_0303))
        #expect(try rig.decode(plain).use.account.name == "account0")
        rig.secrets = []
        #expect(throws: AdapterError.self) { try rig.decode(plain) }
    }

    @Test("A client that learned an account is answered with it from then on")
    func boundAccount() throws {
        var rig = Rig(secrets: [NostrKeys.aliceSecret, NostrKeys.bobSecret])
        let ask = requestURL("get_public_key", ["current_user": NostrKeys.bobHex])
        let note = try #require(try rig.decode(ask).terms.notes.first)
        #expect(note.subject == .client("myapp", .callback))
        let plain = requestURL("get_public_key", [:])
        #expect(try rig.decode(plain).use.account.name == "account0")
        rig.notes.append(note)
        #expect(try rig.decode(plain).use.account.name == "account1")
        let other = requestURL("get_public_key", ["current_user": NostrKeys.aliceHex])
        rig.notes += try rig.decode(other).terms.notes
        #expect(try rig.decode(plain).use.account.name == "account0")
        rig.notes.append(Note(note.subject, note.name, 5))
        #expect(try rig.decode(plain).use.account.name == "account0")
        // An account that the request names takes precedence.
        #expect(try rig.decode(ask).use.account.name == "account1")
        let elsewhere = requestURL(
            "get_public_key", [:], success: "other://x", error: nil)
        #expect(try rig.decode(elsewhere).use.account.name == "account0")
    }

    @Test("A homepage elsewhere makes a request good for one time")
    func oneTime() throws {
        let url = requestURL(
            "get_public_key", ["client_url": "https://b.example"], success: "https://a.example/",
            error: nil)
        #expect(try Rig().decode(url).terms.isOneTime)
        let same = requestURL(
            "get_public_key", ["client_url": "https://a.example"], success: "https://a.example/",
            error: nil)
        #expect(try !Rig().decode(same).terms.isOneTime)
    }
}
