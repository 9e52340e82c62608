// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@Suite struct JSONWriteTests {
    @Test(
        "strings are escaped as NIP-01 and JSON.stringify do",
        arguments: [
            ("", ""), ("plain", "plain"), ("\n\"\\\r\t\u{8}\u{c}", #"\n\"\\\r\t\b\f"#),
            ("\u{0}\u{1}\u{b}\u{e}\u{1f}", #"\u0000\u0001\u000b\u000e\u001f"#),
            ("/<>&'\u{7f}\u{80}\u{9f}", "/<>&'\u{7f}\u{80}\u{9f}"),
            ("\u{2028}\u{2029}\u{feff}\u{ffff}", "\u{2028}\u{2029}\u{feff}\u{ffff}"),
            ("e\u{301}\u{1f600}", "e\u{301}\u{1f600}"), ("a\nb", #"a\nb"#), ("\n", #"\n"#),
        ])
    func quoted(text: String, escaped: String) throws {
        var bytes: [UInt8] = [0x2a]
        JSONText.appendQuoted(text, to: &bytes)
        #expect(bytes == Array("*\"\(escaped)\"".utf8))
        #expect(
            try JSON.parse(bytes.span.extracting(1..<bytes.count)).text?.utf8.elementsEqual(
                text.utf8) == true)
    }

    @Test("values are written without white space in the order they have")
    func write() {
        let value: JSON = [
            "b": [1, -2, true, false, nil, .number("1.50")], "a": "x", "o": ["z": [:], "y": []],
        ]
        let text = #"{"b":[1,-2,true,false,null,1.50],"a":"x","o":{"z":{},"y":[]}}"#
        #expect(String(decoding: value.write(), as: UTF8.self) == text)
    }

    @Test("any value comes back")
    func roundTrip() throws {
        var generator = SplitMix64()
        for _ in 0..<300 {
            let value = random(&generator, depth: 4)
            #expect(try JSON.parse(value.write().span) == value)
        }
    }

    private func random(_ generator: inout SplitMix64, depth: Int) -> JSON {
        switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
        case 0: return nil
        case 1: return .bool(Bool.random(using: &generator))
        case 2: return .integer(Int64(bitPattern: generator.integer()))
        case 3: return .number("\(generator.integer()).5e-1")
        case 4: return .string(generator.text(max: 20))
        case 5:
            let count = Int.random(in: 0..<4, using: &generator)
            return .array((0..<count).map { _ in random(&generator, depth: depth - 1) })
        default:
            let count = Int.random(in: 0..<20, using: &generator)
            return .object(
                JSONObject(
                    (0..<count).map {
                        let name = "\($0)" + generator.text(max: 3)
                        return .init(name: name, value: random(&generator, depth: depth - 1))
                    }))
        }
    }

    @Test("a changed byte never crashes the reader")
    func mutation() throws {
        let text = Array(
            #"{"id":"\u00e9\ud83d\ude00","n":[-1,2.5e3,true,null],"o":{"":false}}"#.utf8)
        var generator = SplitMix64()
        for _ in 0..<2000 {
            var changed = text
            let index = Int.random(in: text.indices, using: &generator)
            changed[index] = UInt8(truncatingIfNeeded: generator.next())
            guard let value = try? JSON.parse(changed.span) else { continue }
            #expect(try JSON.parse(value.write().span) == value)
        }
    }

    @Test("in ASCII nothing is hidden, and the value is the same")
    func ascii() throws {
        let json: JSON = ["k\u{202e}": ["a\u{9b}b\u{7f}\u{1f600}\n\u{e9}", 1, true, nil]]
        let text = String(decoding: json.writeASCII(), as: UTF8.self)
        #expect(
            text == #"{"k\u202e":["a\u009bb\u007f\ud83d\ude00\n\u00e9",1,true,null]}"#)
        #expect(try JSON.parse(text.utf8.span) == json)
    }
}
