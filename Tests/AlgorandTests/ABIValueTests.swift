// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import Testing

@testable import Algorand

@Suite("Values of ARC-4")
struct ABIValueTests {
    private static let values = Vectors.list("abi.json", "values")
    private static let methods = Vectors.list("abi.json", "methods")

    private func parts(_ vector: JSON) throws -> (type: ABIType, bytes: [UInt8]) {
        let text = try #require(vector["type"]?.text)
        return (
            try #require(ABIType(text), "\(text)"),
            try Hex.decode(try #require(vector["hex"]?.text))
        )
    }

    @Test("each value of the peer is read, and written as the same bytes", arguments: values)
    func value(_ vector: JSON) throws {
        let (type, bytes) = try parts(vector)
        #expect(type.text == vector["type"]?.text)
        let value = try type.decode(bytes)
        #expect(type.encode(value) == bytes)
        if let words = vector["words"]?.text { #expect(type.words(for: value) == words) }
    }

    @Test(
        "no other bytes are that value: each bit counts, and so do missing and added bytes",
        arguments: values)
    func others(_ vector: JSON) throws {
        let (type, bytes) = try parts(vector)
        let value = try type.decode(bytes)
        for other in [Array(bytes.dropLast()), bytes + [0]] where other != bytes {
            #expect((try? type.decode(other)) != value)
        }
        for place in bytes.indices {
            for bit in 0..<8 {
                var other = bytes
                other[place] ^= 1 << bit
                guard let read = try? type.decode(other) else { continue }
                #expect(read != value && type.encode(read) == other)
            }
        }
    }

    @Test("a value of fixed size takes exactly its bytes")
    func sizes() throws {
        for vector in Self.values {
            let (type, bytes) = try parts(vector)
            #expect(type.size == (type.isDynamic ? nil : bytes.count))
        }
    }

    private static let refused: [(type: String, hex: String)] = [
        ("bool", "01"), ("bool", "81"), ("bool", ""), ("uint8", "0001"), ("uint64", "00"),
        ("string", "00"), ("string", "000161ff"), ("string", "000261"), ("string", "0001ff"),
        ("string", "0002c080"), ("bool[3]", "a1"), ("(bool,bool)", "e0"), ("()", "00"),
        // Offsets into the head, in another order, beyond the end, and a gap.
        ("(string)", "00000000"), ("(string,string)", "0006000400000000"),
        ("(string)", "0009"), ("(string)", "00030000 00"), ("string[]", "0001 0003 0000 00"),
        ("uint64[]", "ffff"), ("()[]", "ffff"), ("address", "00"),
    ]

    @Test("other bytes are refused", arguments: refused.indices)
    func refusals(_ index: Int) throws {
        let (text, hex) = Self.refused[index]
        let bytes = try Hex.decode(hex.filter { $0 != " " })
        let type = try #require(ABIType(text))
        #expect(throws: ABIError.self) { try type.decode(bytes) }
    }

    @Test("no type makes reading long: sizes and counts are bounded")
    func bounds() throws {
        for text in [
            "uint8[65535][65535][65535][65535][65535]", "bool[65535][65535]", "()[65535]",
            "()[65535][65535]", "(uint8[65535],uint8[65535])", "string[65535]",
        ] {
            let type = try #require(ABIType(text))
            #expect(throws: ABIError.self) { try type.decode([0, 1, 2, 3]) }
        }
        let many = try #require(ABIType("uint8[]"))
        var bytes: [UInt8] = [0x10, 0]
        bytes += [UInt8](repeating: 7, count: 4_096)
        #expect(throws: ABIError.self) { try many.decode(bytes) }
        let raw = try #require(ABIType("byte[]"))
        #expect(try raw.decode(bytes) == .bytes(Array(bytes.dropFirst(2))))
    }

    @Test(
        "only the types of ARC-4 are types, each in one spelling",
        arguments: [
            "", "uint", "uint0", "uint7", "uint520", "uint08", "uint+8", "uint8 ", " uint8",
            "Uint8", "ufixed64", "ufixed64x0", "ufixed64x161", "ufixed8x01", "string[",
            "string]", "uint8[-1]", "uint8[01]", "uint8[65536]", "uint8[ ]", "(", ")", "(uint8",
            "(uint8,)", "(,uint8)", "uint8)", "(uint8)(uint8)", "account", "txn", "pay", "void",
            "(account)", "bytes", "[]", "uint8[]x", "(uint8, uint8)",
        ])
    func types(_ text: String) { #expect(ABIType(text) == nil) }

    @Test("types are nested and long up to a bound")
    func nesting() {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "uint8" + String(repeating: ")", count: depth)
        }
        #expect(ABIType(nested(ABIType.depthMax - 1)) != nil)
        #expect(ABIType(nested(ABIType.depthMax)) == nil)
        let wide = "(" + Array(repeating: "uint8", count: 300).joined(separator: ",") + ")"
        #expect(ABIType(wide) == nil)
    }

    @Test("a method has the signature and the selector of the peer", arguments: methods)
    func method(_ vector: JSON) throws {
        let method = try ABIMethod(try #require(vector["json"]))
        #expect(method.signature == vector["signature"]?.text)
        #expect(try method.selector == Hex.decode(vector["selector"]?.text ?? ""))
        #expect(try ABIMethod(method.json) == method)
    }

    @Test("all vectors are there")
    func count() { #expect(Self.values.count == 150 && Self.methods.count == 5) }
}
