// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

private func parse(_ text: String, limits: JSONLimits = JSONLimits()) throws -> JSON {
    try JSON.parse(Array(text.utf8).span, limits: limits)
}

@Suite struct JSONTests {
    @Test(
        "values are read as they are",
        arguments: [
            ("null", nil), ("true", true), (" false\n", false), ("0", 0), ("-1", -1),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("\"\"", ""), ("\"a b\"", "a b"), ("[]", []), ("[ ]", []), ("{}", [:]), ("{ }", [:]),
            ("[1,\t2 , [3]]", [1, 2, [3]]), ("{\"b\":1,\"a\":{\"\":[]}}", ["b": 1, "a": ["": []]]),
            ("\r\n[null]\t ", [nil]), ("\"\u{e9}\u{1f600}\"", "\u{e9}\u{1f600}"),
            ("\"\u{7f}\u{2028}\u{feff}/\"", "\u{7f}\u{2028}\u{feff}/"),
        ] as [(String, JSON)])
    func values(text: String, value: JSON) throws {
        #expect(try parse(text) == value)
    }

    @Test(
        "numbers that are not 64-bit integers keep their text",
        arguments: [
            "-0", "1.0", "0.5", "-1.25", "1e3", "1E+3", "0e0", "1.5e-7", "-0.0",
            "9223372036854775808", "-9223372036854775809", "18446744073709551616",
            "10000000000000000000000", "1e400",
        ])
    func numbers(text: String) throws {
        #expect(try parse(text) == .number(text))
        #expect(try parse("[\(text)]").write() == Array("[\(text)]".utf8))
    }

    @Test(
        "escapes are undone",
        arguments: [
            (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
            (#""\u0041\u00e9\u00E9""#, "A\u{e9}\u{e9}"),
            (#""\u0000""#, "\u{0}"), (#""\ud83d\ude00""#, "\u{1f600}"),
            (#""\uDBFF\uDFFF""#, "\u{10ffff}"),
            (#""\ud800\udc00""#, "\u{10000}"),
            (#""\uffff\ue000\ud7ff""#, "\u{ffff}\u{e000}\u{d7ff}"),
            (#""x\ny\u0041z""#, "x\nyAz"),
        ])
    func escapes(text: String, value: String) throws {
        #expect(try parse(text) == .string(value))
    }

    @Test(
        "text that RFC 8259 forbids is refused",
        arguments: [
            "", " ", "nul", "nulL", "Null", "True", "tru", "+1", "01", "-01", "00", "-", "1.", ".5",
            "1e",
            "1e+", "1.e3", "-.5", "0x10", "NaN", "Infinity", "-Infinity", "1 2", "1a", "--1",
            "1_000",
            "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1,,2]", "[}", "{", "}", "{]",
            "{\"a\"",
            "{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}", "{,}", "{a:1}", "{'a':1}", "{1:1}",
            "{\"a\" 1}",
            "{\"a\":1 \"b\":2}", "{\"a\"}", "{\"a\":}", "'a'", "\"", "\"a", "\"\\", "\"\\\"",
            "\"\\x\"",
            "\"\\u\"", "\"\\u12\"", "\"\\u123g\"", "\"\\U0041\"", "\"\\u 041\"", "\"\n\"", "\"\t\"",
            "\"\u{0}\"", "\"\u{1f}\"", "// a\n1", "/**/1", "1//", "[1]x", "{}{}", "1\u{0}",
            "\u{feff}1",
            "\u{a0}1", "1\u{b}", "\u{c}1", "1\u{2028}", "nulltrue", "\"a\"\"b\"",
        ])
    func refusals(text: String) {
        #expect(throws: CodecError.self) { try parse(text) }
    }

    @Test(
        "lone surrogates are refused",
        arguments: [
            #""\ud800""#, #""\udc00""#, #""\ud800x""#, #""\ud800\n""#, #""\ud800\u0041""#,
            #""\ud800\ud800""#, #""\udc00\ud800""#, #""\udfff""#, #""\ud83d\\ude00""#,
        ])
    func surrogates(text: String) {
        #expect(throws: CodecError.malformed("lone surrogate", at: 3)) { try parse(text) }
    }

    @Test(
        "invalid UTF-8 is refused, in plain and in escaped strings",
        arguments: [
            [0xff], [0x80], [0xc3], [0xc3, 0x28], [0xc0, 0xaf], [0xed, 0xa0, 0x80],
            [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82], [0xf8, 0x88, 0x80, 0x80, 0x80],
        ] as [[UInt8]])
    func invalidUTF8(bytes: [UInt8]) {
        for prefix in ["\"", "\"\\n"] {
            let text = Array(prefix.utf8) + bytes + Array("\"".utf8)
            #expect(throws: CodecError.self) { try JSON.parse(text.span) }
        }
        let outside = [0x31] + bytes
        #expect(throws: CodecError.self) { try JSON.parse(outside.span) }
    }

    @Test(
        "a name twice is refused after unescaping, however many names there are",
        arguments: [
            (#"{"a":1,"a":1}"#, "a"), (#"{"a":1,"b":2,"\u0061":3}"#, "a"), (#"{"":1,"":2}"#, ""),
            (#"[{"x":{"k":1,"k":2}}]"#, "k"),
        ])
    func duplicates(text: String, name: String) {
        #expect(throws: CodecError.duplicateKey(name)) { try parse(text) }
    }

    @Test("a duplicate name among many is refused at any place")
    func duplicatesAmongMany() throws {
        for (count, again) in [(15, 0), (16, 0), (17, 16), (17, 3), (200, 199), (200, 0)] {
            let names = (0..<count).map { "\"n\($0)\":0" }.joined(separator: ",")
            #expect(try parse("{\(names)}").object?.members.count == count)
            #expect(throws: CodecError.duplicateKey("n\(again)")) {
                try parse("{\(names),\"n\(again)\":0}")
            }
        }
    }

    @Test("the same names in different objects are not duplicates")
    func sameNamesApart() throws {
        #expect(try parse(#"{"a":{"a":1},"b":[{"a":1},{"a":1}]}"#).object?.names == ["a", "b"])
    }

    @Test("nesting is limited")
    func depth() throws {
        func nested(_ count: Int) -> String {
            String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(throws: Never.self) { try parse(nested(32)) }
        #expect(throws: CodecError.tooDeep(limit: 32)) { try parse(nested(33)) }
        #expect(throws: CodecError.tooDeep(limit: 32)) {
            try parse(String(repeating: "[", count: 100_000))
        }
        #expect(throws: CodecError.tooDeep(limit: 1)) {
            try parse("{\"a\":{}}", limits: JSONLimits(depthMax: 1))
        }
        #expect(throws: Never.self) { try parse("[[],[],{}]", limits: JSONLimits(depthMax: 2)) }
    }

    @Test("bytes and values are limited")
    func sizes() throws {
        #expect(throws: Never.self) { try parse("[1,2]", limits: JSONLimits(bytesMax: 5)) }
        #expect(throws: CodecError.tooLong(limit: 4)) {
            try parse("[1,2]", limits: JSONLimits(bytesMax: 4))
        }
        #expect(throws: Never.self) { try parse("[1,2]", limits: JSONLimits(valuesMax: 3)) }
        #expect(throws: CodecError.tooLong(limit: 2)) {
            try parse("[1,2]", limits: JSONLimits(valuesMax: 2))
        }
    }

    @Test("a document is taken as a whole or not at all")
    func whole() {
        let text = #"{"id":"\u00e9\ud83d\ude00","n":[-1,2.5e3,true,null],"o":{"":false}}"#
        expectWhole(Array(text.utf8), extra: UInt8(ascii: "1")) { try JSON.parse($0.span) }
        expectWhole(Array("[1]".utf8), extra: 0) { try JSON.parse($0.span) }
    }

    @Test("a member is found by the bytes of its name, not by its look")
    func lookup() throws {
        let value = try parse(#"{"\u212ae":1,"a":2}"#)
        #expect(value["Ke"] == nil)
        #expect(value["\u{212a}e"] == 1)
        #expect(value["a"]?.integerValue == 2)
        #expect(value["b"] == nil)
        #expect(JSON.integer(1)["a"] == nil)
    }

    @Test("accessors give the value of their own kind only")
    func accessors() {
        let values: [JSON] = [nil, true, 1, .number("1.5"), "t", [1], ["a": 1]]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false, false])
        #expect(values.map(\.flag) == [nil, true, nil, nil, nil, nil, nil])
        #expect(values.map(\.integerValue) == [nil, nil, 1, nil, nil, nil, nil])
        #expect(values.map(\.text) == [nil, nil, nil, nil, "t", nil, nil])
        #expect(values.map { $0.list?.count } == [nil, nil, nil, nil, nil, 1, nil])
        #expect(values.map { $0.object?.names } == [nil, nil, nil, nil, nil, nil, ["a"]])
    }
}
