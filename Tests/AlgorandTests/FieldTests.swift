// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import Testing

@testable import Algorand

@Suite("Fields of a transaction") struct FieldTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let value: MessagePack?
        let message: String
        var type = "pay"
        var testDescription: String { message }
    }

    static let cases: [Case] = [
        Case(name: "snd", value: nil, message: "snd is missing"),
        Case(name: "gh", value: nil, message: "gh is missing; every network needs it"),
        Case(name: "type", value: nil, message: "type is missing"),
        Case(name: "type", value: .text("foo"), message: "unknown transaction type"),
        Case(name: "type", value: .unsigned(1), message: "type is not text"),
        Case(
            name: "snd", value: .binary([UInt8](repeating: 7, count: 31)),
            message: "snd has 31 bytes instead of 32"),
        Case(
            name: "gh", value: .binary([UInt8](repeating: 7, count: 33)),
            message: "gh has 33 bytes instead of 32"),
        Case(
            name: "lx", value: .binary([1]), message: "lx has 1 bytes instead of 32"),
        Case(
            name: "rcv", value: .binary(Draft.key(0)),
            message: "rcv is zero and must be left out"),
        Case(
            name: "grp", value: .binary(Draft.key(0)),
            message: "grp is zero and must be left out"),
        Case(name: "fee", value: .unsigned(0), message: "fee is zero and must be left out"),
        Case(name: "amt", value: .unsigned(0), message: "amt is zero and must be left out"),
        Case(name: "note", value: .binary([]), message: "note is zero and must be left out"),
        Case(name: "gen", value: .text(""), message: "gen is zero and must be left out"),
        Case(name: "amt", value: .text("1"), message: "amt is not an integer"),
        Case(name: "amt", value: .bool(true), message: "amt is not an integer"),
        Case(name: "rcv", value: .text("x"), message: "rcv is not a byte string"),
        Case(name: "gen", value: .binary([1]), message: "gen is not text"),
        Case(
            name: "note", value: .binary([UInt8](repeating: 1, count: 4097)),
            message: "note is longer than 4096 bytes"),
        Case(name: "lv", value: .unsigned(9), message: "lv is below fv"),
        Case(
            name: "lv", value: .unsigned(1011), message: "lv is more than 1000 rounds after fv"),
        Case(
            name: "zzz", value: .unsigned(1), message: "a transaction has an unknown field"),
        Case(
            name: "aamt", value: .unsigned(1),
            message: "a field of type axfer is in a transaction of type pay"),
        Case(
            name: "amt", value: .unsigned(1),
            message: "a field of type pay is in a transaction of type axfer", type: "axfer"),
        Case(
            name: "txn", value: .map([]),
            message: "this is a signed transaction; send the unsigned one"),
    ]

    @Test("the draft itself is read", arguments: ["pay", "axfer"])
    func draft(_ type: String) throws {
        _ = try Transaction(canonical: Draft(type: type).bytes.span)
        _ = try Transaction(canonical: Draft(type: type).with("note", .binary([0])).bytes.span)
        _ = try Transaction(
            canonical: Draft().with("note", .binary([UInt8](repeating: 1, count: 4096))).bytes.span)
    }

    @Test("a wrong field has its own text", arguments: cases)
    func refuses(_ row: Case) {
        let bytes = Draft(type: row.type).with(row.name, row.value).bytes
        #expect(throws: AlgorandRefusal.invalid(row.message)) {
            try Transaction(canonical: bytes.span)
        }
    }

    @Test("something other than a map is refused")
    func notAMap() {
        let bytes: [UInt8] = [0x90]
        #expect(throws: AlgorandRefusal.invalid("not a map")) {
            try Transaction(canonical: bytes.span)
        }
    }
}
