// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCodecs
import Testing

@Suite("NIP-19 profiles")
struct NIP19Tests {
    private static func file() throws -> JSON {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let url = tests.appending(path: "Vectors/nostr/nip19.vectors.json")
        return try JSON.parse([UInt8](try Data(contentsOf: url)).span)
    }

    @Test("Published profiles are read and written; unknown entries are skipped")
    func valid() throws {
        let file = try Self.file()
        let rows = try #require(file["valid"]?.list).filter { $0["type"]?.text == "nprofile" }
        #expect(!rows.isEmpty)
        for row in rows {
            let text = try #require(row["bech32"]?.text)
            let profile = try NIP19.Profile(text)
            #expect(Hex.encode(profile.publicKey.span) == row["pubkey"]?.text)
            #expect(profile.relays == row["relays"]?.list?.compactMap(\.text))
            #expect(profile.text == text)
        }
        let unknown = try #require(file["unknown_tlv_must_be_ignored"])
        let profile = try NIP19.Profile(try #require(unknown["bech32"]?.text))
        #expect(Hex.encode(profile.publicKey.span) == unknown["pubkey"]?.text)
    }

    @Test("An invalid profile is refused")
    func invalid() throws {
        for row in try #require(try Self.file()["invalid"]?.list) {
            let text = try #require(row["bech32"]?.text)
            #expect(throws: CodecError.self, "\(row["name"]?.text ?? "")") {
                try NIP19.Profile(text)
            }
        }
        let key = [UInt8](repeating: 1, count: 32)
        let long = try #require(
            NIP19.Profile(
                publicKey: key, relays: [String](repeating: "wss://\(mixed(200))", count: 16)))
        #expect(throws: CodecError.self) { try NIP19.Profile(long.text) }
        #expect(NIP19.Profile(publicKey: Array(key.dropLast()), relays: []) == nil)
        #expect(NIP19.Profile(publicKey: key, relays: [""]) == nil)
        #expect(NIP19.Profile(publicKey: key, relays: ["wss://\u{E4}"]) == nil)
        #expect(NIP19.Profile(publicKey: key, relays: [mixed(256)]) == nil)
    }

    private func mixed(_ count: Int) -> String { String(repeating: "r", count: count) }
}
