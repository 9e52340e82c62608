// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import Testing

@testable import Algorand

@Suite("Files about applications")
struct ABIContractTests {
    private static let method: JSON = [
        "name": "add", "desc": "Adds.",
        "args": [["type": "uint64", "name": "a"], ["type": "uint64"]],
        "returns": ["type": "uint64"],
    ]
    private static let hash = "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI="
    private static let networks: JSON = [
        "SGO1GKSzyE7IEPItTxCByw9x8FmnrCDexi9/cOUJOiI=": ["appID": 123]
    ]

    private static let files: [(name: String, file: JSON)] = [
        ("ARC-4", ["name": "Calc", "networks": networks, "methods": [method]]),
        (
            "ARC-32",
            [
                "hints": ["add(uint64,uint64)uint64": ["call_config": ["no_op": "CALL"]]],
                "source": ["approval": "I2", "clear": "I2"],
                "contract": ["name": "Calc", "networks": networks, "methods": [method]],
            ]
        ),
        (
            "ARC-56",
            [
                "arcs": [4, 56], "name": "Calc", "structs": [:], "networks": networks,
                "methods": [
                    [
                        "name": "add",
                        "args": [
                            ["type": "uint64", "name": "a", "struct": "S"], ["type": "uint64"],
                        ],
                        "returns": ["type": "uint64", "struct": "S"],
                        "actions": ["create": [], "call": ["NoOp"]], "readonly": true,
                    ]
                ],
                "state": ["schema": ["global": ["ints": 0, "bytes": 0]]],
            ]
        ),
    ]

    @Test("each of the three standards gives the same methods and apps", arguments: files.indices)
    func standards(_ index: Int) throws {
        let contract = try ABIContract(Self.files[index].file.write())
        #expect(contract.name == "Calc" && contract.methodCount == 1)
        #expect(contract.methods[0].signature == "add(uint64,uint64)uint64")
        #expect(contract.methods[0].selector == [0xfe, 0x6b, 0xdf, 0x69])
        #expect(contract.apps == [AlgorandNetwork.testnet.genesisHash: 123])
        #expect(try ABIContract(Array(contract.text.utf8)) == contract)
    }

    private func refusal(_ file: JSON) -> String? {
        do throws(ABIFileError) {
            _ = try ABIContract(file.write())
            return nil
        } catch {
            switch error {
            case .invalid(let reason): return reason
            }
        }
    }

    @Test("a file that lacks something, or says something impossible, is refused with the reason")
    func refusals() {
        func file(_ methods: JSON, networks: JSON = [:]) -> JSON {
            ["name": "Calc", "methods": methods, "networks": networks]
        }
        func method(_ name: String, _ type: String, returns: String = "void") -> JSON {
            [
                "name": .string(name), "args": [["type": .string(type)]],
                "returns": ["type": .string(returns)],
            ]
        }
        let rows: [(JSON, String)] = [
            ([], "not a JSON object"), ([:], "no name"), (["name": "x"], "no methods"),
            (file([]), "no methods"), (file([7]), "a method has no name"),
            (file([method("a b", "uint8")]), "a method has no name"),
            (file([method("m", "uint7")]), #"method m: "uint7" is no type of ARC-4"#),
            (
                file([["name": "m", "args": [[:]], "returns": ["type": "void"]]]),
                "an argument has no type"
            ),
            (file([method("m", "uint8", returns: "account")]), "returns has an unknown type"),
            (file([method("m", "uint8"), method("m", "uint8")]), "one selector"),
            (file([["name": "m", "returns": ["type": "void"]]]), "args is missing"),
            (file([method("m", "uint8")], networks: [["appID": 1]]), "networks is not an object"),
            (file([method("m", "uint8")], networks: ["x": ["appID": 1]]), "genesis hash"),
            (file([method("m", "uint8")], networks: .object(Self.named(0))), "appID"),
            (file([method("m", "uint8")], networks: .object(Self.named(-1))), "appID"),
            (
                file(.array((0...256).map { method("m\($0)", "uint8") })),
                "more than 256 methods"
            ),
        ]
        for (file, reason) in rows {
            #expect(refusal(file)?.contains(reason) == true, "\(reason): \(refusal(file) ?? "")")
        }
        #expect(refusal(file([method("m", "uint8")], networks: .null)) == nil)
        let long = [UInt8](repeating: 0x20, count: ABIContract.fileBytesMax + 1)
        #expect(throws: ABIFileError.self) { try ABIContract(long) }
    }

    private static func named(_ app: Int64) -> JSONObject {
        JSONObject([.init(name: hash, value: ["appID": .integer(app)])])
    }
}
