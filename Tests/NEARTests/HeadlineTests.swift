// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import SigningCrypto
import Testing

@testable import NEAR

@Suite("The gravest of many actions is first")
struct HeadlineTests {
    private typealias Judged = JudgedTransaction

    private func headlines(
        _ actions: [NEARAction], to receiver: String = "app.near"
    ) throws -> [Summary.Headline] {
        try Judged(actions, to: receiver).request.summary.headlines
    }

    @Test("a payment behind eighty harmless calls is read before them")
    func hidden() throws {
        let harmless = (0..<80).map { Judged.call("vote", #"{"id":\#($0)}"#, deposit: 0) }
        let pay = NEARAction.transfer(deposit: 1_000 * Judged.near)
        let found = try Judged(harmless + [pay], to: "app.near")
        let rows = found.request.summary.text.split(separator: "\n")
        #expect(rows[1] == "  81. transfers 1000 NEAR to app.near")
        #expect(rows[2] == "  1. calls \"vote\" of app.near")
        #expect(found.request.summary.text.contains("  network"))
    }

    @Test("no payment and no change of power is ever cut")
    func many() throws {
        let pays = (0..<50).map { NEARAction.transfer(deposit: UInt128($0 + 1) * Judged.near) }
        let rows = try Judged(pays + [.deleteKey(Judged.key)], to: "bob.near").request.summary.text
            .split(separator: "\n")
        #expect(rows[1].hasPrefix("  51. takes the key ed25519:"))
        for number in 1...50 {
            #expect(rows.contains("  \(number). transfers \(number) NEAR to bob.near"))
        }
    }

    private static let gravities: [(NEARAction, Summary.Headline.Gravity, String)] = [
        (.createAccount, .plain, "creates the account app.near"),
        (.transfer(deposit: 0), .plain, "transfers 0 NEAR to app.near"),
        (Judged.call("m", "{}", deposit: 0), .plain, #"calls "m" of app.near"#),
        (
            Judged.call("m", "\u{1}", deposit: 0), .flagged,
            #"it is not known what this does: calls "m" of app.near, with arguments "#
                + "that cannot be read here"
        ),
        (
            Judged.call("m", "{}", deposit: Judged.near), .value,
            #"calls "m" of app.near, and pays 1 NEAR for it"#
        ),
        (
            Judged.call(
                "ft_transfer", #"{"receiver_id":"bob.near","amount":"5"}"#, deposit: 0), .value,
            "asks app.near to transfer 5 of its smallest unit to bob.near (ft_transfer)"
        ),
        (
            Judged.call("nft_approve", #"{"account_id":"bob.near","token_id":"a"}"#, deposit: 0),
            .value, #"asks app.near to let bob.near take 1 of the token "a" (nft_approve)"#
        ),
        (
            Judged.call("ft_transfer", "{}", deposit: 0), .value,
            #"tokens move, but how cannot be read here: calls "ft_transfer" of app.near"#
        ),
        (
            Judged.call("storage_unregister", #"{"force":true}"#, deposit: 0), .value,
            "your tokens there may be destroyed: asks app.near to forget your account and pay "
                + "back its storage deposit, and to destroy the tokens you have there "
                + "(storage_unregister)"
        ),
        (
            Judged.call("add_public_key", "{}", deposit: 0), .authority,
            #"another key may act for you: calls "add_public_key" of app.near"#
        ),
        (
            .deleteAccount(beneficiary: "bob.near"), .loss,
            "app.near is lost for good: the account is deleted, and all its NEAR goes to "
                + "bob.near"
        ),
        (
            .deleteAccount(beneficiary: "app.near"), .loss,
            "app.near is lost for good: the account is deleted, and all its NEAR is "
                + "burned, because it is its own beneficiary"
        ),
        (
            Judged.addKey(allowance: nil, methods: []), .authority,
            "gives the key \(Judged.key.text) permission to call every method of \"app.near\" for "
                + "app.near, and to spend any sum on gas"
        ),
        (
            .useGlobalContract(.account("code.near")), .loss,
            "code controls app.near and all its assets from then on: the code of code.near, "
                + "with later changes"
        ),
    ]

    @Test("every action names its consequence", arguments: gravities.indices)
    func each(_ index: Int) throws {
        let (action, gravity, text) = Self.gravities[index]
        // The test adds a second action, because a single action has lines and no headlines.
        let found = try headlines([.createAccount, action])
        #expect(found.count == 2 && found[1] == .init(gravity, text))
    }

    @Test("a key with full power says first that the account can be lost")
    func fullAccess() throws {
        let full = AccessKey(nonce: 0, permission: .fullAccess)
        let found = try headlines([.addKey(Judged.key, full)])
        #expect(found.count == 1 && found[0].gravity == .loss)
        #expect(found[0].text.hasPrefix("app.near can be lost: anyone with the key ed25519:"))
    }

    @Test("a plain action alone needs no headline, power over the account always has one")
    func alone() throws {
        #expect(try headlines([.transfer(deposit: 5)]) == [])
        #expect(try headlines([.deleteKey(Judged.key)]).count == 1)
    }

    @Test("code is known by its hash and size, everywhere")
    func code() throws {
        let code: [UInt8] = [1, 2, 3]
        let hash = Hex.encode(Digest.sha256(code.span).span)
        for action in [
            NEARAction.deployContract(code: code),
            .deployGlobalContract(code: code, mode: .accountID),
        ] {
            let found = try Judged([action], to: "alice.near").request.summary
            #expect(found.headlines[0].gravity >= .authority)
            #expect(found.headlines[0].text.contains("3 bytes of code, SHA-256 \(hash)"))
            #expect(found.lines.contains { $0.label == "code SHA-256" && $0.text == hash })
        }
        let used = try Judged([.useGlobalContract(.codeHash(Digest.sha256(code.span)))])
        #expect(used.request.summary.text.contains(hash))
    }

    @Test("a delegate action is described action by action, also one that deletes")
    func delegates() throws {
        let inner: [NEARAction] = [
            .transfer(deposit: Judged.near), .deleteAccount(beneficiary: "eve.near"),
        ]
        let found = try headlines([.delegate(Judged.delegated(inner))])
        #expect(
            found.map(\.text) == [
                "carries out, for carol.near: transfers 1 NEAR to mallory.near",
                "carries out, for carol.near: mallory.near is lost for good: the account is "
                    + "deleted, and all its NEAR goes to eve.near",
            ])
        let two = NEARAction.deleteAccount(beneficiary: "eve.near")
        let both = try Judged([.deleteAccount(beneficiary: "bob.near"), two])
        #expect(both.texts("beneficiary") == ["bob.near", "eve.near"])
    }

    @Test("no words speak to the signer about calls of another account")
    func otherCaller() throws {
        func call(_ method: String, _ args: String) -> NEARAction {
            .functionCall(
                FunctionCall(method: method, args: Array(args.utf8), gas: 1, deposit: 0))
        }
        let inner = [
            call("storage_withdraw", "{}"), call("add_public_key", #"{"public_key":"k"}"#),
            call("storage_unregister", #"{"force":true}"#),
        ]
        let judged = try Judged([.delegate(Judged.delegated(inner, to: "intents.near"))])
        #expect(
            judged.request.summary.headlines.map(\.text) == [
                #"carries out, for carol.near: calls "storage_withdraw" of intents.near"#,
                "carries out, for carol.near: another key may act for the caller: calls "
                    + #""add_public_key" of intents.near"#,
                "carries out, for carol.near: the caller's tokens there may be destroyed: calls "
                    + #""storage_unregister" of intents.near"#,
            ])
        let lines = judged.lines.filter { $0.label.hasPrefix("inside action") }
        #expect(lines.map(\.text) == Array(repeating: "calls a method", count: 3))
        let named = [call("storage_deposit", #"{"account_id":"bob.near"}"#)]
        let neutral = try Judged([.delegate(Judged.delegated(named))]).request.summary
        #expect(neutral.listed[0].text.contains("asks mallory.near to keep 0 NEAR"))
    }

    @Test("the details hold the signed bytes completely")
    func raw() throws {
        let found = try Judged([.deployContract(code: [1, 2, 3])]).request
        guard case .sign(let input) = found.operations[0].operation else { return }
        #expect(found.summary.raw == [.init("bytes that are signed, in Borsh", input.preimage)])
    }

    @Test("a client's words in a headline are short, and hide nothing")
    func words() throws {
        let long = String(repeating: "m", count: 100) + "\u{202E}"
        let text = try headlines([.createAccount, Judged.call(long, "{}")])[1].text
        #expect(text.hasPrefix("calls \"" + String(repeating: "m", count: 64) + "..."))
        #expect(!VisibleText.hasHidden(text))
        let methods = (0..<9).map { "m\($0)" }
        let key = try headlines([Judged.addKey(allowance: 1, methods: methods)])[0].text
        #expect(key.contains("permission to call 9 methods of \"app.near\""))
    }
}
