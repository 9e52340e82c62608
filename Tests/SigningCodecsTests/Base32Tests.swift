// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct Base32Tests {
    @Test(
        "RFC 4648 section 10 without padding",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
        ])
    func rfc(plain: String, encoded: String) throws {
        #expect(Base32.encode(Array(plain.utf8).span) == encoded)
        #expect(try Base32.decode(encoded) == Array(plain.utf8))
    }

    @Test("any bytes come back")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let bytes = generator.bytes(max: 80)
            #expect(try Base32.decode(Base32.encode(bytes.span)) == bytes)
        }
    }

    @Test("Algorand addresses begin with their key")
    func addresses() throws {
        let rows = try #require(try vectors("algorand/addresses.json")["valid"]?.list)
        #expect(rows.count == 5)
        for row in rows {
            let address = try #require(row["address"]?.text)
            let bytes = try Base32.decode(address)
            #expect(bytes.count == 36)
            #expect(Hex.encode(bytes.span.extracting(0..<32)) == row["public_key_hex"]?.text)
            #expect(Base32.encode(bytes.span) == address)
        }
    }

    @Test("texts that are not an address because of their digits alone are refused")
    func invalidAddresses() throws {
        let rows = try #require(try vectors("algorand/addresses.json")["invalid"]?.list)
        let texts = try rows.map { try #require($0["address"]?.text) }
        #expect(texts.count == 6)
        for text in texts where text != "" {
            #expect(throws: CodecError.self, "\(text)") { try Base32.decode(text) }
        }
    }

    @Test(
        "texts that no bytes have are refused",
        arguments: [
            "my", "MY======", "M", "MZX", "MZXW6Y", "MZ", "MZXR", "M1", "M0", "M8", " MY",
            "M\u{e9}",
        ])
    func refusals(text: String) {
        #expect(throws: CodecError.self) { try Base32.decode(text) }
    }

    @Test("the limit counts output bytes")
    func limit() throws {
        #expect(try Base32.decode("MZXQ", countMax: 2).count == 2)
        #expect(throws: CodecError.tooLong(limit: 1)) { try Base32.decode("MZXQ", countMax: 1) }
    }
}
