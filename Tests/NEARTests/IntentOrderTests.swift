// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEAR

@Suite("Orders of NEAR Intents in words")
struct IntentOrderTests {
    private static let known: [(JSON, String, Summary.Headline.Gravity)] = [
        (
            [
                "intent": "transfer", "receiver_id": "bob.near",
                "tokens": ["nep141:wrap.near": "10"], "memo": "m",
            ], #"transfers 10 of "nep141:wrap.near" to bob.near, memo "m""#, .value
        ),
        (
            ["intent": "token_diff", "diff": ["nep141:a.near": "-100", "nep141:b.near": "200"]],
            #"gives 100 of "nep141:a.near" for 200 of "nep141:b.near""#, .value
        ),
        (
            ["intent": "token_diff", "diff": ["nep141:a.near": "-100"]],
            #"gives 100 of "nep141:a.near" for nothing"#, .value
        ),
        (
            [
                "intent": "ft_withdraw", "token": "usdt.near", "receiver_id": "bob.near",
                "amount": "5", "storage_deposit": "1250000000000000000000",
            ],
            #"sends 5 of "nep141:usdt.near" out of your balance to bob.near, and pays "#
                + "0.00125 NEAR for its storage", .value
        ),
        (
            [
                "intent": "nft_withdraw", "token": "n.near", "receiver_id": "bob.near",
                "token_id": "a", "msg": "x",
            ],
            #"sends 1 of "nep171:n.near:a" out of your balance to bob.near, with an order to it"#,
            .value
        ),
        (
            [
                "intent": "mt_withdraw", "token": "m.near", "receiver_id": "bob.near",
                "token_ids": ["a"], "amounts": ["3"],
            ], #"sends 3 of "nep245:m.near:a" out of your balance to bob.near"#, .value
        ),
        (
            [
                "intent": "native_withdraw", "receiver_id": "bob.near",
                "amount": "1000000000000000000000000",
            ], "sends 1 NEAR out of your balance to bob.near", .value
        ),
        (
            [
                "intent": "storage_deposit", "contract_id": "usdt.near",
                "deposit_for_account_id": "bob.near", "amount": "1",
            ],
            "pays 0.000000000000000000000001 NEAR out of your balance to usdt.near for the "
                + "storage of bob.near", .value
        ),
        (
            ["intent": "add_public_key", "public_key": "ed25519:k"],
            #"lets the key "ed25519:k" sign any order in your name, for ever"#, .authority
        ),
        (
            ["intent": "auth_call", "contract_id": "dex.near", "msg": "m"],
            "lets dex.near act on a message with your authority, and pays it 0 NEAR", .authority
        ),
        (
            ["intent": "set_auth_by_predecessor_id", "enabled": false],
            "accepts no transactions of your account there any more, only orders that its keys "
                + "there sign", .loss
        ),
    ]

    @Test("each kind says what it does", arguments: known.indices)
    func words(_ index: Int) throws {
        let (json, phrase, gravity) = Self.known[index]
        let order = try #require(IntentOrder(json))
        #expect(order.phrase == phrase && order.gravity == gravity)
        // Another member changes what the contract may do.
        var members = try #require(json.object?.members)
        members.append(.init(name: "extra", value: 1))
        #expect(IntentOrder(.object(JSONObject(members))) == nil)
    }

    private static let refused: [JSON] = [
        7, [:], ["intent": "transfer"], ["intent": "imt_burn", "minter_id": "a.near"],
        ["intent": "transfer", "receiver_id": "bob.near", "tokens": [:]],
        ["intent": "transfer", "receiver_id": "bob.near", "tokens": ["a": 5]],
        ["intent": "transfer", "receiver_id": "Bob", "tokens": ["a": "5"]],
        ["intent": "token_diff", "diff": ["a": "+5"]],
        ["intent": "token_diff", "diff": ["a": "-0"]],
        [
            "intent": "mt_withdraw", "token": "m.near", "receiver_id": "bob.near",
            "token_ids": ["a", "b"], "amounts": ["3"],
        ],
        ["intent": "set_auth_by_predecessor_id", "enabled": "no"],
    ]

    @Test("other shapes are not put in words, and count as a change of power")
    func refusals() {
        for json in Self.refused {
            #expect(IntentOrder(json) == nil)
            #expect(IntentOrder.headline(json).gravity == .authority)
        }
    }

    private func request(_ intents: JSON, signer: String = "alice.near") throws -> NEARRequest {
        let message: JSON = [
            "signer_id": .string(signer), "deadline": "2026-11-27T00:00:00Z", "intents": intents,
        ]
        let text = String(decoding: message.write(), as: UTF8.self)
        return try MessageCall(message: text, recipient: "intents.near").request()
    }

    @Test("what leaves the balance is counted, and rules see who gets it")
    func outflows() throws {
        let pay: JSON = [
            "intent": "transfer", "receiver_id": "bob.near", "tokens": ["nep141:wrap.near": "10"],
        ]
        let both = try request([pay, pay])
        #expect(both.operations[0].outflows.map(\.amount) == [20])
        #expect(both.operations[0].outflows[0].asset.id.hasSuffix("intents.near/nep141:wrap.near"))
        #expect(both.fact("intents.receiver") == .list([.text("bob.near"), .text("bob.near")]))
        #expect(both.summary.headlines.count == 2)
        #expect(both.summary.title.hasPrefix("Value may leave"))
        // A sum of only the readable orders would mislead.
        let partly = try request([pay, Self.unknownMember])
        #expect(partly.operations[0].outflows.isEmpty)
        #expect(partly.fact("intents.receiver") == nil)
        #expect(partly.summary.title.hasPrefix("Power over your balance"))
    }

    private static let unknownMember: JSON = [
        "intent": "transfer", "receiver_id": "bob.near", "tokens": ["a": "5"], "new": 1,
    ]

    @Test("an order that cannot be read keeps the receivers and tokens back")
    func keptBack() throws {
        let found = try request([Self.unknownMember])
        #expect(found.decoding == .partial && found.effects.contains(.grantsAuthority))
        #expect(found.operations[0].undetermined == ["intents.receiver", "intents.tokens"])
        #expect(found.fact("intents.receiver") == nil && found.fact("intents.tokens") == nil)
    }

    @Test("an order that names no receiver keeps all receivers back")
    func openReceiver() throws {
        let pay: JSON = ["intent": "native_withdraw", "receiver_id": "bob.near", "amount": "1"]
        let key: JSON = ["intent": "add_public_key", "public_key": "ed25519:k"]
        let swap: JSON = ["intent": "token_diff", "diff": ["a": "-1", "b": "2"]]
        for intents: JSON in [[pay, key, swap], [pay, key], [pay, swap], [swap]] {
            let found = try request(intents)
            #expect(found.fact("intents.receiver") == nil && found.decoding == .partial)
            #expect(found.operations[0].undetermined == ["intents.receiver"])
        }
        let gift: JSON = ["intent": "token_diff", "diff": ["b": "2"]]
        let closed = try request([pay, gift])
        #expect(closed.fact("intents.receiver") == .list([.text("bob.near")]))
        #expect(closed.decoding == .full && closed.operations[0].undetermined.isEmpty)
    }

    @Test("kinds that are unknown or act in the signer's name grant authority")
    func authority() throws {
        for kind in ["auth_call", "set_auth_by_predecessor_id", "new_kind", "add_public_key"] {
            let found = try request([["intent": .string(kind)]])
            #expect(found.effects.contains(.grantsAuthority))
        }
        let pay: JSON = ["intent": "native_withdraw", "receiver_id": "bob.near", "amount": "1"]
        #expect(try !request([pay]).effects.contains(.grantsAuthority))
    }

    @Test("a message in the name of another account is warned about")
    func signer() throws {
        let warning = "the message is in the name of another account, eve.near"
        #expect(try request([], signer: "eve.near").summary.warnings.contains(warning))
    }
}
