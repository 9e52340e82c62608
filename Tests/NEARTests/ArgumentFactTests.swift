// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import SigningCrypto
import Testing

@testable import NEAR

@Suite("Facts of arguments")
struct ArgumentFactTests {
    private typealias Judged = JudgedTransaction

    private func argumentFacts(_ args: String...) throws -> [String: FactValue] {
        let found = try Judged(args.map { Judged.call("m", $0) })
        let facts = found.request.operations[0].facts.filter {
            $0.name.hasPrefix("args.") && $0.name != "args.sha256"
        }
        #expect(found.request.decoding == (facts.isEmpty ? .partial : .full))
        return Dictionary(uniqueKeysWithValues: facts.map { ($0.name, $0.value) })
    }

    private func texts(_ values: String...) -> FactValue { .list(values.map { .text($0) }) }
    private func numbers(_ values: Int128...) -> FactValue { .list(values.map { .integer($0) }) }

    @Test("every value by its path and type; whole numbers also in quotes")
    func types() throws {
        let found = try argumentFacts(
            #"{"to":"bob.near","id":7,"sum":"340282366920938463463374607431768211455","ok":true,"#
                + #""deep":{"a":{"b":-1}},"half":1.5,"none":null,"big":18446744073709551616}"#)
        #expect(
            found == [
                "args.names": texts(
                    "to", "id", "sum", "ok", "deep.a.b", "half", "none", "big"),
                "args.text.to": texts("bob.near"), "args.number.id": numbers(7),
                "args.text.sum": texts("340282366920938463463374607431768211455"),
                "args.number.sum": numbers(.max), "args.flag.ok": .list([.bool(true)]),
                "args.number.deep.a.b": numbers(-1),
                "args.number.big": numbers(18_446_744_073_709_551_616),
            ])
    }

    @Test("elements of lists and values of all calls are one list")
    func lists() throws {
        let one = try argumentFacts(
            #"{"ids":["a","b",["c"]],"to":[{"id":"x"},{"id":"y"}],"no":[]}"#)
        #expect(
            one == [
                "args.names": texts("ids", "to.id", "no"), "args.text.ids": texts("a", "b", "c"),
                "args.text.to.id": texts("x", "y"),
            ])
        let two = try argumentFacts(#"{"id":"a"}"#, #"{"id":"b"}"#)
        #expect(two == ["args.names": texts("id"), "args.text.id": texts("a", "b")])
    }

    @Test("a value that another call or element lacks, or has in another type, is no fact")
    func missing() throws {
        let none = FactValue.list([])
        #expect(try argumentFacts(#"{"id":"a"}"#, "{}")["args.text.id"] == none)
        #expect(try argumentFacts(#"{"id":"a"}"#, "")["args.text.id"] == none)
        #expect(try argumentFacts(#"{"to":[{"id":"x"},{"no":"y"}]}"#)["args.text.to.id"] == none)
        #expect(try argumentFacts(#"{"to":[{"id":"x"},"y"]}"#)["args.text.to.id"] == none)
        #expect(try argumentFacts(#"{"to":[{"id":"x"},"y"]}"#)["args.text.to"] == none)
        #expect(try argumentFacts(#"{"id":["a",true]}"#)["args.text.id"] == none)
        #expect(try argumentFacts(#"{"id":["a",true]}"#)["args.flag.id"] == none)
        #expect(try argumentFacts(#"{"id":["7","x"]}"#)["args.number.id"] == none)
        #expect(try argumentFacts(#"{"id":["7",null]}"#)["args.number.id"] == none)
        #expect(try argumentFacts(#"{"a":{"id":"x"}}"#, #"{"a":7}"#)["args.text.a.id"] == none)
    }

    @Test("an empty object or list is a value, and hides behind no other")
    func empty() throws {
        let none = FactValue.list([])
        #expect(try argumentFacts(#"{"x":1,"o":{}}"#)["args.names"] == texts("x", "o"))
        #expect(try argumentFacts(#"{"x":1,"o":[{}]}"#)["args.names"] == texts("x", "o"))
        #expect(try argumentFacts(#"{"x":1,"o":[[],[{}]]}"#)["args.names"] == texts("x", "o"))
        #expect(try argumentFacts(#"{"x":{"y":{}}}"#)["args.names"] == texts("x.y"))
        #expect(try argumentFacts(#"{"o":[{"a":1},{}]}"#)["args.names"] == texts("o", "o.a"))
        #expect(try argumentFacts(#"{"o":[[],{"a":1}]}"#)["args.names"] == texts("o", "o.a"))
        #expect(try argumentFacts(#"{"o":[[],{"a":"b"}]}"#)["args.text.o.a"] == none)
        #expect(try argumentFacts(#"{"ids":["a",[]]}"#)["args.text.ids"] == none)
        #expect(try argumentFacts(#"{"ids":["a",{}]}"#)["args.text.ids"] == none)
        #expect(try argumentFacts(#"{"ids":"a"}"#, #"{"ids":[]}"#)["args.text.ids"] == none)
        #expect(try argumentFacts(#"{"ids":"a"}"#, #"{"ids":{}}"#)["args.text.ids"] == none)
    }

    @Test(
        "unnameable or too many values are left out, and marked as partly decoded"
    )
    func bounds() throws {
        for args in [
            #"{"a.b":1}"#, #"{"":1}"#, #"{"a b":1}"#, "{\"\u{e9}\":1}",
            "{\"\(String(repeating: "n", count: 65))\":1}",
            "{\"a\":\"\(String(repeating: "x", count: 1_025))\"}",
            "{" + (0..<65).map { "\"a\($0)\":1" }.joined(separator: ",") + "}",
            #"{"a":["# + (0..<257).map { "\($0)" }.joined(separator: ",") + "]}",
            String(repeating: #"{"a":"#, count: 10) + "1" + String(repeating: "}", count: 10),
        ] {
            #expect(try argumentFacts(args) == [:], "\(args)")
        }
        let most = (0..<64).map { "\"a\($0)\":1" }.joined(separator: ",")
        #expect(try argumentFacts("{\(most)}").count == 65)
    }

    @Test("the bytes of every call are hashed, in order")
    func hashes() throws {
        let found = try Judged([Judged.call("m", "{}"), Judged.call("n", "\u{1}")])
        #expect(
            found.fact("args.sha256")
                == .list([
                    .bytes(Digest.sha256("{}".utf8.span)), .bytes(Digest.sha256([1].span)),
                ]))
        #expect(found.fact("args.names") == nil && found.request.decoding == .partial)
    }

    @Test("the client's payload and its changing values are not recorded")
    func payload() throws {
        for name in ["args.text.a", "args.number.a.b", "args.flag.a", "args.names"] {
            let field = try #require(FactSchema.near.field(named: name))
            #expect(field.isPayload && field.isList)
        }
        for name in ["callback", "nonce", "max_block_height"] {
            #expect(FactSchema.near.field(named: name)?.isPayload == true)
        }
        #expect(FactSchema.near.field(named: "args.sha256")?.isPayload == false)
        #expect(FactSchema.near.field(named: "args.text.") == nil)
    }
}
