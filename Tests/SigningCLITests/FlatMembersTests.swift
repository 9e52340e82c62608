// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import SigningCLI

@Suite("Members found in place")
struct FlatMembersTests {
    /// The text of a member, or the failure.
    private func read(_ text: String, _ name: String = "a") throws -> String? {
        let bytes = Array(text.utf8)
        let members = try FlatMembers(of: bytes.span)
        return try members.place(of: name, in: bytes.span).map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    @Test(
        "texts are found, with anything between them",
        arguments: [
            #"{"a":"x"}"#, #" { "b" : 1 , "a" : "x" } "#, "\t{\r\n\"a\":\"x\",\"c\":null}\n",
            #"{"b":"\"}\\\u0041","a":"x","c":true,"d":false,"e":-1.5e+3}"#,
        ])
    func found(text: String) throws {
        #expect(try read(text) == "x")
        #expect(try read(text, "missing") == nil)
        #expect(try read(text, "aa") == nil)
    }

    @Test("null, and an empty text, is not a text")
    func nothing() throws {
        #expect(try read("{}") == nil)
        #expect(try read(#"{"a":null}"#) == nil)
        #expect(try read(#"{"a":""}"#)?.isEmpty == true)
    }

    @Test(
        "everything but one flat object is refused",
        arguments: [
            "", " ", "{", "}", "[]", "\"a\"", "{}{}", "{} x", "\u{FEFF}{}", #"{"a"}"#, #"{"a":}"#,
            #"{"a":"x""#, #"{"a":"x"#, #"{"a":"x",}"#, #"{,"a":"x"}"#, #"{"a":"x" "b":"y"}"#,
            #"{"a" "x"}"#, #"{a:"x"}"#, #"{'a':'x'}"#, #"{"a":{"b":"x"}}"#, #"{"b":["x"]}"#,
            #"{"b":nul}"#, #"{"b":True}"#, #"{"b":x}"#, "{\"a\":\"x\ny\"}", "{\"b\":\"\u{1}\"}",
            #"{"a":"x\"}"#, #"{"a":"\"#, #"{"a":"x"} // comment"#,
        ])
    func refused(text: String) {
        #expect(throws: FlatMembers.ParseError.self) { _ = try read(text) }
    }

    private func objects(_ text: String) throws -> [String]? {
        let bytes = Array(text.utf8)
        let members = try FlatMembers(of: bytes.span, skippingNested: true)
        return members.objects("a", in: bytes.span)?.map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    @Test("the objects of a list are found, with anything nested in them")
    func nested() throws {
        let list = #"[{"x":"}]\"{"}, {"y":[1,{"z":[]}]} ,{}]"#
        #expect(
            try objects(#"{"b":{"a":[]},"a":"# + list + #","c":1}"#)
                == [#"{"x":"}]\"{"}"#, #"{"y":[1,{"z":[]}]}"#, "{}"])
        #expect(try objects(#"{"a":[]}"#)?.isEmpty == true)
        #expect(try objects(#"{"a":[[1]]}"#) == nil)
        #expect(try objects(#"{"a":{}}"#) == nil)
        #expect(try objects(#"{"b":[]}"#) == nil)
        let deepest = String(repeating: "[", count: FlatMembers.depthMax)
        let closed = String(repeating: "]", count: FlatMembers.depthMax)
        #expect(throws: Never.self) { _ = try objects(#"{"a":\#(deepest)\#(closed)}"#) }
        for text in [
            "[\(deepest)\(closed)]", "[}", "[", "[{]}", #"["]"#, "[\"\u{1}\"]", "[]]",
        ] {
            #expect(throws: FlatMembers.ParseError.self, "\(text)") {
                _ = try objects(#"{"a":\#(text)}"#)
            }
        }
        #expect(throws: FlatMembers.ParseError.self) { _ = try read(#"{"a":[],"b":"x"}"#, "b") }
    }

    @Test("every beginning of an object is refused")
    func truncated() {
        let text = #"{"b":1,"a":"x","c":null}"#
        for count in 0..<text.utf8.count {
            #expect(throws: FlatMembers.ParseError.self) {
                _ = try read(String(text.prefix(count)))
            }
        }
    }

    @Test("a duplicate member is refused, known or not")
    func twice() {
        for text in [
            #"{"a":"x","a":"x"}"#, #"{"a":null,"a":"x"}"#, #"{"b":1,"a":"x","b":2}"#,
        ] {
            #expect(throws: FlatMembers.ParseError.self, "\(text)") { _ = try read(text) }
        }
    }

    @Test("escapes are refused in names, and in wanted values")
    func escapes() throws {
        for text in [
            #"{"a":"\u0078"}"#, #"{"a":"x\/"}"#, #"{"\u0061":"x"}"#, #"{"b\n":1,"a":"x"}"#,
        ] {
            #expect(throws: FlatMembers.ParseError.self, "\(text)") { _ = try read(text) }
        }
        #expect(throws: FlatMembers.ParseError.self) { _ = try read(#"{"a":1}"#) }
        #expect(throws: FlatMembers.ParseError.self) { _ = try read(#"{"a":true}"#) }
    }

    @Test("there are not too many members")
    func limit() throws {
        func object(_ count: Int) -> String {
            "{" + (0..<count).map { "\"n\($0)\":1" }.joined(separator: ",") + "}"
        }
        #expect(try read(object(32)) == nil)
        #expect(throws: FlatMembers.ParseError.self) { _ = try read(object(33)) }
    }
}
