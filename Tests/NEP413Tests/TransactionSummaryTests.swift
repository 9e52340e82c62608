// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEP413

@Suite("What people are shown of transactions")
struct TransactionSummaryTests {
    private typealias Judged = JudgedTransaction

    private func text(_ lines: [Summary.Line], _ label: String) -> [String] {
        lines.filter { $0.label == label }.map(\.text)
    }

    @Test("who gets what, and how much of it in NEAR")
    func amounts() throws {
        let found = try Judged(
            [
                .transfer(deposit: Judged.near * 5 / 2),
                Judged.call("m", "{}", gas: 30_000_000_000_000, deposit: 1),
                .stake(amount: .max, key: Judged.key),
            ], to: "bob.near")
        #expect(text(found.lines, "account") == ["alice.near"])
        #expect(text(found.lines, "receiver") == ["bob.near"])
        #expect(text(found.lines, "network") == ["mainnet"])
        #expect(text(found.lines, "action 1") == ["transfers 2.5 NEAR"])
        #expect(text(found.lines, "deposit") == ["0.000000000000000000000001 NEAR"])
        #expect(text(found.lines, "gas") == ["30 Tgas"])
        #expect(text(found.lines, "action 3")[0].contains("\(UInt128.max) yoctoNEAR"))
        #expect(text(found.lines, "nonce") == ["7"])
    }

    @Test("the client's words are the client's, and can say nothing in the hub's name")
    func authors() throws {
        let lie = "vote\ndeposit  0 NEAR\u{202E}"
        let args = #"{"receiver_id":"bob.near","token_id":"a\ndeposit"}"#
        let found = try Judged([
            Judged.call(lie, args), Judged.call("nft_transfer", args),
            Judged.addKey(allowance: 0, receiver: lie, methods: [lie, "b"]),
        ])
        let own: Set = [
            "method", "arguments", "tokens go to", "token", "key may call", "methods",
        ]
        for line in found.lines {
            #expect((line.author == .client) == own.contains(line.label), "\(line.label)")
            if line.author == .hub { #expect(!VisibleText.hasHidden(line.text)) }
        }
        #expect(text(found.lines, "allowance") == ["0 NEAR"])
        #expect(!found.request.summary.text.contains("\u{202E}"))
        #expect(found.request.summary.warnings.count == found.dangers.count + 1)
    }

    @Test("arguments are shown as they are, as bytes, or their beginning, which is flagged")
    func arguments() throws {
        func shown(_ args: [UInt8]) throws -> Summary.Line? {
            let call = FunctionCall(method: "m", args: args, gas: 1, deposit: 0)
            return try Judged([.functionCall(call)]).lines.first { $0.label == "arguments" }
        }
        let json = #"{ "a" : 1 }"#
        #expect(try shown(Array(json.utf8)) == .init("arguments", json, by: .client))
        #expect(try shown([0, 255]) == .init("arguments", "bytes 00ff"))
        #expect(try shown([]) == .init("arguments", "none"))
        let long = [UInt8](repeating: 0x20, count: 4_097)
        #expect(try shown(long)?.text == "4097 bytes, of which you see the first")
        let call = FunctionCall(method: "m", args: long, gas: 1, deposit: 0)
        #expect(try Judged([.functionCall(call)]).dangers.contains("oversize"))
    }

    @Test("what somebody else is carried, and what is granted, is said in full")
    func grants() throws {
        let found = try Judged([
            .delegate(Judged.delegated([.transfer(deposit: Judged.near)])),
            Judged.addKey(allowance: nil, methods: []),
        ])
        #expect(text(found.lines, "inside sender") == ["carol.near"])
        #expect(text(found.lines, "inside receiver") == ["mallory.near"])
        #expect(text(found.lines, "inside action 1") == ["transfers 1 NEAR"])
        #expect(text(found.lines, "allowance") == ["without a bound, for gas"])
        #expect(text(found.lines, "methods") == ["any"])
    }

    @Test("whatever is raised is declared, with its type")
    func declared() throws {
        let token = #"{"receiver_id":"bob.near","token_id":"a","amount":"5"}"#
        let requests = [
            try Judged([
                Judged.call("mt_transfer", token), Judged.addKey(allowance: 1),
                .deleteAccount(beneficiary: "bob.near"), .stake(amount: 1, key: Judged.key),
                .deleteKey(Judged.key), .deployContract(code: []),
                .delegate(Judged.delegated([])),
            ]),
            try Judged([
                .addKey(Judged.key, AccessKey(nonce: 0, permission: .fullAccess)),
                Judged.call("ft_transfer\u{0}", "\u{1}"), Judged.call("add_public_key", "7"),
            ]),
        ]
        let schema = adapter.schema
        for found in requests {
            let operation = found.request.operations[0]
            #expect(schema.operations.contains(found.request.method))
            for fact in operation.facts + found.request.facts {
                let field = try #require(schema.field(named: fact.name), "\(fact.name)")
                #expect(fits(fact.value, field), "\(fact.name)")
            }
            for danger in operation.dangers + found.request.dangers {
                #expect((schema.dangers + Danger.common).contains(danger), "\(danger)")
                #expect(!found.request.summary.warnings.contains(danger.name))
            }
        }
        let raised = Set(requests.flatMap { $0.request.operations[0].facts.map(\.name) })
        for name in ["token.amount", "token.ids", "beneficiary", "stake", "allowance"] {
            #expect(raised.contains(name))
        }
    }

    private func fits(_ value: FactValue, _ field: FactField) -> Bool {
        switch (value, field.type) {
        case (.list(let values), _) where field.isList:
            let single = FactField(field.name, field.type, note: "")
            return values.allSatisfy { fits($0, single) }
        case (.bool, .bool), (.integer, .integer), (.integer, .amount), (.text, .text),
            (.text, .account):
            return !field.isList
        default: return false
        }
    }
}
