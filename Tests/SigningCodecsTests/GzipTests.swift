// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct GzipTests {
    /// "hello\n" as Python writes it, with a file name.
    private static let named =
        "1f8b08080000000002ff68656c6c6f2e74787400cb48cdc9c9e7020020303a3606000000"

    @Test("a member written elsewhere is read")
    func foreign() throws {
        let bytes = try hex(Self.named)
        #expect(try Gzip.decompress(bytes.span, outputMax: 100) == Array("hello\n".utf8))
        expectWhole(bytes) { try Gzip.decompress($0.span, outputMax: 100) }
    }

    @Test("any bytes come back and compress the same way again")
    func roundTrip() throws {
        var generator = SplitMix64()
        for max in [0, 1, 10, 1000, 100_000] {
            let bytes = generator.bytes(max: max) + Array(generator.text(max: max / 10).utf8)
            let packed = try Gzip.compress(bytes.span)
            #expect(try Gzip.compress(bytes.span) == packed)
            #expect(try Gzip.decompress(packed.span, outputMax: 1 << 20) == bytes)
        }
    }

    @Test("every prefix, a trailing byte and a second member are refused")
    func whole() throws {
        let packed = try Gzip.compress([UInt8](0...200).span)
        for extra: UInt8 in [0, 0x1f] {
            expectWhole(packed, extra: extra) { try Gzip.decompress($0.span, outputMax: 1000) }
        }
        let twice = packed + packed
        #expect(throws: CodecError.trailing(at: packed.count)) {
            try Gzip.decompress(twice.span, outputMax: 1000)
        }
        // A limit may stop a truncated input first, but must never accept it.
        expectWhole(packed) { try Gzip.decompress($0.span, outputMax: 201) }
    }

    @Test("a wrong checksum, length, magic or method is refused")
    func damaged() throws {
        let packed = try Gzip.compress(Array("signing".utf8).span)
        for index in Array(0...3) + packed.indices.suffix(8) {
            var changed = packed
            changed[index] ^= 0x80
            #expect(throws: CodecError.self, "byte \(index)") {
                try Gzip.decompress(changed.span, outputMax: 1000)
            }
        }
        // zlib and raw deflate are other formats.
        for text in ["789ccb48cdc9c90700062c0215", "cb48cdc9c90700"] {
            let bytes = try hex(text)
            #expect(throws: CodecError.self) { try Gzip.decompress(bytes.span, outputMax: 1000) }
        }
    }

    @Test("the output limit is exact", arguments: [1, 7, 8, 100, 4096, 70_000])
    func outputLimit(count: Int) throws {
        var generator = SplitMix64()
        let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next() & 15) }
        let packed = try Gzip.compress(bytes.span)
        #expect(try Gzip.decompress(packed.span, outputMax: count) == bytes)
        #expect(throws: Never.self) { try Gzip.decompress(packed.span, outputMax: count + 1) }
        guard count > 1 else { return }
        #expect(throws: CodecError.tooLong(limit: count - 1)) {
            try Gzip.decompress(packed.span, outputMax: count - 1)
        }
    }

    @Test("a bomb is refused by its ratio")
    func ratio() throws {
        let bytes = [UInt8](repeating: 0, count: 1 << 20)
        let packed = try Gzip.compress(bytes.span)
        #expect(throws: CodecError.tooLong(limit: packed.count * 200)) {
            try Gzip.decompress(packed.span, outputMax: 1 << 30)
        }
        #expect(try Gzip.decompress(packed.span, outputMax: 1 << 20, ratioMax: 2000) == bytes)
    }
}
