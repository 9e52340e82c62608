// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct Base64Tests {
    @Test(
        "RFC 4648 section 10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
        ])
    func rfc(plain: String, encoded: String) throws {
        let bytes = Array(plain.utf8)
        let bare = String(encoded.prefix { $0 != "=" })
        #expect(Base64.encode(bytes.span) == encoded)
        #expect(Base64.encode(bytes.span, padding: false) == bare)
        #expect(try Base64.decode(encoded) == bytes)
        #expect(try Base64.decode(encoded, padding: .optional) == bytes)
        #expect(try Base64.decode(bare, padding: .optional) == bytes)
        #expect(try Base64.decode(bare, padding: .forbidden) == bytes)
    }

    @Test("each alphabet refuses the other, either takes one of them")
    func alphabets() throws {
        let bytes: [UInt8] = [0xfb, 0xff, 0xbf]
        #expect(Base64.encode(bytes.span) == "+/+/")
        #expect(Base64.encode(bytes.span, alphabet: .url) == "-_-_")
        #expect(try Base64.decode("+/+/", alphabet: .standard) == bytes)
        #expect(try Base64.decode("-_-_", alphabet: .url) == bytes)
        #expect(try Base64.decode("+/+/", alphabet: .either) == bytes)
        #expect(try Base64.decode("-_-_", alphabet: .either) == bytes)
        for (text, alphabet) in [
            ("+/+/", Base64.Accepted.url), ("-_-_", .standard), ("+/-_", .either),
            ("-/+_", .either),
        ] {
            #expect(throws: CodecError.self) { try Base64.decode(text, alphabet: alphabet) }
        }
    }

    @Test("any bytes come back in every form")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let bytes = generator.bytes(max: 80)
            let bare = Base64.encode(bytes.span, alphabet: .url, padding: false)
            #expect(try Base64.decode(Base64.encode(bytes.span)) == bytes)
            #expect(try Base64.decode(bare, alphabet: .url, padding: .forbidden) == bytes)
        }
    }

    @Test(
        "wrong padding is refused",
        arguments: [
            ("Zg", Base64.Padding.required), ("Zg=", .required), ("Zg===", .required),
            ("Zg====", .required), ("=", .required), ("==", .required), ("====", .required),
            ("Zm9v=", .required), ("Zm9v==", .required), ("Zm9v====", .required),
            ("Z===", .required),
            ("Zg==", .forbidden), ("Zm8=", .forbidden), ("Zg=", .optional), ("=", .optional),
            ("Zm9v=", .optional), ("Zg==Zg==", .required), ("Z", .forbidden), ("Zm9vY", .optional),
        ])
    func padding(text: String, padding: Base64.Padding) {
        #expect(throws: CodecError.self) { try Base64.decode(text, padding: padding) }
    }

    @Test(
        "trailing bits, white space and other characters are refused",
        arguments: [
            "Zh==", "Zm9=", "Zm 9v", "Zm9v\n", " Zm9v", "Zm9v ", "Zm.v", "Zm9\u{e9}",
        ])
    func refusals(text: String) {
        #expect(throws: CodecError.self) { try Base64.decode(text) }
    }

    @Test("the limit counts output bytes")
    func limit() throws {
        #expect(try Base64.decode("Zm8=", countMax: 2).count == 2)
        #expect(throws: CodecError.tooLong(limit: 2)) { try Base64.decode("Zm9v", countMax: 2) }
    }
}
