// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

private func decode(_ text: String) throws -> String {
    try PercentEncoding.decode(Array(text.utf8).span)
}

@Suite struct PercentEncodingTests {
    @Test(
        "unreserved characters stay, all others become upper-case escapes",
        arguments: [
            ("", ""), ("azAZ09-._~", "azAZ09-._~"), ("a b", "a%20b"), ("1+1=2", "1%2B1%3D2"),
            ("\u{e9}", "%C3%A9"), ("\u{1f600}", "%F0%9F%98%80"), ("%41", "%2541"),
            ("/?#&:@", "%2F%3F%23%26%3A%40"),
            ("\u{0}\u{7f}*'()!", "%00%7F%2A%27%28%29%21"),
        ])
    func encode(text: String, encoded: String) throws {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(try decode(encoded) == text)
    }

    @Test(
        "escapes are decoded once, other bytes stay",
        arguments: [
            ("a+b", "a+b"), ("%2541", "%41"), ("%c3%A9", "\u{e9}"), ("{\"a\":1}", "{\"a\":1}"),
            ("\u{e9}%20", "\u{e9} "), ("%25", "%"), ("%2520", "%20"),
        ])
    func decodes(encoded: String, text: String) throws {
        #expect(try decode(encoded) == text)
    }

    @Test(
        "broken escapes and invalid UTF-8 are refused",
        arguments: [
            "%", "%4", "a%", "a%4", "%zz", "%4g", "%g4", "%%41", "%+1", "% 41", "%u0041", "%c3",
            "%C3%28",
            "%ff", "%ed%a0%80", "%c0%af", "%f4%90%80%80",
        ])
    func refusals(text: String) {
        #expect(throws: CodecError.self) { try decode(text) }
    }

    @Test("raw bytes that are not UTF-8 are refused")
    func rawBytes() {
        #expect(throws: CodecError.self) { try PercentEncoding.decode([0x61, 0xff].span) }
    }

    @Test("RFC 3986 names 66 unreserved characters")
    func unreserved() {
        #expect((UInt8.min...UInt8.max).filter { PercentEncoding.isUnreserved($0) }.count == 66)
    }

    @Test("any text comes back")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let text = generator.text(max: 40)
            #expect(try decode(PercentEncoding.encode(text)) == text)
        }
    }
}
