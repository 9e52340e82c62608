// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct Bech32Tests {
    private static let long =
        "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio"

    @Test(
        "BIP-173 valid texts",
        arguments: [
            ("A12UEL5L", "a", 0), ("a12uel5l", "a", 0), (long + "1tt5tgs", long, 0),
            ("abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef", 20),
            ("11" + String(repeating: "q", count: 82) + "c8247j", "1", 51),
            ("split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split", 30),
            ("?1ezyfcl", "?", 0),
        ])
    func valid(text: String, hrp: String, count: Int) throws {
        let (decodedHRP, bytes) = try Bech32.decode(text)
        #expect(decodedHRP == hrp)
        #expect(bytes.count == count)
        #expect(Bech32.encode(hrp: hrp, bytes.span) == text.lowercased())
    }

    @Test(
        "BIP-173 invalid texts, and bech32m",
        arguments: [
            " 1nwldj5", "\u{7f}1axkwrx", "\u{80}1eym55h", "pzry9x0s0muk", "1pzry9x0s0muk",
            "x1b4n0q5v",
            "li1dgmt3", "de1lg7wt\u{ff}", "A1G7SGD8", "10a06t8", "1qzzfhee", "A1LQFN3A", "",
            "an84characterslonghumanreadablepartthatcontainsthenumber1"
                + "andtheexcludedcharactersbio1569pvx",
            "a12uEL5L", "A12uel5l", "a12uel5", "a12uel5lq", "a12uel5k",
        ])
    func invalid(text: String) {
        #expect(throws: CodecError.self) { try Bech32.decode(text) }
    }

    @Test("leftover bits must be fewer than five and zero")
    func leftoverBits() throws {
        // The byte 0x00 is "qq"; a third digit or a set bit in the second would be left over.
        #expect(try Bech32.decode(withChecksum([0, 0])).bytes == [0])
        #expect(throws: CodecError.notCanonical("trailing bits are not zero", at: 3)) {
            try Bech32.decode(withChecksum([0, 1]))
        }
        #expect(throws: CodecError.notCanonical("trailing bits are not zero", at: 4)) {
            try Bech32.decode(withChecksum([0, 0, 0]))
        }
        #expect(throws: CodecError.self) { try Bech32.decode(withChecksum([0])) }
    }

    /// A text with the prefix "a", these digits and a checksum that the test computes.
    private func withChecksum(_ digits: [UInt32]) -> String {
        func code(_ values: [UInt32]) -> UInt32 {
            let terms: [UInt32] = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3]
            return values.reduce(1) { state, value in
                let next = (state & 0x1ff_ffff) << 5 ^ value
                return terms.indices.reduce(next) {
                    $0 ^ ((state >> (25 + $1)) & 1 == 1 ? terms[$1] : 0)
                }
            }
        }
        let rest = code([3, 0, 1] + digits + [0, 0, 0, 0, 0, 0]) ^ 1
        let checksum = (0..<6).map { rest >> (25 - 5 * $0) & 31 }
        let symbols = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l")
        return "a1" + String((digits + checksum).map { symbols[Int($0)] })
    }

    @Test("any bytes come back, beyond 90 characters too")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let bytes = generator.bytes(max: 300)
            let text = Bech32.encode(hrp: "p1zap", bytes.span)
            #expect(try Bech32.decode(text) == ("p1zap", bytes))
            #expect(try Bech32.decode(text.uppercased()) == ("p1zap", bytes))
        }
    }

    @Test("every single wrong character is noticed")
    func oneCharacter() throws {
        let text = Array(Bech32.encode(hrp: "nsec", [UInt8](0..<32).span))
        for index in text.indices {
            var changed = text
            changed[index] = text[index] == "q" ? "p" : "q"
            #expect(throws: CodecError.self) { try Bech32.decode(String(changed)) }
        }
        expectWhole(Array(String(text).utf8), extra: UInt8(ascii: "q")) {
            try Bech32.decode(String(decoding: $0, as: UTF8.self))
        }
    }

    @Test("the limit counts output bytes")
    func limit() throws {
        let text = Bech32.encode(hrp: "a", [1, 2, 3].span)
        #expect(try Bech32.decode(text, countMax: 3).bytes == [1, 2, 3])
        #expect(throws: CodecError.tooLong(limit: 2)) { try Bech32.decode(text, countMax: 2) }
    }

    @Test("NIP-19 texts have their prefix, and the plain ones their bytes")
    func nip19() throws {
        let file = try vectors("nostr/nip19.vectors.json")
        let rows = try #require(file["valid"]?.list)
        #expect(rows.count == 9)
        for row in rows {
            let text = try #require(row["bech32"]?.text)
            let (hrp, bytes) = try Bech32.decode(text)
            #expect(hrp == row["type"]?.text)
            if let plain = row["hex"]?.text { #expect(Hex.encode(bytes.span) == plain) }
            #expect(Bech32.encode(hrp: hrp, bytes.span) == text)
        }
        let upper = try #require(file["all_upper_case_is_valid_bech32"]?.text)
        #expect(try Bech32.decode(upper).hrp == "npub")
    }

    @Test("NIP-19 texts that are not bech32 are refused, the others go to the adapter")
    func nip19Invalid() throws {
        let rows = try #require(try vectors("nostr/nip19.vectors.json")["invalid"]?.list)
        let noBech32: Set = [
            "checksum broken", "mixed case", "contains b/i/o/1 data char", "empty",
        ]
        var refused = 0
        for row in rows {
            let name = try #require(row["name"]?.text)
            let text = try #require(row["bech32"]?.text)
            if noBech32.contains(name) {
                #expect(throws: CodecError.self, "\(name)") { try Bech32.decode(text) }
                refused += 1
            } else {
                #expect(throws: Never.self, "\(name)") { try Bech32.decode(text) }
            }
        }
        #expect(refused == noBech32.count)
    }
}
