// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCore
import Testing

@testable import NEAR

@Suite("The account that signs")
struct AccountChoiceTests {
    private func held(_ keys: [(String, String?)]) -> [Account] {
        keys.map { address, network in
            Account(
                id: KeyID("\(address)-\(network ?? "")"), name: "test", protocolID: .near,
                algorithm: .ed25519, publicKey: JudgedTransaction.own.bytes, address: address,
                network: network)
        }
    }

    private func chosen(
        _ accountID: String?, _ network: String? = nil, among accounts: [Account]
    ) -> String {
        do throws(NEARRefusal) {
            let request = try MessageCall(accountID: accountID, network: network)
                .request(holding: accounts)
            let account = request.operations[0].account
            return "\(account.address) \(account.network ?? "-")"
        } catch {
            return error.code.rawValue
        }
    }

    @Test("the one named is taken, if it is held")
    func named() {
        let accounts = held([("alice.near", nil), ("bob.near", "mainnet")])
        #expect(chosen("bob.near", among: accounts) == "bob.near mainnet")
        #expect(chosen("alice.near", among: accounts) == "alice.near -")
        #expect(chosen("carol.near", among: accounts) == "account_not_found")
    }

    @Test("without a name the only one is taken, and never one of several")
    func unnamed() {
        #expect(chosen(nil, among: []) == "account_not_found")
        #expect(chosen(nil, among: held([("alice.near", nil)])) == "alice.near -")
        let two = held([("alice.near", "mainnet"), ("alice.testnet", "testnet")])
        #expect(chosen(nil, among: two) == "account_required")
        #expect(chosen(nil, "testnet", among: two) == "alice.testnet testnet")
        let three = two + held([("bob.testnet", nil)])
        #expect(chosen(nil, "testnet", among: three) == "account_required")
        #expect(chosen(nil, "testnet", among: [two[0]]) == "account_not_found")
    }

    @Test("a key of another network is refused")
    func otherNetwork() {
        let accounts = held([("alice.near", "mainnet")])
        #expect(chosen("alice.near", "testnet", among: accounts) == "network_mismatch")
        #expect(chosen(nil, "mainnet", among: accounts) == "alice.near mainnet")
    }

    @Test("one account with two keys needs the network, and then only one key")
    func twoKeys() {
        let id = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
        let accounts = held([(id, "mainnet"), (id, "testnet")])
        #expect(chosen(id, among: accounts) == "account_required")
        #expect(chosen(id, "testnet", among: accounts) == "\(id) testnet")
        #expect(chosen(id, "testnet", among: accounts + accounts) == "account_required")
    }

    @Test("a key of another algorithm does not count")
    func otherAlgorithm() {
        let account = Account(
            id: KeyID("x"), name: "x", protocolID: ProtocolID("near"), algorithm: .bip340,
            publicKey: [UInt8](repeating: 1, count: 32), address: "alice.near", network: nil)
        #expect(chosen("alice.near", among: [account]) == "account_not_found")
    }
}
