// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import Testing

@testable import NEAR

@Suite("Facts of actions")
struct ActionFactTests {
    private typealias Judged = JudgedTransaction

    private struct Case {
        let action: NEARAction
        var dangers: [String] = []
        var effects: [Effect] = []
        var more: Set<String> = []
        var deposit: Int128 = 0
    }

    /// One action of every kind, except for the second version of the eighth.
    static let all = cases.map(\.action)

    private static let state = StateInit(code: .account("code.near"), data: [])
    private static let cases = [
        Case(action: .createAccount),
        Case(
            action: .deployContract(code: [1]), dangers: ["deploys_code"],
            effects: [.grantsAuthority], more: ["code.sha256"]),
        Case(
            action: Judged.call("vote", "{}"), effects: [.spends],
            more: ["method", "args.sha256", "args.names"], deposit: 1),
        Case(action: .transfer(deposit: 5), effects: [.spends], deposit: 5),
        Case(
            action: .stake(amount: 5, key: Judged.key), dangers: ["stakes"],
            more: ["stake", "validator.key"]),
        Case(
            action: Judged.addKey(allowance: 9), dangers: ["adds_key"],
            effects: [.grantsAuthority],
            more: ["key.added", "allowance", "key.receiver", "key.methods"]),
        Case(
            action: .addKey(Judged.key, AccessKey(nonce: 0, permission: .fullAccess)),
            dangers: ["adds_key", "full_access_key"], effects: [.grantsAuthority],
            more: ["key.added", "allowance"]),
        Case(action: .deleteKey(Judged.key), dangers: ["deletes_key"], more: ["key.deleted"]),
        Case(
            action: .deleteAccount(beneficiary: "bob.near"), dangers: ["deletes_account"],
            effects: [.deletes, .spends], more: ["beneficiary"]),
        Case(
            action: .delegate(Judged.delegated([.transfer(deposit: 7)])),
            dangers: ["delegates"], effects: [.spends],
            more: ["delegate.sender", "delegate.receiver"], deposit: 7),
        Case(
            action: .deployGlobalContract(code: [1], mode: .codeHash),
            dangers: ["deploys_code"], effects: [.grantsAuthority], more: ["code.sha256"]),
        Case(
            action: .useGlobalContract(.account("code.near")), dangers: ["deploys_code"],
            effects: [.grantsAuthority], more: ["code.account"]),
        Case(
            action: .deterministicStateInit(state, deposit: 8), dangers: ["deploys_code"],
            effects: [.grantsAuthority, .spends], more: ["code.account", "state.sha256"],
            deposit: 8),
        Case(
            action: .transferToGasKey(Judged.key, deposit: 6), effects: [.spends],
            more: ["gas_key"], deposit: 6),
        Case(
            action: .withdrawFromGasKey(Judged.key, amount: 6),
            more: ["gas_key", "gas_key.withdrawn"]),
    ]

    @Test("every action raises its own effect, and no other", arguments: cases.indices)
    func each(_ index: Int) throws {
        let expected = Self.cases[index]
        let found = try Judged([expected.action])
        #expect(found.dangers == expected.dangers)
        #expect(found.effects == expected.effects)
        #expect(found.number("deposit") == expected.deposit)
        #expect(found.texts("actions") == [expected.action.name])
        #expect(found.number("actions.count") == 1)
        #expect(found.fact("receiver") == .text("token.near"))
        #expect(found.request.decoding == .full)
        let always: Set = [
            "receiver", "actions", "actions.count", "actions.sha256", "deposit", "gas", "nonce",
            "adds_full_access_key",
        ]
        let names = found.request.operations[0].facts.map(\.name)
        #expect(Set(names) == always.union(expected.more))
        #expect(Set(names).count == names.count)
    }

    @Test("a transaction without actions, and one with all, are described in full")
    func mixed() throws {
        let none = try Judged([])
        #expect(none.number("actions.count") == 0 && none.effects == [])
        let delegates = Self.cases.map(\.action)
        let all = try Judged(delegates)
        #expect(all.texts("actions") == delegates.map(\.name))
        #expect(
            all.dangers == [
                "deploys_code", "stakes", "adds_key", "full_access_key", "deletes_key",
                "deletes_account", "delegates",
            ])
        #expect(all.number("deposit") == 27)
        #expect(all.fact("adds_full_access_key") == .bool(true))
    }

    @Test("sums stop at the largest number and never turn over")
    func saturated() throws {
        let most = Judged.call("m", "{}", gas: .max, deposit: .max)
        let both = try Judged([most, most, .transfer(deposit: .max)])
        #expect(both.number("deposit") == .max)
        #expect(both.number("gas") == Int128(UInt64.max))
        let stakes = NEARAction.stake(amount: .max, key: Judged.key)
        #expect(try Judged([stakes, stakes]).number("stake") == .max)
        let sums = try Judged([
            .transfer(deposit: 3), Judged.call("m", "{}", gas: 4, deposit: 2),
            Judged.call("n", "{}", gas: 5, deposit: 1),
        ])
        #expect(sums.number("deposit") == 6 && sums.number("gas") == 9)
        #expect(sums.texts("method") == ["m", "n"])
    }

    @Test("the account that relays a delegate action pays for its content")
    func delegated() throws {
        let inner = [
            Judged.call("m", "{}", gas: 30, deposit: 100 * Judged.near),
            .transfer(deposit: Judged.near),
        ]
        let signed = Judged.delegated(inner)
        for action in [NEARAction.delegate(signed), .delegateV2(try Self.v2(signed))] {
            let found = try Judged([action, .transfer(deposit: 1)], to: "carol.near")
            #expect(found.number("deposit") == Int128(101 * Judged.near) + 1)
            #expect(found.number("gas") == 30)
            // The sender of the inner actions acts, not this account.
            #expect(found.texts("method") == nil && found.dangers == ["delegates"])
        }
    }

    /// The delegate action in version 2, with another payload number and kind of nonce.
    private static func v2(_ signed: SignedDelegate) throws -> SignedDelegate {
        var bytes = signed.bytes
        bytes.insert(0, at: bytes.count - 65 - 33 - 8 - 8)
        return try SignedDelegate([0] + bytes, isV2: true)
    }
}
