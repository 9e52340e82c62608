// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct Base58Tests {
    @Test(
        "known values in both directions",
        arguments: [
            ("", ""), ("61", "2g"), ("626262", "a3gV"), ("636363", "aPEr"),
            ("73696d706c792061206c6f6e6720737472696e67", "2cFupjhnEsSn59qHXstmK2ffpLv2"),
            (
                "00eb15231dfceb60925886b67d065299925915aeb172c06647",
                "1NS17iag9jJgTHD1VXjvLCEnZuQ3rJDE9L"
            ),
            ("516b6fcd0f", "ABnLTmg"), ("bf4f89001e670274dd", "3SEo3LWLoPntC"),
            ("572e4794", "3EFU7m"),
            ("ecac89cad93923c02321", "EJDM8drfXA6uyA"), ("10c8511e", "Rt5zm"),
            ("00000000000000000000", "1111111111"), ("00", "1"), ("ff", "5Q"),
        ])
    func known(bytes: String, text: String) throws {
        let bytes = try hex(bytes)
        #expect(Base58.encode(bytes.span) == text)
        #expect(try Base58.decode(text) == bytes)
    }

    @Test("any bytes come back")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let bytes = generator.bytes(max: 100)
            #expect(try Base58.decode(Base58.encode(bytes.span)) == bytes)
        }
        let highest = [UInt8](repeating: 0xff, count: 128)
        #expect(try Base58.decode(Base58.encode(highest.span)) == highest)
        #expect(try Base58.decode(String(repeating: "z", count: 9)).count == 7)
    }

    @Test(
        "other characters are refused",
        arguments: ["0", "O", "I", "l", "a+", " a", "a\n", "\u{e9}"])
    func refusals(text: String) {
        #expect(throws: CodecError.self) { try Base58.decode(text) }
    }

    @Test("too many bytes are refused before the work grows")
    func limit() throws {
        let key = Base58.encode([UInt8](repeating: 0xff, count: 32).span)
        #expect(try Base58.decode(key, countMax: 32).count == 32)
        #expect(throws: CodecError.tooLong(limit: 31)) { try Base58.decode(key, countMax: 31) }
        #expect(throws: CodecError.tooLong(limit: 4)) { try Base58.decode("11111", countMax: 4) }
        #expect(throws: CodecError.tooLong(limit: 2)) { try Base58.decode("1LUv", countMax: 2) }
        // Decoding takes quadratic time, so a megabyte would not end in time.
        let flood = String(repeating: "z", count: 1 << 20)
        #expect(throws: CodecError.tooLong(limit: 128)) { try Base58.decode(flood) }
    }
}
