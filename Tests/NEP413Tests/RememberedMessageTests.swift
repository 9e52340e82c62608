// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

@Suite("A yes to one message or delegate action is not a yes to another")
struct RememberedMessageTests {
    private func message(_ number: UInt8, _ changes: [String: JSON?] = [:]) -> [UInt8] {
        let nonce = [UInt8](repeating: number, count: 32)
        return frame(changes.merging(["nonce": .string(Base64.encode(nonce.span))]) { $1 })
    }

    @Test("the text, the recipient and the callback are those that were shown; the nonce is new")
    func messages() async throws {
        let hub = try AskedHub()
        let shown: [String: JSON?] = ["callbackUrl": "https://app.example/in"]
        #expect(await hub.ending(message(1, shown), remembering: .anyAmount) == "done")
        let others: [[String: JSON?]] = [
            ["message": "ho"], ["message": "hi "], ["recipient": "other.com"],
            ["callbackUrl": nil], ["callbackUrl": "https://app.example/out"],
            ["callbackUrl": "https://evil.example/in"], ["network": "mainnet", "message": "no"],
        ]
        for (number, changes) in others.enumerated() {
            let other = message(UInt8(number) + 10, shown.merging(changes) { $1 })
            #expect(await hub.ending(other) == "approval_unavailable", "\(changes)")
        }
        #expect(await hub.ending(message(2, shown)) == "done")
        // A repeated nonce adds a fact, so the remembered yes does not cover it.
        #expect(await hub.ending(message(2, shown)) == "approval_unavailable")
    }

    @Test("an order to NEAR Intents is asked about each time")
    func intents() async throws {
        let hub = try AskedHub()
        let order = [
            "recipient": JSON.string("intents.near"),
            "message": .string(#"{"intents":[{"intent":"transfer"}]}"#),
        ]
        #expect(await hub.ending(message(1, order), remembering: .anyAmount) == "done")
        #expect(await hub.ending(message(2, order)) == "approval_unavailable")
    }

    private func delegate(_ until: UInt64?, to receiver: String = "app.near") -> [UInt8] {
        let height: JSON = until.map { .string(String($0)) } ?? .null
        let frame: JSON = [
            "method": "signDelegateActions",
            "params": [
                "network": "mainnet",
                "delegateActions": [
                    [
                        "receiverId": .string(receiver), "maxBlockHeight": height,
                        "actions": [["type": "Transfer", "params": ["deposit": "1"]]],
                    ]
                ],
            ],
        ]
        return frame.write()
    }

    private func found(_ nonce: UInt64, height: UInt64) -> NEARLookup.Found {
        NEARLookup.Found(
            nonces: [nonce], blockHash: [UInt8](repeating: 7, count: 32), blockHeight: height)
    }

    @Test("a delegate action is taken for no more blocks than were shown")
    func blocks() async throws {
        let hub = try AskedHub()
        func ending(
            _ frame: [UInt8], _ nonce: UInt64, height: UInt64 = 5_000,
            remembering: Remembering? = nil
        ) async -> String {
            await hub.ending(
                frame, remembering: remembering, finding: found(nonce, height: height))
        }
        #expect(await ending(delegate(nil), 1, remembering: .anyAmount) == "done")
        #expect(await ending(delegate(.max), 2) == "approval_unavailable")
        #expect(await ending(delegate(6_001), 3) == "approval_unavailable")
        #expect(await ending(delegate(nil, to: "evil.near"), 4) == "approval_unavailable")
        #expect(await ending(delegate(5_900), 5) == "done")
        #expect(await ending(delegate(nil), 6, height: 9_000) == "done")
    }

    @Test("without a look at the chain no answer is remembered")
    func unlooked() async throws {
        let hub = try AskedHub()
        func frame(_ nonce: Int) -> [UInt8] {
            let text = String(decoding: delegate(9_000), as: UTF8.self)
            let given = #""nonce":"\#(nonce)","receiverId""#
            return Array(text.replacing(#""receiverId""#, with: given).utf8)
        }
        #expect(await hub.ending(frame(1), remembering: .anyAmount) == "done")
        #expect(await hub.ending(frame(2)) == "approval_unavailable")
    }
}
