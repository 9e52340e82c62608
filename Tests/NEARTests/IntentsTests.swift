// SPDX-License-Identifier: Apache-2.0

import SigningCore
import Testing

@testable import NEAR

@Suite("Messages for NEAR Intents")
struct IntentsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let message: String
        var recipient = "myapp.com"
        let intents: Bool?
        var kinds: [String]?
        var effects: [Effect] = [.provesIdentity]
        var isReadable = true
        var testDescription: String { "\(recipient): \(message.prefix(40))" }
    }

    private static let both: [Effect] = [.provesIdentity, .spends, .grantsAuthority]

    private static let cases: [Case] = [
        Case(message: "Sign in", intents: false),
        Case(message: "{\"intent\":\"transfer\"}", intents: false),
        Case(message: "{\"intents\":\"transfer\"}", intents: false),
        Case(
            message: "{\"intents\":[]}", intents: true, kinds: [],
            effects: [.provesIdentity, .spends]),
        Case(
            message: " \n{\"intents\":[{\"intent\":\"transfer\"},{\"intent\":\"ft_withdraw\"}]}",
            intents: true, kinds: ["transfer", "ft_withdraw"], effects: both,
            isReadable: false),
        Case(
            message: "{\"\\u0069ntents\":[{\"intent\":\"add_public_key\"}]}", intents: true,
            kinds: ["add_public_key"], effects: both, isReadable: false),
        Case(
            message: "{\"intents\":[{\"intent\":\"native_withdraw\",\"receiver_id\":\"a.near\","
                + "\"amount\":\"1\"}]}",
            intents: true, kinds: ["native_withdraw"], effects: [.provesIdentity, .spends]),
        // A contract may wrap the order in another object.
        Case(
            message: "{\"domain\":\"x\",\"msg\":[{\"intents\":[{\"intent\":\"token_diff\"}]}]}",
            intents: true, kinds: ["token_diff"], effects: both, isReadable: false),
        Case(
            message: "{\"intents\":[{\"amount\":1}]}", intents: true, effects: both,
            isReadable: false),
        Case(message: "{\"intents\":[1]}", intents: true, effects: both, isReadable: false),
        Case(
            message: "Hello, world!", recipient: "intents.near", intents: true, effects: both,
            isReadable: false),
        Case(
            message: "{}", recipient: "intents.near", intents: true, effects: both,
            isReadable: false),
        // A text that this parser cannot read may be an order for another parser.
        Case(
            message: "{\"intents\":[],\"intents\":[{\"intent\":\"transfer\"}]}", intents: nil,
            effects: both, isReadable: false),
        Case(message: "{\"intents\":[", intents: nil, effects: both, isReadable: false),
    ]

    @Test("orders are found, and doubt counts as an order", arguments: cases)
    func finding(_ row: Case) throws {
        let request = try MessageCall(message: row.message, recipient: row.recipient).request()
        #expect(request.fact("intents") == row.intents.map { .bool($0) })
        #expect(request.fact("intents.kinds") == row.kinds.map { .list($0.map { .text($0) }) })
        #expect(request.dangers.contains(.intents) == (row.intents != false))
        #expect(request.effects == row.effects)
        #expect(request.decoding == (row.isReadable ? .full : .partial))
        let isWarned = request.summary.warnings.contains { $0.contains("payments") }
        #expect(isWarned == !row.isReadable)
    }

    @Test("each intent is shown with its kind and amounts as the client's words")
    func lines() throws {
        let request = try MessageCall.vector("intents-json-message").request()
        let lines = request.summary.lines.filter { $0.label == "intent" }
        #expect(lines.count == 1)
        #expect(lines[0].author == .client)
        #expect(lines[0].text.hasPrefix("transfer {"))
        #expect(lines[0].text.contains("nep141:wrap.near"))
        #expect(request.summary.title.contains("NEAR Intents"))
    }

    @Test("very many intents are all in the details")
    func manyIntents() throws {
        let one = "{\"intent\":\"transfer\"}"
        let all = Array(repeating: one, count: 100).joined(separator: ",")
        let request = try MessageCall(message: "{\"intents\":[\(all)]}").request()
        let lines = request.summary.lines.filter { $0.label == "intent" }
        #expect(lines.count == 100)
        #expect(lines.allSatisfy { $0.author == .client })
    }
}
