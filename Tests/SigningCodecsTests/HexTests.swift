// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct HexTests {
    @Test("hex writes lower case and reads it back")
    func roundTrip() throws {
        #expect(Hex.encode([0x00, 0x1f, 0xab, 0xff].span) == "001fabff")
        #expect(try Hex.decode("001fabff") == [0x00, 0x1f, 0xab, 0xff])
        #expect(try Hex.decode("") == [])
        var generator = SplitMix64()
        for _ in 0..<300 {
            let bytes = generator.bytes(max: 80)
            #expect(try Hex.decode(Hex.encode(bytes.span)) == bytes)
        }
    }

    @Test("upper case is only read when it is allowed")
    func upperCase() throws {
        #expect(try Hex.decode("ABcd", upperCase: .allowed) == [0xab, 0xcd])
        #expect(throws: CodecError.malformed("not a hex digit", at: 1)) {
            try Hex.decode("aB", upperCase: .refused)
        }
        #expect(throws: CodecError.self) { try Hex.decode("AB") }
    }

    @Test(
        "odd lengths and other characters are refused",
        arguments: [
            "0", "abc", "0g", "g0", "0x12", " 00", "00 ", "0/", "0:", "0@", "0`", "\u{e9}",
            "\u{ff10}a",
        ])
    func refusals(text: String) {
        #expect(throws: CodecError.self) { try Hex.decode(text, upperCase: .allowed) }
    }

    @Test("the limit counts output bytes")
    func limit() throws {
        #expect(try Hex.decode("aabb", countMax: 2) == [0xaa, 0xbb])
        #expect(throws: CodecError.tooLong(limit: 2)) { try Hex.decode("aabbcc", countMax: 2) }
    }
}
