// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing
import VectorFiles

@testable import NEAR

@Suite("Calls and orders as py-near writes them")
struct StandardCallVectorTests {
    private static let file = VectorFile.near("standard_calls.json")
    private static let calls = file["calls"]?.list ?? []
    private static let messages = file["messages"]?.list ?? []

    @Test("each call is put in words", arguments: calls)
    func call(_ vector: JSON) throws {
        let call = FunctionCall(
            method: try #require(vector["method"]?.text),
            args: Array(try #require(vector["args"]?.text).utf8), gas: 1,
            deposit: try #require(UInt128(vector["deposit"]?.text ?? "")))
        let contract = try #require(vector["receiver"]?.text)
        let meaning = try #require(CallMeaning(of: call, by: contract))
        #expect(meaning.phrase == vector["phrase"]?.text)
    }

    @Test("the orders that a call carries out are in its lines")
    func carried() throws {
        let vector = try #require(Self.calls.last)
        let call = FunctionCall(
            method: "execute_intents", args: Array((vector["args"]?.text ?? "").utf8), gas: 1,
            deposit: 0)
        let meaning = try #require(CallMeaning(of: call, by: "intents.near"))
        let order = #"transfers 10 of "nep141:wrap.near" to bob.near, memo "m""#
        #expect(meaning.lines.contains(.init("order", order)))
    }

    @Test("each order of a message is put in words", arguments: messages)
    func message(_ vector: JSON) throws {
        let text = try #require(vector["message"]?.text)
        let finding = IntentsFinding(recipient: "intents.near", message: text)
        let orders = try #require(finding.orders)
        #expect(orders.map(\.phrase) == (vector["orders"]?.list ?? []).compactMap(\.text))
    }

    @Test("all vectors are there")
    func count() { #expect(Self.calls.count == 7 && Self.messages.count == 1) }
}
