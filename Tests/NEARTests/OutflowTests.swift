// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import Testing

@testable import NEAR

@Suite("The outflow of an account")
struct OutflowTests {
    private typealias Judged = JudgedTransaction

    private static let teragas = Int128(1_000_000_000_000)
    /// 20 times the minimum gas price.
    private static let price = Int128(2_000_000_000)

    private func outflows(
        _ actions: [NEARAction], to receiver: String = "token.near"
    ) throws -> [String: Int128] {
        let found = try Judged(actions, to: receiver).request.operations[0].outflows
        #expect(found.allSatisfy { $0.asset.network == "mainnet" })
        return Dictionary(uniqueKeysWithValues: found.map { ($0.asset.id, $0.amount) })
    }

    private func fee(_ teragas: Int128) -> Int128 { teragas * Self.teragas * Self.price }

    @Test("the deposit, the gas that is attached, and the fees at the highest price there is")
    func near() throws {
        let id = "near/mainnet/near"
        let near = Int128(Judged.near)
        #expect(try outflows([.transfer(deposit: Judged.near)])[id] == near + fee(4))
        #expect(
            try outflows([.transfer(deposit: Judged.near)], to: String(repeating: "a", count: 64))
                == [id: near + fee(11)])
        let call = Judged.call("m", "{}", gas: 30_000_000_000_000, deposit: Judged.near)
        #expect(try outflows([call]) == [id: near + fee(34)])
        let carried = NEARAction.delegate(Judged.delegated([call, .transfer(deposit: 5)]))
        #expect(try outflows([carried]) == [id: near + 5 + fee(39)])
        let most = Judged.call("m", "{}", gas: .max, deposit: .max)
        #expect(try outflows([most, most]) == [id: .max])
    }

    @Test("a delegate action's payments count, its gas does not")
    func delegates() throws {
        let draft = DelegateDraft(
            receiver: "bob.near", actions: [.transfer(deposit: 5)], nonce: 7, maxBlockHeight: 9)
        let request = try NEARRequest(
            delegates: [draft], of: NEARClientContext(accountID: nil, key: nil, network: nil),
            in: Judged.context())
        #expect(request.operations[0].outflows.map(\.amount) == [5])
        #expect(request.operations[0].undetermined == ["validity.blocks"])
    }

    @Test("every token of its contract, by its name where it has one")
    func tokens() throws {
        let token = "near/mainnet/token/token.near"
        #expect(
            try outflows([
                Judged.call("ft_transfer", #"{"receiver_id":"bob.near","amount":"5"}"#),
                Judged.call("ft_transfer", #"{"receiver_id":"eve.near","amount":"6"}"#),
            ])[token] == 11)
        let batch = Judged.call(
            "mt_batch_transfer",
            #"{"receiver_id":"bob.near","token_ids":["a","b"],"amounts":["1","2"]}"#)
        let many = try outflows([batch])
        #expect(many["\(token)/a"] == 1 && many["\(token)/b"] == 2 && many[token] == nil)
        let one = Judged.call("nft_transfer", #"{"receiver_id":"bob.near","token_id":"a"}"#)
        #expect(try outflows([one])["\(token)/a"] == 1)
        #expect(try outflows([one], to: "other.near")["\(token)/a"] == nil)
    }

    @Test("what leaves NEAR Intents is counted as its orders count it, by contract and token")
    func kept() throws {
        let base = "near/mainnet/token/intents.near"
        let args = #""receiver_id":"bob.near""#
        let found = try outflows(
            [
                Judged.call("ft_withdraw", #"{"token":"usdt.near",\#(args),"amount":"5"}"#),
                Judged.call("nft_withdraw", #"{"token":"n.near",\#(args),"token_id":"7"}"#),
                Judged.call(
                    "mt_withdraw",
                    #"{"token":"m.near",\#(args),"token_ids":["a","b"],"amounts":["1","2"]}"#),
                Judged.call(
                    "mt_withdraw",
                    #"{"token":"o.near",\#(args),"token_ids":["a"],"amounts":["4"]}"#),
            ], to: "intents.near")
        #expect(found["\(base)/nep141:usdt.near"] == 5 && found["\(base)/nep171:n.near:7"] == 1)
        #expect(found["\(base)/nep245:m.near:a"] == 1 && found["\(base)/nep245:m.near:b"] == 2)
        #expect(found["\(base)/nep245:o.near:a"] == 4 && found["\(base)/a"] == nil)
    }

    @Test("where one token call is unreadable there is no sum, and no answer is remembered")
    func unreadable() throws {
        let good = Judged.call("ft_transfer", #"{"receiver_id":"bob.near","amount":"5"}"#)
        let found = try Judged([good, Judged.call("ft_transfer", "{}")]).request.operations[0]
        #expect(found.outflows.map(\.asset.id) == ["near/mainnet/near"])
        #expect(found.undetermined == ["args.names", "token.amount"])
    }

    @Test("a deleted account gives away more than any bound, and says so")
    func deleted() throws {
        let action = NEARAction.deleteAccount(beneficiary: "bob.near")
        #expect(try outflows([action, .transfer(deposit: 5)]) == ["near/mainnet/near": .max])
        let near = AssetNetwork("mainnet").near
        #expect(near.text(of: .max) == "any amount of NEAR")
        #expect(
            AssetNetwork("mainnet").token(of: "usdt.near", named: nil).text(of: .max)
                == "any amount of the token of usdt.near")
    }

    @Test("global code burns what its bytes cost")
    func published() throws {
        let code = [UInt8](repeating: 0, count: 1_000)
        let action = NEARAction.deployGlobalContract(code: code, mode: .codeHash)
        let burned = Int128(Judged.near) / 10
        #expect(try outflows([action]) == ["near/mainnet/near": burned + fee(4)])
    }

    @Test("value leaves only where value leaves")
    func effects() throws {
        let idle = try Judged([Judged.call("m", "{}", deposit: 0), .transfer(deposit: 0)])
        #expect(idle.effects == [])
        #expect(try Judged([Judged.call("m", "{}", deposit: 1)]).effects == [.spends])
        #expect(try Judged([Judged.call("m", "\u{1}", deposit: 0)]).effects == [.spends])
        let token = Judged.call(
            "ft_transfer", #"{"receiver_id":"bob.near","amount":"5"}"#, deposit: 0)
        #expect(try Judged([token]).effects == [.spends])
    }

    @Test("tokens that end with the account's place in their contract are flagged")
    func burned() throws {
        for args in [#"{"force":true}"#, #"{"force":"yes"}"#, #"{"force":1}"#, "[]", "x"] {
            let found = try Judged("storage_unregister", args)
            #expect(found.dangers.contains("burns_tokens"), "\(args)")
            #expect(found.request.operations[0].undetermined.contains("token.amount"))
        }
        for args in ["", "{}", #"{"force":false}"#, #"{"force":null}"#] {
            #expect(try Judged("storage_unregister", args).dangers == [], "\(args)")
        }
    }

    @Test("an unknown network has separate assets")
    func unknownNetwork() throws {
        let draft = TransactionDraft(
            receiver: "bob.near", actions: [.transfer(deposit: 5)], nonce: 7,
            blockHash: [UInt8](repeating: 1, count: 32))
        let request = try NEARRequest(
            transactions: [draft],
            of: NEARClientContext(accountID: nil, key: nil, network: "testnet"),
            for: .handOver, in: Judged.context(nil))
        #expect(request.operations[0].outflows.map(\.asset.id) == ["near/unknown/near"])
    }
}
