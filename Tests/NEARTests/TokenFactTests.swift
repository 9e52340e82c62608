// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import Testing

@testable import NEAR

@Suite("Facts of tokens")
struct TokenFactTests {
    private typealias Judged = JudgedTransaction

    /// A method, its arguments, the receiver, the amount, and the token ids.
    private static let known: [(String, String, String, Int128?, [String])] = [
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"5","memo":"m"}"#, "bob.near", 5, []),
        (
            "ft_transfer_call", #"{"receiver_id":"bob.near","amount":"5","msg":""}"#, "bob.near",
            5, []
        ),
        ("nft_transfer", #"{"receiver_id":"bob.near","token_id":"a"}"#, "bob.near", nil, ["a"]),
        (
            "nft_transfer_payout", #"{"receiver_id":"bob.near","token_id":"a","balance":"1"}"#,
            "bob.near", nil, ["a"]
        ),
        ("nft_approve", #"{"account_id":"bob.near","token_id":"a"}"#, "bob.near", nil, ["a"]),
        (
            "mt_transfer", #"{"receiver_id":"bob.near","token_id":"a","amount":"5"}"#,
            "bob.near", 5, ["a"]
        ),
        (
            "mt_batch_transfer",
            #"{"receiver_id":"bob.near","token_ids":["a","b"],"amounts":["1","2"]}"#,
            "bob.near", 3, ["a", "b"]
        ),
        (
            "mt_approve", #"{"account_id":"bob.near","token_ids":["a"],"amounts":["1"]}"#,
            "bob.near", 1, ["a"]
        ),
        ("near_withdraw", #"{"amount":"5"}"#, "alice.near", 5, []),
        (
            "ft_withdraw", #"{"token":"usdt.near","receiver_id":"bob.near","amount":"5"}"#,
            "bob.near", 5, ["usdt.near"]
        ),
        (
            "mt_withdraw",
            #"{"token":"m.near","receiver_id":"bob.near","token_ids":["a"],"amounts":["2"]}"#,
            "bob.near", 2, ["m.near", "a"]
        ),
        (
            "mt_transfer",
            #"{"receiver_id":"bob.near","token_id":"a","amount":"5","approval":["eve.near",7]}"#,
            "bob.near", 5, ["a"]
        ),
        (
            "mt_batch_transfer",
            #"{"receiver_id":"bob.near","token_ids":["a"],"amounts":["1"],"approvals":[null]}"#,
            "bob.near", 1, ["a"]
        ),
        // Both usual ways to write a character, with white space.
        (
            "ft_transfer",
            "{ \"receiver_id\" : \"bob.near\",\n\"amount\":\"5\",\"memo\":\"\u{e9}\" }",
            "bob.near", 5, []
        ),
        (
            "ft_transfer", #"{"receiver_id":"bob.near","amount":"5","memo":"\u00e9"}"#,
            "bob.near", 5, []
        ),
        (
            "nft_withdraw", #"{"token":"n.near","receiver_id":"bob.near","token_id":"a"}"#,
            "bob.near", nil, ["a", "n.near"]
        ),
        ("native_withdraw", #"{"receiver_id":"bob.near","amount":"5"}"#, "bob.near", 5, []),
    ]

    @Test("receiver and amount are reported exactly", arguments: known)
    func readable(
        _ method: String, _ args: String, _ receiver: String, _ amount: Int128?, _ ids: [String]
    ) throws {
        let found = try Judged(method, args)
        #expect(found.dangers == ["token_transfer"] && found.effects == [.spends])
        #expect(found.request.decoding == .full)
        #expect(found.texts("token.receiver") == [receiver])
        #expect(found.number("token.amount") == amount)
        #expect(found.texts("token.ids") == (ids.isEmpty ? nil : ids))
        #expect(found.texts("method") == [method])
    }

    /// Calls that rules about tokens must not treat as a known transfer.
    private static let unknown = [
        ("ft_transfer", ""), ("ft_transfer", "{}"), ("ft_transfer", "null"),
        ("ft_transfer", #"["mallory.near","5",null]"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":5}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"5.0"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"-5"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"0x5"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"+5"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"05"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"5","note":"x"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"5","memo":7}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"5","msg":7}"#),
        ("ft_transfer", #"{"receiver\u005fid":"bob.near","amount":"5"}"#),
        ("ft_transfer", #"{"receiver_id":"bob\u002enear","amount":"5"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"5","memo":"\u00E9"}"#),
        ("ft_transfer_call", #"{"receiver_id":"bob.near","amount":"5"}"#),
        ("ft_transfer_call", #"{"receiver_id":"bob.near","amount":"5","msg":null}"#),
        ("ft_transfer_call", #"{"receiver_id":"bob.near","amount":"5","msg":{}}"#),
        ("native_withdraw", #"{"receiver_id":"bob.near","amount":"5","msg":"x"}"#),
        ("nft_transfer", #"{"receiver_id":"bob.near","token_id":"a","approval_id":"1"}"#),
        ("nft_transfer", #"{"receiver_id":"bob.near","token_id":"a","approval_id":-1}"#),
        ("mt_transfer", #"{"receiver_id":"b.near","token_id":"a","amount":"5","approval":[1]}"#),
        (
            "mt_batch_transfer",
            #"{"receiver_id":"bob.near","token_ids":["a","b"],"amounts":["1"]}"#
        ),
        ("ft_transfer", #"{"receiver_id":"bob.near"}"#), ("ft_transfer", #"{"amount":"5"}"#),
        (
            "ft_transfer",
            #"{"receiver_id":"bob.near","amount":"340282366920938463463374607431768211456"}"#
        ),
        ("ft_transfer", #"{"receiver_id":"bob.near","receiver_id":"eve.near","amount":"5"}"#),
        (
            "ft_transfer", #"{"receiver_id":"bob.near","receiver\u005fid":"eve.near","amount":"5"}"#
        ),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"1","amount":"500"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","account_id":"eve.near","amount":"5"}"#),
        ("ft_transfer", #"{"account_id":"bob.near","amount":"5"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near\u200b","amount":"5"}"#),
        ("ft_transfer", #"{"receiver_id":"Bob.near","amount":"5"}"#),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"5"} "x""#),
        ("nft_transfer", #"{"receiver_id":"bob.near"}"#),
        ("nft_transfer", #"{"receiver_id":"bob.near","token_id":7}"#),
        ("nft_approve", #"{"receiver_id":"bob.near","token_id":"a"}"#),
        ("mt_transfer", #"{"receiver_id":"bob.near","amount":"5"}"#),
        ("mt_batch_transfer", #"{"receiver_id":"bob.near","token_ids":["a",7]}"#),
        ("mt_batch_transfer", #"{"receiver_id":"bob.near","token_ids":[]}"#),
        ("near_withdraw", #"{"amount":"5","receiver_id":"bob.near"}"#),
        ("near_withdraw", "{}"), ("ft_withdraw", #"{"receiver_id":"bob.near","amount":"5"}"#),
    ]

    @Test("an unreadable call is flagged and gives no fact", arguments: unknown)
    func unreadable(_ method: String, _ args: String) throws {
        let alone = try Judged(method, args)
        #expect(alone.dangers == ["token_transfer", "opaque"])
        #expect(alone.tokenFacts == [] && alone.request.decoding == .partial)
        #expect(alone.lines.contains { $0.label == "tokens" })
        let good = Judged.call("ft_transfer", #"{"receiver_id":"bob.near","amount":"5"}"#)
        for batch in [[good, Judged.call(method, args)], [Judged.call(method, args), good]] {
            let found = try Judged(batch)
            #expect(found.tokenFacts == [] && found.request.decoding == .partial)
            #expect(found.dangers == ["token_transfer", "opaque"])
        }
    }

    @Test("sums add up and saturate; where one call has no amount there is no sum")
    func sums() throws {
        func pay(_ amount: String, _ receiver: String = "bob.near") -> NEARAction {
            Judged.call("ft_transfer", #"{"receiver_id":"\#(receiver)","amount":"\#(amount)"}"#)
        }
        let two = try Judged([pay("5"), pay("6", "eve.near")])
        #expect(two.number("token.amount") == 11)
        #expect(two.texts("token.receiver") == ["bob.near", "eve.near"])
        let most = "340282366920938463463374607431768211455"
        #expect(try Judged([pay(most), pay(most)]).number("token.amount") == .max)
        let nft = Judged.call("nft_transfer", #"{"receiver_id":"eve.near","token_id":"a"}"#)
        let both = try Judged([pay("5"), nft])
        #expect(both.number("token.amount") == nil && both.request.decoding == .partial)
        #expect(both.texts("token.receiver") == ["bob.near", "eve.near"])
        let unwrapping = try Judged([pay("5"), Judged.call("near_withdraw", #"{"amount":"9"}"#)])
        #expect(unwrapping.texts("token.receiver") == ["bob.near", "alice.near"])
        #expect(unwrapping.number("token.amount") == 14)
    }

    @Test("an order to the receiver is nothing that rules could judge")
    func orders() throws {
        for (method, rest) in [
            ("ft_transfer_call", #""amount":"5""#), ("ft_transfer", #""amount":"5""#),
            ("ft_withdraw", #""amount":"5","token":"usdt.near""#),
            ("nft_transfer_call", #""token_id":"a""#),
        ] {
            let order = #""{\"receiver_id\":\"mallory.near\"}""#
            let found = try Judged(
                method, #"{"receiver_id":"intents.near",\#(rest),"msg":\#(order)}"#)
            #expect(found.dangers == ["token_transfer", "opaque"])
            #expect(found.request.decoding == .partial)
            #expect(found.texts("token.receiver") == ["intents.near"])
            #expect(found.lines.contains { $0.label == "tokens carry" })
            let none = try Judged(method, #"{"receiver_id":"bob.near",\#(rest),"msg":""}"#)
            #expect(none.dangers == ["token_transfer"] && none.request.decoding == .full)
        }
    }

    @Test("other calls are not token calls, and opaque where their arguments are not an object")
    func others() throws {
        for method in ["ft_transfer ", "FT_TRANSFER", "ft_transfer\u{0}", "ft_balance_of", ""] {
            let found = try Judged(method, "{}")
            #expect(!found.dangers.contains("token_transfer") && found.tokenFacts == [])
        }
        for args in ["[1]", "7", #"{"a":1,"a":2}"#, "{", "\u{1}\u{2}"] {
            #expect(try Judged("vote", args).dangers == ["opaque"])
        }
        #expect(try Judged("vote", "").dangers == [])
    }
}
