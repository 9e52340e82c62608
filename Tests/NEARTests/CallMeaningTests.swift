// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR

@Suite("What a call asks for")
struct CallMeaningTests {
    private typealias Judged = JudgedTransaction

    struct Row: Sendable, CustomTestStringConvertible {
        let method: String
        let args: String
        let contract: String
        let deposit: UInt128
        let phrase: String?
        let gravity: Summary.Headline.Gravity

        init(
            _ method: String, _ args: String, to contract: String = "app.near",
            deposit: UInt128 = 0, _ phrase: String?, _ gravity: Summary.Headline.Gravity = .plain
        ) {
            self.method = method
            self.args = args
            self.contract = contract
            self.deposit = deposit
            self.phrase = phrase
            self.gravity = gravity
        }

        var testDescription: String { "\(method) \(args.prefix(60))" }

        var call: FunctionCall {
            FunctionCall(method: method, args: Array(args.utf8), gas: 1, deposit: deposit)
        }
    }

    private static let pool = "figment.poolv1.near"
    private static let usdt = "usdt.tether-token.near"

    private static let known = [
        Row(
            "ft_transfer", #"{"receiver_id":"bob.near","amount":"5000000","memo":"rent"}"#,
            to: usdt, #"transfer 5000000 of its smallest unit to bob.near, memo "rent""#, .value),
        Row(
            "ft_transfer_call", #"{"receiver_id":"dex.near","amount":"5","msg":"swap"}"#,
            "transfer 5 of its smallest unit to dex.near, with an order to it", .value),
        Row(
            "mt_batch_transfer",
            #"{"receiver_id":"bob.near","token_ids":["a","b"],"amounts":["1","2"]}"#,
            #"transfer 1 of the token "a", 2 of the token "b" to bob.near"#, .value),
        Row(
            "near_withdraw", #"{"amount":"5"}"#, to: "wrap.near",
            "give you 5 of its smallest unit back as NEAR", .value),
        Row(
            "near_deposit", "", to: "wrap.near", deposit: Judged.near,
            "turn 1 NEAR into wrapped NEAR for you", .value),
        Row(
            "ft_withdraw", #"{"token":"usdt.near","receiver_id":"bob.near","amount":"5"}"#,
            to: "intents.near",
            #"send 5 of the token "nep141:usdt.near" out of your balance there to bob.near"#,
            .value),
        Row(
            "nft_withdraw", #"{"token":"n.near","receiver_id":"bob.near","token_id":"7"}"#,
            to: "intents.near",
            #"send 1 of the token "nep171:n.near:7" out of your balance there to bob.near"#,
            .value),
        Row(
            "mt_withdraw",
            #"{"token":"m.near","receiver_id":"bob.near","token_ids":["a","b"],"#
                + #""amounts":["1","2"]}"#,
            to: "intents.near",
            #"send 1 of the token "nep245:m.near:a", 2 of the token "nep245:m.near:b" out of "#
                + "your balance there to bob.near", .value),
        Row(
            "mt_transfer",
            #"{"receiver_id":"bob.near","token_id":"a","amount":"5","approval":["eve.near",7]}"#,
            #"transfer 5 of the token "a" to bob.near, by an approval of eve.near"#, .value),
        Row(
            "storage_deposit", #"{"account_id":"bob.near","registration_only":true}"#,
            deposit: Judged.near / 4,
            "keep 0.25 NEAR as the storage deposit of bob.near, and to pay back what registering "
                + "does not need", .value),
        Row("storage_deposit", "{}", "keep 0 NEAR as the storage deposit of your account"),
        Row("storage_withdraw", "{}", "pay you back all free NEAR of your storage deposit"),
        Row(
            "storage_unregister", #"{"force":null}"#,
            "forget your account and pay back its storage deposit"),
        Row("nft_revoke_all", #"{"token_id":"a"}"#, #"no longer let anyone take the token "a""#),
        Row(
            "mt_revoke", #"{"token_ids":["a"],"account_id":"eve.near"}"#,
            #"no longer let eve.near take the token "a""#),
        Row(
            "deposit_and_stake", "{}", to: pool, deposit: 2 * Judged.near,
            "keep 2 NEAR for you and stake it", .value),
        Row(
            "unstake", #"{"amount":"1500000000000000000000000"}"#, to: pool,
            "unstake 1.5 NEAR of your stake"),
        Row("withdraw_all", "", to: pool, "pay you all that is unstaked"),
        Row(
            "add_public_key", #"{"public_key":"ed25519:abc"}"#, to: "intents.near",
            #"accept orders in your name that the key "ed25519:abc" signs"#, .authority),
        Row(
            "disable_auth_by_predecessor_id", "{}", to: "intents.near",
            "accept nothing from your account any more, only orders that its keys there sign; "
                + "without such a key your balance there is lost", .loss),
        Row(
            "execute_intents", #"{"signed":[{"standard":"nep413"},{"standard":"erc191"}]}"#,
            to: "intents.near", "carry out signed orders (2) for the accounts that signed them",
            .flagged),
    ]

    @Test("the words say what the standard's method asks for", arguments: known)
    func words(_ row: Row) throws {
        let meaning = try #require(CallMeaning(of: row.call, by: row.contract))
        #expect(meaning.phrase == row.phrase)
        #expect(meaning.gravity == row.gravity)
        let found = try Judged([.functionCall(row.call)], to: row.contract)
        let asked = "asks \(row.contract) to \(meaning.phrase)"
        #expect(found.lines.contains { $0.label == "action 1" && $0.text == asked })
        // The raw method and arguments stay on the screen.
        #expect(found.lines.contains { $0.label == "method" && $0.text == row.method })
        let shown = row.args.isEmpty ? "none" : row.args
        #expect(found.lines.contains { $0.label == "arguments" && $0.text == shown })
    }

    private func carrying(_ form: String, _ payload: JSON) throws -> [Summary.Line] {
        let args: JSON = ["signed": [["standard": .string(form), "payload": payload]]]
        let call = FunctionCall(method: "execute_intents", args: args.write(), gas: 1, deposit: 0)
        return try #require(CallMeaning(of: call, by: "intents.near")).lines
    }

    @Test("orders of others name their signer, and no words speak to the reader")
    func carried() throws {
        let message: JSON = [
            "signer_id": "carol.near",
            "intents": [["intent": "native_withdraw", "receiver_id": "eve.near", "amount": "1"]],
        ]
        let text = JSON.string(String(decoding: message.write(), as: UTF8.self))
        for (form, payload): (String, JSON) in [
            ("raw_ed25519", text), ("nep413", ["message": text]),
        ] {
            let lines = try carrying(form, payload)
            #expect(
                lines.first?.text == #"an order in the name of carol.near, form "\#(form)""#)
            #expect(lines.map(\.label) == ["carries out", "intent"])
        }
    }

    @Test("an order that cannot be read says so")
    func unreadableOrders() throws {
        let good = #"{"signer_id":"carol.near","intents":[]}"#
        let double = #"{"intents":[],"intents":[{"intent":"transfer"}]}"#
        let long = #"{"intents":[],"x":""# + String(repeating: "x", count: 40_000) + "\"}"
        for (form, payload): (String, JSON) in [
            // A member of another form may differ from what is signed.
            ("ton_connect", ["message": .string(good), "payload": ["type": "text", "text": "x"]]),
            ("new_form", .string(good)), ("nep413", .string(good)), ("erc191", .string(double)),
            ("raw_ed25519", .string(long)), ("sep53", "hello"), ("webauthn", 7),
        ] {
            let lines = try carrying(form, payload)
            #expect(lines.last?.text.hasPrefix("cannot be read here") == true, "\(form)")
        }
        let empty = try carrying("raw_ed25519", .string(good))
        #expect(empty.last == .init("order", "it has no intents"))
    }

    @Test("the contract and each amount of a withdrawal are in lines, however many there are")
    func withdrawn() throws {
        let ids = (1...9).map { "\"t\($0)\"" }.joined(separator: ",")
        let amounts = (1...9).map { "\"\($0 * 10)\"" }.joined(separator: ",")
        let contract = String(repeating: "ab", count: 32)
        let args =
            #"{"token":"\#(contract)","receiver_id":"bob.near","token_ids":[\#(ids)],"#
            + #""amounts":[\#(amounts)]}"#
        let lines = try Judged("mt_withdraw", args).lines
        #expect(lines.contains(.init("token contract", contract, by: .client)))
        for number in 1...9 {
            #expect(
                lines.contains(.init("token", "nep245:\(contract):t\(number)", by: .client)))
            #expect(
                lines.contains(.init("token amount", "\(number * 10) of its smallest unit")))
        }
    }

    private static let control = [
        ("disable_auth_by_predecessor_id", "{}", "changes_control"),
        ("force_enable_auth_by_predecessor_ids", #"{"account_ids":["a.near"]}"#, "changes_control"),
        ("set_owner", #"{"owner_id":"eve.near"}"#, "changes_control"),
        ("acl_grant_role", #"{"role":"DAO","account_id":"eve.near"}"#, "changes_control"),
        ("add_full_access_key", #"{"new_public_key":"ed25519:x"}"#, "changes_control"),
        ("store_wallet_policy", #"{"wallet_pubkey":"x"}"#, "changes_control"),
        ("remove_public_key", #"{"public_key":"ed25519:x"}"#, "deletes_key"),
    ]

    @Test(
        "a call that may change who acts for an account has a danger on any contract",
        arguments: control)
    func changesControl(_ method: String, _ args: String, _ danger: String) throws {
        for contract in ["intents.near", "other.near"] {
            let call = FunctionCall(method: method, args: Array(args.utf8), gas: 1, deposit: 1)
            let found = try Judged([.functionCall(call)], to: contract)
            #expect(found.dangers == [danger])
            guard danger == "changes_control" else { continue }
            #expect(found.effects.contains(.grantsAuthority))
            let headline = try #require(found.request.summary.headlines.first)
            #expect(headline.gravity >= .authority)
        }
    }

    private static let unknown = [
        Row("storage_deposit", #"{"account_id":"bob.near","extra":1}"#, nil),
        Row("storage_deposit", #"{"account_id":"Bob"}"#, nil),
        Row("storage_deposit", #"{"registration_only":"yes"}"#, nil),
        Row("storage_deposit", #"{"account\u005fid":"bob.near"}"#, nil),
        Row("storage_deposit", #"{"account_id":"bob.near","account_id":"eve.near"}"#, nil),
        Row("storage_withdraw", #"{"amount":5}"#, nil),
        Row("near_deposit", #"{"for":"eve.near"}"#, nil),
        Row("nft_revoke", #"{"token_id":"a"}"#, nil),
        // Other contracts use the names of staking pools for amounts in other units.
        Row("unstake", #"{"amount":"5"}"#, to: "xtoken.ref-finance.near", nil),
        Row("unstake", #"{"amount":"5"}"#, to: "poolv1.near", nil),
        Row("unstake", #"{"amount":"5"}"#, to: "evilpoolv1.near", nil),
        Row("unstake", #"{"amount":"5","token_id":"a"}"#, to: pool, nil),
        Row("disable_auth_by_predecessor_id", "{}", to: "intents.evil.near", nil),
        Row("execute_intents", #"{"signed":[7]}"#, to: "intents.near", nil),
        Row("ft_metadata", "{}", nil), Row("vote", #"{"id":1}"#, nil),
    ]

    @Test("other members, types, escapes and contracts leave a raw call", arguments: unknown)
    func raw(_ row: Row) throws {
        #expect(CallMeaning(of: row.call, by: row.contract) == nil)
        let found = try Judged([.functionCall(row.call)], to: row.contract)
        #expect(found.lines.contains { $0.label == "action 1" && $0.text == "calls a method" })
        #expect(found.lines.contains { $0.label == "arguments" && $0.text == row.args })
    }

    @Test("a client's text in the words is quoted and short, and whole in a line of its own")
    func quoting() throws {
        let memo = "\" and 0 NEAR\u{202E}" + String(repeating: "x", count: 100)
        let args: JSON = ["receiver_id": "bob.near", "amount": "5", "memo": .string(memo)]
        let found = try Judged("ft_transfer", String(decoding: args.write(), as: UTF8.self))
        let line = try #require(found.lines.first { $0.label == "action 1" })
        #expect(!VisibleText.hasHidden(line.text) && line.text.contains("xxx... ("))
        #expect(found.lines.contains(.init("memo", memo, by: .client)))
    }

    @Test("the least deposit is named in short, larger ones are value")
    func deposits() throws {
        func headline(_ deposit: UInt128) throws -> Summary.Headline {
            let call = Judged.call("storage_withdraw", "{}", deposit: deposit)
            return try #require(try Judged([call]).request.summary.listed.first)
        }
        #expect(try headline(1).text.hasSuffix(", and pays 1 yoctoNEAR for it"))
        #expect(try headline(1).gravity == .plain)
        #expect(try headline(Judged.near).text.hasSuffix(", and pays 1 NEAR for it"))
        #expect(try headline(Judged.near).gravity == .value)
    }
}
