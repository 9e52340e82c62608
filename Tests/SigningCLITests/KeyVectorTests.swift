// SPDX-License-Identifier: Apache-2.0

import NEAR
import Nostr
import SigningCodecs
import SigningCrypto
import SigningService
import Testing
import VectorFiles

@testable import SigningCLI

/// The keys that `key new` and `key import` derive from the published vectors.
@Suite("Keys of the vectors")
struct KeyVectorTests {
    private static func load(_ path: String) -> JSON {
        VectorFile.read("Vectors/\(path)")
    }

    private static let implicit = load("near/keys.json")["implicit"]?.list ?? []
    private static let texts = load("nostr/nip19.vectors.json")

    /// The public key of an imported text.
    private func nostrKey(_ text: String) throws -> [UInt8] {
        let secret = try SecretText.nostr(SecretBytes(copying: text.utf8.span))
        return try NostrChain().publicKey(of: secret)
    }

    @Test("a NEAR key without an account gets its implicit one", arguments: implicit)
    func implicitAccount(_ row: JSON) throws {
        let text = try #require(row["publicKey"]?.text)
        #expect(text.hasPrefix("ed25519:"))
        let key = try Base58.decode(String(text.dropFirst("ed25519:".count)))
        let address = try NEARChain().address(publicKey: key, given: nil)
        #expect(address == row["implicitAccountId"]?.text)
        #expect(try NEARChain().address(publicKey: key, given: "alice.near") == "alice.near")
    }

    @Test("all vectors are there")
    func counts() {
        #expect(Self.implicit.count == 3)
        #expect(Self.texts["valid"]?.list?.count { $0["type"] == "nsec" } == 2)
        #expect(Self.texts["invalid"]?.list?.count == 12)
    }

    @Test("nsec is read, and every other form is refused")
    func forms() throws {
        for row in try #require(Self.texts["valid"]?.list) {
            let text = try #require(row["bech32"]?.text)
            guard row["type"] == "nsec" else {
                #expect(throws: SecretText.ParseError.self, "\(text)") { try nostrKey(text) }
                continue
            }
            let hex = try #require(row["hex"]?.text)
            #expect(try nostrKey(text) == nostrKey(hex))
            #expect(try nostrKey(text.uppercased()) == nostrKey(hex))
        }
    }

    @Test("nothing invalid is imported")
    func invalid() throws {
        // Both texts hold 32 bytes that are not a valid secret of the curve.
        let notOnCurve = ["nsec zero", "nsec = curve order n"]
        for row in try #require(Self.texts["invalid"]?.list) {
            let name = try #require(row["name"]?.text)
            let text = try #require(row["bech32"]?.text)
            if notOnCurve.contains(name) {
                #expect(throws: ServiceError.self, "\(name)") { try nostrKey(text) }
            } else {
                #expect(throws: SecretText.ParseError.self, "\(name)") { try nostrKey(text) }
            }
        }
    }

    @Test("upper-case digits are a secret, and a public key is called by its name")
    func publicTexts() throws {
        let digits = String(repeating: "0a", count: 32)
        let pair = (try nostrKey(digits), try nostrKey(digits.uppercased()))
        #expect(pair.0 == pair.1)
        func form(_ text: String) -> String? {
            NostrSecret.publicForm(of: SecretBytes(copying: text.utf8.span))
        }
        for (prefix, words) in [
            ("npub", "a public key (npub1...)"), ("note", "the id of an event (note1...)"),
        ] {
            let bytes = [UInt8](repeating: 1, count: 32)
            let text = Bech32.encode(hrp: prefix, bytes.span)
            #expect(form(" \(text)\n") == words && form(text.uppercased()) == words)
        }
        for text in ["", "np", digits, "nsec1qqqq", "ncryptsec1qq"] { #expect(form(text) == nil) }
    }

    @Test("nsec has exactly 32 bytes and its own prefix")
    func lengths() throws {
        func text(_ count: Int, _ prefix: String = "nsec") -> String {
            let bytes = [UInt8](repeating: 1, count: count)
            return Bech32.encode(hrp: prefix, bytes.span)
        }
        #expect(try nostrKey(text(32)).count == 32)
        for count in [0, 1, 31, 33, 64] {
            #expect(throws: SecretText.ParseError.self) { try nostrKey(text(count)) }
        }
        for prefix in ["npub", "nfoo", "note", "ncryptsec", "nse", "nsecc", "ed25519"] {
            #expect(throws: SecretText.ParseError.self, "\(prefix)") {
                try nostrKey(text(32, prefix))
            }
        }
    }
}
