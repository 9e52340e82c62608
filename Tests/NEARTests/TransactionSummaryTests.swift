// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR

@Suite("Questions about transactions")
struct TransactionSummaryTests {
    private typealias Judged = JudgedTransaction

    private func text(_ lines: [Summary.Line], _ label: String) -> [String] {
        lines.filter { $0.label == label }.map(\.text)
    }

    @Test("the receiver, and the amount in NEAR")
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

    @Test("a transfer to an implicit account names its key, and that it is created")
    func impliedReceivers() throws {
        func shown(_ receiver: String, _ action: NEARAction) throws -> [String] {
            text(try Judged([action], to: receiver).lines, "receiver is")
        }
        let (transfer, call) = (NEARAction.transfer(deposit: 1), Judged.call("m", "{}"))
        let implicit = String(repeating: "ab", count: 32)
        let key = KeyText.ed25519([UInt8](repeating: 0xAB, count: 32))
        #expect(
            try shown(implicit, transfer) == [
                "the holder of the key \(key); this creates the account if it does not exist"
            ])
        let digits = String(repeating: "a", count: 40)
        #expect(try shown("0x\(digits)", transfer)[0].hasPrefix("the holder of this Ethereum"))
        #expect(try shown("0s\(digits)", transfer)[0].hasPrefix("the contract with this name"))
        #expect(try shown("bob.near", transfer).isEmpty)
        #expect(try shown(implicit, call).isEmpty)
    }

    @Test("the client's words are the client's, and can say nothing in the hub's name")
    func authors() throws {
        let lie = "vote\ndeposit  0 NEAR\u{202E}"
        let args = #"{"receiver_id":"bob.near","token_id":"a\ndeposit"}"#
        let found = try Judged([
            Judged.call(lie, args), Judged.call("nft_transfer", args),
            Judged.addKey(allowance: 0, receiver: lie, methods: [lie, "b"]),
        ])
        let own: Set = ["method", "arguments", "tokens go to", "token", "key may call"]
        for line in found.lines {
            #expect((line.author == .client) == own.contains(line.label), "\(line.label)")
            if line.author == .hub { #expect(!VisibleText.hasHidden(line.text)) }
        }
        #expect(text(found.lines, "allowance") == ["0 NEAR"])
        #expect(!found.request.summary.text.contains("\u{202E}"))
        #expect(found.request.summary.warnings.count == found.dangers.count + 1)
    }

    @Test("arguments are shown whole: as text where they are text, else in hex")
    func arguments() throws {
        func shown(_ args: [UInt8]) throws -> Summary.Line? {
            let call = FunctionCall(method: "m", args: args, gas: 1, deposit: 0)
            return try Judged([.functionCall(call)]).lines.first { $0.label == "arguments" }
        }
        let json = #"{ "a" : 1 }"#
        #expect(try shown(Array(json.utf8)) == .init("arguments", json, by: .client))
        #expect(try shown([0, 255]) == .init("arguments", "2 bytes, hex 00ff"))
        #expect(try shown([]) == .init("arguments", "none"))
        let long = String(repeating: "x", count: 5_000) + "the end"
        #expect(try shown(Array(long.utf8)) == .init("arguments", long, by: .client))
        let call = FunctionCall(method: "m", args: Array(long.utf8), gas: 1, deposit: 0)
        let found = try Judged([.functionCall(call)])
        #expect(found.dangers.contains("oversize"))
        let summary = found.request.summary
        #expect(summary.isCut && !summary.text.contains("the end"))
        let whole = summary.fullText.split(separator: "\n").map { $0.drop { $0 != "|" } }
            .map { $0.dropFirst(2) }.joined()
        #expect(whole.contains(long))
        let binary = FunctionCall(
            method: "m", args: [UInt8](repeating: 0, count: 5_000) + [1, 2, 3], gas: 1, deposit: 0)
        #expect(
            try Judged([.functionCall(binary)]).request.summary.fullText.contains("00010203"))
    }

    @Test("relayed actions and granted rights are written out in full")
    func grants() throws {
        let found = try Judged([
            .delegate(Judged.delegated([.transfer(deposit: Judged.near)])),
            Judged.addKey(allowance: nil, methods: []),
        ])
        #expect(text(found.lines, "inside sender") == ["carol.near"])
        #expect(text(found.lines, "inside receiver") == ["mallory.near"])
        #expect(text(found.lines, "inside action 1") == ["transfers 1 NEAR"])
        #expect(text(found.lines, "allowance") == ["unlimited, for gas"])
        #expect(text(found.lines, "methods") == ["any"])
        let two = try Judged([Judged.addKey(allowance: 1, methods: ["a, b", "c"])])
        #expect(text(two.lines, "method") == ["a, b", "c"])
        let gasKey = AccessKey.GasKey(balance: Judged.near, nonceCount: 3)
        let balance = try Judged([
            .addKey(Judged.key, AccessKey(nonce: 0, permission: .gasKeyFullAccess(gasKey)))
        ])
        #expect(text(balance.lines, "gas key") == ["3 lanes of nonces, and a balance of 1 NEAR"])
        #expect(balance.number("deposit") == Int128(Judged.near))
    }

    @Test("a delegate action is carried out, or relayed by another account")
    func delegates() throws {
        let carried = try Judged([.delegate(Judged.delegated([]))]).request.summary.warnings
        #expect(
            carried.contains(
                "your account carries out and pays for actions that another account signed"))
        #expect(!carried.contains { $0.contains("when it chooses") })
        #expect(Effect.deletes.sentence == "something that you published or own is deleted or ends")
    }

    @Test("a person who deletes an account reads what is lost with it")
    func deletions() throws {
        for beneficiary in ["bob.near", "app.near"] {
            let judged = try Judged([.deleteAccount(beneficiary: beneficiary)])
            let warnings = judged.request.summary.warnings
            #expect(warnings.contains { $0.contains("tokens in contracts stay behind") })
            let lines = judged.request.summary.lines.map(\.text)
            #expect(lines.contains { $0.contains("itself or does not exist") })
        }
    }

    @Test("a name of another network is warned about")
    func strangers() throws {
        let warning = "bob.testnet is a name of another network, not of mainnet"
        let pay = NEARAction.transfer(deposit: 1)
        #expect(try Judged([pay], to: "bob.testnet").request.summary.warnings.contains(warning))
        #expect(
            try Judged([pay], to: "bob.near").request.summary.warnings == [
                "the nonce comes from the client; no node was asked"
            ])
    }

    @Test("every raised fact is declared, with its type")
    func declared() throws {
        let token = #"{"receiver_id":"bob.near","token_id":"a","amount":"5"}"#
        let requests = [
            try Judged([
                Judged.call("mt_transfer", token), Judged.addKey(allowance: 1),
                .deleteAccount(beneficiary: "bob.near"), .stake(amount: 1, key: Judged.key),
                .deleteKey(Judged.key), .deployContract(code: []),
                .delegate(Judged.delegated([])), .withdrawFromGasKey(Judged.key, amount: 1),
                .useGlobalContract(.account("code.near")),
                .deterministicStateInit(
                    StateInit(code: .codeHash([UInt8](repeating: 1, count: 32)), data: []),
                    deposit: 0),
            ]),
            try Judged([
                .addKey(Judged.key, AccessKey(nonce: 0, permission: .fullAccess)),
                Judged.call("ft_transfer\u{0}", "\u{1}"), Judged.call("add_public_key", "7"),
            ]),
            try Judged("storage_unregister", #"{"force":true,"to":"a","id":1}"#),
        ]
        let schema = FactSchema.near
        for found in requests {
            let operation = found.request.operations[0]
            #expect(schema.methods.contains(found.request.method))
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
            (.text, .account), (.bytes, .bytes):
            return !field.isList
        default: return false
        }
    }
}
