// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct BorshTests {
    private static let expected =
        "01" + "0302" + "07060504" + "0f0e0d0c0b0a0908" + "02000000000000000000000000000080"
        + "aabb" + "02000000c3a9" + "01" + "0100000078" + "00"
        + "03000000010203"

    private func written() -> [UInt8] {
        var writer = BorshWriter()
        writer.u8(1)
        writer.u16(0x0203)
        writer.u32(0x0405_0607)
        writer.u64(0x0809_0a0b_0c0d_0e0f)
        writer.u128(UInt128(1) << 127 | 2)
        writer.append([0xaa, 0xbb])
        writer.string("\u{e9}")
        writer.option("x")
        writer.option(nil)
        writer.byteString([1, 2, 3])
        return writer.bytes
    }

    private func read(_ bytes: [UInt8]) throws {
        var reader = BorshReader(bytes)
        #expect(try reader.u8() == 1)
        #expect(try reader.u16() == 0x0203)
        #expect(try reader.u32() == 0x0405_0607)
        #expect(try reader.u64() == 0x0809_0a0b_0c0d_0e0f)
        #expect(try reader.u128() == UInt128(1) << 127 | 2)
        #expect(try reader.fixed(2) == [0xaa, 0xbb])
        #expect(try reader.string(countMax: 2) == "\u{e9}")
        #expect(try reader.option() == true)
        #expect(try reader.string(countMax: 1) == "x")
        #expect(try reader.option() == false)
        #expect(try reader.byteString(countMax: 3) == [1, 2, 3])
        try reader.finish()
    }

    @Test("fields are little endian, lengths have four bytes")
    func fields() throws {
        #expect(try written() == hex(Self.expected))
        try read(written())
    }

    @Test("every prefix and a trailing byte are refused")
    func whole() {
        expectWhole(written()) { bytes in
            var reader = BorshReader(bytes)
            _ = try (reader.u8(), reader.u16(), reader.u32(), reader.u64(), reader.u128())
            _ = try (reader.fixed(2), reader.string(countMax: 9), reader.option())
            _ = try (reader.string(countMax: 9), reader.option(), reader.byteString(countMax: 9))
            try reader.finish()
        }
    }

    @Test("an option tag is 0 or 1", arguments: [UInt8(2), 3, 0x80, 0xff])
    func optionTag(tag: UInt8) {
        #expect(throws: CodecError.malformed("option tag is not 0 or 1", at: 0)) {
            var reader = BorshReader([tag, 0, 0, 0, 0])
            return try reader.option()
        }
    }

    @Test(
        "lengths over the limit or the input are refused before they are read",
        arguments: [
            ("03000000616263", CodecError.tooLong(limit: 2)), ("ffffffff61", .tooLong(limit: 2)),
            ("0200000061", .truncated), ("02000000", .truncated), ("020000", .truncated),
            ("02000000c328", .malformed("invalid UTF-8", at: 4)),
            ("01000000ff", .malformed("invalid UTF-8", at: 4)),
        ])
    func strings(text: String, error: CodecError) throws {
        let bytes = try hex(text)
        #expect(throws: error) {
            var reader = BorshReader(bytes)
            return try reader.string(countMax: 2)
        }
    }

    @Test("any fields come back")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let number = generator.integer()
            let text = generator.text(max: 30)
            let bytes = generator.bytes(max: 30)
            var writer = BorshWriter()
            writer.u64(number)
            writer.option(text)
            writer.append(bytes)
            var reader = BorshReader(writer.bytes)
            #expect(try reader.u64() == number)
            #expect(try reader.option())
            #expect(try reader.string(countMax: 1000) == text)
            #expect(try reader.fixed(bytes.count) == bytes)
            #expect(throws: Never.self) { try reader.finish() }
        }
    }
}
