// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR
@testable import NEP413

/// An action that a person allowed for an hour, and other actions that the person did not see.
struct RememberedAction: Sendable, CustomTestStringConvertible {
    let action: NEARAction
    /// The other actions, each with the fact that differs besides the hash of all actions.
    let others: [(fact: String, NEARAction)]
    /// True if the same action is allowed again without a question.
    var isRemembered = false
    var testDescription: String { "\(action.name) \(others.map(\.fact))" }
}

@Suite("A yes to one action is not a yes to another")
struct RememberedActionTests {
    private typealias Judged = JudgedTransaction

    private static let other = KeyText(curve: .ed25519, bytes: [UInt8](repeating: 6, count: 32))
    private static let bounds = FunctionCallPermission(
        allowance: 9, receiver: "app.near", methods: ["vote"])
    private static func key(
        _ permission: AccessKey.Permission, _ key: KeyText = Judged.key
    ) -> NEARAction {
        .addKey(key, AccessKey(nonce: 0, permission: permission))
    }

    private static let keys: [RememberedAction] = [
        RememberedAction(
            action: key(.fullAccess), others: [("key.added", key(.fullAccess, other))]),
        RememberedAction(
            action: key(.functionCall(bounds)),
            others: [
                ("key.added", key(.functionCall(bounds), other)),
                ("allowance", Judged.addKey(allowance: 10)),
                ("allowance", Judged.addKey(allowance: nil)),
                ("key.receiver", Judged.addKey(allowance: 9, receiver: "evil.near")),
                ("key.methods", Judged.addKey(allowance: 9, methods: [])),
                ("key.methods", Judged.addKey(allowance: 9, methods: ["take"])),
                ("adds_full_access_key", key(.fullAccess)),
            ]),
        RememberedAction(
            action: key(.gasKeyFullAccess(.init(balance: 0, nonceCount: 1))),
            others: [
                ("deposit", key(.gasKeyFullAccess(.init(balance: 5, nonceCount: 1)))),
                ("actions.sha256", key(.gasKeyFullAccess(.init(balance: 0, nonceCount: 2)))),
            ]),
        RememberedAction(
            action: .deleteKey(Judged.key), others: [("key.deleted", .deleteKey(other))]),
        RememberedAction(
            action: .deleteAccount(beneficiary: "bob.near"),
            others: [("beneficiary", .deleteAccount(beneficiary: "eve.near"))]),
    ]

    private static let code: [RememberedAction] = [
        RememberedAction(
            action: .deployContract(code: [1, 2]),
            others: [("code.sha256", .deployContract(code: [1, 3]))]),
        RememberedAction(
            action: .deployGlobalContract(code: [1, 2], mode: .codeHash),
            others: [
                ("code.sha256", .deployGlobalContract(code: [1, 3], mode: .codeHash)),
                ("actions.sha256", .deployGlobalContract(code: [1, 2], mode: .accountID)),
            ]),
        RememberedAction(
            action: .useGlobalContract(.account("code.near")),
            others: [
                ("code.account", .useGlobalContract(.account("evil.near"))),
                (
                    "code.sha256",
                    .useGlobalContract(.codeHash([UInt8](repeating: 1, count: 32)))
                ),
            ]),
        RememberedAction(
            action: .useGlobalContract(.codeHash([UInt8](repeating: 1, count: 32))),
            others: [
                (
                    "code.sha256",
                    .useGlobalContract(.codeHash([UInt8](repeating: 2, count: 32)))
                )
            ]),
        RememberedAction(
            action: state("code.near", 1),
            others: [
                ("state.sha256", state("code.near", 2)), ("code.account", state("evil.near", 1)),
            ]),
    ]

    private static func state(_ account: String, _ value: UInt8) -> NEARAction {
        .deterministicStateInit(
            StateInit(code: .account(account), data: [.init(key: [1], value: [value])]),
            deposit: 3)
    }

    private static let money: [RememberedAction] = [
        RememberedAction(
            action: .transfer(deposit: 5), others: [("deposit", .transfer(deposit: 6))],
            isRemembered: true),
        RememberedAction(
            action: Judged.call("vote", #"{"id":1}"#, gas: 30, deposit: 5),
            others: [
                ("args.sha256", Judged.call("vote", #"{"id":2}"#, gas: 30, deposit: 5)),
                ("method", Judged.call("take", #"{"id":1}"#, gas: 30, deposit: 5)),
                ("deposit", Judged.call("vote", #"{"id":1}"#, gas: 30, deposit: 6)),
                ("gas", Judged.call("vote", #"{"id":1}"#, gas: 31, deposit: 5)),
            ], isRemembered: true),
        RememberedAction(
            action: Judged.call("set_owner", #"{"owner_id":"alice.near"}"#, deposit: 0),
            others: [
                (
                    "args.sha256",
                    Judged.call("set_owner", #"{"owner_id":"eve.near"}"#, deposit: 0)
                )
            ]),
        RememberedAction(
            action: .stake(amount: 5, key: Judged.key),
            others: [
                ("validator.key", .stake(amount: 5, key: other)),
                ("stake", .stake(amount: 6, key: Judged.key)),
                ("stake", .stake(amount: 0, key: Judged.key)),
            ], isRemembered: true),
        RememberedAction(
            action: .transferToGasKey(Judged.key, deposit: 5),
            others: [
                ("gas_key", .transferToGasKey(other, deposit: 5)),
                ("deposit", .transferToGasKey(Judged.key, deposit: 6)),
            ], isRemembered: true),
        RememberedAction(
            action: .withdrawFromGasKey(Judged.key, amount: 5),
            others: [
                ("gas_key", .withdrawFromGasKey(other, amount: 5)),
                ("gas_key.withdrawn", .withdrawFromGasKey(Judged.key, amount: 6)),
            ], isRemembered: true),
        RememberedAction(
            action: .delegate(Judged.delegated([.transfer(deposit: 7)])),
            others: [
                ("deposit", .delegate(Judged.delegated([.transfer(deposit: 8)]))),
                (
                    "delegate.sender",
                    .delegate(Judged.delegated([.transfer(deposit: 7)], by: "eve.near"))
                ),
                (
                    "delegate.receiver",
                    .delegate(Judged.delegated([.transfer(deposit: 7)], to: "eve.near"))
                ),
            ], isRemembered: true),
    ]

    static let cases = keys + code + money

    @Test("each value that was not shown is asked about", arguments: cases)
    func attacks(_ attack: RememberedAction) async throws {
        for (fact, action) in attack.others {
            let hub = try AskedHub()
            let first = hub.transaction([attack.action])
            #expect(await hub.ending(first, remembering: .anyAmount) == "done")
            #expect(
                await hub.ending(hub.transaction([action])) == "approval_unavailable", "\(fact)")
            let again = await hub.ending(hub.transaction([attack.action]))
            #expect(again == (attack.isRemembered ? "done" : "approval_unavailable"))
            #expect(hub.usesCount == (attack.isRemembered ? 2 : 1))
        }
    }

    @Test("rules can name each of them", arguments: cases)
    func facts(_ attack: RememberedAction) throws {
        for (fact, action) in attack.others {
            let one = try Judged([attack.action], to: "app.near")
            let two = try Judged([action], to: "app.near")
            #expect(one.fact(fact) != two.fact(fact), "\(fact)")
            #expect(adapter.schema.field(named: fact) != nil)
        }
    }

    @Test("every type of action is attacked")
    func complete() {
        let names = Set(Self.cases.map(\.action.name))
        let vectors = Vectors.file("actions.json")["vectors"]?.list ?? []
        let all = Set(vectors.compactMap { $0["action"]?["type"]?.text })
        #expect(
            names.union(["CreateAccount", "DelegateV2"]) == all.union(["Delegate", "DelegateV2"]))
    }

    @Test("another receiver, more actions and another order are asked about")
    func around() async throws {
        let pay = NEARAction.transfer(deposit: 5)
        let call = Judged.call("vote", "{}", deposit: 1)
        let hub = try AskedHub()
        #expect(await hub.ending(hub.transaction([pay]), remembering: .anyAmount) == "done")
        for actions in [[], [pay, pay], [pay, call], [.createAccount, pay]] {
            #expect(await hub.ending(hub.transaction(actions)) == "approval_unavailable")
        }
        #expect(
            await hub.ending(hub.transaction([pay], to: "eve.near")) == "approval_unavailable")
        #expect(
            await hub.ending(hub.transaction([pay]), client: "other") == "approval_unavailable")
        #expect(await hub.ending(hub.transaction([pay])) == "done")
        #expect(await hub.ending(hub.transaction([.transfer(deposit: 4)])) == "done")
    }

    @Test("among several actions no amount moves to another, though the sum stays")
    func moved() async throws {
        let hub = try AskedHub()
        let shown = [Judged.call("vote", "{}", deposit: 5), .transfer(deposit: 1)]
        #expect(await hub.ending(hub.transaction(shown), remembering: .anyAmount) == "done")
        let moved = [Judged.call("vote", "{}", deposit: 1), .transfer(deposit: 5)]
        #expect(await hub.ending(hub.transaction(moved)) == "approval_unavailable")
        let less = [Judged.call("vote", "{}", deposit: 4), .transfer(deposit: 1)]
        #expect(await hub.ending(hub.transaction(less)) == "approval_unavailable")
        #expect(await hub.ending(hub.transaction(shown)) == "done")
    }

    @Test("a no is not dodged by another amount, argument or key")
    func refused() async throws {
        let cases: [(NEARAction, NEARAction, NEARAction)] = [
            (.transfer(deposit: 5), .transfer(deposit: 6), .deleteKey(Judged.key)),
            (
                Judged.call("vote", #"{"id":1}"#), Judged.call("vote", #"{"id":2}"#, deposit: 2),
                Judged.call("take", #"{"id":1}"#)
            ),
            (
                Self.key(.fullAccess), Self.key(.functionCall(Self.bounds), Self.other),
                .createAccount
            ),
        ]
        for (shown, like, unlike) in cases {
            let hub = try AskedHub()
            let first = await hub.ending(
                hub.transaction([shown]), .no, remembering: .anyAmount)
            #expect(first == "person_denied")
            #expect(await hub.ending(hub.transaction([like])) == "person_denied")
            #expect(await hub.ending(hub.transaction([unlike])) == "approval_unavailable")
        }
    }

    @Test("without further words a yes covers the shown amount once")
    func total() async throws {
        let hub = try AskedHub()
        let pay = NEARAction.transfer(deposit: Judged.near)
        let first = hub.transaction([pay])
        #expect(await hub.ending(first, remembering: Remembering(.hour)) == "done")
        #expect(await hub.ending(hub.transaction([pay])) == "done")
        #expect(await hub.ending(hub.transaction([pay])) == "approval_unavailable")
    }
}
