// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

private func decode(_ text: String, limits: CodecLimits? = nil) throws -> MessagePack {
    let bytes = try hex(text)
    guard let limits else { return try MessagePack.decodeCanonical(bytes.span) }
    return try MessagePack.decodeCanonical(bytes.span, limits: limits)
}

private func map(_ members: (String, MessagePack)...) -> MessagePack {
    .map(members.map { MessagePackMember(name: $0.0, value: $0.1) })
}

@Suite struct MessagePackTests {
    @Test(
        "canonical values are read and written",
        arguments: [
            ("00", .unsigned(0)), ("7f", .unsigned(127)), ("cc80", .unsigned(128)),
            ("ccff", .unsigned(255)), ("cd0100", .unsigned(256)), ("cdffff", .unsigned(65535)),
            ("ce00010000", .unsigned(65536)), ("ceffffffff", .unsigned(4_294_967_295)),
            ("cf0000000100000000", .unsigned(4_294_967_296)),
            ("cfffffffffffffffff", .unsigned(.max)),
            ("c2", .bool(false)), ("c3", .bool(true)), ("a0", .text("")), ("a161", .text("a")),
            ("c400", .binary([])), ("c403010203", .binary([1, 2, 3])), ("90", .array([])),
            ("80", .map([])), ("9200c3", .array([.unsigned(0), .bool(true)])),
            ("82a14101a16102", map(("A", .unsigned(1)), ("a", .unsigned(2)))),
            (
                "83a001a16102a2616103",
                map(("", .unsigned(1)), ("a", .unsigned(2)), ("aa", .unsigned(3)))
            ),
            ("82a17a01a2c3a902", map(("z", .unsigned(1)), ("\u{e9}", .unsigned(2)))),
        ] as [(String, MessagePack)])
    func canonical(text: String, value: MessagePack) throws {
        #expect(try decode(text) == value)
        #expect(try value.encode() == hex(text))
        try expectWhole(hex(text)) { try MessagePack.decodeCanonical($0.span) }
    }

    @Test("each length has its own head", arguments: [0, 15, 16, 31, 32, 255, 256, 65535, 65536])
    func lengths(count: Int) throws {
        let values: [MessagePack] = [
            .text(String(repeating: "x", count: count)),
            .binary([UInt8](repeating: 7, count: count)),
            .array([MessagePack](repeating: .bool(true), count: count)),
        ]
        for value in values {
            let bytes = value.encode()
            #expect(try MessagePack.decodeCanonical(bytes.span) == value)
            let short = Array(bytes.dropLast())
            #expect(throws: CodecError.truncated) {
                try MessagePack.decodeCanonical(short.span)
            }
        }
    }

    @Test(
        "other forms are refused by name",
        arguments: [
            ("cc00", "integer not in shortest form"), ("cc7f", "integer not in shortest form"),
            ("cd00ff", "integer not in shortest form"),
            ("ce0000ffff", "integer not in shortest form"),
            ("cf00000000ffffffff", "integer not in shortest form"),
            ("d001", "signed integer"), ("d10100", "signed integer"),
            ("d200010000", "signed integer"),
            ("d30000000100000000", "signed integer"), ("e0", "signed integer"),
            ("ff", "signed integer"),
            ("ca3f800000", "floating point number"),
            ("cb3ff0000000000000", "floating point number"),
            ("c0", "nil value"), ("c70100ff", "extension type"), ("c8000100ff", "extension type"),
            ("c90000000100ff", "extension type"), ("d400ff", "extension type"),
            ("d80000000000000000000000000000000000", "extension type"), ("c1", "unused type byte"),
            ("d90161", "length not in shortest form"), ("da000161", "length not in shortest form"),
            ("db0000000161", "length not in shortest form"),
            ("c5000101", "length not in shortest form"),
            ("c60000000101", "length not in shortest form"),
            ("dc0000", "length not in shortest form"),
            ("dc000101", "length not in shortest form"),
            ("dd0000000101", "length not in shortest form"),
            ("de0001a16101", "length not in shortest form"),
            ("df00000001a16101", "length not in shortest form"), ("8100c3", "map key is not text"),
            ("81c40161c3", "map key is not text"), ("8180c3", "map key is not text"),
        ])
    func refusedByName(text: String, what: String) {
        #expect(throws: CodecError.notCanonical(what, at: what.hasPrefix("map key") ? 1 : 0)) {
            try decode(text)
        }
    }

    @Test(
        "map keys are in ascending order of their bytes, once",
        arguments: [
            ("82a16101a14102", CodecError.notCanonical("map keys not in canonical order", at: 4)),
            ("82a2616101a16102", .notCanonical("map keys not in canonical order", at: 5)),
            ("82a16101a002", .notCanonical("map keys not in canonical order", at: 4)),
            ("82a2c3a901a17a02", .notCanonical("map keys not in canonical order", at: 5)),
            ("82a16101a16102", .duplicateKey("a")), ("82a001a002", .duplicateKey("")),
            ("81a16182a16201a16101", .notCanonical("map keys not in canonical order", at: 7)),
        ])
    func keyOrder(text: String, error: CodecError) {
        #expect(throws: error) { try decode(text) }
    }

    @Test(
        "lengths beyond the input and names that are not UTF-8 are refused",
        arguments: [
            "", "dbffffffff61", "c6ffffffff00", "ddffffffff00", "dfffffffffa16101", "dcffff00",
            "deffffa16101", "a261", "910000", "92", "81", "81a161", "81a1ff00",
            "81a2c32800",
        ])
    func refusals(text: String) {
        #expect(throws: CodecError.self) { try decode(text) }
    }

    @Test(
        "a text that is not UTF-8 is its bytes, and written again as it came",
        arguments: ["a1ff", "a2c328", "a3eda080", "92a1ffa141"])
    func textBytes(text: String) throws {
        let value = try decode(text)
        #expect(Hex.encode(value.encode().span) == text)
        if case .array(let elements) = value {
            #expect(elements == [.textBytes([0xff]), .text("A")])
        } else {
            let bytes = Array(try Hex.decode(text).dropFirst())
            #expect(value == .textBytes(bytes))
        }
    }

    @Test("nesting, values and bytes are limited")
    func limits() throws {
        let deep = String(repeating: "91", count: 15) + "90"
        #expect(throws: Never.self) { try decode(deep) }
        #expect(throws: CodecError.tooDeep(limit: 16)) { try decode("91" + deep) }
        #expect(throws: CodecError.tooDeep(limit: 16)) { try decode("81a161" + deep) }
        #expect(throws: Never.self) { try decode("920102", limits: CodecLimits(valuesMax: 3)) }
        #expect(throws: CodecError.tooLong(limit: 2)) {
            try decode("920102", limits: CodecLimits(valuesMax: 2))
        }
        #expect(throws: CodecError.tooLong(limit: 2)) {
            try decode("920102", limits: CodecLimits(bytesMax: 2))
        }
    }

    @Test("the writer sorts names by bytes")
    func sorts() throws {
        let value = map(
            ("b", .unsigned(1)), ("\u{e9}", .unsigned(2)), ("B", .unsigned(3)), ("", .unsigned(4)))
        #expect(try value.encode() == hex("84a004a14203a16201a2c3a902"))
    }

    @Test("any sorted value comes back, and a changed byte is refused or another value")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let value = random(&generator, depth: 4)
            var bytes = value.encode()
            #expect(try MessagePack.decodeCanonical(bytes.span) == value)
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] ^= UInt8.random(in: 1...255, using: &generator)
            guard let changed = try? MessagePack.decodeCanonical(bytes.span) else { continue }
            #expect(changed != value)
            #expect(changed.encode() == bytes)
        }
    }

    private func random(_ generator: inout SplitMix64, depth: Int) -> MessagePack {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 4), using: &generator) {
        case 0: return .unsigned(generator.integer())
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .text(generator.text(max: 30))
        case 3: return .binary(generator.bytes(max: 300))
        case 4:
            let count = Int.random(in: 0..<20, using: &generator)
            return .array((0..<count).map { _ in random(&generator, depth: depth - 2) })
        default:
            let count = UInt8.random(in: 0..<20, using: &generator)
            return .map(
                (0..<count).map {
                    let name = String(UnicodeScalar(0x41 + $0))
                    return MessagePackMember(
                        name: name, value: random(&generator, depth: depth - 2))
                })
        }
    }
}
