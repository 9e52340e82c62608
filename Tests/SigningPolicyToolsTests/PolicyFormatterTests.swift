// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import SigningPolicyTools

@Suite("Formatting a policy file")
struct PolicyFormatterTests {
    /// A file before and after formatting.
    struct Case: CustomTestStringConvertible {
        let source: String
        let text: String

        var testDescription: String { String(reflecting: source) }

        init(_ source: String, _ text: String) {
            self.source = source
            self.text = text
        }
    }

    /// An array that is 100 columns wide after `ab = `.
    static let wide = "[" + String(repeating: "1111111111111111, ", count: 5) + "123]"
    static let filler = String(repeating: "x", count: 76)

    static let accents = String(repeating: "\u{E9}", count: 16)

    static let lines: [Case] = [
        Case("", ""),
        Case("\n \n\t\r\n", ""),
        Case("\u{FEFF}", ""),
        Case("\u{FEFF}a=1", "a = 1\n"),
        Case("a=1\r\nb=2\r\n", "a = 1\nb = 2\n"),
        Case("  a\t=  1 \t\n b =2", "a = 1\nb = 2\n"),
        Case("\n\na=1\n\n \n\t\nb=2\n\n\n", "a = 1\n\nb = 2\n"),
        Case("a . b.c  .\t'd'=1", "a.b.c.'d' = 1\n"),
        Case("\"\"=1\n\"a b\" . 1=2", "\"\" = 1\n\"a b\".1 = 2\n"),
    ]

    static let headers: [Case] = [
        Case("[ set . x ]\n\n\na=1", "[set.x]\na = 1\n"),
        Case("\n[[ rule ]]\na=1", "[[rule]]\na = 1\n"),
        Case("a=1\n[t]\nb=1\n[[u]]\n[[u]]", "a = 1\n\n[t]\nb = 1\n\n[[u]]\n\n[[u]]\n"),
        Case("[t]\n\n\n\n[u]", "[t]\n\n[u]\n"),
        Case("a=1\n# x\n#y\n[t]", "a = 1\n\n# x\n#y\n[t]\n"),
        Case("a=1\n# x\n\n[t]", "a = 1\n# x\n\n[t]\n"),
        Case("a=1\n# x\n\n\n# y\n[t]", "a = 1\n# x\n\n# y\n[t]\n"),
        Case("\n# c\n[t]", "# c\n[t]\n"),
        Case("[t]\n\n# x\n\na=1", "[t]\n# x\n\na = 1\n"),
        Case("[t]\n# x\n[u]", "[t]\n\n# x\n[u]\n"),
    ]

    static let comments: [Case] = [
        Case("#", "#\n"),
        Case(" \t# a  b \t\r\n#c", "# a  b\n#c\n"),
        Case("a=1# x\n[t]\t#y \t", "a = 1  # x\n\n[t]  #y\n"),
        Case("# a\n\n\n# b\n# c\n\n", "# a\n\n# b\n# c\n"),
        Case("a='#' # '\nb=\"\\\"#\"#\"", "a = '#'  # '\nb = \"\\\"#\"  #\"\n"),
        Case(
            "a=[ # x\n1 # y\n, # z\n2 ] # w",
            "a = [  # x\n    1,  # y\n    # z\n    2,\n]  # w\n"),
        Case(
            "a=[\n# x\n\n\n1\n , # y\n\n2, 3\n # z\n\n]",
            "a = [\n    # x\n\n    1,  # y\n\n    2,\n    3,\n    # z\n]\n"),
        Case("a=[ # x\n]\nb=[\n# y\n]", "a = [  # x\n]\nb = [\n    # y\n]\n"),
    ]

    static let values: [Case] = [
        Case("a={}\nb={ }\nc={x=1,y . z='1'}", "a = {}\nb = {}\nc = { x = 1, y.z = '1' }\n"),
        Case("a=[ 1,2 , ]\nb=[ ]\nc=[\n\n]\nd=[[\n]]", "a = [1, 2]\nb = []\nc = []\nd = [[]]\n"),
        Case("a=[1,\n2]", "a = [\n    1,\n    2,\n]\n"),
        Case(
            "a=[[1,\n2],[ 3,4 ]]",
            "a = [\n    [\n        1,\n        2,\n    ],\n    [3, 4],\n]\n"),
        Case("a={b=[1,\n2],c=3}", "a = { b = [\n    1,\n    2,\n], c = 3 }\n"),
        Case(
            "a=1979-05-27 07:32:00Z\nb=[1979-05-27 ]#",
            "a = 1979-05-27 07:32:00Z\nb = [1979-05-27]  #\n"),
        Case("a=[+1_0,0xFf , -1.5E+3,nan,true]", "a = [+1_0, 0xFf, -1.5E+3, nan, true]\n"),
    ]

    static let strings: [Case] = [
        Case("a=\"\"\nb=\" \\\" # \\\\\"", "a = \"\"\nb = \" \\\" # \\\\\"\n"),
        Case("a=''\nb=' \\'", "a = ''\nb = ' \\'\n"),
        Case(
            "a=\"\"\"\r\n x \t\n\\\"\"\"\"\"\r\n",
            "a = \"\"\"\r\n x \t\n\\\"\"\"\"\"\n"),
        Case("a='''\r\n # \n''x'''''\r\nb=1", "a = '''\r\n # \n''x'''''\nb = 1\n"),
        Case("a=\"\"\"a\"\"\\\n  b\"\"\"#c", "a = \"\"\"a\"\"\\\n  b\"\"\"  #c\n"),
        Case("a=['''\n''']", "a = [\n    '''\n''',\n]\n"),
        Case("a={b='''\n''',c=[1]}", "a = { b = '''\n''', c = [1] }\n"),
    ]

    static let width: [Case] = [
        Case("ab=\(wide)", "ab = \(wide)\n"),
        Case("ab=\(wide) # x", "ab = \(wide)  # x\n"),
        Case(
            "abc=\(wide)",
            "abc = [\n" + String(repeating: "    1111111111111111,\n", count: 5)
                + "    123,\n]\n"),
        // The comma behind the array counts; a comment does not.
        Case(
            "a=[\n{b=[1],c='\(filler)'}# x\n]",
            "a = [\n    { b = [1], c = '\(filler)' },  # x\n]\n"),
        Case(
            "a=[\n{b=[1],c='\(filler)x'}\n]",
            "a = [\n    { b = [\n        1,\n    ], c = '\(filler)x' },\n]\n"),
        // Breaking an empty array saves no column.
        Case("a={b='\(filler)\(filler)',c=[ ]}", "a = { b = '\(filler)\(filler)', c = [] }\n"),
        // A column is a code point.
        Case(
            "a=['\(filler)\(accents)']\nb=['\(filler)\(accents)x']",
            "a = ['\(filler)\(accents)']\nb = [\n    '\(filler)\(accents)x',\n]\n"),
    ]

    static let all = lines + headers + comments + values + strings + width

    static func format(_ text: String) -> String? {
        PolicyFormatter.format(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("gives every line its layout", arguments: all)
    func layout(_ item: Case) {
        #expect(Self.format(item.source) == item.text)
    }

    @Test("changes nothing in a formatted file", arguments: all)
    func idempotence(_ item: Case) {
        #expect(Self.format(item.text) == item.text)
    }

    @Test(
        "leaves a file alone that it cannot lay out",
        arguments: [
            "a", "=1", "a=", "a=1 2", "a b=1", "a. .b=1", ".a=1", "a.=1", "a=1 b=2", "a=1\rb=2",
            "# a\rb", "a=1\r", "a=@", "a=[", "a=]", "a=[1}", "a=[1 2]", "a=[,1]", "a=[1,,2]",
            "a=[1\n# x\n2]", "a={", "a={b=1,}", "a={\n}", "a={b=1\n}", "a={b=[1,\n2],\nc=3}",
            "[", "[]", "[a", "[a\n]", "[[a]", "[a]]", "[ [a]]", "[[a] ]", "[a]b=1", "a='x",
            "a=\"x\n\"", "a='''x''", "'''a'''=1", "a=\"\\", "\u{E9}=1",
        ])
    func refusals(_ source: String) {
        #expect(Self.format(source) == nil)
    }

    @Test("refuses a file that is not UTF-8, too long or too deep")
    func bounds() {
        #expect(PolicyFormatter.format([0x23, 0xFF]) == nil)
        let countMax = PolicyLayout.bytesMax
        #expect(PolicyFormatter.format(Array(repeating: 0x0A, count: countMax)) == [])
        #expect(PolicyFormatter.format(Array(repeating: 0x0A, count: countMax + 1)) == nil)
        // The formatted text would exceed the limit.
        let comments = Array("# a\n[b]\n".utf8)
        let many = Array(repeatElement(comments, count: countMax / comments.count).joined())
        #expect(PolicyFormatter.format(many) == nil)
        for depth in [TOMLTokens.depthMax, TOMLTokens.depthMax + 1, 100_000] {
            let opening = String(repeating: "[", count: depth)
            let text = Self.format("a=\(opening)\(String(repeating: "]", count: depth))")
            #expect((text == nil) == (depth > TOMLTokens.depthMax))
        }
    }

    /// Pieces of all cases in random order, most of which is not valid TOML.
    @Test("comes back from any bytes", arguments: 0 as UInt64..<64)
    func garbage(_ seed: UInt64) {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func next(below bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        for _ in 0..<200 {
            var bytes = Array(Self.all[next(below: Self.all.count)].source.utf8)
            for _ in 0...next(below: 4) {
                let place = next(below: bytes.count + 1)
                let alphabet = Array("[]{},=.#\"'\\\n\r\t a1-:".utf8) + [0, 0x80, 0xFF]
                bytes.insert(alphabet[next(below: alphabet.count)], at: place)
                bytes.remove(at: next(below: bytes.count))
            }
            guard let text = PolicyFormatter.format(bytes) else { continue }
            #expect(PolicyFormatter.format(text) == text, "\(bytes)")
        }
    }
}
