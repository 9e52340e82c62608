// SPDX-License-Identifier: Apache-2.0

import SigningService
import SigningTesting
import Testing

@testable import SigningCore
@testable import SigningTerminal

@Suite("The scope of a remembered answer")
struct RememberOfferTests {
    @Test("every value of it is shown to its end")
    func whole() {
        let schema = FactSchema(
            protocolID: ProtocolID("near"), methods: ["call"],
            fields: [
                FactField("method", .text, isList: true, note: ""),
                FactField("args", .text, note: ""), FactField("code", .bytes, note: ""),
            ], dangers: [])
        let methods = (1...9).map { "method_\($0)" }
        let scope = Grant.Scope(
            client: "https://app.example", proof: .callback, key: KeyID("k"),
            protocolID: ProtocolID("near"), method: "call",
            facts: [
                Fact("args", .text(String(repeating: "a", count: 300) + "END")),
                Fact("code", .bytes([UInt8](repeating: 1, count: 300) + [0xEE])),
                Fact("method", .list(methods.map { .text($0) })),
            ])
        let lines = GrantText(schemas: [schema]).lines(scope, keyName: "alice")
        for method in methods {
            #expect(lines.contains { $0.contains("\"\(method)\"") }, "\(method)")
        }
        #expect(lines.contains { $0.hasSuffix("aEND\"") })
        #expect(lines.contains { $0.hasSuffix("01ee\"") })
        #expect(!lines.contains { $0.contains("more") })
    }

    @Test("only the terminal says how to answer at the terminal")
    func surfaces() {
        let sample = SampleQuestion.make()
        let scope = Grant.Scope(
            client: "app", proof: .claimed, key: KeyID("k"), protocolID: ProtocolID("near"),
            method: "call", facts: [])
        let account = Account(
            id: KeyID("k"), name: "alice", protocolID: ProtocolID("near"), algorithm: .ed25519,
            publicKey: [], address: "alice.near", network: nil)
        let wish = Wish(
            method: "call", facts: [], effects: [], dangers: [], title: "calls",
            isGrantable: true)
        let question = ApprovalQuestion(
            binding: sample.binding, act: .sign, summary: sample.summary, client: sample.client,
            accounts: [account], scopes: [scope], refusalScopes: [scope],
            wishes: [WishOffer(wish: wish, state: .open)])
        let words = QuestionText(question, schemas: [])
        for text in [words.offer, words.wishes ?? ""] {
            #expect(!text.isEmpty && !text.contains("such as") && !text.contains("answer"))
        }
        let terminal = TerminalApproval(schemas: []).offer(of: question)
        #expect(terminal.contains("such as \"y 1h\"") && terminal.hasPrefix(words.offer))
    }
}
