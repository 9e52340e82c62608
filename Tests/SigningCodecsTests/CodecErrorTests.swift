// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct CodecErrorTests {
    @Test(
        "errors have words for people",
        arguments: [
            (CodecError.truncated, "unexpected end"),
            (.trailing(at: 3), "unexpected bytes after the end, at byte 3"),
            (.malformed("expected a colon", at: 4), "expected a colon at byte 4"),
            (.tooLong(limit: 5), "longer than the limit of 5"),
            (.tooDeep(limit: 32), "nested deeper than 32"),
            (
                .notCanonical("integer not in shortest form", at: 0),
                "integer not in shortest form"
            ),
            (.duplicateKey("kind"), "duplicate key \"kind\""), (.checksum, "wrong checksum"),
        ])
    func text(error: CodecError, text: String) {
        #expect(error.text == text)
    }

    @Test("a name from the input is quoted and cut")
    func nameFromInput() {
        #expect(CodecError.duplicateKey("a\"\n\u{1b}").text == #"duplicate key "a\"\n\u001b""#)
        let long = CodecError.duplicateKey(String(repeating: "k", count: 10_000)).text
        #expect(long == "duplicate key \"" + String(repeating: "k", count: 64) + "\"")
    }

    @Test(
        "strict UTF-8 names the place",
        arguments: [
            ("61ff", 1), ("c328", 0), ("e282", 0), ("6161eda080", 2), ("c0af", 0),
        ])
    func utf8(text: String, offset: Int) throws {
        let bytes = try hex(text)
        #expect(throws: CodecError.malformed("invalid UTF-8", at: offset)) {
            try UTF8Text.decode(bytes.span)
        }
    }
}
