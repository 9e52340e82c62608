// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite("Malicious CBOR") struct CBORHostileTests {
    private func decode(_ text: String) throws -> CBOR {
        let bytes = try hex(text)
        return try CBOR.decode(bytes.span)
    }

    @Test(
        "32 nested containers are read and 33 are not, of any kind",
        arguments: [
            ("81", "80", ""), ("9f", "80", "ff"), ("a16161", "a0", ""), ("bf6161", "a0", "ff"),
            ("9801", "9800", ""), ("d9d9f781", "d9d9f780", ""), ("bf7f6161ff", "9fff", "ff"),
        ])
    func depth(_ row: (open: String, inner: String, close: String)) throws {
        func nested(_ count: Int) -> String {
            String(repeating: row.open, count: count - 1) + row.inner
                + String(repeating: row.close, count: count - 1)
        }
        #expect(throws: Never.self) { try decode(nested(32)) }
        #expect(throws: CodecError.tooDeep(limit: 32)) { try decode(nested(33)) }
        // Nesting that is too deep is refused at its beginning, even if the rest is missing.
        let bomb = String(repeating: row.open, count: 100_000)
        #expect(throws: CodecError.tooDeep(limit: 32)) { try decode(bomb) }
    }

    @Test(
        "a name is there twice, however it is written",
        arguments: [
            "bf7f6161ff01616102ff", "a2616101d9d9f7616102", "a26161f7616101",
            "a27f61616162ff01626162f7", "a262c3a90163 65cc8102", "a1617aa2616101616102",
        ])
    func duplicates(text: String) throws {
        let digits = text.filter { $0 != " " }
        let error = #expect(throws: CodecError.self) { try decode(digits) }
        guard case .duplicateKey = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("the same name in two maps is not a duplicate")
    func sameNames() throws {
        #expect(throws: Never.self) { try decode("a2616101 6162a1616101".filter { $0 != " " }) }
    }

    @Test("a name among many is found twice")
    func manyNames() throws {
        for again in [0, 15, 16, 17, 998] {
            let members = (0..<999).map { CBORMember(name: "n\($0)", value: .null) }
            let right = CBOR.map(members).encode()
            #expect(throws: Never.self) { try CBOR.decode(right.span) }
            let wrong = CBOR.map(members + [CBORMember(name: "n\(again)", value: .null)]).encode()
            #expect(throws: CodecError.duplicateKey("n\(again)")) { try CBOR.decode(wrong.span) }
        }
    }

    @Test(
        "a tag is before a value and nowhere else",
        arguments: [
            ("a1d9d9f7616101", true), ("a16161d9d9f701", true), ("9fd9d9f701ff", true),
            ("d9d9f77f6161ff", true), ("9fd9d9f77fffff", true), ("d9d9f79fff", true),
            ("bf6161d9d9f7ff", false), ("81d9d9f7", false), ("00d9d9f7", false),
            ("5fd9d9f74161ff", false), ("db000000000000d9f701", true), ("d9d9f601", false),
            ("9fd9d9f7ff", false), ("d818d9d9f701", false), ("d9d9f7c001", false),
        ])
    func tags(text: String, isRead: Bool) {
        #expect(((try? decode(text)) != nil) == isRead)
    }

    @Test("a million skipped tags take no room")
    func manyTags() throws {
        let tags = [[UInt8]](repeating: [0xd9, 0xd9, 0xf7], count: 300_000).flatMap { $0 }
        let bytes = tags + [0x01]
        #expect(try CBOR.decode(bytes.span) == .unsigned(1))
        #expect(throws: CodecError.truncated) { try CBOR.decode(tags.span) }
    }

    @Test("many empty chunks are one empty text")
    func emptyChunks() throws {
        let bytes = [0x7f] + [UInt8](repeating: 0x60, count: 500_000) + [0xff]
        #expect(try CBOR.decode(bytes.span) == .text(""))
    }

    @Test(
        "lengths beyond the input are refused before anything is made",
        arguments: [
            "9b7fffffffffffffff00", "bb7fffffffffffffff6161", "9a7fffffff00", "ba7fffffff616100",
            "8200", "a2616100", "a1", "a16161", "5b7fffffffffffffff00", "7b7fffffffffffffff61",
            "819b0fffffffffffffff00", "a161619bffffffffffffffff", "5f5bffffffffffffffff00ff",
        ])
    func lengths(text: String) {
        #expect(throws: CodecError.truncated) { try decode(text) }
    }

    @Test("a hundred thousand values are read and one more is not")
    func values() throws {
        func list(_ count: Int) -> [UInt8] {
            [0x9f] + [UInt8](repeating: 0x80, count: count) + [0xff]
        }
        let right = list(99_999)
        let wrong = list(100_000)
        #expect(throws: Never.self) { try CBOR.decode(right.span) }
        #expect(throws: CodecError.tooLong(limit: 100_000)) { try CBOR.decode(wrong.span) }
    }

    @Test(
        "floats that are integers become integers in JSON, of any width",
        arguments: [
            ("f93c00", 1), ("f9c000", -2), ("fa4f000000", 2_147_483_648),
            ("fb4340000000000000", 9_007_199_254_740_992),
            ("fbc340000000000000", -9_007_199_254_740_992), ("f90000", 0),
        ] as [(String, Int64)])
    func floats(text: String, value: Int64) throws {
        #expect(try decode(text).json() == .integer(value))
    }

    @Test("minus zero and integers beyond a float's precision stay floats")
    func inexact() throws {
        #expect(try decode("f98000").json() == .number("-0.0"))
        #expect(try decode("fb4340000000000001").json().integerValue == nil)
        #expect(try decode("fb43f0000000000000").json().integerValue == nil)
    }

    @Test("written CBOR is definite, shortest and in the given order")
    func emission() throws {
        let value = try decode("bf6162fb3ff00000000000006161 7f61787800ff ff".filter { $0 != " " })
        #expect(try value.encode() == hex("a26162f93c0061616178"))
        for count in [0, 23, 24, 255, 256, 65_535, 65_536] {
            let text = CBOR.text(String(repeating: "x", count: count)).encode()
            let head = count < 24 ? 1 : count < 256 ? 2 : count < 65_536 ? 3 : 5
            #expect(text.count == head + count)
            let list = CBOR.array([CBOR](repeating: .null, count: count)).encode()
            #expect(list.count == head + count)
        }
    }
}
