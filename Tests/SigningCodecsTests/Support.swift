// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCodecs
import Testing

/// Reads a file of Tests/Vectors with the project's JSON parser.
func vectors(_ path: String) throws -> JSON {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
    let data = try Data(contentsOf: tests.appendingPathComponent("Vectors/\(path)"))
    return try JSON.parse(Array(data).span)
}

/// The bytes of a hex text in a test table.
func hex(_ text: String) throws -> [UInt8] {
    try Hex.decode(text.filter { $0 != " " })
}

/// Checks that `decode` accepts exactly these bytes: no proper prefix and no extra byte.
func expectWhole<Value>(
    _ bytes: [UInt8], extra: UInt8 = 0, sourceLocation: SourceLocation = #_sourceLocation,
    decode: ([UInt8]) throws -> Value
) {
    #expect(throws: Never.self, sourceLocation: sourceLocation) { _ = try decode(bytes) }
    for count in bytes.indices {
        #expect(throws: CodecError.self, "prefix of \(count)", sourceLocation: sourceLocation) {
            _ = try decode(Array(bytes[..<count]))
        }
    }
    #expect(throws: CodecError.self, "one byte more", sourceLocation: sourceLocation) {
        _ = try decode(bytes + [extra])
    }
}

/// SplitMix64, the generator of Steele, Lea and Flood.
struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    /// Makes a generator and prints its seed, so that a failure can be repeated.
    init(seed: UInt64 = .random(in: .min ... .max)) {
        print("seed \(seed)")
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(max: Int) -> [UInt8] {
        // Leading zeros have a special encoding in Base58.
        let zeros = Int.random(in: 0...2, using: &self)
        let rest = Int.random(in: 0...max, using: &self)
        return Array(repeating: 0, count: zeros)
            + (0..<rest).map { _ in UInt8(truncatingIfNeeded: next()) }
    }

    mutating func text(max: Int) -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "/", "\u{0}", "\u{1f}", "\n", "\u{7f}", "\u{e9}", "\u{2028}",
            "\u{1f600}", "\u{10ffff}", "Z", " ", "%", "+",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0...max, using: &self) {
            text.unicodeScalars.append(scalars.randomElement(using: &self) ?? "a")
        }
        return text
    }

    mutating func integer() -> UInt64 { next() >> UInt64.random(in: 0...63, using: &self) }
}
