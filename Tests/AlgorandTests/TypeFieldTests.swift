// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Fields of the types beyond transfers") struct TypeFieldTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let type: String
        let members: [MessagePackMember]
        let message: String

        init(_ type: String, _ message: String, _ members: KeyValuePairs<String, MessagePack>) {
            self.type = type
            self.message = message
            self.members = members.map { .init(name: $0.key, value: $0.value) }
        }

        var testDescription: String { "\(type): \(message)" }
    }

    static let assetCases = [
        Case("acfg", "apar is zero and must be left out", ["apar": Draft.map([:])]),
        Case("acfg", "apar is not a map", ["apar": .array([])]),
        Case("acfg", "caid is zero and must be left out", ["caid": .unsigned(0)]),
        Case(
            "acfg", "apar has an unknown field", ["apar": Draft.map(["x": .unsigned(1)])]),
        Case(
            "acfg", "apar.t is zero and must be left out",
            ["apar": Draft.map(["t": .unsigned(0)])]),
        Case("acfg", "apar.t is not an integer", ["apar": Draft.map(["t": .bool(true)])]),
        Case(
            "acfg", "apar.dc is larger than 4294967295",
            ["apar": Draft.map(["dc": .unsigned(1 << 32)])]),
        Case("acfg", "apar.df is not true or false", ["apar": Draft.map(["df": .unsigned(1)])]),
        Case(
            "acfg", "apar.df is zero and must be left out",
            ["apar": Draft.map(["df": .bool(false)])]),
        Case(
            "acfg", "apar.un is zero and must be left out", ["apar": Draft.map(["un": .text("")])]),
        Case("acfg", "apar.an is not text", ["apar": Draft.map(["an": Draft.bytes(1)])]),
        Case(
            "acfg", "apar.am has 31 bytes instead of 32",
            ["apar": Draft.map(["am": Draft.bytes(31)])]),
        Case(
            "acfg", "apar.m is zero and must be left out",
            ["apar": Draft.map(["m": Draft.bytes(32, 0)])]),
        Case(
            "acfg", "apar.c has 33 bytes instead of 32", ["apar": Draft.map(["c": Draft.bytes(33)])]
        ),
        Case(
            "acfg", "a field of type axfer is in a transaction of type acfg",
            ["aclose": Draft.bytes(32)]),
        Case("afrz", "afrz is zero and must be left out", ["afrz": .bool(false)]),
        Case("afrz", "fadd has 31 bytes instead of 32", ["fadd": Draft.bytes(31)]),
        Case("afrz", "faid is not an integer", ["faid": .text("1")]),
    ]

    static let registrationCases = [
        Case("keyreg", "votekey has 31 bytes instead of 32", ["votekey": Draft.bytes(31)]),
        Case("keyreg", "sprfkey has 32 bytes instead of 64", ["sprfkey": Draft.bytes(32)]),
        Case("keyreg", "nonpart is zero and must be left out", ["nonpart": .bool(false)]),
        Case(
            "keyreg", "votekey and selkey must be given together",
            ["votekey": Draft.bytes(32)]),
        Case(
            "keyreg", "votekey and selkey must be given together", ["selkey": Draft.bytes(32)]
        ),
        Case(
            "keyreg", "fields for going online need votekey", ["sprfkey": Draft.bytes(64)]),
        Case("keyreg", "fields for going online need votekey", ["votelst": .unsigned(1)]),
        Case("keyreg", "fields for going online need votekey", ["votekd": .unsigned(1)]),
        Case(
            "keyreg", "nonpart cannot be used with participation keys",
            ["votekey": Draft.bytes(32), "selkey": Draft.bytes(32), "nonpart": .bool(true)]),
        Case(
            "keyreg", "votelst is below votefst",
            [
                "votekey": Draft.bytes(32), "selkey": Draft.bytes(32), "votefst": .unsigned(2),
                "votelst": .unsigned(1),
            ]),
        Case(
            "keyreg", "a field of type pay is in a transaction of type keyreg",
            ["close": Draft.bytes(32)]),
    ]

    static let callCases = [
        Case("appl", "apan is zero and must be left out", ["apan": .unsigned(0)]),
        Case("appl", "apan must be a number from 0 to 5", ["apan": .unsigned(6)]),
        Case("appl", "apaa is zero and must be left out", ["apaa": .array([])]),
        Case("appl", "apaa is not a list", ["apaa": Draft.bytes(1)]),
        Case(
            "appl", "apaa[1] is not a byte string", ["apaa": .array([Draft.bytes(1), .text("x")])]),
        Case(
            "appl", "apaa has more than 16384 bytes",
            ["apaa": .array([Draft.bytes(16_384), Draft.bytes(1)])]),
        Case("appl", "apat[0] has 31 bytes instead of 32", ["apat": .array([Draft.bytes(31)])]),
        Case(
            "appl", "apas has an entry that is not an integer", ["apas": .array([Draft.bytes(1)])]),
        Case("appl", "apfa is zero and must be left out", ["apfa": .array([])]),
        Case("appl", "apbx[0] is not a map", ["apbx": .array([.unsigned(1)])]),
        Case(
            "appl", "apbx[0] has an unknown field",
            ["apbx": .array([Draft.map(["x": .unsigned(1)])])]),
        Case(
            "appl", "apbx[0].i is zero and must be left out",
            ["apbx": .array([Draft.map(["i": .unsigned(0)])])]),
        Case(
            "appl", "apbx[0].n is longer than 64 bytes",
            ["apbx": .array([Draft.map(["n": Draft.bytes(65)])])]),
        Case(
            "appl", "apbx has an index that is not in apfa",
            ["apbx": .array([Draft.map(["i": .unsigned(2)])]), "apfa": .array([.unsigned(7)])]),
        Case(
            "appl", "apbx has an index that is not in apfa",
            ["apbx": .array([Draft.map(["i": .unsigned(.max)])])]),
        Case("appl", "apls is zero and must be left out", ["apls": Draft.map([:])]),
        Case(
            "appl", "apgs has an unknown field", ["apgs": Draft.map(["n": .unsigned(1)])]),
        Case("appl", "apep is larger than 7", ["apep": .unsigned(8)]),
        Case(
            "appl", "the call has programs, and neither creates nor updates an application",
            ["apid": .unsigned(5), "apap": Draft.bytes(1)]),
        Case(
            "appl", "the call has programs, and neither creates nor updates an application",
            ["apid": .unsigned(5), "apan": .unsigned(5), "apsu": Draft.bytes(1)]),
        Case(
            "appl", "the programs have more than 16384 bytes",
            ["apap": Draft.bytes(16_384), "apsu": Draft.bytes(1)]),
        Case(
            "appl", "a field of type pay is in a transaction of type appl",
            ["amt": .unsigned(1)]),
    ]

    static let accessCases = [
        Case("appl", "al is zero and must be left out", ["al": .array([])]),
        Case(
            "appl", "al cannot be used with apat, apas, apfa or apbx",
            ["al": .array([Draft.map([:])]), "apas": .array([.unsigned(1)])]),
        Case(
            "appl", "al has more than 16 references",
            ["al": .array([MessagePack](repeating: Draft.map([:]), count: 17))]),
        Case(
            "appl", "an entry of al has more than one reference",
            ["al": .array([Draft.map(["p": .unsigned(1), "s": .unsigned(1)])])]),
        Case(
            "appl", "al[0].s is zero and must be left out",
            ["al": .array([Draft.map(["s": .unsigned(0)])])]),
        Case(
            "appl", "al[0].h is zero and must be left out",
            ["al": .array([Draft.map(["h": Draft.map([:])])])]),
        Case(
            "appl", "al[0].h has an unknown field",
            ["al": .array([Draft.map(["h": Draft.map(["p": .unsigned(1)])])])]),
        Case(
            "appl", "an entry of al has a wrong index",
            [
                "al": .array([
                    Draft.map(["d": Draft.bytes(32)]),
                    Draft.map(["h": Draft.map(["d": .unsigned(1)])]),
                ])
            ]),
        Case(
            "appl", "an entry of al has a wrong index",
            [
                "al": .array([
                    Draft.map(["d": Draft.bytes(32)]),
                    Draft.map(["h": Draft.map(["s": .unsigned(1)])]),
                ])
            ]),
        Case(
            "appl", "an entry of al has a wrong index",
            [
                "al": .array([
                    Draft.map(["s": .unsigned(9)]),
                    Draft.map(["l": Draft.map(["p": .unsigned(1)])]),
                ])
            ]),
        Case(
            "appl", "an entry of al has a wrong index",
            ["al": .array([Draft.map(["b": Draft.map(["i": .unsigned(2)])])])]),
        Case(
            "appl", "an entry of al has a wrong index",
            ["al": .array([Draft.map(["l": Draft.map(["d": .unsigned(.max)])])])]),
    ]

    @Test(
        "a wrong field has its own text",
        arguments: assetCases + registrationCases + callCases + accessCases)
    func refuses(_ row: Case) {
        let bytes = row.members.reduce(Draft(type: row.type)) { $0.with($1.name, $1.value) }.bytes
        #expect(throws: AlgorandRefusal.invalid(row.message)) {
            try Transaction(canonical: bytes.span)
        }
        #expect(!SigningDomain.algorandTransaction.isValid(Transaction.prefix + bytes, []))
    }

    /// A zero inside a list is written; an empty value elsewhere is left out.
    static let accepted: [Case] = [
        Case("acfg", "creation of nothing", [:]),
        Case("acfg", "destruction", ["caid": .unsigned(1)]),
        Case("afrz", "nothing", [:]),
        Case("keyreg", "offline", [:]),
        Case("appl", "creation of nothing", [:]),
        Case(
            "appl", "zeros in lists",
            [
                "apaa": .array([.binary([])]), "apas": .array([.unsigned(0)]),
                "apat": .array([Draft.bytes(32, 0)]), "apbx": .array([Draft.map([:])]),
                "apfa": .array([.unsigned(0)]),
            ]),
        Case("appl", "longest arguments", ["apaa": .array([Draft.bytes(16_384)])]),
        Case("appl", "largest programs", ["apap": Draft.bytes(16_383), "apsu": Draft.bytes(1)]),
        Case(
            "appl", "room for boxes",
            [
                "al": .array([MessagePack](repeating: Draft.map([:]), count: 16))
            ]),
        Case(
            "appl", "places of their kind",
            [
                "al": .array([
                    Draft.map(["d": Draft.bytes(32)]), Draft.map(["s": .unsigned(5)]),
                    Draft.map(["p": .unsigned(6)]),
                    Draft.map(["h": Draft.map(["d": .unsigned(1), "s": .unsigned(2)])]),
                    Draft.map(["h": Draft.map(["s": .unsigned(2)])]),
                    Draft.map(["l": Draft.map(["d": .unsigned(1)])]),
                    Draft.map(["l": Draft.map(["p": .unsigned(3)])]),
                    Draft.map(["b": Draft.map(["i": .unsigned(3)])]),
                ])
            ]),
    ]

    @Test("the edges are read and written alike", arguments: accepted)
    func accepts(_ row: Case) throws {
        let bytes = row.members.reduce(Draft(type: row.type)) { $0.with($1.name, $1.value) }.bytes
        #expect(try Transaction(canonical: bytes.span).encoded() == bytes)
    }

    @Test("types that accounts do not sign are refused with any content")
    func neverSigned() {
        for (type, name) in [("stpf", "spmsg"), ("hb", "hb")] {
            let bytes = Draft(type: type).with(name, Draft.map(["x": .unsigned(1)])).bytes
            let error = #expect(throws: AlgorandRefusal.self) {
                try Transaction(canonical: bytes.span)
            }
            #expect(error?.message.hasSuffix("is never signed here") == true)
        }
    }
}
