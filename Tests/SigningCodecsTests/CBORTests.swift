// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

private func decode(_ text: String, limits: CodecLimits = CodecLimits()) throws -> CBOR {
    let bytes = try hex(text)
    return try CBOR.decode(bytes.span, limits: limits)
}

private func map(_ members: (String, CBOR)...) -> CBOR {
    .map(members.map { CBORMember(name: $0.0, value: $0.1) })
}

@Suite struct CBORTests {
    @Test(
        "RFC 8949 appendix A values are read, and written in the shortest form",
        arguments: [
            ("00", .unsigned(0)), ("17", .unsigned(23)), ("1818", .unsigned(24)),
            ("18ff", .unsigned(255)), ("190100", .unsigned(256)), ("19ffff", .unsigned(65535)),
            ("1a00010000", .unsigned(65536)), ("1affffffff", .unsigned(4_294_967_295)),
            ("1b0000000100000000", .unsigned(4_294_967_296)),
            ("1bffffffffffffffff", .unsigned(.max)),
            ("20", .negative(-1)), ("37", .negative(-24)), ("3818", .negative(-25)),
            ("3903e7", .negative(-1000)), ("3a0001869f", .negative(-100_000)),
            ("3b7fffffffffffffff", .negative(.min)), ("f4", .bool(false)), ("f5", .bool(true)),
            ("f6", .null), ("f7", .undefined), ("40", .bytes([])),
            ("4401020304", .bytes([1, 2, 3, 4])),
            ("60", .text("")), ("6161", .text("a")), ("62c3bc", .text("\u{fc}")),
            ("80", .array([])), ("a0", .map([])), ("f90000", .float(0)), ("f98000", .float(-0.0)),
            ("f93c00", .float(1)), ("f93e00", .float(1.5)), ("f97bff", .float(65504)),
            ("fa47c35000", .float(100_000)), ("fb3ff199999999999a", .float(1.1)),
            ("f97c00", .float(.infinity)), ("f9fc00", .float(-.infinity)),
            ("f90001", .float(0x1p-24)),
            ("83010203", .array([.unsigned(1), .unsigned(2), .unsigned(3)])),
            (
                "a26161016162820203",
                map(("a", .unsigned(1)), ("b", .array([.unsigned(2), .unsigned(3)])))
            ),
        ] as [(String, CBOR)])
    func appendixA(text: String, value: CBOR) throws {
        #expect(try decode(text) == value)
        #expect(try value.encode() == hex(text))
        try expectWhole(hex(text)) { try CBOR.decode($0.span) }
    }

    @Test(
        "longer heads and indefinite lengths are read",
        arguments: [
            ("1800", .unsigned(0)), ("190017", .unsigned(23)), ("1a00000001", .unsigned(1)),
            ("1b0000000000000001", .unsigned(1)), ("3900ff", .negative(-256)),
            ("780161", .text("a")),
            ("7a0000000161", .text("a")), ("7b000000000000000161", .text("a")),
            ("5800", .bytes([])),
            ("980101", .array([.unsigned(1)])), ("b90001616101", map(("a", .unsigned(1)))),
            ("bb0000000000000001616101", map(("a", .unsigned(1)))), ("9fff", .array([])),
            ("bfff", .map([])), ("9f0102ff", .array([.unsigned(1), .unsigned(2)])),
            (
                "bf61610161629fffff",
                map(("a", .unsigned(1)), ("b", .array([])))
            ),
            ("7fff", .text("")), ("5fff", .bytes([])), ("7f616161626163ff", .text("abc")),
            ("5f42010243030405ff", .bytes([1, 2, 3, 4, 5])),
            ("bf7f6161ff01ff", map(("a", .unsigned(1)))),
            ("9f9f9fffff80ff", .array([.array([.array([])]), .array([])])), ("fa7fc00000", nil),
            ("fb41f2a05f20000000", .float(5_000_000_000)), ("fb3ff0000000000000", .float(1)),
            ("d9d9f700", .unsigned(0)), ("d9d9f7d9d9f700", .unsigned(0)),
            ("81d9d9f700", .array([.unsigned(0)])),
            ("da0000d9f700", .unsigned(0)),
        ] as [(String, CBOR?)])
    func otherForms(text: String, value: CBOR?) throws {
        let decoded = try decode(text)
        if let value {
            #expect(decoded == value)
        } else {
            // The only row without a value is NaN, which equals nothing.
            guard case .float(let number) = decoded else { throw CodecError.truncated }
            #expect(number.isNaN)
            #expect(try decoded.encode() == hex("f97e00"))
        }
        try expectWhole(hex(text)) { try CBOR.decode($0.span) }
    }

    @Test("the edge cases of the Algorand vectors")
    func edgeCases() throws {
        let rows = try #require(try vectors("algorand/cbor_edge_cases.json")["cases"]?.list)
        #expect(rows.count == 11)
        let accepted: [String: CBOR] = [
            "float-integer": map(("num", .float(5_000_000_000))),
            "tag-self-described": map(("a", .unsigned(1))),
        ]
        let refused: [String: CodecError] = [
            "duplicate-key": .duplicateKey("a"), "depth-bomb": .tooDeep(limit: 32),
            "length-bomb": .truncated, "string-length-bomb": .truncated,
            "invalid-utf8": .malformed("invalid UTF-8", at: 1),
            "break-outside": .malformed("break outside an indefinite length", at: 0),
            "trailing": .trailing(at: 1),
        ]
        for row in rows {
            let name = try #require(row["name"]?.text)
            let bytes = try hex(#require(row["hex"]?.text))
            if let error = refused[name] {
                #expect(throws: error, "\(name)") { try CBOR.decode(bytes.span) }
            } else if let value = accepted[name] {
                #expect(try CBOR.decode(bytes.span) == value)
            } else {
                let id: JSON = "2d711642-b726-4044-8162-7ca9fbac32f5"
                let envelope: JSON = ["id": id, "reference": "arc0027:discover:request"]
                #expect(["undefined-value", "non-shortest-string-length"].contains(name))
                let json = try CBOR.decode(bytes.span).json()
                #expect(json == envelope)
            }
        }
    }

    @Test(
        "invalid CBOR and unsupported kinds are refused",
        arguments: [
            "", "1c", "1f", "3c", "3f", "5c", "7d", "9e", "bd", "dc", "df", "fc", "fe", "e0", "f0",
            "f3",
            "f800", "f814", "f818", "f8ff", "ff", "81ff", "9f01", "a1ff", "a16161ff", "bf6161ff",
            "bfff00",
            "bf01ff", "9fd9d9f7ff", "d9d9f7", "d9d9f7ff", "c000", "c100", "d82000", "d9d9f800",
            "da0001d9f700", "81c11a514b67b0", "3b8000000000000000", "3bffffffffffffffff",
            "a10101", "a1416101", "a1f601", "a18001", "a1a001", "bf8001ff", "a19fff01", "a15fff01",
            "a2616101616102", "bf616101616102ff", "a261610178016102", "a16161a2616201616202",
            "5f6161ff", "7f4161ff", "7f01ff", "7f7f6161ffff", "5f5f4161ffff", "7fd9d9f76161ff",
            "7f61c361bcff",
            "7f", "7f6161", "61ff", "62c328", "63eda080", "64f4908080", "a161ff00",
            "9affffffff", "9bffffffffffffffff", "baffffffff", "bbffffffffffffffff",
            "bb8000000000000001",
            "7affffffff61", "5bffffffffffffffff00", "7bffffffffffffffff00", "83ffffff", "82000000",
        ])
    func refusals(text: String) {
        #expect(throws: CodecError.self) { try decode(text) }
    }

    @Test("nesting, values and bytes are limited")
    func limits() throws {
        let deep = String(repeating: "81", count: 31) + "80"
        #expect(throws: Never.self) { try decode(deep) }
        #expect(throws: CodecError.tooDeep(limit: 32)) { try decode("81" + deep) }
        let endless = String(repeating: "9f", count: 33)
        #expect(throws: CodecError.tooDeep(limit: 32)) { try decode(endless) }
        let three = CodecLimits(valuesMax: 3)
        #expect(throws: Never.self) { try decode("820102", limits: three) }
        #expect(throws: CodecError.tooLong(limit: 3)) { try decode("83010203", limits: three) }
        #expect(throws: Never.self) { try decode("8100", limits: CodecLimits(bytesMax: 2)) }
        #expect(throws: CodecError.tooLong(limit: 1)) {
            try decode("8100", limits: CodecLimits(bytesMax: 1))
        }
    }

    @Test(
        "integral floats up to 2^53 are exact integers",
        arguments: [
            (.unsigned(.max), .max), (.float(10_000_000_000), 10_000_000_000), (.float(0), 0),
            (.float(9_007_199_254_740_992), 9_007_199_254_740_992),
            (.float(9_007_199_254_740_994), nil),
            (.float(-0.0), nil), (.float(-1), nil), (.float(1.5), nil), (.float(.nan), nil),
            (.float(.infinity), nil), (.negative(-1), nil), (.text("1"), nil), (.null, nil),
        ] as [(CBOR, UInt64?)])
    func exactUnsigned(value: CBOR, exact: UInt64?) {
        #expect(value.exactUnsigned == exact)
    }

    @Test(
        "values become JSON and back",
        arguments: [
            ("f6", nil), ("f5", true), ("1b7fffffffffffffff", .integer(.max)), ("20", -1),
            ("1b8000000000000000", .number("9223372036854775808")), ("6161", "a"),
            ("820102", [1, 2]),
            ("a2616201616102", ["b": 1, "a": 2]),
            ("f93e00", .number("1.5")),
        ] as [(String, JSON)])
    func json(text: String, json: JSON) throws {
        #expect(try decode(text).json() == json)
        #expect(try CBOR(json).encode() == hex(text))
    }

    @Test("floats that are integers become integers, undefined members vanish")
    func jsonOneWay() throws {
        #expect(try decode("fb4202a05f20000000").json() == 10_000_000_000)
        #expect(try decode("fbc000000000000000").json() == -2)
        #expect(try CBOR.float(1e300).json() == .number("1e+300"))
        #expect(try decode("a26161f7616201").json() == ["b": 1])
    }

    @Test(
        "values without a JSON form are refused",
        arguments: ["40", "f7", "81f7", "f97c00", "f97e00"])
    func noJSON(text: String) throws {
        let value = try decode(text)
        #expect(throws: CodecError.self) { try value.json() }
    }

    @Test("any value comes back, and a changed byte never crashes the reader")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let value = random(&generator, depth: 4)
            var bytes = value.encode()
            #expect(try CBOR.decode(bytes.span) == value)
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] = UInt8(truncatingIfNeeded: generator.next())
            guard let changed = try? CBOR.decode(bytes.span) else { continue }
            #expect(throws: Never.self) { try CBOR.decode(changed.encode().span) }
        }
    }

    private func random(_ generator: inout SplitMix64, depth: Int) -> CBOR {
        switch Int.random(in: 0..<(depth > 0 ? 8 : 6), using: &generator) {
        case 0: return .unsigned(generator.integer())
        case 1: return .negative(-1 - Int64(generator.integer() >> 1))
        case 2: return .bytes(generator.bytes(max: 300))
        case 3: return .text(generator.text(max: 30))
        case 4: return .float(Double(generator.integer()) / 1024)
        case 5: return [.null, .undefined, .bool(true), .bool(false)][Int(generator.next() % 4)]
        case 6:
            let count = Int.random(in: 0..<30, using: &generator)
            return .array((0..<count).map { _ in random(&generator, depth: depth - 2) })
        default:
            let count = Int.random(in: 0..<30, using: &generator)
            return .map(
                (0..<count).map {
                    CBORMember(name: "\($0)", value: random(&generator, depth: depth - 2))
                })
        }
    }

    @Test("the bytes of one item are counted, names of any kind included")
    func counts() throws {
        let rows: [([UInt8], Int)] = [
            ([0x01, 0xff], 1), ([0xa1, 0x01, 0x42, 1, 2, 0xff], 5), ([0x80], 1),
            ([0x82, 0x80, 0xa0, 0x00], 3), ([0xc1, 0x01, 0x00], 2), ([0x62, 0x61, 0x62], 3),
        ]
        for (bytes, count) in rows { #expect(try CBOR.itemCount(at: bytes.span) == count) }
        let bad: [[UInt8]] = [
            [], [0xa1, 0x01], [0x9f, 0xff], [0xbf, 0xff], [0x5f, 0xff], [0xff],
            [0xbb, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
            [UInt8](repeating: 0x81, count: 64),
        ]
        for bytes in bad {
            #expect(throws: CodecError.self) { try CBOR.itemCount(at: bytes.span) }
        }
    }

    @Test("counting goes as deep as reading", arguments: [31, 32, 33])
    func depth(_ count: Int) throws {
        let bytes = [UInt8](repeating: 0x81, count: count - 1) + [0x80]
        let isRead = (try? CBOR.decode(bytes.span)) != nil
        let counted = try? CBOR.itemCount(at: bytes.span)
        #expect(isRead == (count <= CodecLimits().depthMax))
        #expect(counted == (isRead ? bytes.count : nil))
    }
}
