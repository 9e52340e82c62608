// SPDX-License-Identifier: Apache-2.0

import AlgorandSamples
import SigningCodecs
import SigningCore
import Testing

@testable import Algorand

@Suite("Calls by a file that the owner added")
struct ABICallTests {
    private static let app: UInt64 = 7

    private func contract(_ signature: (name: String, types: [String])) throws -> ABIContract {
        let arguments = signature.types.enumerated().map { place, type -> JSON in
            ["type": .string(type), "name": .string("a\(place)")]
        }
        let file: JSON = [
            "name": "Dex",
            "methods": [
                [
                    "name": .string(signature.name), "args": .array(arguments),
                    "returns": ["type": "void"],
                ]
            ],
        ]
        var contract = try ABIContract(file.write())
        contract.setApp(Self.app, on: .testnet)
        return contract
    }

    private func draft(
        _ arguments: [[UInt8]], _ more: KeyValuePairs<String, MessagePack> = [:]
    ) -> Draft {
        var draft = Draft(
            type: "appl",
            ["apid": .unsigned(Self.app), "apaa": .array(arguments.map { .binary($0) })])
        for (name, value) in more { draft = draft.with(name, value) }
        return draft
    }

    /// The item of a call, as a wire makes it, with the words of the file "dex".
    private func item(
        _ draft: Draft, by contract: ABIContract, on network: AlgorandNetwork = .testnet,
        after before: [Transaction] = []
    ) throws -> SigningItem {
        var item = try SigningItem.own(draft)
        var files = ABIFiles()
        files.contracts["dex"] = contract
        item.abi = files.read(item.wire.transaction, after: before, on: network)
        return item
    }

    private func words(_ item: SigningItem) -> [String] {
        item.shownLines.filter { $0.label.hasPrefix("method") }.map(\.text)
    }

    private static let source = #"by the file "dex" that you added"#

    @Test("the method and its arguments are in words, beside the bytes")
    func words() throws {
        let contract = try contract(
            ("swap", ["uint64", "account", "asset", "application", "bool"]))
        let selector = contract.methods[0].selector
        let call = draft(
            [selector, [0, 0, 0, 0, 0, 0, 1, 0], [1], [0], [0], [0x80]],
            ["apat": .array([Draft.bytes(32)]), "apas": .array([.unsigned(9)])])
        let found = try item(call, by: contract)
        let account = AlgorandAddress.text(publicKey: found.wire.transaction.usedAccount.span)
        #expect(
            words(found) == [
                "\"swap\" \(Self.source)", "\"a0\", uint64: 256", "\"a1\", account: \(account)",
                "\"a2\", asset: asset 9", "\"a3\", application: app 7, itself",
                "\"a4\", bool: true",
            ])
        let bare = try SigningItem.own(call)
        #expect(found.shownLines.filter { !$0.label.hasPrefix("method") } == bare.shownLines)
        #expect(found.headline(takesEffect: false).text.contains("\"swap\" \(Self.source)"))
        #expect(
            found.headline(takesEffect: false).gravity == bare.headline(takesEffect: false).gravity)
        // The words change nothing that rules see.
        let (own, plain) = (try found.operation, try bare.operation)
        #expect(own.facts == plain.facts && own.dangers == plain.dangers)
        #expect(own.effects == plain.effects && own.outflows == plain.outflows)
    }

    @Test("the sender is account 0, and other places must be in the lists")
    func references() throws {
        let contract = try contract(("m", ["account", "asset", "application"]))
        let selector = contract.methods[0].selector
        let lists: KeyValuePairs<String, MessagePack> = [
            "apas": .array([.unsigned(9)]), "apfa": .array([.unsigned(8)]),
        ]
        let good = try item(draft([selector, [0], [0], [1]], lists), by: contract)
        #expect(words(good)[1].hasSuffix(", the sender") && words(good)[3].hasSuffix("app 8"))
        for indexes: [[UInt8]] in [[[1], [0], [1]], [[0], [1], [1]], [[0], [0], [2]]] {
            let found = try item(draft([selector] + indexes, lists), by: contract)
            #expect(words(found) == ["\"m\" \(Self.source), but the arguments are not those of it"])
        }
    }

    @Test("from the 15th argument on, they are one tuple")
    func packed() throws {
        for count in [15, 16, 20] {
            let contract = try contract(("m", Array(repeating: "uint8", count: count)))
            let values = (0..<count).map { UInt8($0) }
            let single = count > 15 ? 14 : count
            var arguments = [contract.methods[0].selector] + values[..<single].map { [$0] }
            if count > 15 { arguments.append(Array(values[single...])) }
            let found = try item(draft(arguments), by: contract)
            #expect(words(found).count == count + 1)
            #expect(words(found).last == "\"a\(count - 1)\", uint8: \(count - 1)")
            arguments[arguments.count - 1].append(0)
            #expect(try words(item(draft(arguments), by: contract)).count == 1)
        }
    }

    @Test("transactions before the call are its arguments, by their type")
    func transactions() throws {
        let contract = try contract(("m", ["axfer", "uint8", "txn"]))
        let call = draft([contract.methods[0].selector, [5]])
        func transaction(_ draft: Draft) throws -> Transaction {
            try SigningItem.own(draft).wire.transaction
        }
        let pay = try transaction(Draft(type: "pay", [:]))
        let transfer = try transaction(
            Draft(type: "axfer", ["xaid": .unsigned(9), "aamt": .unsigned(4)]))
        let found = words(try item(call, by: contract, after: [pay, transfer, pay]))
        #expect(
            found[1]
                == "\"a0\", axfer: transaction 2 of the group, an asset transfer of 4 smallest "
                + "units of asset 9")
        #expect(found[2] == "\"a1\", uint8: 5")
        #expect(found[3].hasPrefix("\"a2\", txn: transaction 3 of the group, a payment"))
        for before in [[], [transfer], [pay, pay]] {
            #expect(words(try item(call, by: contract, after: before)).count == 1)
        }
    }

    @Test("a file says nothing of other apps, networks and calls without a method")
    func elsewhere() throws {
        let contract = try contract(("m", []))
        let selector = contract.methods[0].selector
        #expect(try !words(item(draft([selector]), by: contract)).isEmpty)
        #expect(try words(item(draft([selector]), by: contract, on: .mainnet)).isEmpty)
        let bare = Draft(type: "appl", ["apid": .unsigned(Self.app)])
        #expect(try words(item(bare, by: contract)).isEmpty)
        #expect(try words(item(draft([selector]).with("apid", .unsigned(8)), by: contract)).isEmpty)
        // A clear-state call runs other code.
        #expect(try words(item(draft([selector], ["apan": .unsigned(3)]), by: contract)).isEmpty)
        let other = try item(draft([[1, 2, 3, 4]]), by: contract)
        #expect(words(other) == ["not named \(Self.source)"])
        #expect(other.abi?.phrase == nil)
    }

    @Test("names and texts are quoted, so that they cannot look like words of the hub")
    func quoting() throws {
        let file: JSON = [
            "name": "Dex",
            "methods": [
                [
                    "name": "m",
                    "args": [["type": "string", "name": "x\u{202E}\" by the hub"]],
                    "returns": ["type": "void"],
                ]
            ],
        ]
        var contract = try ABIContract(file.write())
        contract.setApp(Self.app, on: .testnet)
        let text = Array("\" and 0 ALGO\u{202E}".utf8)
        let bytes = [0, UInt8(text.count)] + text
        let found = words(
            try item(draft([contract.methods[0].selector, bytes]), by: contract))
        #expect(found.count == 2 && !VisibleText.hasHidden(found[1]))
        #expect(!found[1].contains("x\u{202E}") && found[1].contains("\\\""))
    }
}

extension Transaction {
    fileprivate var usedAccount: [UInt8] {
        guard case .applicationCall(let call) = body else { return [] }
        return call.usedAccounts[0]
    }
}
