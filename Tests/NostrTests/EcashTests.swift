// SPDX-License-Identifier: Apache-2.0

import NostrSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Nostr

@Suite("Ecash in Nostr events")
struct EcashTests {
    private static let lock =
        "02eaee8939e3565e48cc62967e2fde9d8e2a4b3ec0081f29eceff5c64ef10ac1ed"

    private func headline(_ kind: Int, _ tags: [[String]]) throws -> Summary.Headline {
        let list = JSON.array(tags.map { .array($0.map { .string($0) }) })
        let template: JSON = [
            "kind": .integer(Int64(kind)), "content": .string(""), "created_at": .integer(5),
            "tags": list,
        ]
        let text = String(decoding: template.write(), as: UTF8.self)
        let use = try NostrCall().use(.signEvent, text)
        #expect(use.operation.dangers.contains(.money))
        return try #require(use.shown.headlines.first)
    }

    private func proof(_ amount: Int64?, _ secret: String) -> [String] {
        let proof: JSON = [
            "amount": amount.map { .integer($0) } ?? .null, "C": .string("02"),
            "id": .string("000a93d6f8a1d2c4"), "secret": .string(secret),
        ]
        return ["proof", String(decoding: proof.write(), as: UTF8.self)]
    }

    private func secret(_ data: String, kind: String = "P2PK", tags: String = "") -> String {
        #"["\#(kind)",{"nonce":"b00bdd07","data":"\#(data)"\#(tags)}]"#
    }

    private let receiver = ["p", NostrKeys.bobHex]

    @Test("A nutzap shows its amount, its receiver and who can spend it")
    func nutzap() throws {
        let locked = secret(Self.lock)
        let shown = try headline(
            9_321, [proof(1, locked), proof(20, locked), ["u", "https://mint.example"], receiver])
        let bob = PublicKeyText.npub(try Hex.decode(NostrKeys.bobHex))
        #expect(shown.text == "gives \(bob) 21 sat of ecash, locked to the key \(Self.lock)")
        #expect(shown.gravity == .value)
        let timed = try headline(
            9_321,
            [
                proof(2, secret(Self.lock, tags: #","tags":[["locktime","1"]]"#)),
                ["unit", "usd"], receiver,
            ])
        #expect(timed.text.contains("2 usd of ecash"))
        #expect(timed.text.hasSuffix("\(Self.lock) under more conditions"))
    }

    @Test(
        "Ecash that is open, differently locked or unreadable is called so",
        arguments: [
            ("9a6dbb847bd232ba", "not locked: every reader of the event can take it"),
            (#"["HTLC",{"nonce":"a","data":"b"}]"#, "locked by HTLC"),
            (#"["P2PK",{"nonce":"a","data":"02"}]"#, "with a lock that cannot be read"),
            (#"["P2PK"]"#, "with a lock that cannot be read"),
            ("[", "with a lock that cannot be read"),
            (
                "[\"HTLC, locked to you\",{\"data\":\"02\"}]", "with a lock that cannot be read"
            ),
        ])
    func locks(_ secret: String, _ words: String) throws {
        let shown = try headline(9_321, [proof(1, secret), receiver])
        #expect(shown.text.hasSuffix("1 sat of ecash, \(words)"))
        #expect((shown.gravity == .loss) == words.hasPrefix("not locked"))
    }

    @Test("An amount that is missing, negative, repeated in units or too large is unclear")
    func amounts() throws {
        let locked = secret(Self.lock)
        for tags in [
            [], [["proof"]], [["proof", "{"]], [proof(nil, locked)], [proof(-1, locked)],
            [proof(0, locked)], [proof(.max, locked), proof(1, locked)],
        ] {
            #expect(try headline(9_321, tags).text.contains("an unclear amount of ecash"))
        }
        let mixed = try headline(9_321, [proof(1, locked), ["unit", "sat"], ["unit", "usd"]])
        #expect(mixed.text.contains("1 (unclear unit) of ecash"))
        let many = (0..<9).map { proof(1, secret(Self.lock, kind: "K\($0)")) }
        #expect(try headline(9_321, many).text.hasSuffix("locked by K3, and by 5 more locks"))
    }

    @Test("The key for nutzaps is shown as the one that takes the money")
    func setting() throws {
        let shown = try headline(
            10_019, [["relay", "wss://a"], ["mint", "https://m"], ["pubkey", Self.lock]])
        #expect(
            shown.text == "has nutzaps for you locked to the key \(Self.lock), 1 mint: "
                + "the holder of that key takes the money")
        let twice = try headline(10_019, [["pubkey", Self.lock], ["pubkey", "02"]])
        #expect(twice.text.contains("locked to no readable key, 0 mints"))
    }
}
